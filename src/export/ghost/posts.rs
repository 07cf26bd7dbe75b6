//! Posts and pages: `posts`, `posts_meta`, and their relations to tags, authors and tiers.

use std::collections::BTreeMap;

use serde::Serialize;
use url::Url;

use super::{
    super::{ExportContext, ExportError, Report},
    document::{Columns, ExportDocument},
};
use crate::{
    catalog::{
        Catalog,
        fields::{Field, STAFF_POSTS},
    },
    domain::post::{Post, PostKind},
    id::Id,
    render::{html_to_lexical, plaintext},
    site::SiteSnapshot,
};

/// A row of `posts`.
#[derive(Serialize)]
struct PostRow<'a> {
    mobiledoc: Option<&'a str>,
    lexical: Option<String>,
    html: Option<&'a str>,
    plaintext: Option<String>,
    reading_time: Option<u32>,
    #[serde(flatten)]
    columns: Columns<'a, Post>,
}

/// A row of `posts_meta`.
#[derive(Serialize)]
struct MetaRow<'a> {
    id: Id,
    post_id: Id,
    #[serde(flatten)]
    columns: Columns<'a, Post>,
}

/// Returns whether the field is a column of `posts`. The user who published a post is not stored.
fn is_column(field: &Field<Post>) -> bool {
    let others = ["email_segment", "email_only", "published_by"];
    !field.in_side_record && !others.contains(&field.name)
}

/// A row of a table that relates posts to other records.
#[derive(Serialize)]
struct RelationRow {
    id: Id,
    post_id: Id,
    /// The column of the other record.
    #[serde(flatten)]
    other: BTreeMap<&'static str, Id>,
    sort_order: usize,
}

/// Returns the records to which a post is related.
type Related = fn(&Post) -> &[Id];

/// The tables that relate posts to other records, each with the column of the other record.
const RELATIONS: &[(&str, &str, Related)] = &[
    ("posts_tags", "tag_id", |post| &post.tags),
    ("posts_authors", "author_id", |post| &post.authors),
    ("posts_products", "product_id", |post| &post.tiers),
];

/// Writes all tables of posts and pages.
pub fn write(
    snapshot: &SiteSnapshot,
    context: ExportContext<'_>,
    document: &mut ExportDocument,
    report: &mut Report,
) -> Result<(), ExportError> {
    let catalog = &snapshot.catalog;
    let ExportContext { site, progress, .. } = context;
    let total = catalog.posts.iter().count() as u64;
    let mut table = document.table("posts")?;
    for (done, post) in catalog.posts.iter().enumerate() {
        progress.advance(done as u64, total);
        let html = snapshot.html(post.id)?;
        let lexical = snapshot.lexical(post.id)?;
        table.row(&PostRow::of(post, html.as_deref(), lexical, site))?;
        report.add(of_kind(post.kind), 1);
    }
    table.end()?;
    let mut table = document.table("posts_meta")?;
    for post in catalog.posts.iter() {
        if post.meta.is_some() {
            table.row(&MetaRow {
                id: Id::derive("posts_meta", &post.id.to_string()),
                post_id: post.id,
                columns: Columns(&STAFF_POSTS, post, |field| field.in_side_record),
            })?;
        }
    }
    table.end()?;
    write_relations(catalog, document)
}

fn write_relations(catalog: &Catalog, document: &mut ExportDocument) -> Result<(), ExportError> {
    for (name, column, others) in RELATIONS {
        let mut table = document.table(name)?;
        for post in catalog.posts.iter() {
            for (sort_order, other) in others(post).iter().enumerate() {
                table.row(&RelationRow {
                    id: Id::derive(name, &format!("{}/{other}", post.id)),
                    post_id: post.id,
                    other: BTreeMap::from([(*column, *other)]),
                    sort_order,
                })?;
            }
        }
        table.end()?;
    }
    Ok(())
}

/// Returns the name of posts of this kind in reports.
fn of_kind(kind: PostKind) -> &'static str {
    match kind {
        PostKind::Post => "posts",
        PostKind::Page => "pages",
    }
}

impl<'a> PostRow<'a> {
    /// A body that was not written in an editor is converted to an equivalent document, because
    /// Ghost requires one.
    fn of(post: &'a Post, html: Option<&'a str>, lexical: Option<String>, site: &Url) -> Self {
        Self {
            mobiledoc: None,
            lexical: lexical
                .or_else(|| html.map(|html| html_to_lexical::to_lexical_faithfully(html, site))),
            html,
            plaintext: html.map(plaintext::from_html),
            // Ghost never fills this column (6.65, observed).
            reading_time: None,
            columns: Columns(&STAFF_POSTS, post, is_column),
        }
    }
}
