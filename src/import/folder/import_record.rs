//! Records of imported documents. With them, a repeated import updates only posts whose file changed and that were not
//! edited since.

use serde::{Deserialize, Serialize};
use sha2::{Digest, Sha256};

use crate::{
    domain::post::{Post, Status},
    error::Result,
    id::Id,
    site::Transaction,
    store::Table,
};

/// The record of an imported document, stored under the identifier of its post.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct ImportRecord {
    /// The folder that the document was imported from.
    pub folder: String,
    /// The path of the document in that folder.
    pub path: String,
    /// The hash of the post that the import saved.
    pub made: ContentHash,
    /// The author that the post got, if the document names none.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub default_author: Option<Id>,
}

/// The hash of a post with its body.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct ContentHash([u8; 16]);

impl ImportRecord {
    /// Returns the record of the document that became the post `id`, if there is one.
    ///
    /// # Errors
    ///
    /// If the store cannot be read.
    pub fn of(transaction: &Transaction, id: Id) -> Result<Option<Self>> {
        transaction.read(Table::ImportedTexts, id.as_bytes())
    }

    /// Saves the record.
    ///
    /// # Errors
    ///
    /// If the store cannot be read.
    pub fn save(&self, transaction: &mut Transaction, id: Id) -> Result<()> {
        transaction.put(Table::ImportedTexts, id.as_bytes(), self)
    }
}

impl ContentHash {
    /// Returns the hash of a post and its body in stored form.
    ///
    /// The hash ignores fields derived from the body, and whether a scheduled post is published yet.
    ///
    /// # Errors
    ///
    /// If the post cannot be serialized.
    pub fn of(post: &Post, html: Option<&str>, lexical: Option<&str>) -> Result<Self> {
        let post = Post {
            public_excerpt: None,
            reading_time: None,
            files: Box::default(),
            document_of_file: None,
            status: match post.status {
                Status::Scheduled => Status::Published,
                status => status,
            },
            ..post.clone()
        };
        let record = serde_json::to_vec(&post).map_err(crate::error::Error::internal)?;
        let digest = Sha256::new()
            .chain_update(record)
            // A separator, so that text that moves from one part to the next changes the hash.
            .chain_update([0])
            .chain_update(html.unwrap_or_default())
            .chain_update([0])
            .chain_update(lexical.unwrap_or_default())
            .finalize();
        let mut hash = [0; 16];
        hash.copy_from_slice(&digest[..16]);
        Ok(Self(hash))
    }

    /// Returns the hash of a post of the site.
    ///
    /// # Errors
    ///
    /// If the store cannot be read.
    pub fn of_site(transaction: &Transaction, post: &Post) -> Result<Self> {
        let (html, lexical) = transaction.body(post.id)?;
        Self::of(post, html.as_deref(), lexical.as_deref())
    }
}
