//! Filters and orders that depend on the bodies of posts. Bodies are in the store, not in the
//! catalog.
//!
//! A body is read only if the other conditions do not decide. Bodies are read one at a time, from
//! the snapshot that the list comes from. The bytes read count once for each condition on the body,
//! up to [`SEARCHED_BYTES_MAX`]. A search that would read more is refused, so that no filter
//! occupies a thread for long.

use std::{
    collections::{HashMap, HashSet},
    sync::Arc,
};

use url::Url;

use super::view::SiteView;
use crate::{
    catalog::{
        fields::BodyForm,
        filter::{BodyForms, Filter},
        order::Order,
    },
    collation::TextKey,
    domain::post::Post,
    error::{Error, Kind, Result},
    id::Id,
    render::{html_to_lexical, lexical, plaintext},
};

/// Maximum size of the bodies that one list searches, in bytes. A body counts once for each
/// condition.
pub const SEARCHED_BYTES_MAX: usize = 256 << 20;

/// Length of the prefix of a body that determines its position in an order, in bytes.
const ORDERED_BYTES: usize = 256;

/// A search through the bodies of posts, for one list.
pub struct BodySearch<'a> {
    view: &'a dyn SiteView,
    site: &'a Url,
    bytes_max: usize,
    remaining_bytes: usize,
}

impl<'a> BodySearch<'a> {
    /// Returns a new search. `site` is the site's public URL.
    pub fn new(view: &'a dyn SiteView, site: &'a Url) -> Self {
        Self::bounded(view, site, SEARCHED_BYTES_MAX)
    }

    /// Returns a search that reads at most `bytes_max` bytes of bodies instead of
    /// [`SEARCHED_BYTES_MAX`].
    pub fn bounded(view: &'a dyn SiteView, site: &'a Url, bytes_max: usize) -> Self {
        Self {
            view,
            site,
            bytes_max,
            remaining_bytes: bytes_max,
        }
    }

    /// Returns the filter of `posts` with the conditions on bodies replaced by their results.
    ///
    /// # Errors
    ///
    /// `BadRequest` if more than [`SEARCHED_BYTES_MAX`] would be read.
    pub fn decide<'p>(
        &mut self,
        filter: Filter<Post>,
        posts: impl Iterator<Item = &'p Arc<Post>>,
    ) -> Result<Filter<Post>> {
        let forms = filter.body_forms();
        if forms.is_empty() {
            return Ok(filter);
        }
        let mut found = HashSet::new();
        for post in posts {
            let holds = match filter.verdict(post, None) {
                // The other conditions decide, so the body is not read.
                Some(holds) => holds,
                None => filter.verdict(post, Some(&self.texts(post.id, &forms)?)) == Some(true),
            };
            if holds {
                found.insert(post.id);
            }
        }
        // The filter is applied again to count and to page, which must not read the bodies again.
        Ok(Filter::OneOf(found, |post| post.id))
    }

    /// Converts an order of `posts` by forms of their bodies into an order by ranks. Only the first
    /// 256 bytes of each form count.
    ///
    /// # Errors
    ///
    /// `BadRequest` if more than [`SEARCHED_BYTES_MAX`] would be read.
    pub fn rank<'p>(
        &mut self,
        order: &mut Order<Post>,
        posts: impl Iterator<Item = &'p Arc<Post>> + Clone,
    ) -> Result<()> {
        order.rank_bodies(
            |post| post.id,
            |form| {
                let mut texts = Vec::new();
                for post in posts.clone() {
                    let body = self.texts(post.id, &[form])?;
                    let text = body.form(form).map(|text| {
                        // With whole bodies as sort keys, all bodies would be in memory at the same
                        // time.
                        let end = text.floor_char_boundary(ORDERED_BYTES);
                        TextKey::of(&text[..end])
                    });
                    texts.push((text, post.id));
                }
                texts.sort_unstable();
                Ok(ranks(&texts))
            },
        )
    }

    fn texts(&mut self, post: Id, forms: &[BodyForm]) -> Result<BodyForms> {
        let uses_of = |searched: BodyForm| forms.iter().filter(|form| **form == searched).count();
        let mut texts = BodyForms::default();
        if forms.contains(&BodyForm::Lexical) {
            texts.lexical = self.view.lexical(post)?;
        }
        let needs_html = texts.lexical.is_none() || uses_of(BodyForm::Lexical) < forms.len();
        if needs_html {
            texts.html = self.view.html(post)?;
        }
        // Charged after the body is read: its length is not known before, and the size of one body
        // is limited.
        let html_bytes = texts.html.as_ref().map_or(0, String::len);
        let lexical_bytes = texts.lexical.as_ref().map_or(html_bytes, String::len);
        let of_html = uses_of(BodyForm::Html) + uses_of(BodyForm::Plaintext);
        self.charge(of_html * html_bytes + uses_of(BodyForm::Lexical) * lexical_bytes)?;
        if uses_of(BodyForm::Plaintext) > 0 {
            let text = texts.html.as_deref().map(plaintext::from_html);
            texts.plaintext = text.filter(|text| !text.is_empty());
        }
        if uses_of(BodyForm::Lexical) > 0 && texts.lexical.is_none() {
            texts.lexical = Some(match texts.html.as_deref() {
                Some(html) => html_to_lexical::to_lexical_faithfully(html, self.site),
                None => lexical::EMPTY_DOCUMENT.to_owned(),
            });
        }
        Ok(texts)
    }

    fn charge(&mut self, bytes: usize) -> Result<()> {
        let bytes_left = self.remaining_bytes.checked_sub(bytes).ok_or_else(|| {
            Error::new(
                Kind::BadRequest,
                "The request searches through too much text.",
            )
            .context(format!(
                "One request searches through at most {} bytes of bodies.",
                self.bytes_max
            ))
            .help("Add conditions on other fields, such as a status, a tag or a date, which narrow down the bodies that are read.")
        })?;
        self.remaining_bytes = bytes_left;
        Ok(())
    }
}

/// Returns the rank of each record; equal values share a rank, and null ranks lowest.
fn ranks(sorted: &[(Option<TextKey>, Id)]) -> HashMap<Id, usize> {
    let mut ranks = HashMap::with_capacity(sorted.len());
    for (rank, equal) in sorted.chunk_by(|(a, _), (b, _)| a == b).enumerate() {
        ranks.extend(equal.iter().map(|(_, id)| (*id, rank)));
    }
    ranks
}
