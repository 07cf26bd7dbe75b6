//! The file of a post or a page: front matter and text, in the form that reads best of those that read back the same.

use super::{
    super::ExportError,
    address::Form,
    body::{self, Language},
    plan::{Entry, Plan, UsableKeys, Written},
};
use crate::domain::post::Post;

impl Plan<'_> {
    /// The file for a post. If no form reads back the same, the one that differs least, with a remark.
    pub fn post(&self, entry: &Entry, post: &Post) -> Result<Written, ExportError> {
        let body = self.body_of(post.id)?;
        let keys = [Form::Path, Form::Stored].map(|form| self.usable_keys(entry, form));
        let mut nearest: Option<(usize, Written)> = None;
        for (form, text) in body::candidates(&body, &self.preview) {
            let usable = match form {
                Form::Path => &keys[0],
                Form::Stored => &keys[1],
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

fn with_body(usable: &UsableKeys, entry: &Entry, language: Language, text: &str) -> String {
    let key = (language != Language::of_file(&entry.path)).then_some(("body", language.name()));
    usable.keys.with_body(key, text)
}

/// What readers see counts before all else.
fn distance(differences: &[String]) -> usize {
    let is_html = differences.iter().any(|field| field == "html");
    differences.len() + if is_html { 1000 } else { 0 }
}
