//! The served body of a post in the representations that responses need: JSON for lists, text for pages and feeds.

use std::{borrow::Cow, sync::Arc};

use crate::{api::json, domain::post::Post};

/// A representation of a body.
pub trait BodyRepresentation: Send + Sync + 'static {
    /// Returns the representation of a text, or of a missing text.
    fn of(text: Option<Cow<str>>) -> Self;

    /// Returns its length in bytes.
    fn bytes(&self) -> usize;
}

/// A JSON string, or `null`.
pub struct JsonBody(Box<[u8]>);

/// A text, if there is one.
pub struct TextBody(Option<Arc<str>>);

impl BodyRepresentation for JsonBody {
    fn of(text: Option<Cow<str>>) -> Self {
        let mut bytes = Vec::new();
        match text {
            Some(text) => json::text(&mut bytes, &text),
            None => json::value(&mut bytes, ()),
        }
        // Drops the spare capacity, which the cache does not count.
        Self(bytes.into_boxed_slice())
    }

    fn bytes(&self) -> usize {
        self.0.len()
    }
}

impl BodyRepresentation for TextBody {
    fn of(text: Option<Cow<str>>) -> Self {
        // Shared with the pages and feeds that contain the text, without a copy.
        Self(text.map(|text| text.into()))
    }

    fn bytes(&self) -> usize {
        self.0.as_ref().map_or(0, |text| text.len())
    }
}

/// The served body of a post.
pub struct ServedBody<B = JsonBody> {
    /// The post as of the catalog from which the body was built. A changed post has a different record.
    pub(super) post: Arc<Post>,
    pub(super) body: B,
}

impl ServedBody {
    /// Returns a JSON string, or `null`.
    pub fn json(&self) -> &[u8] {
        &self.body.0
    }

    /// Returns whether there is no text.
    pub fn is_null(&self) -> bool {
        &*self.body.0 == b"null"
    }
}

impl ServedBody<TextBody> {
    /// Returns the text; `None` if there is none.
    pub fn text(&self) -> Option<&Arc<str>> {
        self.body.0.as_ref()
    }
}

/// Returns the length of these bodies in a response, in bytes.
pub fn bytes<B: BodyRepresentation>(bodies: &[Arc<ServedBody<B>>]) -> usize {
    bodies.iter().map(|body| body.body.bytes()).sum()
}
