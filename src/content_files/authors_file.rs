//! Author files of other generators: `authors.yml` of Docusaurus, `_data/authors.yml` of Jekyll, `_data/authors.json` of
//! Eleventy, `data/authors/jane.toml` of Hugo. Pure: a path and bytes become records.
//!
//! Such a file is a table with an entry for each author, under the key by which posts name the author, or it describes a
//! single author, whose key is the file name. Values are read leniently: an invalid value is a warning.

use crate::{
    catalog::fields::{AUTHOR_TEXTS, TextContent},
    content_files::{
        author_file::AuthorFields,
        keys::{
            Email, Entries, Image, ImageUrl, KeySet, PageUrl, Profile, Reader, Slug, Text, fields,
        },
    },
    content_text::{
        Diagnostic, Source, Span, Spanned, document,
        document::{Kind, Language, Table, Value},
    },
    domain::user::User,
    generators::ReadingRules,
    render::{slug, slug::Kind as SlugKind},
};
use jiff::tz::TimeZone;

/// Maximum number of authors in one file.
pub const AUTHORS_MAX: usize = 10_000;

fields! {
    /// Fields of an author in such a file.
    struct AuthorData {
        /// The name that readers see.
        name: Text<191>, or "display_name" | "full_name";
        /// The author's occupation, which serves as the bio if there is no bio.
        title: Text<250>, or "role" | "position" | "job_title";
        /// A few words about the author.
        bio: Text<250>, or "description" | "about" | "summary";
        /// Portrait.
        image: Image, or "image_url" | "avatar" | "photo" | "picture" | "profile_image" | "gravatar";
        /// Wide image.
        cover: ImageUrl, or "cover_image";
        /// URL of the author's own site.
        url: PageUrl, or "website" | "homepage" | "web" | "site" | "link" | "uri";
        /// E-mail address.
        email: Email, or "mail" | "socials.email" | "social.email";
        /// The last part of the author's URL.
        slug: Slug;
        /// Where the author lives.
        location: Text<150>;
        /// Name at Facebook.
        facebook: Profile<2000>, or "socials.facebook" | "social.facebook" | "facebook_username";
        /// Name at X.
        twitter: Profile<2000>, or "x" | "twitter_username" | "socials.x" | "socials.twitter" | "social.x" | "social.twitter";
        /// Name at Threads.
        threads: Profile<191>, or "socials.threads" | "social.threads";
        /// Name at Bluesky.
        bluesky: Profile<191>, or "socials.bluesky" | "social.bluesky";
        /// Profile name or URL at Mastodon.
        mastodon: Profile<191>, or "socials.mastodon" | "social.mastodon";
        /// Name at TikTok.
        tiktok: Profile<191>, or "socials.tiktok" | "social.tiktok";
        /// Name at YouTube.
        youtube: Profile<191>, or "socials.youtube" | "social.youtube";
        /// Name at Instagram.
        instagram: Profile<191>, or "socials.instagram" | "social.instagram" | "instagram_username";
        /// Name at LinkedIn.
        linkedin: Profile<191>, or "socials.linkedin" | "social.linkedin" | "linkedin_username";
    }
}

pub(super) const SET: KeySet = KeySet::of(&[AuthorData::KEYS], &[]);

/// An author of such a file.
#[derive(Debug, Clone, PartialEq)]
pub struct AuthorRecord {
    /// The key by which posts name the author.
    pub key: String,
    /// The position of the author's entry.
    pub span: Span,
    /// The fields of the author. Name and slug are always present.
    pub fields: AuthorFields,
}

impl AuthorRecord {
    /// Returns `user` with the fields of the file. URLs of images and of the website are used only if they are absolute.
    pub fn describe(&self, user: User) -> User {
        let is_web = |url: &str| url.starts_with("https://") || url.starts_with("http://");
        let mut described = user;
        for field in AUTHOR_TEXTS {
            let text = self.fields.texts.get(field.name);
            let text = text.map(|text| text.as_str());
            let is_url = matches!(field.content, TextContent::Image | TextContent::Website);
            let text = text.filter(|text| !is_url || is_web(text));
            (field.set)(&mut described, text.map(Into::into));
        }
        described
    }
}

/// The parsed author file.
#[derive(Debug, Clone, Default)]
pub struct AuthorsFile {
    /// The authors, in the order of the file.
    pub authors: Vec<AuthorRecord>,
    /// Warnings about ignored values.
    pub diagnostics: Vec<Diagnostic>,
}

