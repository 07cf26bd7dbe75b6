//! Builds posts and pages from rows and their links.

use std::borrow::Cow;

use jiff::Timestamp;
use url::Url;
use uuid::Uuid;

use super::{
    bodies::{self, BodyColumns, removal},
    importer::{Importer, UpsertDecision, linked, subject, unreadable_column},
    keys::{RowKey, record_id},
    rows::{Row, RowReader},
    tables::UnknownColumns,
};
use crate::{
    catalog::fields::POST_TEXTS,
    domain::{
        OptionalText, UNDATED,
        post::{Body, Post, PostKind, Status, TITLE_CHARACTERS_MAX, Visibility},
    },
    id::Id,
    import::files::FileIndex,
    render::{
        active_urls::without_active_urls,
        slug::{self, Kind},
    },
};

/// The title of a post without one (Ghost 6.65, recorded).
const UNTITLED: &str = "(Untitled)";

/// The columns of posts that are skipped.
const SKIPPED: &[&str] = &[
    "plaintext",
    "auto_excerpt",
    "reading_time",
    "locale",
    "published_by",
    "send_email_when_published",
    "url",
];

/// The note on a row that was repaired.
pub const REPAIRED: &str = "unpaired surrogates in it were replaced";

/// A post of the file, built independently of the file's other posts.
pub struct ImportedPost {
    /// The action for the site's record.
    pub decision: UpsertDecision,
    /// The subject of notes about it.
    pub subject: String,
    /// The record, with the slug that the file has.
    pub post: Post,
    /// Its body; empty if the existing post stays unchanged.
    pub body: Body,
    /// Notes on differences from the file.
    pub changes: Vec<String>,
    /// Missing files that it refers to.
    pub missing: Vec<String>,
    /// Notes on values that were left out.
    pub losses: Vec<String>,
    /// Unknown columns of its rows.
    pub unknown_columns: UnknownColumns,
}

/// A row that does not become a post.
pub struct SkippedPost {
    /// The subject of notes about it.
    pub subject: String,
    /// The reason.
    pub reason: &'static str,
}

