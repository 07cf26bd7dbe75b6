//! Posts and pages: `posts`, `posts_meta`, and their relations to tags, authors and tiers.

use serde::Serialize;
use url::Url;
use uuid::Uuid;

use super::{
    super::{ExportContext, ExportError, Report},
    document::{ExportDocument, Time},
};
use crate::{
    catalog::Catalog,
    domain::post::{Post, PostKind, PostMeta},
    id::Id,
    render::{html_to_lexical, plaintext},
    site::SiteSnapshot,
};

/// A row of `posts`.
#[derive(Serialize)]
struct PostRow<'a> {
    id: Id,
    uuid: Uuid,
    title: &'a str,
    slug: &'a str,
    mobiledoc: Option<&'a str>,
    lexical: Option<String>,
    html: Option<&'a str>,
    comment_id: &'a str,
    plaintext: Option<String>,
    feature_image: Option<&'a str>,
    featured: bool,
    r#type: &'a str,
    status: &'a str,
    locale: Option<&'a str>,
    visibility: &'a str,
    email_recipient_filter: &'a str,
    created_at: Time,
    updated_at: Time,
    published_at: Option<Time>,
    custom_excerpt: Option<&'a str>,
    /// A column that Ghost has and never fills.
    auto_excerpt: Option<&'a str>,
    reading_time: Option<u32>,
    codeinjection_head: Option<&'a str>,
    codeinjection_foot: Option<&'a str>,
    custom_template: Option<&'a str>,
    canonical_url: Option<&'a str>,
    newsletter_id: Option<Id>,
    show_title_and_feature_image: bool,
}

/// A row of `posts_meta`.
#[derive(Serialize)]
struct MetaRow<'a> {
    id: Id,
    post_id: Id,
    og_image: Option<&'a str>,
    og_title: Option<&'a str>,
    og_description: Option<&'a str>,
    twitter_image: Option<&'a str>,
    twitter_title: Option<&'a str>,
    twitter_description: Option<&'a str>,
    meta_title: Option<&'a str>,
    meta_description: Option<&'a str>,
    email_subject: Option<&'a str>,
    frontmatter: Option<&'a str>,
    feature_image_alt: Option<&'a str>,
    feature_image_caption: Option<&'a str>,
    email_only: bool,
}

#[derive(Serialize)]
struct TagOfPost {
    id: Id,
    post_id: Id,
    tag_id: Id,
    sort_order: usize,
}

#[derive(Serialize)]
struct AuthorOfPost {
    id: Id,
    post_id: Id,
    author_id: Id,
    sort_order: usize,
}

#[derive(Serialize)]
struct TierOfPost {
    id: Id,
    post_id: Id,
    product_id: Id,
    sort_order: usize,
}

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
        progress(done as u64, total);
        let html = snapshot.bodies([post.id].into_iter())?.pop().flatten();
        let lexical = snapshot.lexical(post.id)?;
        table.row(&PostRow::of(post, html.as_deref(), lexical, site))?;
        report.add(of_kind(post.kind), 1);
    }
    table.end()?;
    let mut table = document.table("posts_meta")?;
    for post in catalog.posts.iter() {
        if let Some(meta) = &post.meta {
            table.row(&MetaRow::of(post.id, meta))?;
        }
    }
    table.end()?;
    write_relations(catalog, document)
}

fn write_relations(catalog: &Catalog, document: &mut ExportDocument) -> Result<(), ExportError> {
    let mut table = document.table("posts_tags")?;
    for relation in catalog
        .posts
        .iter()
        .flat_map(|post| relations("posts_tags", post, &post.tags))
    {
        table.row(&TagOfPost {
            id: relation.id,
            post_id: relation.post,
            tag_id: relation.other,
            sort_order: relation.position,
        })?;
    }
    table.end()?;
    let mut table = document.table("posts_authors")?;
    for relation in catalog
        .posts
        .iter()
        .flat_map(|post| relations("posts_authors", post, &post.authors))
    {
        table.row(&AuthorOfPost {
            id: relation.id,
            post_id: relation.post,
            author_id: relation.other,
            sort_order: relation.position,
        })?;
    }
    table.end()?;
    let mut table = document.table("posts_products")?;
    for relation in catalog
        .posts
        .iter()
        .flat_map(|post| relations("posts_products", post, &post.tiers))
    {
        table.row(&TierOfPost {
            id: relation.id,
            post_id: relation.post,
            product_id: relation.other,
            sort_order: relation.position,
        })?;
    }
    table.end()?;
    Ok(())
}

/// A relation of a post.
struct Relation {
    id: Id,
    post: Id,
    other: Id,
    position: usize,
}

fn relations<'a>(
    table: &'a str,
    post: &'a Post,
    others: &'a [Id],
) -> impl Iterator<Item = Relation> + 'a {
    others
        .iter()
        .enumerate()
        .map(move |(position, other)| Relation {
            id: Id::derive(table, &format!("{}/{other}", post.id)),
            post: post.id,
            other: *other,
            position,
        })
}

/// Returns the name of such posts in reports.
fn of_kind(kind: PostKind) -> &'static str {
    match kind {
        PostKind::Post => "posts",
        PostKind::Page => "pages",
    }
}

impl<'a> PostRow<'a> {
    /// A body that was not made in an editor gets an equivalent document: Ghost stores no other.
    fn of(post: &'a Post, html: Option<&'a str>, lexical: Option<String>, site: &Url) -> Self {
        Self {
            id: post.id,
            uuid: post.uuid,
            title: &post.title,
            slug: &post.slug,
            mobiledoc: None,
            lexical: lexical
                .or_else(|| html.map(|html| html_to_lexical::to_lexical_faithfully(html, site))),
            html,
            comment_id: &post.comment_id,
            plaintext: html.map(plaintext::from_html),
            feature_image: post.feature_image.as_deref(),
            featured: post.featured,
            r#type: post.kind.name(),
            status: post.status.name(),
            locale: None,
            visibility: post.visibility.name(),
            email_recipient_filter: post.email_segment.as_deref().unwrap_or("all"),
            created_at: Time(post.created_at),
            updated_at: Time(post.updated_at),
            published_at: post.published_at.map(Time),
            custom_excerpt: post.custom_excerpt.as_deref(),
            auto_excerpt: None,
            reading_time: None,
            codeinjection_head: post.codeinjection_head.as_deref(),
            codeinjection_foot: post.codeinjection_foot.as_deref(),
            custom_template: post.custom_template.as_deref(),
            canonical_url: post.canonical_url.as_deref(),
            newsletter_id: post.newsletter,
            show_title_and_feature_image: post.show_title_and_feature_image,
        }
    }
}

impl<'a> MetaRow<'a> {
    fn of(post: Id, meta: &'a PostMeta) -> Self {
        Self {
            id: Id::derive("posts_meta", &post.to_string()),
            post_id: post,
            og_image: meta.og_image.as_deref(),
            og_title: meta.og_title.as_deref(),
            og_description: meta.og_description.as_deref(),
            twitter_image: meta.twitter_image.as_deref(),
            twitter_title: meta.twitter_title.as_deref(),
            twitter_description: meta.twitter_description.as_deref(),
            meta_title: meta.meta_title.as_deref(),
            meta_description: meta.meta_description.as_deref(),
            email_subject: meta.email_subject.as_deref(),
            frontmatter: meta.frontmatter.as_deref(),
            feature_image_alt: meta.feature_image_alt.as_deref(),
            feature_image_caption: meta.feature_image_caption.as_deref(),
            email_only: meta.email_only,
        }
    }
}
