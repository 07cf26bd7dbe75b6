//! A record in the site that it was part of.

use crate::{
    catalog::Catalog,
    id::Id,
    site::{Edition, records::BodyForm},
    store::{Keys, Record, Snapshot, StoreError, Table, Visit},
};

/// What a record was or is, and as much of the site at that moment as it takes to write it down.
pub struct State<'a, R> {
    /// The record.
    pub record: &'a R,
    /// The site: its catalog, and of all bodies that of this record.
    pub edition: Edition,
}

impl<'a, R> State<'a, R> {
    /// The record `record`, whose body is `html`, of the site that `catalog` shows.
    pub(super) fn new(record: &'a R, id: Id, catalog: Catalog, html: Option<String>) -> Self {
        let body = OneBody {
            revision: catalog.revision,
            key: BodyForm::Html.key(id),
            html,
        };
        Self {
            record,
            edition: Edition {
                catalog,
                snapshot: Box::new(body),
            },
        }
    }
}

/// A view of the store in which there is nothing but the body of one post.
struct OneBody {
    revision: u64,
    key: Vec<u8>,
    html: Option<String>,
}

impl Snapshot for OneBody {
    fn revision(&self) -> u64 {
        self.revision
    }

    fn get(&self, table: Table, key: &[u8]) -> Result<Option<Record>, StoreError> {
        let is_asked_for = table == Table::Bodies && key == self.key;
        let html = self.html.as_ref().filter(|_| is_asked_for);
        Ok(html.map(|html| Record {
            revision: self.revision,
            bytes: html.clone().into_bytes(),
        }))
    }

    fn scan(&self, _: Table, _: &Keys, _: &mut Visit<'_>) -> Result<(), StoreError> {
        Ok(())
    }
}
