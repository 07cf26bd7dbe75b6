//! Tags: `tags`.

use serde::Serialize;

use super::{
    super::{ExportError, Report},
    document::{ExportDocument, Time},
};
use crate::{catalog::Catalog, domain::tag::Tag, id::Id};

/// A row of `tags`.
#[derive(Serialize)]
struct TagRow<'a> {
    id: Id,
    name: &'a str,
    slug: &'a str,
    description: Option<&'a str>,
    feature_image: Option<&'a str>,
    parent_id: Option<Id>,
    visibility: &'a str,
    og_image: Option<&'a str>,
    og_title: Option<&'a str>,
    og_description: Option<&'a str>,
    twitter_image: Option<&'a str>,
    twitter_title: Option<&'a str>,
    twitter_description: Option<&'a str>,
    meta_title: Option<&'a str>,
    meta_description: Option<&'a str>,
    codeinjection_head: Option<&'a str>,
    codeinjection_foot: Option<&'a str>,
    canonical_url: Option<&'a str>,
    accent_color: Option<&'a str>,
    created_at: Time,
    updated_at: Time,
}

/// Writes all tags.
pub fn write(
    catalog: &Catalog,
    document: &mut ExportDocument,
    report: &mut Report,
) -> Result<(), ExportError> {
    let mut table = document.table("tags")?;
    for tag in catalog.tags.iter() {
        table.row(&TagRow::of(tag))?;
    }
    report.add("tags", table.end()?);
    Ok(())
}

impl<'a> TagRow<'a> {
    fn of(tag: &'a Tag) -> Self {
        Self {
            id: tag.id,
            name: &tag.name,
            slug: &tag.slug,
            description: tag.description.as_deref(),
            feature_image: tag.feature_image.as_deref(),
            parent_id: None,
            visibility: tag.visibility(),
            og_image: tag.og_image.as_deref(),
            og_title: tag.og_title.as_deref(),
            og_description: tag.og_description.as_deref(),
            twitter_image: tag.twitter_image.as_deref(),
            twitter_title: tag.twitter_title.as_deref(),
            twitter_description: tag.twitter_description.as_deref(),
            meta_title: tag.meta_title.as_deref(),
            meta_description: tag.meta_description.as_deref(),
            codeinjection_head: tag.codeinjection_head.as_deref(),
            codeinjection_foot: tag.codeinjection_foot.as_deref(),
            canonical_url: tag.canonical_url.as_deref(),
            accent_color: tag.accent_color.as_deref(),
            created_at: Time(tag.created_at),
            updated_at: Time(tag.updated_at),
        }
    }
}
