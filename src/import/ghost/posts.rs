//! Posts and pages of an export: a row and its ties become a record.

use std::borrow::Cow;

use jiff::Timestamp;
use url::Url;
use uuid::Uuid;

use super::{
    bodies::{self, BodyColumns, removal},
    importer::{Importer, Standing, misfit, subject, tied},
    keys::{Key, record_id},
    rows::{Reading, Row},
};
use crate::{
    domain::{
        OptionalText, UNDATED,
        post::{Body, Post, PostKind, PostMeta, Status, TITLE_CHARACTERS_MAX, Visibility},
    },
    id::Id,
    import::files::Files,
    render::{
        active_urls::without_active_urls,
        slug::{self, Kind},
        urls,
    },
};

/// The title of a post without one (Ghost 6.65, recorded).
const UNTITLED: &str = "(Untitled)";

/// What is said of a row that was mended.
pub const MENDED: &str = "halves of characters in it were replaced";

/// A post that is being imported: what can be said of it without knowing what others of the file became.
pub struct Incoming {
    /// How it stands to what is there.
    pub standing: Standing,
    /// How notes name it.
    pub subject: String,
    /// The record, with the slug that the file has.
    pub post: Post,
    /// Its body, unless the post stays as it is.
    pub body: Body,
    /// What is not as it was in the file.
    pub changes: Vec<String>,
    /// Files that it refers to and that are not here.
    pub missing: Vec<String>,
    /// What of it is not kept.
    pub losses: Vec<String>,
    /// Columns that were not read.
    pub unknown_columns: Vec<String>,
}

/// A row that makes no post, and why.
pub struct RefusedPost {
    /// How notes name it.
    pub subject: String,
    /// Why.
    pub reason: &'static str,
}

impl Importer<'_> {
    /// What a row becomes. `author` gets what names none; `known` finds the post with this UUID.
    pub fn incoming(
        &self,
        row: &Row<'_>,
        author: Id,
        known: impl Fn(Uuid) -> Option<Id>,
    ) -> Result<Incoming, RefusedPost> {
        let unknown_columns = row.unknown.clone();
        let is_mended = row.is_mended;
        let row = &row.read();
        let kind = kind(row);
        let title = title(row);
        let Some(written_slug) = row.first_text(&["slug", "title"]) else {
            return Err(RefusedPost {
                subject: format!("a {}", kind.name()),
                reason: "it has neither title nor slug",
            });
        };
        let slug = match row.text("slug") {
            Some(slug) => slug::from_imported_text(&slug, self.site.path()),
            None => slug::from_text(Kind::Post, &written_slug, self.site.path()),
        };
        let key = row.key("id");
        let uuid = row
            .text("uuid")
            .and_then(|uuid| Uuid::parse_str(&uuid).ok());
        let id = record_id("post", key.as_ref(), &slug);
        let posts = &self.transaction.catalog().posts;
        let id = match posts.get(id) {
            Some(_) => id,
            None => uuid.and_then(known).unwrap_or(id),
        };
        let mut made = Making {
            importer: self,
            row,
            key: key.as_ref(),
            changes: Vec::new(),
        };
        if let Some(text) = row.text("slug").filter(|text| **text != *slug) {
            made.changes
                .push(format!("its slug was \"{text}\"; here it is \"{slug}\""));
        }
        let mut post = made.post(id, kind, &slug, &title, uuid, author);
        if post.is_due(self.transaction.now()) {
            post.status = post.public_status();
            let change = "was scheduled for a time that has passed; it is published";
            made.changes.push(change.to_owned());
        }
        let mut changes = made.changes;
        if is_mended {
            changes.push(MENDED.to_owned());
        }
        let there = posts.get(id).map(|post| (post.updated_at, &post.source));
        let standing = Standing::of(there, post.updated_at);
        let subject = subject(kind.name(), &slug);
        let mut missing = Vec::new();
        let body = match standing {
            Standing::New | Standing::Newer => {
                let (body, changed) = body(row, &post, self.site, self.files);
                changes.extend(changed);
                changes.extend(clean_caption(&mut post));
                let fields = serde_json::to_string(&post).unwrap_or_default();
                missing = self.files.missing(&fields);
                missing.extend(body.html.iter().flat_map(|html| self.files.missing(html)));
                missing.sort();
                missing.dedup();
                body
            }
            Standing::Same | Standing::Kept(_) => Body::default(),
        };
        Ok(Incoming {
            standing,
            subject,
            post,
            body,
            changes,
            missing,
            losses: row.misfits().into_iter().map(misfit).collect(),
            unknown_columns,
        })
    }
}

