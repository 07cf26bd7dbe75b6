//! The keys of the front matter of posts and pages.

use crate::{
    catalog::fields::POST_TEXTS,
    content_files::{
        author_file::AuthorFields,
        keys::{
            Date, DateOrSwitch, FormerUrl, Id, Ignored, Image, Key, KeySet, List, Permalink,
            Reference, Slug, Text, Uuid, Word, choices, fields, keys_of,
        },
        post_file::hidden::Hidden,
        tag_file::Tags,
    },
    domain::{
        post::{ALIASES_MAX, Post, RELATIONS_MAX, TITLE_CHARACTERS_MAX},
        setting_value::ENTRIES_MAX,
    },
};

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
    pub(super) struct OtherForms {
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

const fn without_effect(name: &'static str, warning: &'static str) -> Ignored {
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
    without_effect("expiryDate", "posts do not expire here"),
    without_effect(
        "password",
        "posts have no passwords; `visibility` sets who may read",
    ),
    without_effect(
        "unlisted",
        "every published post is listed; make it a draft to hide it",
    ),
    without_effect(
        "private",
        "every published post is public; `visibility` sets who may read",
    ),
    without_effect(
        "headless",
        "every published post has a URL; make it a draft to hide it",
    ),
    without_effect(
        "render",
        "every published post has a URL; make it a draft to hide it",
    ),
    without_effect(
        "build",
        "every published post has a URL; make it a draft to hide it",
    ),
];

const TEXT_KEYS: &[Key] = &keys_of::<Post, { POST_TEXTS.len() }>(POST_TEXTS);

pub(in crate::content_files) const SET: KeySet = KeySet {
    ignored: IGNORED,
    free_tables: &["extra", "params"],
    ..KeySet::of(&[PostFields::KEYS, TEXT_KEYS, OtherForms::KEYS], &["title"])
};

/// The keys of documents of other generators, where the title is optional.
pub(in crate::content_files) const OTHER_GENERATOR_SET: KeySet = KeySet {
    keys: &[PostFields::KEYS, TEXT_KEYS, OtherForms::KEYS, Hidden::KEYS],
    required: &[],
    // In these files, unknown keys are not reported anyway.
    ignored: &[],
    ..SET
};

/// Returns the names of a key of posts, its own first.
pub(crate) fn names_of_key(name: &str) -> impl Iterator<Item = &'static str> + use<> {
    let key = SET.all().find(|key| key.name == name);
    key.into_iter().flat_map(Key::names)
}
