//! Posts and pages: the document files in `posts/` or `pages/`.
//!
//! Every field has its own name and the aliases of Hugo, Zola, Jekyll, Eleventy and Astro. Keys with another name *and*
//! another format (`draft: true`, `published: false`, categories next to tags) have a separate table and are merged into the
//! fields. The caller decides whether a post with a future date is scheduled or published, since it knows the time.
//!
//! Documents of other generators are read *leniently*. Invalid values are warnings and never make the document unusable;
//! long values are truncated; keys of themes are silent. A document that its generator does not build has a reason to be
//! left out ([`PostFile::left_out`]), and one that it hides in a way that Galley does not support becomes a draft, so that
//! no hidden document becomes public.

mod hidden;

use crate::content_files::lexical_blocks;
use jiff::Timestamp;
use serde::Serialize;

use crate::{
    catalog::fields::POST_TEXTS,
    content_files::{
        author_file::AuthorFields,
        body::{Body, BodyFormat},
        date,
        history::FileHistory,
        keys::{
            Date, DateOrSwitch, Entries, FormerUrl, Id, Ignored, Image, ImageDetails, Key, KeySet,
            List, Permalink, Reader, Reference, Slug, Text, Uuid, Word, choices, fields, keys_of,
            report_too_many,
        },
        parts::Parts,
        tag_file::{TagReference, Tags},
    },
    content_text::{Diagnostic, Spanned},
    domain::{
        former_path,
        post::{ALIASES_MAX, Post, RELATIONS_MAX, TITLE_CHARACTERS_MAX},
        setting_value::ENTRIES_MAX,
    },
};
use hidden::Hidden;

choices! {
    /// Who may read a post.
    Visibility { Public = "public", Members = "members", Paid = "paid", Tiers = "tiers" }

    /// The publication state of a post.
    Status { Draft = "draft", Published = "published", Scheduled = "scheduled", Sent = "sent" }

    /// The format of the text after the front matter.
    BodyLanguage { Markdown = "markdown", Html = "html", Lexical = "lexical" }
}

/// The name or the slug of a tier.
pub struct TierName;

impl Word for TierName {
    const WANTED: &'static str = "the name of a tier";
    const EXAMPLE: &'static str = "\"gold\"";
    const ADVICE: &'static str = "write the name or the slug of a tier, at most 191 characters";

    fn accept(text: &str) -> Option<String> {
        let name = text.trim();
        (1..=191)
            .contains(&name.chars().count())
            .then(|| name.to_owned())
    }

    fn pattern() -> serde_json::Value {
        serde_json::json!({ "minLength": 1, "maxLength": 191 })
    }
}

fields! {
    /// The fields of a post or a page.
    pub struct PostFields with texts of POST_TEXTS {
        /// The title.
        title: Text<TITLE_CHARACTERS_MAX>;
        /// The last part of the URL. Default: the name of the file.
        slug: Slug;
        /// Identifier of the record, 24 hexadecimal digits. Default: derived from the slug.
        id: Id;
        /// Second identifier, which the URLs of previews contain. Default: derived from the slug.
        uuid: Uuid;
        /// Identifier for comment services. Default: `id`.
        comment_id: Text<50>;
        /// The state; a `published` post is public whatever its date, a `sent` one is sent by mail only. Default: published from
        /// its date on.
        status: Status;
        /// Whether the post is featured.
        featured: bool;
        /// Who may read it. Default: `default_content_visibility` of the site.
        visibility: Visibility;
        /// The tiers whose members may read it, by name or slug.
        tiers: List<TierName, RELATIONS_MAX>;
        /// Date of publication; a date without a time is midnight in the site's time zone. Default: the date in the file's name.
        published_at: Date, or "publishDate" | "pubDate" | "pubDatetime" | "date" | "publishedDate"
            | "datePublished";
        /// Date of the last change. Default: the date of publication.
        updated_at: Date, or "lastmod" | "last_modified_at" | "last_modified" | "updated" | "updatedDate" | "modDatetime" | "modified"
            | "lastUpdated" | "last_update.date";
        /// Date of creation. Default: the date of publication.
        created_at: Date, or "created" | "date_created";
        /// Tags by slug or name; the first is the primary tag, and one that begins with `#` is internal.
        tags: Tags, or "tag" | "taxonomies.tags";
        /// Former paths of the document, which redirect to the post while it is published.
        aliases: List<FormerUrl, ALIASES_MAX>, or "alias" | "redirect_from";
        /// Authors by slug, name or e-mail address; the first is the primary author. Default: `default_author` of `site.toml`,
        /// else the first author in `authors/`.
        authors: List<Reference<AuthorFields>, RELATIONS_MAX>, or "author" | "author_name" | "taxonomies.authors";
        /// Whether the post is sent by mail only and not shown on the site, unless `status` is set.
        email_only: bool;
        /// Whether a page shows its title and image; not for posts. Default: `true`.
        show_title_and_feature_image: bool;
        /// The language of the text; `lexical` is Markdown that becomes a document of the editor. Default: by the file's
        /// extension.
        body: BodyLanguage;
    }
}

