//! Refuses edits of content files in a process that does not follow the files because another one does.

use crate::{
    domain::post::{Body, Post},
    error::{Error, Kind, Result},
    site::{DeletedFile, EditedFile, EditedRecord, FileRecord, FileWriter, TransactionView, Work},
};

/// Refuses edits of content files with an error that names the node that accepts them.
pub struct WriterElsewhere;

impl FileWriter for WriterElsewhere {
    fn edited(&self, transaction: &TransactionView, _: Post, _: Body) -> Result<EditedFile> {
        Err(elsewhere(transaction)?)
    }

    fn added(&self, transaction: &TransactionView, _: Post, _: Body) -> Result<EditedFile> {
        Err(elsewhere(transaction)?)
    }

    fn edited_record(
        &self,
        transaction: &TransactionView,
        _: FileRecord,
    ) -> Result<Option<EditedRecord>> {
        Err(elsewhere(transaction)?)
    }

    fn deleted(&self, transaction: &TransactionView, _: &str) -> Result<DeletedFile> {
        Err(elsewhere(transaction)?)
    }
}

fn elsewhere(transaction: &TransactionView) -> Result<Error> {
    let lease = transaction.lease(Work::Source)?;
    let name = lease.as_ref().map(|lease| lease.node_name());
    let message = match name.filter(|name| !name.is_empty()) {
        Some(name) => {
            format!("Content files can only be edited on the node {name}, which follows them.")
        }
        None => "No node currently follows the content files, so they cannot be edited.".to_owned(),
    };
    Ok(Error::new(Kind::Maintenance, message).code("FOLLOWED_ELSEWHERE"))
}
