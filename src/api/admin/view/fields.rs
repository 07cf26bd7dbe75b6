//! The parts of a site from which records are written, and the writer of their fields.

use crate::{
    api::{
        json::Object,
        params::{Rows, Selection},
        values,
    },
    catalog::{
        Catalog,
        fields::{FieldSource, FieldType, ViewField},
        value::Value,
    },
    site::SiteView,
    site_urls::SiteUrls,
};

/// Writes the records of one response.
pub struct View<'a> {
    /// The site as of the response.
    pub snapshot: &'a dyn SiteView,
    /// The URLs of the site.
    pub site_urls: &'a SiteUrls,
    /// The parts of a record to serve.
    pub selection: &'a Selection,
}

impl<'a> View<'a> {
    /// Returns the catalog of the site.
    pub fn catalog(&self) -> &'a Catalog {
        self.snapshot.catalog()
    }

    /// Writes the rows of `record`. For a row that the view computes, calls `computed`, which writes or
    /// omits the field.
    pub fn fields<R>(
        &self,
        object: &mut Object,
        record: &R,
        rows: &Rows<R>,
        mut computed: impl FnMut(&mut Object, &'static str, ViewField),
    ) {
        for field in rows {
            match field.source {
                FieldSource::View(view) => computed(object, field.name, view),
                _ => self.value(object.name(field.name), field.kind, field.value(record)),
            }
        }
    }

    pub(super) fn value(&self, bytes: &mut Vec<u8>, kind: FieldType, value: Value) {
        values::write(bytes, kind, value, self.site_urls, None);
    }
}