impl Importer<'_> {
    /// Builds the post of a row. `author` is used if the row names none; `known` returns the identifier of
    /// the existing post with a UUID.
    pub fn imported_post(
        &self,
        row: &Row<'_>,
        author: Id,
        known: impl Fn(Uuid) -> Option<Id>,
    ) -> Result<ImportedPost, SkippedPost> {
        let is_repaired = row.is_repaired;
        let row = &row.read();
        let kind = kind(row);
        let slug = self.slug_of(row, kind)?;
        let uuid = row.text("uuid");
        let uuid = uuid.and_then(|uuid| Uuid::parse_str(&uuid).ok());
        let key = row.key("id");
        let posts = &self.transaction.catalog().posts;
        let id = match record_id("post", key.as_ref(), &slug) {
            // Some identifiers are derived from the slug, which may change; the UUID does not.
            id if posts.get(id).is_some() => id,
            id => uuid.and_then(known).unwrap_or(id),
        };
        let mut builder = PostBuilder {
            importer: self,
            row,
            key: key.as_ref(),
            changes: Vec::new(),
            unknown_columns: UnknownColumns::default(),
        };
        if let Some(text) = row.text("slug").filter(|text| **text != *slug) {
            builder
                .changes
                .push(format!("its slug was \"{text}\"; here it is \"{slug}\""));
        }
        let post = builder.post(id, kind, &slug, &title(row), uuid, author);
        let existing = posts.get(id).map(|post| (post.updated_at, &post.origin));
        let mut imported = ImportedPost {
            decision: UpsertDecision::of(existing, post.updated_at),
            subject: subject(kind.name(), &slug),
            post,
            body: Body::default(),
            changes: builder.changes,
            missing: Vec::new(),
            losses: Vec::new(),
            unknown_columns: builder.unknown_columns,
        };
        if imported.post.is_due(self.transaction.now()) {
            imported.post.status = imported.post.public_status();
            let change = "was scheduled for a time that has passed; it is published";
            imported.changes.push(change.to_owned());
        }
        if is_repaired {
            imported.changes.push(REPAIRED.to_owned());
        }
        self.add_body(&mut imported, row);
        let unreadable = row.unreadable_columns().into_iter();
        imported.losses = unreadable.map(unreadable_column).collect();
        Ok(imported)
    }

    /// Returns the slug of a row.
    fn slug_of(&self, row: &RowReader<'_>, kind: PostKind) -> Result<String, SkippedPost> {
        let Some(text) = row.first_text(&["slug", "title"]) else {
            return Err(SkippedPost {
                subject: format!("a {}", kind.name()),
                reason: "it has neither title nor slug",
            });
        };
        Ok(match row.text("slug") {
            Some(slug) => slug::from_imported_text(&slug, self.site.path()),
            None => slug::from_text(Kind::Post, &text, self.site.path()),
        })
    }

    /// Adds the body and the caption of a post that will be saved. Reads their columns in any case, so that
    /// they do not count as unknown.
    fn add_body(&self, imported: &mut ImportedPost, row: &RowReader<'_>) {
        let (lexical, mobiledoc) = (row.json_text("lexical"), row.json_text("mobiledoc"));
        let html = row.text("html");
        let columns = BodyColumns {
            lexical: lexical.as_deref(),
            mobiledoc: mobiledoc.as_deref(),
            html: html.as_deref(),
        };
        // These columns are the last that are read, so all others that are unread are unknown.
        imported.unknown_columns.add("posts", row.unread(SKIPPED));
        if !matches!(
            imported.decision,
            UpsertDecision::Insert | UpsertDecision::Update
        ) {
            return;
        }
        let (body, body_changes) = body(&columns, &imported.post, self.site, self.files);
        imported.changes.extend(body_changes);
        imported.changes.extend(clean_caption(&mut imported.post));
        let fields = serde_json::to_string(&imported.post).unwrap_or_default();
        let mut missing = self.files.missing(&fields);
        missing.extend(body.html.iter().flat_map(|html| self.files.missing(html)));
        missing.sort();
        missing.dedup();
        imported.missing = missing;
        imported.body = body;
    }
}

fn kind(row: &RowReader<'_>) -> PostKind {
    let is_page = row.switch("page");
    match row.text("type").as_deref() {
        Some("page") => PostKind::Page,
        Some(_) => PostKind::Post,
        // Exports of early versions have this column instead of the type.
        None if is_page == Some(true) => PostKind::Page,
        None => PostKind::Post,
    }
}

fn title<'r>(row: &RowReader<'r>) -> Cow<'r, str> {
    row.text("title")
        .filter(|title| !title.trim().is_empty())
        .unwrap_or(Cow::Borrowed(UNTITLED))
}

fn body(
    columns: &BodyColumns<'_>,
    post: &Post,
    site: &Url,
    files: &FileIndex,
) -> (Body, Vec<String>) {
    let converted = bodies::convert(columns, site, files);
    let body = Body::new(
        converted.html,
        post.is_gated(),
        post.feature_image.is_some(),
    );
    let body = match converted.lexical {
        Some(lexical) => body.with_lexical(lexical),
        None => body,
    };
    (body, [converted.losses, converted.removals].concat())
}

/// Removes URLs that run code from the caption of the feature image, and returns messages about them.
fn clean_caption(post: &mut Post) -> Vec<String> {
    let mut removed = Vec::new();
    let meta = post.meta.as_mut();
    if let Some(field) = meta.map(|meta| &mut meta.feature_image_caption)
        && let Some(caption) = field
    {
        match without_active_urls(caption, &mut removed) {
            Ok(Cow::Borrowed(_)) => {}
            Ok(Cow::Owned(cleaned)) => *caption = cleaned.into(),
            // A caption that cannot be checked is removed.
            Err(_) => removed.extend(field.take().map(Into::into)),
        }
    }
    removed.iter().map(|url| removal(url)).collect()
}