fields! {
    /// Keys of other generators with a different format.
    struct OtherForms {
        /// Whether the post is a draft, as in Hugo, Zola, Eleventy and Astro.
        draft: bool;
        /// Whether the post is published, as in Jekyll; a date is the date of publication. Default: `true`.
        published: DateOrSwitch;
        /// Tags that precede those of `tags`; the first is the primary tag.
        categories: Tags, or "category" | "taxonomies.categories";
        /// Images; the first is the feature image.
        images: List<Image, ENTRIES_MAX>;
        /// A URL on the old site: its last part becomes the slug, and it redirects to the post.
        permalink: Permalink, or "url" | "path";
    }
}

const fn silent(name: &'static str) -> Ignored {
    Ignored {
        name,
        warning: None,
    }
}

const fn in_vain(name: &'static str, warning: &'static str) -> Ignored {
    Ignored {
        name,
        warning: Some(warning),
    }
}

/// Keys that configure the build of another generator.
const IGNORED: &[Ignored] = &[
    silent("redirect_to"),
    silent("layout"),
    silent("template"),
    silent("type"),
    silent("kind"),
    silent("weight"),
    silent("order"),
    silent("menu"),
    silent("menus"),
    silent("nav"),
    silent("navigation"),
    silent("eleventyNavigation"),
    silent("eleventyComputed"),
    silent("pagination"),
    silent("toc"),
    silent("math"),
    silent("katex"),
    silent("mermaid"),
    silent("comments"),
    silent("outputs"),
    silent("cascade"),
    silent("resources"),
    silent("markup"),
    silent("linkTitle"),
    silent("keywords"),
    silent("series"),
    silent("translationKey"),
    silent("lang"),
    silent("language"),
    silent("locale"),
    silent("in_search_index"),
    silent("page_template"),
    silent("sort_by"),
    silent("setup"),
    silent("reading_time"),
    in_vain("expiryDate", "posts do not expire here"),
    in_vain(
        "password",
        "posts have no passwords; `visibility` sets who may read",
    ),
    in_vain(
        "unlisted",
        "every published post is listed; make it a draft to hide it",
    ),
    in_vain(
        "private",
        "every published post is public; `visibility` sets who may read",
    ),
    in_vain(
        "headless",
        "every published post has a URL; make it a draft to hide it",
    ),
    in_vain(
        "render",
        "every published post has a URL; make it a draft to hide it",
    ),
    in_vain(
        "build",
        "every published post has a URL; make it a draft to hide it",
    ),
];

const TEXT_KEYS: &[Key] = &keys_of::<Post, { POST_TEXTS.len() }>(POST_TEXTS);

pub(super) const SET: KeySet = KeySet {
    ignored: IGNORED,
    free_tables: &["extra", "params"],
    ..KeySet::of(&[PostFields::KEYS, TEXT_KEYS, OtherForms::KEYS], &["title"])
};

/// The keys of documents of other generators, where the title is optional.
pub(super) const OTHER_GENERATOR_SET: KeySet = KeySet {
    keys: &[PostFields::KEYS, TEXT_KEYS, OtherForms::KEYS, Hidden::KEYS],
    required: &[],
    ignored: &[],
    ..SET
};

/// Returns the names of a key of posts, its own first.
pub(crate) fn names_of_key(name: &str) -> impl Iterator<Item = &'static str> + use<> {
    let key = SET.all().find(|key| key.name == name);
    key.into_iter().flat_map(Key::names)
}

/// A document file in `posts/` or `pages/`.
#[derive(Debug, Clone, PartialEq, Serialize)]
pub struct PostFile {
    /// The name of the file, or of its folder if the file is called `index`, without extension and date; the default of the
    /// slug.
    pub stem: String,
    /// The fields of the front matter, and the date and draft state that the path implies. The title is present, except in
    /// files of other generators.
    pub fields: PostFields,
    /// The body.
    pub body: Body,
    /// Whether it is imported: then it becomes a Lexical document without a file.
    #[serde(skip)]
    pub is_imported: bool,
    /// Whether it was written for another generator, so that invalid values are ignored.
    #[serde(skip)]
    pub is_of_other_generator: bool,
    /// Whether its date is that of its path.
    #[serde(skip)]
    pub is_dated_by_path: bool,
    /// Whether it is in a folder of drafts.
    #[serde(skip)]
    pub is_in_drafts_folder: bool,
    /// Whether it has tags that come before those of `tags`.
    #[serde(skip)]
    pub has_categories: bool,
    /// When its generator stops building it, which makes it a draft from then on.
    #[serde(skip)]
    pub expires_at: Option<Spanned<Timestamp>>,
    /// Why it is left out: its generator builds no page of it.
    #[serde(skip)]
    pub left_out: Option<Diagnostic>,
    /// The path at which its generator publishes it, in the form of former URLs.
    #[serde(skip)]
    pub published_path: Option<String>,
    /// Names by which other documents may refer to it, other than that of its file.
    #[serde(skip)]
    pub names: Vec<String>,
    /// The history of the file in a repository, if it supplies missing dates and authors.
    #[serde(skip)]
    pub history: Option<FileHistory>,
}

