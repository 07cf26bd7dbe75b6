//! Imports tags.

use super::{
    importer::{Importer, insert_first, subject},
    keys::record_id,
    rows::RowReader,
};
use crate::{
    catalog::fields::TAG_TEXTS,
    collation,
    domain::{
        UNDATED,
        tag::{self, Tag},
    },
    error::Result,
    id::Id,
    render::slug::{self, Kind},
};

impl Importer<'_> {
    /// Imports the tags.
    pub fn tags(&mut self) -> Result<()> {
        let tables = self.tables;
        for row in &tables.tags {
            self.tag(&row.read())?;
        }
        Ok(())
    }

    fn tag(&mut self, row: &RowReader<'_>) -> Result<()> {
        let Some(name) = row.first_text(&["name", "slug"]) else {
            self.report
                .leave_out("a row of the table tags", "it has no name");
            return Ok(());
        };
        let slug_text = row.text("slug").unwrap_or_else(|| name.clone());
        let slug = slug::from_text(Kind::Tag, &slug_text, self.site.path());
        let key = row.key("id");
        let id = record_id("tag", key.as_ref(), &slug);
        let id = self.same_tag(id, &slug, &name);
        if let Some(key) = &key
            && !insert_first(&mut self.records.tags, key, id)
        {
            self.report
                .leave_out(subject("tag", &slug), "its identifier is in the file twice");
            return Ok(());
        }
        let updated_at = row.first_date(&["updated_at", "created_at"]);
        let visibility = row.text("visibility");
        let mut tag = Tag {
            internal: tag::is_internal(&name) || visibility.as_deref() == Some("internal"),
            created_at: row.date("created_at").or(updated_at).unwrap_or(UNDATED),
            ..Tag::new(id, &slug, &name, updated_at.unwrap_or(UNDATED))
        };
        self.set_texts(&mut tag, row, TAG_TEXTS);
        self.report_columns(&subject("tag", &slug), row, "tags", &["uuid"]);
        self.save_record(tag)?;
        Ok(())
    }

    /// Returns the identifier for a tag: that of the site's tag with the same slug and name, if there is one, even if
    /// the file gives it another identifier.
    fn same_tag(&mut self, id: Id, slug: &str, name: &str) -> Id {
        let tags = &self.transaction.catalog().tags;
        match tags.by_slug(slug) {
            Some(known)
                // Tags with the same slug and different names are different tags: the new one gets a number.
                if known.id != id && tags.get(id).is_none() && is_same_name(&known.name, name) =>
            {
                let known = known.id;
                self.report.change(
                    subject("tag", slug),
                    "the site already has this tag; its identifier is used",
                );
                known
            }
            _ => id,
        }
    }
}

/// Returns whether two names are equal, ignoring case.
pub fn is_same_name(one: &str, other: &str) -> bool {
    collation::is_equal(one.trim(), other.trim())
}