/// Builds the record of a post.
struct PostBuilder<'m, 'r> {
    importer: &'m Importer<'m>,
    row: &'m RowReader<'r>,
    key: Option<&'m RowKey>,
    changes: Vec<String>,
    unknown_columns: UnknownColumns,
}

impl PostBuilder<'_, '_> {
    fn post(
        &mut self,
        id: Id,
        kind: PostKind,
        slug: &str,
        title: &str,
        uuid: Option<Uuid>,
        author: Id,
    ) -> Post {
        let row = self.row;
        let importer = self.importer;
        let updated_at = row.first_date(&["updated_at", "published_at", "created_at"]);
        let created_at = row.date("created_at").or(updated_at).unwrap_or(UNDATED);
        let (status, published_at) = self.status(created_at);
        let (visibility, tiers) = self.visibility();
        let newsletter = row.key("newsletter_id");
        let mut post = Post {
            slug: slug.into(),
            title: self.title(title),
            status,
            visibility,
            tiers,
            featured: row.switch("featured").unwrap_or(false),
            updated_at: updated_at.unwrap_or(UNDATED),
            published_at,
            comment_id: self.comment_id(id),
            show_title_and_feature_image: row
                .switch("show_title_and_feature_image")
                .unwrap_or(true),
            tags: self.tags(),
            authors: self.authors(author),
            newsletter: newsletter.and_then(|key| importer.records.newsletters.get(&key).copied()),
            email_segment: self.email_segment(),
            ..Post::draft(
                id,
                uuid.unwrap_or_else(|| derived_uuid(id)),
                kind,
                created_at,
            )
        };
        self.set_texts(&mut post);
        post
    }

    fn title(&mut self, title: &str) -> Box<str> {
        let cut: String = title.chars().take(TITLE_CHARACTERS_MAX).collect();
        if cut.len() < title.len() {
            self.changes.push(format!(
                "its title was cut after {TITLE_CHARACTERS_MAX} characters"
            ));
        }
        cut.into()
    }

    /// Returns the identifier that the post had on the old site, with which comment services find its
    /// comments.
    fn comment_id(&self, id: Id) -> Box<str> {
        let own = || self.key.map_or_else(|| id.to_string(), RowKey::text).into();
        self.row.boxed("comment_id").unwrap_or_else(own)
    }

    fn status(&mut self, created_at: Timestamp) -> (Status, Option<Timestamp>) {
        let row = self.row;
        let published_at = row.date("published_at");
        let since = || Some(published_at.unwrap_or(created_at));
        match row.text("status").as_deref() {
            Some("published") => (Status::Published, since()),
            Some("sent") => (Status::Sent, since()),
            Some("scheduled") if published_at.is_none() => {
                self.changes
                    .push("was scheduled without a time; here it is a draft".to_owned());
                (Status::Draft, None)
            }
            Some("scheduled") => (Status::Scheduled, published_at),
            None | Some("draft") => (Status::Draft, published_at),
            Some(other) => {
                self.changes
                    .push(format!("its status was \"{other}\"; here it is a draft"));
                (Status::Draft, published_at)
            }
        }
    }

    /// Returns the visibility of the post and the tiers that may read it. If the visibility is unknown, only
    /// tiers that it names may read the post.
    fn visibility(&mut self) -> (Visibility, Vec<Id>) {
        let Some(visibility) = self.row.text("visibility") else {
            let settings = &self.importer.transaction.catalog().settings;
            return (settings.default_visibility(), settings.default_tiers());
        };
        match Visibility::from_name(&visibility) {
            Some(Visibility::Tiers) => (Visibility::Tiers, self.tiers()),
            Some(visibility) => (visibility, Vec::new()),
            None => {
                let tiers = self.tiers_of_filter(&visibility);
                self.changes.push(format!(
                    "was visible to \"{visibility}\"; here it is visible to {}",
                    match tiers.len() {
                        0 => "no member".to_owned(),
                        1 => "one tier".to_owned(),
                        count => format!("{count} tiers"),
                    }
                ));
                (Visibility::Tiers, tiers)
            }
        }
    }