fn kind(row: &Reading<'_>) -> PostKind {
    match row.text("type").as_deref() {
        Some("page") => PostKind::Page,
        Some(_) => PostKind::Post,
        None if row.switch("page") == Some(true) => PostKind::Page,
        None => PostKind::Post,
    }
}

fn title<'r>(row: &Reading<'r>) -> Cow<'r, str> {
    row.text("title")
        .filter(|title| !title.trim().is_empty())
        .unwrap_or(Cow::Borrowed(UNTITLED))
}

fn body(row: &Reading<'_>, post: &Post, site: &Url, files: &Files) -> (Body, Vec<String>) {
    let (lexical, mobiledoc) = (row.json_text("lexical"), row.json_text("mobiledoc"));
    let html = row.text("html");
    let written = BodyColumns {
        lexical: lexical.as_deref(),
        mobiledoc: mobiledoc.as_deref(),
        html: html.as_deref(),
    };
    let converted = bodies::convert(&written, site, files);
    let body = Body::new(
        converted.html,
        post.is_closed(),
        post.feature_image.is_some(),
    );
    let body = match converted.lexical {
        Some(lexical) => body.with_lexical(lexical),
        None => body,
    };
    (body, [converted.losses, converted.removals].concat())
}

/// Takes URLs that run code out of the caption of the image above a post, and returns what was taken out, in words.
fn clean_caption(post: &mut Post) -> Vec<String> {
    let mut removed = Vec::new();
    let meta = post.meta.as_mut();
    if let Some(field) = meta.map(|meta| &mut meta.feature_image_caption)
        && let Some(caption) = field
    {
        match without_active_urls(caption, &mut removed) {
            Ok(Cow::Borrowed(_)) => {}
            Ok(Cow::Owned(cleaned)) => *caption = cleaned.into(),
            // What cannot be looked through does not stay.
            Err(_) => removed.extend(field.take().map(Into::into)),
        }
    }
    removed.iter().map(|url| removal(url)).collect()
}

/// A record in the making.
struct Making<'m, 'r> {
    importer: &'m Importer<'m>,
    row: &'m Reading<'r>,
    key: Option<&'m Key>,
    changes: Vec<String>,
}

impl Making<'_, '_> {
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
        let updated_at = ["updated_at", "published_at", "created_at"]
            .into_iter()
            .find_map(|column| row.date(column));
        let created_at = row.date("created_at").or(updated_at).unwrap_or(UNDATED);
        let (status, published_at) = self.status(created_at);
        let (visibility, tiers) = self.visibility();
        let newsletter = row.key("newsletter_id");
        Post {
            id,
            uuid: uuid.unwrap_or_else(|| derived_uuid(id)),
            kind,
            slug: slug.into(),
            title: self.title(title),
            status,
            visibility,
            tiers,
            featured: row.switch("featured").unwrap_or(false),
            created_at,
            updated_at: updated_at.unwrap_or(UNDATED),
            published_at,
            comment_id: self.comment_id(id),
            feature_image: importer.address(row, &["feature_image", "image"]),
            custom_excerpt: importer.markup(row, "custom_excerpt"),
            public_excerpt: None,
            reading_time: None,
            codeinjection_head: importer.markup(row, "codeinjection_head"),
            codeinjection_foot: importer.markup(row, "codeinjection_foot"),
            custom_template: row.boxed("custom_template"),
            canonical_url: row.link("canonical_url").map(|address| {
                urls::canonical_url_to_stored(&address, importer.site)
                    .as_ref()
                    .into()
            }),
            show_title_and_feature_image: row
                .switch("show_title_and_feature_image")
                .unwrap_or(true),
            tags: self.tags(),
            authors: self.authors(author),
            newsletter: newsletter.and_then(|key| importer.records.newsletters.get(&key).copied()),
            email_segment: self.email_segment(),
            meta: self.meta(),
            source: None,
            aliases: Box::default(),
            files: Box::default(),
        }
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