impl PostFile {
    /// Returns whether unknown authors that it names are created.
    pub(super) fn makes_authors(&self) -> bool {
        self.is_of_other_generator || self.is_imported
    }
}

/// Whether a file is a post or a page.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Role {
    /// A post.
    Post,
    /// A page.
    Page,
}

pub(super) fn read(parts: &Parts<'_>, role: Role, reader: &mut Reader<'_>) -> PostFile {
    for problem in &parts.problems {
        reader.warning(problem.span, problem.remark(), problem.advice);
    }
    let set = if reader.is_lenient() {
        OTHER_GENERATOR_SET
    } else {
        SET
    };
    let entries = Entries::collect(&parts.table, &set, parts.opening, reader);
    let mut fields = PostFields::from_entries(&entries, reader);
    let other = OtherForms::from_entries(&entries, reader);
    let hidden = if reader.is_lenient() {
        Hidden::from_entries(&entries, reader)
    } else {
        Hidden::default()
    };
    let url = other.permalink.map(|url| url.value);
    let is_nowhere = url.as_ref().is_some_and(|url| url.is_nowhere);
    let left_out = hidden.left_out(is_nowhere, &entries, reader);
    let (is_published, published_at) = switch_or_date(other.published);
    let draft = other
        .draft
        .or(is_published.map(|published| !published))
        .unwrap_or(parts.in_drafts);
    fields.status = fields.status.or(draft.then_some(Status::Draft));
    if hidden.is_draft(&entries, reader) {
        fields.status = Some(Status::Draft);
    }
    let is_dated_by_path = fields.published_at.is_none() && published_at.is_none();
    let date_in_url = url.as_ref().and_then(|url| url.date);
    fields.published_at = fields
        .published_at
        .or(published_at)
        .or_else(|| date::midnight(parts.date.or(date_in_url)?, reader.time_zone));
    let of_slug = slug_as_written(&fields, &entries, reader);
    let permalink = url.as_ref().and_then(|url| url.path.clone());
    fields.slug = fields.slug.or(url.and_then(|url| url.slug));
    add_aliases(&mut fields, [of_slug, permalink].into_iter().flatten());
    let first_image = other.images.and_then(|images| images.into_iter().next());
    fields.texts.complete("feature_image", first_image);
    add_image_details(&mut fields, parts, reader);
    let has_categories = other.categories.is_some();
    if let Some(categories) = other.categories {
        fields.tags = Some(tags_after(categories, fields.tags, reader));
    }
    check_schedule(&fields, &entries, reader);
    check_visibility(&mut fields, &entries, reader);
    check_role(role, &mut fields, &entries, reader);
    let body = body_of(parts, &fields, reader);
    let expires_at = hidden.expires_at.map(|date| {
        let span = entries.key_span("expires_at").unwrap_or_default();
        Spanned::new(date, span)
    });
    PostFile {
        stem: parts.stem.to_owned(),
        fields,
        body,
        is_imported: false,
        is_of_other_generator: reader.is_lenient(),
        is_dated_by_path,
        is_in_drafts_folder: parts.in_drafts,
        has_categories,
        expires_at,
        left_out,
        published_path: None,
        names: Vec::new(),
        history: None,
    }
}

/// Returns the parts of `published`, which other generators use as a switch or as a date.
fn switch_or_date(published: Option<DateOrSwitch>) -> (Option<bool>, Option<Timestamp>) {
    match published {
        Some(DateOrSwitch::Switch(is_published)) => (Some(is_published), None),
        Some(DateOrSwitch::Date(date)) => (None, Some(date)),
        None => (None, None),
    }
}

/// Returns the categories, and after them the tags, of a post.
fn tags_after(
    categories: Vec<TagReference>,
    tags: Option<Vec<TagReference>>,
    reader: &mut Reader<'_>,
) -> Vec<TagReference> {
    let mut all = categories;
    all.extend(tags.unwrap_or_default());
    if let Some(first) = all.get(RELATIONS_MAX) {
        report_too_many(all.len(), RELATIONS_MAX, "tags", first.span, reader);
        all.truncate(RELATIONS_MAX);
    }
    all
}