    fn tiers(&mut self) -> Vec<Id> {
        let keys = linked(&self.importer.tables.tiers_of_posts, self.key);
        let tiers = self.record_ids(
            keys,
            |key| self.importer.records.tiers.get(key).copied(),
            "tier",
        );
        if tiers.is_empty() {
            self.changes.push(
                "is for members of tiers that do not exist here: no member can read it".to_owned(),
            );
        }
        tiers
    }

    /// Returns the tiers of a filter in Ghost 4's syntax: `product:gold,product:silver`.
    fn tiers_of_filter(&self, filter: &str) -> Vec<Id> {
        let tiers = &self.importer.transaction.catalog().tiers;
        filter
            .split(',')
            .filter_map(|part| part.trim().strip_prefix("product:"))
            .filter_map(|slug| Some(tiers.by_slug(slug.trim_matches('\''))?.id))
            .collect()
    }

    fn tags(&mut self) -> Vec<Id> {
        let keys = linked(&self.importer.tables.tags_of_posts, self.key);
        self.record_ids(
            keys,
            |key| self.importer.records.tags.get(key).copied(),
            "tag",
        )
    }

    fn authors(&mut self, fallback: Id) -> Vec<Id> {
        let mut keys = linked(&self.importer.tables.authors_of_posts, self.key);
        let single = self.row.key("author_id");
        if keys.is_empty() {
            keys.extend(&single);
        }
        let authors = self.record_ids(
            keys,
            |key| self.importer.records.users.get(key).copied(),
            "author",
        );
        if authors.is_empty() {
            self.changes
                .push("has no author in the file; a default author was set".to_owned());
            return vec![fallback];
        }
        authors
    }

    /// Returns the identifiers of the records with these keys, each once, in order.
    fn record_ids(
        &mut self,
        keys: Vec<&RowKey>,
        find: impl Fn(&RowKey) -> Option<Id>,
        noun: &str,
    ) -> Vec<Id> {
        let mut ids = Vec::with_capacity(keys.len());
        for key in keys {
            match find(key) {
                Some(id) if ids.contains(&id) => {}
                Some(id) => ids.push(id),
                None => self.changes.push(format!(
                    "names the {noun} {}, which is not in the file",
                    key.text()
                )),
            }
        }
        ids
    }

    fn email_segment(&self) -> OptionalText {
        let segment = self.row.boxed("email_recipient_filter");
        segment.filter(|segment| !matches!(&**segment, "all" | "none"))
    }

    /// Sets the texts of `post`. Metadata comes from its own table, or else from the post's row, where other
    /// programs and versions before Ghost 3 write it.
    fn set_texts(&mut self, post: &mut Post) {
        let importer = self.importer;
        importer.set_texts(post, self.row, POST_TEXTS);
        let metas = &importer.tables.meta_of_posts;
        let Some(row) = self.key.and_then(|key| metas.get(key)) else {
            return;
        };
        let row = row.read();
        post.meta.get_or_insert_default().email_only = row.switch("email_only").unwrap_or(false);
        for field in POST_TEXTS.iter().filter(|text| text.rules.in_side_record) {
            if let Some(text) = importer.text(field, &row) {
                (field.set)(post, Some(text));
            }
        }
        let unknown = row.unread(&["id", "post_id"]);
        self.unknown_columns.add("posts_meta", unknown);
    }
}

/// Returns the UUID for a post without one.
pub fn derived_uuid(id: Id) -> Uuid {
    Uuid::new_v5(
        // Derived, because a repeated import must not change the post.
        &Uuid::NAMESPACE_URL,
        format!("galley:imported:{id}").as_bytes(),
    )
}
