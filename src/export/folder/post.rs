//! Export of a post or a page: front matter and body, in the most readable form that is read back
//! as the same record.

use super::{
    super::ExportError,
    body::{self, Language},
    plan::{ExportPlan, PlannedFile, UsableKeys, WrittenFile},
};
use crate::{content_text::url_form::UrlForm, domain::post::Post};

impl ExportPlan<'_> {
    /// Returns the file of a post. If no form is read back as the same post, returns the form with
    /// the fewest differences, with remarks.
    pub fn post(&self, entry: &PlannedFile, post: &Post) -> Result<WrittenFile, ExportError> {
        let body = self.body_of(post.id)?;
        // Computed once for all texts, because each computation reads the keys back.
        let keys = [UrlForm::Path, UrlForm::Stored].map(|form| self.usable_keys(entry, form));
        let mut nearest: Option<(usize, WrittenFile)> = None;
        for (form, text) in body::candidates(&body, &self.preview) {
            let usable = match form {
                UrlForm::Path => &keys[0],
                UrlForm::Stored => &keys[1],
            };
            let bytes = with_body(usable, entry, text.language, &text.text).into_bytes();
            let differences = match self.preview.read(&entry.path, &bytes) {
                Ok(record) => self.differences(entry, Some(&body), &record),
                Err(_) => continue,
            };
            let written = usable.written(entry, bytes, &differences);
            if usable.covers(&differences) {
                return Ok(written);
            }
            let distance = distance(&differences);
            if nearest
                .as_ref()
                .is_none_or(|(nearest, _)| distance < *nearest)
            {
                nearest = Some((distance, written));
            }
        }
        Ok(nearest.map(|(_, written)| written).unwrap_or_else(|| {
            let text = with_body(&keys[1], entry, Language::of_file(&entry.path), "");
            keys[1].written(entry, text.into_bytes(), &["text".to_owned()])
        }))
    }
}

fn with_body(usable: &UsableKeys, entry: &PlannedFile, language: Language, text: &str) -> String {
    let key = (language != Language::of_file(&entry.path)).then_some(("body", language.name()));
    usable.keys.with_body(key, text)
}

/// The weight of a difference in the HTML, which readers see: greater than that of all other fields together.
const HTML_WEIGHT: usize = 1000;

/// Returns the total weight of the differences.
fn distance(differences: &[String]) -> usize {
    let is_html = differences.iter().any(|field| field == "html");
    differences.len() + if is_html { HTML_WEIGHT } else { 0 }
}