/// Reads the file at `path`, whose extension is that of YAML, TOML or JSON.
///
/// # Errors
///
/// One diagnostic if the file is malformed or has a different extension.
pub fn read_authors(
    path: &str,
    bytes: &[u8],
    time_zone: &TimeZone,
) -> Result<AuthorsFile, Diagnostic> {
    let file = path.rsplit('/').next().unwrap_or(path);
    let (stem, extension) = file.rsplit_once('.').unwrap_or((file, ""));
    let language = match extension.to_ascii_lowercase().as_str() {
        "yml" | "yaml" => Language::Yaml,
        "toml" => Language::Toml,
        "json" => Language::Json,
        _ => {
            let advice = "describe authors in YAML, TOML or JSON";
            return Err(Diagnostic::about_file(
                path,
                "the file is not in a data format",
                advice,
            ));
        }
    };
    let source = Source::decode(path, bytes)?;
    let read = document::parse_leniently(language, source.text(), 0);
    let read = read.map_err(|wrong| source.error(wrong.span, wrong.message, wrong.advice))?;
    let mut reader = Reader::new(&source, language, time_zone).lenient(ReadingRules::GALLEY);
    for problem in read.problems {
        reader.warning(problem.span, problem.remark(), problem.advice);
    }
    let authors = if describes_one(&read.table) {
        let entries = Entries::collect(&read.table, &SET, Span::default(), &mut reader);
        let data = AuthorData::from_entries(&entries, &mut reader);
        vec![record(stem, Span::default(), data)]
    } else {
        let entries = read.table.entries.iter().take(AUTHORS_MAX);
        let authors = entries.filter_map(|(key, value)| author(key, value, &mut reader));
        authors.collect()
    };
    let (diagnostics, _) = reader.finish();
    Ok(AuthorsFile {
        authors,
        diagnostics,
    })
}

/// Returns whether a file describes a single author rather than a table of authors.
fn describes_one(table: &Table) -> bool {
    let is_text = |value: &Value| matches!(value.value, Kind::Text(_));
    let mut entries = table.entries.iter();
    let has_name = entries.any(|(key, value)| {
        is_text(value) && ["name", "title", "display_name"].contains(&key.value.as_str())
    });
    // A table of authors may begin with settings, such as a `title`.
    let has_other_authors = table
        .entries
        .iter()
        .any(|(_, value)| matches!(&value.value, Kind::Table(inner) if describes_one(inner)));
    has_name && !has_other_authors
}

fn author(key: &Spanned<String>, value: &Value, reader: &mut Reader<'_>) -> Option<AuthorRecord> {
    let data = match &value.value {
        Kind::Table(table) => {
            let entries = Entries::collect(table, &SET, key.span, reader);
            AuthorData::from_entries(&entries, reader)
        }
        // A string is the name.
        Kind::Text(name) if !name.trim().is_empty() => AuthorData {
            name: Some(name.trim().to_owned()),
            ..AuthorData::default()
        },
        _ => {
            let message = format!("`{}` has no description", key.value);
            reader.warning(key.span, message, "write a table with a `name`");
            return None;
        }
    };
    Some(record(&key.value, key.span, data))
}

fn record(key: &str, span: Span, data: AuthorData) -> AuthorRecord {
    let slug = data.slug.unwrap_or_else(|| {
        // Posts name the author by this key, so a valid one becomes the slug unchanged.
        let slug = if Slug::fits(key) {
            key.to_owned()
        } else {
            slug::from_text(SlugKind::User, key, "")
        };
        Spanned::new(slug, span)
    });
    let mut fields = AuthorFields {
        name: Some(data.name.unwrap_or_else(|| key.to_owned())),
        slug: Some(slug),
        email: data.email,
        ..AuthorFields::default()
    };
    for (name, text) in [
        ("profile_image", data.image),
        ("cover_image", data.cover),
        ("website", data.url),
    ] {
        fields.texts.complete(name, text);
    }
    for (name, text) in [
        ("bio", data.bio.or(data.title)),
        ("location", data.location),
        ("facebook", data.facebook),
        ("twitter", data.twitter),
        ("threads", data.threads),
        ("bluesky", data.bluesky),
        ("mastodon", data.mastodon),
        ("tiktok", data.tiktok),
        ("youtube", data.youtube),
        ("instagram", data.instagram),
        ("linkedin", data.linkedin),
    ] {
        let text = text.map(|text| Spanned::new(text, span));
        fields.texts.complete(name, text);
    }
    AuthorRecord {
        key: key.to_owned(),
        span,
        fields,
    }
}
