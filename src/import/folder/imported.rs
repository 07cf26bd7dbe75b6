//! What is remembered of a text that was imported: so that doing it again changes only what its file changed, and nothing
//! that was edited in between.

use serde::{Deserialize, Serialize};
use sha2::{Digest, Sha256};

use crate::{
    domain::post::{Post, Status},
    error::Result,
    id::Id,
    site::Transaction,
    store::Table,
};

/// What is remembered of a text, under the identifier of its post.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct ImportedText {
    /// The folder that it was imported from.
    pub folder: String,
    /// Its path there.
    pub path: String,
    /// What it made.
    pub made: ContentHash,
    /// Who stood for its author, since it names none.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub default_author: Option<Id>,
}

/// A hash of a post with its body, as an import made it or as it is now.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct ContentHash([u8; 16]);

impl ImportedText {
    /// What is remembered of the text that made the post `id`, if one did.
    ///
    /// # Errors
    ///
    /// When the store cannot be read.
    pub fn of(transaction: &Transaction, id: Id) -> Result<Option<Self>> {
        transaction.read(Table::ImportedTexts, id.as_bytes())
    }

    /// Remembers it.
    ///
    /// # Errors
    ///
    /// When the store cannot be read.
    pub fn save(&self, transaction: &mut Transaction, id: Id) -> Result<()> {
        transaction.put(Table::ImportedTexts, id.as_bytes(), self)
    }
}

impl ContentHash {
    /// The hash of a post and its body in stored form.
    ///
    /// What follows from the body is left out, and so is whether the time of a scheduled post has come.
    ///
    /// # Errors
    ///
    /// When the post cannot be written as a record.
    pub fn of(post: &Post, html: Option<&str>, lexical: Option<&str>) -> Result<Self> {
        let post = Post {
            public_excerpt: None,
            reading_time: None,
            files: Box::default(),
            status: match post.status {
                Status::Scheduled => Status::Published,
                status => status,
            },
            ..post.clone()
        };
        let record = serde_json::to_vec(&post).map_err(crate::error::Error::internal)?;
        let digest = Sha256::new()
            .chain_update(record)
            .chain_update([0])
            .chain_update(html.unwrap_or_default())
            .chain_update([0])
            .chain_update(lexical.unwrap_or_default())
            .finalize();
        let mut start = [0; 16];
        start.copy_from_slice(&digest[..16]);
        Ok(Self(start))
    }

    /// The hash of the post that the site has.
    ///
    /// # Errors
    ///
    /// When the store cannot be read.
    pub fn of_site(transaction: &Transaction, post: &Post) -> Result<Self> {
        let (html, lexical) = transaction.body(post.id)?;
        Self::of(post, html.as_deref(), lexical.as_deref())
    }
}
