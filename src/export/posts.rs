//! A list of posts as CSV, for spreadsheets.

use std::io::{self, Write};

use csv::{Terminator, WriterBuilder};
use jiff::Timestamp;

use super::ExportError;
use crate::{
    catalog::Catalog,
    domain::post::{Post, Status, Visibility},
    render::spreadsheet_cell::guarded,
};

/// The columns and their order, as users of Ghost know them. What nobody counts here has none.
pub const COLUMNS: [&str; 12] = [
    "id",
    "title",
    "url",
    "author",
    "status",
    "created_at",
    "updated_at",
    "published_at",
    "featured",
    "tags",
    "post_access",
    "newsletter_name",
];

/// Writes `posts` in their order; `url` tells where each is. No cell is taken for a formula by a spreadsheet.
///
/// # Errors
///
/// `Output` when `out` cannot be written.
pub fn write<'a>(
    catalog: &Catalog,
    posts: impl Iterator<Item = &'a Post>,
    url: impl Fn(&Post) -> String,
    out: impl Write,
) -> Result<(), ExportError> {
    let mut rows = WriterBuilder::new()
        .terminator(Terminator::CRLF)
        .from_writer(out);
    rows.write_record(COLUMNS).map_err(io::Error::from)?;
    for post in posts {
        let row = row(catalog, post, url(post));
        rows.write_record(row).map_err(io::Error::from)?;
    }
    rows.flush()?;
    Ok(())
}

fn row(catalog: &Catalog, post: &Post, url: String) -> [String; COLUMNS.len()] {
    let authors = catalog.users.all(&post.authors);
    let tags = catalog.tags.all(&post.tags);
    let newsletter = post.newsletter.and_then(|id| catalog.newsletters.get(id));
    [
        post.id.to_string(),
        guarded(&post.title),
        url,
        joined(authors.iter().map(|author| &*author.name)),
        status(post).to_owned(),
        date(post.created_at),
        date(post.updated_at),
        post.published_at.map(date).unwrap_or_default(),
        post.featured.to_string(),
        joined(tags.iter().map(|tag| &*tag.name)),
        access(catalog, post),
        newsletter.map_or_else(String::new, |newsletter| guarded(&newsletter.name)),
    ]
}

fn status(post: &Post) -> &'static str {
    match (post.status, post.newsletter) {
        (Status::Published, Some(_)) => "published and emailed",
        (Status::Published, None) => "published only",
        (Status::Sent, _) => "emailed only",
        (Status::Draft | Status::Scheduled, _) => post.status.name(),
    }
}

fn access(catalog: &Catalog, post: &Post) -> String {
    match post.visibility {
        Visibility::Public => "Public".to_owned(),
        Visibility::Members => "Members-only".to_owned(),
        Visibility::Paid => "Paid members-only".to_owned(),
        Visibility::Tiers => {
            let tiers = catalog.tiers.all(&post.tiers);
            format!(
                "Specific tiers: {}",
                joined(tiers.iter().map(|tier| &*tier.name))
            )
        }
    }
}

fn joined<'a>(names: impl Iterator<Item = &'a str>) -> String {
    guarded(&names.collect::<Vec<_>>().join(", "))
}

fn date(time: Timestamp) -> String {
    time.strftime("%Y-%m-%dT%H:%M:%S.000Z").to_string()
}