/// Returns the body in the format that the front matter sets, and reports blocks in it that cannot be read.
fn body_of(parts: &Parts<'_>, fields: &PostFields, reader: &mut Reader<'_>) -> Body {
    let mut body = parts.body();
    body.format = fields.body.map_or(body.format, format_of);
    if body.format == BodyFormat::Lexical {
        lexical_blocks::check(&body, reader);
    }
    body
}

/// Returns the URL of the slug as written, if it differs from the sanitised one.
fn slug_as_written(
    fields: &PostFields,
    entries: &Entries<'_>,
    reader: &Reader<'_>,
) -> Option<Spanned<String>> {
    let slug = fields.slug.as_ref()?;
    let (value, _) = entries.written("slug")?;
    let written = reader.text(value)?;
    let path = former_path::normal_path(&format!("/{}", written.trim()))?;
    Some(Spanned::new(path, slug.span))
}

/// Prepends former URLs to those in `aliases`, without duplicates and the post's own.
pub(super) fn add_aliases(fields: &mut PostFields, more: impl Iterator<Item = Spanned<String>>) {
    let own = fields.slug.as_ref().map(|slug| format!("/{}", slug.value));
    let given = fields.aliases.take();
    let is_given = given.is_some();
    let mut aliases: Vec<Spanned<String>> = Vec::new();
    for alias in more.chain(given.into_iter().flatten()) {
        let is_known = aliases.iter().any(|known| known.value == alias.value);
        if !is_known && Some(&alias.value) != own.as_ref() && aliases.len() < ALIASES_MAX {
            aliases.push(alias);
        }
    }
    fields.aliases = (is_given || !aliases.is_empty()).then_some(aliases);
}

/// Adds the alternative text and caption of an image in a table of another generator.
fn add_image_details(fields: &mut PostFields, parts: &Parts<'_>, reader: &mut Reader<'_>) {
    let texts = &mut fields.texts;
    let is_complete = ["feature_image_alt", "feature_image_caption"]
        .iter()
        .all(|name| texts.get(name).is_some());
    let Some(image) = texts.get("feature_image").filter(|_| reader.is_lenient()) else {
        return;
    };
    if is_complete {
        return;
    }
    let details = ImageDetails::of(&image.value, &parts.table, reader);
    texts.complete("feature_image_alt", details.alt);
    texts.complete("feature_image_caption", details.caption);
}

fn format_of(language: BodyLanguage) -> BodyFormat {
    match language {
        BodyLanguage::Markdown => BodyFormat::Markdown,
        BodyLanguage::Html => BodyFormat::Html,
        BodyLanguage::Lexical => BodyFormat::Lexical,
    }
}

fn check_schedule(fields: &PostFields, entries: &Entries<'_>, reader: &mut Reader<'_>) {
    if fields.status == Some(Status::Scheduled) && fields.published_at.is_none() {
        let span = entries.key_span("status").unwrap_or_default();
        reader.error(span, "a scheduled post needs a date", "set `published_at`");
    }
}

/// Checks that tiers and visibility agree.
fn check_visibility(fields: &mut PostFields, entries: &Entries<'_>, reader: &mut Reader<'_>) {
    let named = fields.tiers.as_ref().is_some_and(|tiers| !tiers.is_empty());
    let span_of = |key| entries.key_span(key).unwrap_or_default();
    match fields.visibility {
        None if named => fields.visibility = Some(Visibility::Tiers),
        Some(Visibility::Tiers) if !named => {
            reader.error(
                span_of("visibility"),
                "a post for tiers must name them",
                "list their slugs in `tiers`",
            );
        }
        Some(Visibility::Public | Visibility::Members | Visibility::Paid) if named => {
            let message = "`tiers` has no effect with this visibility";
            reader.warning(span_of("tiers"), message, "set `visibility` to tiers");
            fields.tiers = None;
        }
        _ => {}
    }
}

/// Reports keys of posts in a page, and of pages in a post.
fn check_role(role: Role, fields: &mut PostFields, entries: &Entries<'_>, reader: &mut Reader<'_>) {
    let (key, other) = match role {
        Role::Post => ("show_title_and_feature_image", "pages"),
        Role::Page => ("email_subject", "posts"),
    };
    match role {
        Role::Post => fields.show_title_and_feature_image = None,
        Role::Page => fields.texts.remove("email_subject"),
    }
    if let Some(span) = entries.key_span(key) {
        reader.warning(
            span,
            format!("`{key}` has no effect: it is for {other}"),
            "remove it",
        );
    }
}