    /// What identified the post to comment services where it came from: they go on finding its comments.
    fn comment_id(&self, id: Id) -> Box<str> {
        let own = || self.key.map_or_else(|| id.to_string(), Key::text).into();
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
                    .push("was scheduled for no time; here it is a draft".to_owned());
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

    /// Who may read it. What cannot be understood is closed to everybody rather than open to anybody.
    fn visibility(&mut self) -> (Visibility, Vec<Id>) {
        let Some(written) = self.row.text("visibility") else {
            let settings = &self.importer.transaction.catalog().settings;
            return (settings.default_visibility(), settings.default_tiers());
        };
        match Visibility::from_name(&written) {
            Some(Visibility::Tiers) => (Visibility::Tiers, self.tiers()),
            Some(visibility) => (visibility, Vec::new()),
            None => {
                let tiers = self.tiers_of_filter(&written);
                self.changes.push(format!(
                    "could be read by \"{written}\"; here {} can",
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
        let keys = tied(&self.importer.tables.tiers_of_posts, self.key);
        let tiers = self.found(
            keys,
            |key| self.importer.records.tiers.get(key).copied(),
            "tier",
        );
        if tiers.is_empty() {
            self.changes.push(
                "is for members of tiers, but none of them is here: no member can read it"
                    .to_owned(),
            );
        }
        tiers
    }

    /// The tiers of a filter as Ghost 4 had it: `product:gold,product:silver`.
    fn tiers_of_filter(&self, filter: &str) -> Vec<Id> {
        let tiers = &self.importer.transaction.catalog().tiers;
        filter
            .split(',')
            .filter_map(|part| part.trim().strip_prefix("product:"))
            .filter_map(|slug| Some(tiers.by_slug(slug.trim_matches('\''))?.id))
            .collect()
    }

    fn tags(&mut self) -> Vec<Id> {
        let keys = tied(&self.importer.tables.tags_of_posts, self.key);
        self.found(
            keys,
            |key| self.importer.records.tags.get(key).copied(),
            "tag",
        )
    }

    fn authors(&mut self, fallback: Id) -> Vec<Id> {
        let mut keys = tied(&self.importer.tables.authors_of_posts, self.key);
        let single = self.row.key("author_id");
        if keys.is_empty() {
            keys.extend(&single);
        }
        let authors = self.found(
            keys,
            |key| self.importer.records.users.get(key).copied(),
            "author",
        );
        if authors.is_empty() {
            self.changes
                .push("has no author in the file; it got another".to_owned());
            return vec![fallback];
        }
        authors
    }

    /// The records of these keys, each once, in order.
    fn found(&mut self, keys: Vec<&Key>, find: impl Fn(&Key) -> Option<Id>, noun: &str) -> Vec<Id> {
        let mut ids = Vec::with_capacity(keys.len());
        for key in keys {
            match find(key) {
                Some(id) if ids.contains(&id) => {}
                Some(id) => ids.push(id),
                None => self.changes.push(format!(
                    "the file has no {noun} {}, which it names",
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

    /// From the table of its own, else from the post's row as other programs write it.
    fn meta(&self) -> Option<Box<PostMeta>> {
        let row = self
            .key
            .and_then(|key| self.importer.tables.meta_of_posts.get(key));
        let meta = match row {
            Some(row) => self.meta_of(&row.read()),
            None => Some(self.meta_of(self.row)).filter(|meta| *meta != PostMeta::default())?,
        };
        Some(Box::new(meta))
    }

    fn meta_of(&self, row: &Reading<'_>) -> PostMeta {
        let importer = self.importer;
        PostMeta {
            meta_title: row.boxed("meta_title"),
            meta_description: row.boxed("meta_description"),
            og_image: importer.address(row, &["og_image"]),
            og_title: row.boxed("og_title"),
            og_description: row.boxed("og_description"),
            twitter_image: importer.address(row, &["twitter_image"]),
            twitter_title: row.boxed("twitter_title"),
            twitter_description: row.boxed("twitter_description"),
            email_subject: row.boxed("email_subject"),
            frontmatter: row.boxed("frontmatter"),
            feature_image_alt: row.boxed("feature_image_alt"),
            feature_image_caption: importer.markup(row, "feature_image_caption"),
            email_only: row.switch("email_only").unwrap_or(false),
        }
    }
}

/// The UUID of a post whose file has none.
pub fn derived_uuid(id: Id) -> Uuid {
    Uuid::new_v5(
        &Uuid::NAMESPACE_URL,
        format!("galley:imported:{id}").as_bytes(),
    )
}
