//! Who a content file speaks of: what is known of a record before any reference is looked up.
//!
//! Pure. An identifier that the file does not set is derived from its slug, and a slug that it does not set is made from
//! the name of the file, so that every machine finds the same ones.

use super::{
    AuthorFile, ContentFile, NewsletterFile, PostFile, SiteFile, Span, Spanned, TagFile, TierFile,
    linker::author_name, place::FileKind, state::FileOutput,
};
use crate::{
    domain::post::PostKind,
    id::Id,
    render::slug::{self, Kind},
};

/// What a file makes, as far as others can refer to it.
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

/// Where a file says its slug and its identifier; the beginning of the file where it does not.
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

/// There is one site, and its name is that of the author of what names none: all that others refer to it for.
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
    }
}

fn post(kind: FileKind, noun: PostKind, file: &PostFile) -> FileOutput {
    let fields = &file.fields;
    let slug = slug_of(Kind::Post, &file.stem, &fields.slug);
    let own = format!("/{slug}");
    let aliases = fields.aliases.iter().flatten();
    let aliases = aliases.filter(|alias| alias.value != own);
    FileOutput {
        aliases: aliases.map(|alias| alias.as_str().into()).collect(),
        ..made(kind, noun.name(), slug, &fields.id, &None)
    }
}

fn author(file: &AuthorFile) -> FileOutput {
    let fields = &file.fields;
    let slug = slug_of(Kind::User, &file.stem, &fields.slug);
    let email = fields.email.as_ref();
    FileOutput {
        email: email.map(|email| email.value.as_str().into()),
        ..made(FileKind::Author, "user", slug, &fields.id, &fields.name)
    }
}

fn tag(file: &TagFile) -> FileOutput {
    let fields = &file.fields;
    let slug = slug_of(Kind::Tag, &file.stem, &fields.slug);
    made(FileKind::Tag, "tag", slug, &fields.id, &fields.name)
}

fn tier(file: &TierFile) -> FileOutput {
    let fields = &file.fields;
    let slug = slug_of(Kind::Tier, &file.stem, &fields.slug);
    made(FileKind::Tier, "tier", slug, &fields.id, &fields.name)
}

fn newsletter(file: &NewsletterFile) -> FileOutput {
    let fields = &file.fields;
    let slug = slug_of(Kind::Newsletter, &file.stem, &fields.slug);
    let (id, name) = (&fields.id, &fields.name);
    made(FileKind::Newsletter, "newsletter", slug, id, name)
}

fn slug_of(kind: Kind, stem: &str, slug: &Option<Spanned<String>>) -> String {
    match slug {
        Some(slug) => slug.value.clone(),
        None => slug::from_text(kind, stem, ""),
    }
}

fn made(
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
    }
}
