//! The identity of a content file's record, before any reference is resolved.
//!
//! Pure. A missing identifier is derived from the slug, and a missing slug from the file name, so both are equal on every
//! machine.

use crate::{
    content_files::{
        author_file::AuthorFile, file_state::FileOutput, linker::author_name,
        newsletter_file::NewsletterFile, parsed_file::ContentFile, path_properties::FileKind,
        post_file::PostFile, site_file::SiteFile, tag_file::TagFile, tier_file::TierFile,
    },
    content_text::{Span, Spanned},
    domain::post::{ALIASES_MAX, PostKind},
    id::Id,
    render::{slug, slug::Kind},
};

/// Returns the names by which other files can refer to the record of a file.
pub fn identity(file: &ContentFile) -> FileOutput {
    match file {
        ContentFile::Site(file) => site(file),
        ContentFile::Post(file) => post(FileKind::Post, PostKind::Post, file),
        ContentFile::Page(file) => post(FileKind::Page, PostKind::Page, file),
        ContentFile::Author(file) => author(file),
        ContentFile::Tag(file) => tag(file),
        ContentFile::Tier(file) => tier(file),
        ContentFile::Newsletter(file) => newsletter(file),
    }
}

/// Returns the positions of the slug and the identifier in a file; the beginning of the file if they are missing.
pub fn claim_spans(file: &ContentFile) -> (Span, Span) {
    let (slug, id) = match file {
        ContentFile::Site(_) => (&None, &None),
        ContentFile::Post(file) | ContentFile::Page(file) => (&file.fields.slug, &file.fields.id),
        ContentFile::Author(file) => (&file.fields.slug, &file.fields.id),
        ContentFile::Tag(file) => (&file.fields.slug, &file.fields.id),
        ContentFile::Tier(file) => (&file.fields.slug, &file.fields.id),
        ContentFile::Newsletter(file) => (&file.fields.slug, &file.fields.id),
    };
    let span = |text: &Option<Spanned<String>>| text.as_ref().map(|text| text.span);
    (span(slug).unwrap_or_default(), span(id).unwrap_or_default())
}

/// Returns the identity of the site, whose `name` is that of the default author. Only the name is used.
fn site(file: &SiteFile) -> FileOutput {
    let default_author = file.default_author.as_ref().map(author_name);
    FileOutput {
        kind: FileKind::Site,
        id: Id::derive("site", ""),
        slug: "".into(),
        name: default_author.map_or_else(Box::default, |(name, _)| name.into()),
        email: None,
        wanted: None,
        aliases: Box::default(),
        names: Box::default(),
        is_at_slug: false,
        is_stub: false,
    }
}

fn post(kind: FileKind, noun: PostKind, file: &PostFile) -> FileOutput {
    let fields = &file.fields;
    let slug = slug_of(Kind::Post, &file.stem, &fields.slug);
    let own = format!("/{slug}");
    let written = fields.aliases.iter().flatten();
    let written = written.map(|alias| alias.as_str());
    let mut aliases: Vec<Box<str>> = Vec::new();
    // The published path comes first: the first alias counts as the path at the generator
    // (`NamedText`).
    for alias in file.published_path.as_deref().into_iter().chain(written) {
        let is_known = aliases.iter().any(|known| **known == *alias);
        if alias != own && !is_known && aliases.len() < ALIASES_MAX {
            aliases.push(alias.into());
        }
    }
    FileOutput {
        aliases: aliases.into(),
        names: file.names.iter().map(|name| name.as_str().into()).collect(),
        is_at_slug: file.published_path.as_deref() == Some(own.as_str()),
        is_stub: file.body.text().trim().is_empty(),
        ..output_of(kind, noun.name(), slug, &fields.id, &None)
    }
}

fn author(file: &AuthorFile) -> FileOutput {
    let fields = &file.fields;
    let slug = slug_of(Kind::User, &file.stem, &fields.slug);
    let email = fields.email.as_ref();
    FileOutput {
        email: email.map(|email| email.value.as_str().into()),
        ..output_of(FileKind::Author, "user", slug, &fields.id, &fields.name)
    }
}

fn tag(file: &TagFile) -> FileOutput {
    let fields = &file.fields;
    let slug = slug_of(Kind::Tag, &file.stem, &fields.slug);
    output_of(FileKind::Tag, "tag", slug, &fields.id, &fields.name)
}

fn tier(file: &TierFile) -> FileOutput {
    let fields = &file.fields;
    let slug = slug_of(Kind::Tier, &file.stem, &fields.slug);
    output_of(FileKind::Tier, "tier", slug, &fields.id, &fields.name)
}

fn newsletter(file: &NewsletterFile) -> FileOutput {
    let fields = &file.fields;
    let slug = slug_of(Kind::Newsletter, &file.stem, &fields.slug);
    let (id, name) = (&fields.id, &fields.name);
    output_of(FileKind::Newsletter, "newsletter", slug, id, name)
}

fn slug_of(kind: Kind, stem: &str, slug: &Option<Spanned<String>>) -> String {
    // A slug of the front matter is valid already; only a file name is converted.
    match slug {
        Some(slug) => slug.value.clone(),
        None => slug::from_text(kind, stem, ""),
    }
}

fn output_of(
    kind: FileKind,
    noun: &str,
    slug: String,
    id: &Option<Spanned<String>>,
    name: &Option<String>,
) -> FileOutput {
    let explicit: Option<Id> = id.as_ref().and_then(|id| id.parse().ok());
    FileOutput {
        kind,
        id: explicit.unwrap_or_else(|| Id::derive(noun, &slug)),
        slug: slug.into(),
        name: name.as_deref().unwrap_or_default().into(),
        email: None,
        wanted: None,
        aliases: Box::default(),
        names: Box::default(),
        is_at_slug: false,
        is_stub: false,
    }
}
