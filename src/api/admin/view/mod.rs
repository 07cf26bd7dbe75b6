//! How records are written to staff and integrations: the rows of their table that were asked for, and what they are
//! related to (Ghost 6.65, recorded).

mod post;
mod related;
mod revisions;

use crate::{
    api::{
        addresses::Addresses,
        json::Object,
        params::{Rows, Selection},
        values,
    },
    catalog::{
        Catalog,
        fields::{FieldType, Source, ViewField},
        value::Value,
    },
    site::Edition,
};

/// What is served of each record of one answer.
pub struct View<'a> {
    /// The site as the answer shows it.
    pub edition: &'a Edition,
    /// Where things are.
    pub addresses: &'a Addresses,
    /// What of it is served.
    pub selection: &'a Selection,
}

impl<'a> View<'a> {
    /// Everything of the site but the bodies.
    pub fn catalog(&self) -> &'a Catalog {
        &self.edition.catalog
    }

    /// Writes the rows of `record`; what the view has to work out, `worked_out` writes, if it is to be there at all.
    pub fn fields<R>(
        &self,
        object: &mut Object,
        record: &R,
        rows: &Rows<R>,
        mut worked_out: impl FnMut(&mut Object, &'static str, ViewField),
    ) {
        for field in rows {
            match field.source {
                Source::Record(get) => {
                    self.value(object.name(field.name), field.kind, get(record));
                }
                Source::View(view) => worked_out(object, field.name, view),
            }
        }
    }

    fn value(&self, bytes: &mut Vec<u8>, kind: FieldType, value: Value) {
        values::write(bytes, kind, value, self.addresses, None);
    }
}
