//! From what a content file says to the record it makes: references resolved, defaults filled in, Markdown rendered.
//!
//! Pure: the same file, directory and conditions make the same record on every machine. Identifiers are derived from
//! slugs, and what has no date gets a fixed one.

use std::collections::BTreeMap;

use jiff::{Timestamp, tz::TimeZone};
use serde_json::Value;
use uuid::Uuid;

use super::{
    AuthorFields, AuthorReference, Body as FileBody, BodyFormat, ContentFile, Diagnostic,
    NewsletterFile, NewsletterStatus, NewsletterVisibility, PostFields, PostFile, Reference,
    SiteFile, Source, Span, Spanned, Status, TagFields, TagFile, TagReference, TagVisibility,
    TierFile, TierType, TierVisibility, Visibility,
    author_file::AuthorFile,
    directory::{Address, Directory, Named},
    layout::FileKind,
    state::{Made, Target, Use},
};
use crate::{
    clock::whole_seconds,
    domain::{
        OptionalText, UNDATED,
        newsletter::Newsletter,
        post::{self, Body, Post, PostKind, PostMeta},
        setting::{SETTINGS, SettingType},
        tag::{self, Tag},
        tier::{Price, Tier},
        user::{SocialAccounts, User},
    },
    id::Id,
    render::{
        markdown,
        slug::{self, Kind},
    },
};

/// What decides how files are read, beside the files.
#[derive(Clone, Debug)]
pub struct Conditions {
    /// The site's time zone, in which dates without an offset are meant.
    pub time_zone: TimeZone,
    /// Who may read a post that does not say so itself.
    pub default_visibility: post::Visibility,
    /// The time, which tells what is still to come.
    pub now: Timestamp,
}

/// What a file makes.
#[derive(Clone, Debug)]
pub enum Record {
    /// The settings that it sets.
    Settings(BTreeMap<String, Value>),
    /// A post or a page.
    Post(Box<Post>, Body),
    /// A tag.
    Tag(Box<Tag>),
    /// An author.
    User(Box<User>),
    /// A tier.
    Tier(Box<Tier>),
    /// A newsletter.
    Newsletter(Box<Newsletter>),
}

/// What a file makes, as far as others can refer to it: all that is known before references are looked up.
pub fn identity(file: &ContentFile) -> Made {
    match file {
        ContentFile::Site(_) => Made {
            kind: FileKind::Site,
            id: Id::derive("site", ""),
            slug: "".into(),
            name: "".into(),
            email: None,
        },
        ContentFile::Post(post) => post_identity(FileKind::Post, post),
        ContentFile::Page(page) => post_identity(FileKind::Page, page),
        ContentFile::Author(file) => {
            let fields = &file.fields;
            Made {
                email: fields
                    .email
                    .as_ref()
                    .map(|email| email.value.as_str().into()),
                ..made(
                    FileKind::Author,
                    "user",
                    Kind::User,
                    &file.stem,
                    &fields.slug,
                    &fields.id,
                    &fields.name,
                )
            }
        }
        ContentFile::Tag(file) => {
            let TagFields { slug, id, name, .. } = &file.fields;
            made(FileKind::Tag, "tag", Kind::Tag, &file.stem, slug, id, name)
        }
        ContentFile::Tier(file) => {
            let fields = &file.fields;
            made(
                FileKind::Tier,
                "tier",
                Kind::Tier,
                &file.stem,
                &fields.slug,
                &fields.id,
                &fields.name,
            )
        }
        ContentFile::Newsletter(file) => {
            let fields = &file.fields;
            let (slug, id, name) = (&fields.slug, &fields.id, &fields.name);
            made(
                FileKind::Newsletter,
                "newsletter",
                Kind::Newsletter,
                &file.stem,
                slug,
                id,
                name,
            )
        }
    }
}

fn post_identity(kind: FileKind, file: &PostFile) -> Made {
    let PostFields {
        slug, id, title, ..
    } = &file.fields;
    let noun = match kind {
        FileKind::Page => PostKind::Page.name(),
        _ => PostKind::Post.name(),
    };
    made(kind, noun, Kind::Post, &file.stem, slug, id, title)
}

fn made(
    kind: FileKind,
    noun: &str,
    slug_kind: Kind,
    stem: &str,
    slug: &Option<Spanned<String>>,
    id: &Option<Spanned<String>>,
    name: &Option<String>,
) -> Made {
    let slug = match slug {
        Some(slug) => slug.value.clone(),
        None => slug::from_text(slug_kind, stem, ""),
    };
    let explicit: Option<Id> = id.as_ref().and_then(|id| id.parse().ok());
    Made {
        kind,
        id: explicit.unwrap_or_else(|| Id::derive(noun, &slug)),
        slug: slug.into(),
        name: name.as_deref().unwrap_or_default().into(),
        email: None,
    }
}

/// Makes the record of the file whose text is `source`. `None` when one of its references leads nowhere, which the
/// diagnostics tell.
pub fn convert(
    file: &ContentFile,
    made: &Made,
    source: &Source,
    directory: &Directory,
    conditions: &Conditions,
) -> (Option<Record>, Vec<Use>, Vec<Diagnostic>) {
    let mut linker = Linker {
        source,
        directory,
        uses: Vec::new(),
        diagnostics: Vec::new(),
    };
    let record = match file {
        ContentFile::Site(file) => Record::Settings(settings(file, &mut linker)),
        ContentFile::Post(file) => post(PostKind::Post, file, made, conditions, &mut linker),
        ContentFile::Page(file) => post(PostKind::Page, file, made, conditions, &mut linker),
        ContentFile::Tag(file) => Record::Tag(Box::new(tag(file, made, &mut linker))),
        ContentFile::Author(file) => Record::User(Box::new(user(file, made, &mut linker))),
        ContentFile::Tier(file) => Record::Tier(Box::new(tier(file, made, &mut linker))),
        ContentFile::Newsletter(file) => {
            Record::Newsletter(Box::new(newsletter(file, made, source)))
        }
    };
    let usable = !linker.diagnostics.iter().any(Diagnostic::is_error);
    (usable.then_some(record), linker.uses, linker.diagnostics)
}

/// Looks references up, and notes them with what they led to.
struct Linker<'a> {
    source: &'a Source,
    directory: &'a Directory,
    uses: Vec<Use>,
    diagnostics: Vec<Diagnostic>,
}

impl Linker<'_> {
    fn note(&mut self, target: Target, led_to: &str) {
        let noted = Use {
            target,
            led_to: led_to.into(),
        };
        if !self.uses.contains(&noted) {
            self.uses.push(noted);
        }
    }

    fn error(&mut self, span: Span, message: String, advice: String) {
        self.diagnostics
            .push(self.source.error(span, message, advice));
    }

    fn warn(&mut self, span: Span, message: String, advice: String) {
        self.diagnostics
            .push(self.source.warning(span, message, advice));
    }

    /// The stored form of an address in the front matter.
    fn address(&mut self, address: &Option<Spanned<String>>) -> OptionalText {
        let address = address.as_ref()?;
        let found = self.lead(&address.value, address.span);
        Some(found.unwrap_or_else(|| address.value.clone()).into())
    }

    /// What an address leads to, in stored form; `None` when it stays as written.
    fn lead(&mut self, written: &str, span: Span) -> Option<String> {
        let found = self.directory.address(self.source.path(), written);
        match &found {
            Address::Found(address) => {
                self.note(Target::Address(written.into()), address);
                return Some(address.clone());
            }
            Address::Broken(path) => {
                self.note(Target::Address(written.into()), "");
                self.warn(
                    span,
                    format!("this leads to {path}, which is not there"),
                    "put the file there, or correct the address".to_owned(),
                );
            }
            Address::Unusable(path) => {
                self.note(Target::Address(written.into()), "");
                self.warn(
                    span,
                    format!("this leads to {path}, which cannot be used"),
                    "mend that file first".to_owned(),
                );
            }
            Address::Outside => self.warn(
                span,
                "this leads out of the content folder".to_owned(),
                "put the file into the content folder".to_owned(),
            ),
            Address::Elsewhere => {}
        }
        None
    }

    fn body(&mut self, body: &FileBody) -> String {
        let resolve = |address: markdown::Address<'_>| {
            let span = body.span(
                address.position,
                address.position + address.written.len().max(1),
            );
            self.lead(address.written, span)
        };
        match body.format {
            BodyFormat::Markdown => markdown::to_html(body.text(), resolve),
            BodyFormat::Html => markdown::resolve_html(body.text(), resolve).into_owned(),
        }
    }

    fn tags(&mut self, references: &Option<Vec<TagReference>>) -> Vec<Id> {
        let mut ids = Vec::new();
        for reference in references.iter().flatten() {
            let name = match &reference.value {
                Reference::Named(name) => name.clone(),
                Reference::Described(fields) => self.described_tag(fields, reference.span),
            };
            let id = self.directory.tag(&name).id();
            self.note(Target::Tag(name.into()), &id.to_string());
            // The same tag twice counts once (Ghost 6.65, recorded).
            if !ids.contains(&id) {
                ids.push(id);
            }
        }
        ids
    }

    /// The name by which a tag that a post describes is looked up.
    fn described_tag(&mut self, fields: &TagFields, span: Span) -> String {
        let bare = TagFields {
            name: fields.name.clone(),
            slug: fields.slug.clone(),
            ..TagFields::default()
        };
        let name = fields
            .name
            .clone()
            .or_else(|| fields.slug.as_ref().map(|slug| slug.value.clone()));
        if *fields != bare {
            self.warn(
                span,
                "only the name and the slug of a tag count here".to_owned(),
                "describe the tag in a file of its own in tags/".to_owned(),
            );
        }
        name.unwrap_or_default()
    }

    fn authors(&mut self, references: &Option<Vec<AuthorReference>>) -> Vec<Id> {
        let mut ids = Vec::new();
        for reference in references.iter().flatten() {
            if let Some(id) = self.author(reference)
                && !ids.contains(&id)
            {
                ids.push(id);
            }
        }
        if ids.is_empty() {
            let id = self.directory.default_author().id();
            self.note(Target::DefaultAuthor, &id.to_string());
            ids.push(id);
        }
        ids
    }

    fn author(&mut self, reference: &AuthorReference) -> Option<Id> {
        let (name, must_exist) = author_name(&reference.value);
        let named = self.directory.author(&name);
        let id = named.as_ref().map(Named::id);
        self.note(
            Target::Author(name.as_str().into()),
            &id.map(|id| id.to_string()).unwrap_or_default(),
        );
        match named {
            Some(Named::Implied { .. }) if !must_exist => {
                if let Some(similar) = self.directory.similar_author(&name) {
                    let message = format!(
                        "no file in authors/ describes \"{name}\", but one describes \"{similar}\""
                    );
                    let advice = format!("write \"{similar}\" if that is who is meant");
                    self.warn(reference.span, message, advice);
                }
            }
            Some(Named::Known(_)) => {}
            _ => {
                let message = format!("there is no author \"{name}\"");
                let advice =
                    "describe the author in a file in authors/, or write the author's name"
                        .to_owned();
                self.error(reference.span, message, advice);
                return None;
            }
        }
        id
    }

    fn tiers(&mut self, names: &Option<Vec<Spanned<String>>>) -> Vec<Id> {
        let mut ids = Vec::new();
        for name in names.iter().flatten() {
            let id = self.directory.tier(name);
            self.note(
                Target::Tier(name.as_str().into()),
                &id.map(|id| id.to_string()).unwrap_or_default(),
            );
            match id {
                Some(id) => ids.push(id),
                None => self.error(
                    name.span,
                    format!("there is no tier \"{}\"", name.value),
                    "describe the tier in a file in tiers/, or correct the name".to_owned(),
                ),
            }
        }
        ids
    }
}

/// The name by which an author is looked up, and whether there must be such an author already: a slug or an address
/// alone makes nobody.
pub fn author_name(reference: &Reference<AuthorFields>) -> (String, bool) {
    match reference {
        Reference::Named(name) => (name.clone(), false),
        Reference::Described(fields) => {
            let precise = [&fields.email, &fields.slug]
                .into_iter()
                .find_map(|field| field.as_ref())
                .map(|field| field.value.clone());
            match (precise, &fields.name) {
                (Some(precise), _) => (precise, true),
                (None, name) => (name.clone().unwrap_or_default(), false),
            }
        }
    }
}

fn post(
    kind: PostKind,
    file: &PostFile,
    made: &Made,
    conditions: &Conditions,
    linker: &mut Linker,
) -> Record {
    let fields = &file.fields;
    let visibility = visibility(fields, conditions);
    let feature_image = linker.address(&fields.feature_image);
    let status = status(fields, conditions.now);
    let dates = Dates::of(kind, fields, status, linker);
    let html = linker.body(&file.body);
    let body = Body::new(
        html,
        visibility != post::Visibility::Public,
        feature_image.is_some(),
    );
    let meta = meta(fields, linker);
    let uuid = fields.uuid.as_ref().and_then(|uuid| uuid.parse().ok());
    let post = Post {
        id: made.id,
        uuid: uuid.unwrap_or_else(|| derived_uuid(kind.name(), &made.slug)),
        kind,
        slug: made.slug.clone(),
        title: made.name.clone(),
        status,
        visibility,
        tiers: linker.tiers(&fields.tiers),
        featured: fields.featured.unwrap_or(false),
        created_at: dates.created_at,
        updated_at: dates.updated_at,
        published_at: dates.published_at,
        comment_id: boxed(&fields.comment_id).unwrap_or_else(|| made.id.to_string().into()),
        feature_image,
        custom_excerpt: boxed(&fields.custom_excerpt),
        public_excerpt: None,
        reading_time: None,
        codeinjection_head: boxed(&fields.codeinjection_head),
        codeinjection_foot: boxed(&fields.codeinjection_foot),
        custom_template: boxed(&fields.custom_template),
        canonical_url: linker.address(&fields.canonical_url),
        show_title_and_feature_image: fields.show_title_and_feature_image.unwrap_or(true),
        tags: linker.tags(&fields.tags),
        authors: linker.authors(&fields.authors),
        meta,
        source: Some(linker.source.path().into()),
    };
    Record::Post(Box::new(post), body)
}

fn visibility(fields: &PostFields, conditions: &Conditions) -> post::Visibility {
    match fields.visibility {
        None => conditions.default_visibility,
        Some(Visibility::Public) => post::Visibility::Public,
        Some(Visibility::Members) => post::Visibility::Members,
        Some(Visibility::Paid) => post::Visibility::Paid,
        Some(Visibility::Tiers) => post::Visibility::Tiers,
    }
}

/// What has a date to come is scheduled, and what was scheduled for a date that is past is published.
fn status(fields: &PostFields, now: Timestamp) -> post::Status {
    match fields.status {
        Some(Status::Draft) => post::Status::Draft,
        _ if fields.published_at.is_some_and(|date| date > now) => post::Status::Scheduled,
        _ => post::Status::Published,
    }
}

struct Dates {
    created_at: Timestamp,
    updated_at: Timestamp,
    published_at: Option<Timestamp>,
}

impl Dates {
    fn of(kind: PostKind, fields: &PostFields, status: post::Status, linker: &mut Linker) -> Self {
        let given = [fields.published_at, fields.created_at, fields.updated_at];
        let first_given = given.into_iter().flatten().map(whole_seconds).next();
        if first_given.is_none() && kind == PostKind::Post && status == post::Status::Published {
            linker.warn(
                Span::default(),
                "this post has no date and stands behind all others".to_owned(),
                "add a date, as in `date = 2026-01-31`, or begin the file's name with it"
                    .to_owned(),
            );
        }
        let date = first_given.unwrap_or(UNDATED);
        Self {
            created_at: fields.created_at.map_or(date, whole_seconds),
            updated_at: fields.updated_at.map_or(date, whole_seconds),
            published_at: match status {
                post::Status::Draft => fields.published_at.map(whole_seconds),
                _ => Some(fields.published_at.map_or(date, whole_seconds)),
            },
        }
    }
}

fn meta(fields: &PostFields, linker: &mut Linker) -> Option<Box<PostMeta>> {
    let meta = PostMeta {
        meta_title: boxed(&fields.meta_title),
        meta_description: boxed(&fields.meta_description),
        og_image: linker.address(&fields.og_image),
        og_title: boxed(&fields.og_title),
        og_description: boxed(&fields.og_description),
        twitter_image: linker.address(&fields.twitter_image),
        twitter_title: boxed(&fields.twitter_title),
        twitter_description: boxed(&fields.twitter_description),
        email_subject: boxed(&fields.email_subject),
        frontmatter: boxed(&fields.frontmatter),
        feature_image_alt: boxed(&fields.feature_image_alt),
        feature_image_caption: boxed(&fields.feature_image_caption),
    };
    (meta != PostMeta::default()).then(|| Box::new(meta))
}

fn tag(file: &TagFile, made: &Made, linker: &mut Linker) -> Tag {
    let fields = &file.fields;
    Tag {
        internal: tag::is_internal(&made.name)
            || fields.visibility == Some(TagVisibility::Internal),
        description: boxed(&fields.description),
        feature_image: linker.address(&fields.feature_image),
        meta_title: boxed(&fields.meta_title),
        meta_description: boxed(&fields.meta_description),
        og_image: linker.address(&fields.og_image),
        og_title: boxed(&fields.og_title),
        og_description: boxed(&fields.og_description),
        twitter_image: linker.address(&fields.twitter_image),
        twitter_title: boxed(&fields.twitter_title),
        twitter_description: boxed(&fields.twitter_description),
        codeinjection_head: boxed(&fields.codeinjection_head),
        codeinjection_foot: boxed(&fields.codeinjection_foot),
        canonical_url: linker.address(&fields.canonical_url),
        accent_color: boxed(&fields.accent_color),
        source: Some(linker.source.path().into()),
        ..Tag::new(made.id, &made.slug, &made.name, UNDATED)
    }
}

fn user(file: &AuthorFile, made: &Made, linker: &mut Linker) -> User {
    let fields = &file.fields;
    User {
        email: made.email.clone(),
        profile_image: linker.address(&fields.profile_image),
        cover_image: linker.address(&fields.cover_image),
        bio: boxed(&fields.bio),
        website: linker.address(&fields.website),
        location: boxed(&fields.location),
        social: SocialAccounts {
            facebook: boxed(&fields.facebook),
            twitter: boxed(&fields.twitter),
            threads: boxed(&fields.threads),
            bluesky: boxed(&fields.bluesky),
            mastodon: boxed(&fields.mastodon),
            tiktok: boxed(&fields.tiktok),
            youtube: boxed(&fields.youtube),
            instagram: boxed(&fields.instagram),
            linkedin: boxed(&fields.linkedin),
        },
        meta_title: boxed(&fields.meta_title),
        meta_description: boxed(&fields.meta_description),
        source: Some(linker.source.path().into()),
        ..User::new(made.id, &made.slug, &made.name, UNDATED)
    }
}

fn tier(file: &TierFile, made: &Made, linker: &mut Linker) -> Tier {
    let fields = &file.fields;
    let amount = |price: Option<i64>| price.and_then(|price| u64::try_from(price).ok());
    let (monthly, yearly) = (amount(fields.monthly_price), amount(fields.yearly_price));
    let price = (fields.r#type == Some(TierType::Paid)).then(|| Price {
        currency: fields
            .currency
            .as_ref()
            .map_or("usd", |currency| currency.as_str())
            .into(),
        // The price that is missing becomes 5 or 50 of the currency (Ghost 6.65, recorded).
        monthly: monthly.unwrap_or(500),
        yearly: yearly.unwrap_or(5000),
    });
    Tier {
        id: made.id,
        description: boxed(&fields.description),
        active: fields.active.unwrap_or(true),
        public: fields.visibility != Some(TierVisibility::None),
        price,
        benefits: fields
            .benefits
            .iter()
            .flatten()
            .map(|benefit| benefit.as_str().into())
            .collect(),
        trial_days: fields
            .trial_days
            .and_then(|days| u32::try_from(days).ok())
            .unwrap_or(0),
        welcome_page_url: linker.address(&fields.welcome_page_url),
        created_at: fields.created_at.map_or(UNDATED, whole_seconds),
        updated_at: fields.updated_at.map(whole_seconds),
        source: Some(linker.source.path().into()),
        ..Tier::new(&made.slug, &made.name)
    }
}

fn newsletter(file: &NewsletterFile, made: &Made, source: &Source) -> Newsletter {
    let fields = &file.fields;
    let uuid = fields.uuid.as_ref().and_then(|uuid| uuid.parse().ok());
    let default = Newsletter::new(&made.slug, &made.name);
    Newsletter {
        id: made.id,
        uuid: uuid.unwrap_or(default.uuid),
        description: boxed(&fields.description),
        sender_email: fields
            .sender_email
            .as_ref()
            .map(|email| email.value.as_str().into()),
        active: fields.status != Some(NewsletterStatus::Archived),
        visibility: match fields.visibility {
            Some(NewsletterVisibility::Paid) => "paid".into(),
            _ => "members".into(),
        },
        subscribe_on_signup: fields.subscribe_on_signup.unwrap_or(true),
        sort_order: fields
            .sort_order
            .and_then(|place| u32::try_from(place).ok())
            .unwrap_or(0),
        created_at: fields.created_at.map_or(UNDATED, whole_seconds),
        updated_at: fields
            .updated_at
            .or(fields.created_at)
            .map_or(UNDATED, whole_seconds),
        source: Some(source.path().into()),
        ..default
    }
}

fn settings(file: &SiteFile, linker: &mut Linker) -> BTreeMap<String, Value> {
    if let Some(author) = &file.default_author {
        linker.author(author);
    }
    let mut values: BTreeMap<String, Value> = BTreeMap::new();
    for (key, value) in &file.settings {
        let is_address = SETTINGS
            .iter()
            .any(|setting| setting.key == key && setting.kind == SettingType::Address);
        let value = match value {
            Value::String(text) if is_address => Value::String(setting_address(text, linker)),
            other => other.clone(),
        };
        values.insert(key.clone(), value);
    }
    if let Some(url) = &file.url {
        values.insert("url".to_owned(), Value::String(url.value.clone()));
    }
    values
}

/// The address of a picture of the site. The settings do not tell where a value stands, so the text is looked for.
fn setting_address(written: &str, linker: &mut Linker) -> String {
    let start = linker.source.text().find(written).unwrap_or(0);
    let found = linker.lead(written, Span::from(start..start + written.len()));
    found.unwrap_or_else(|| written.to_owned())
}

fn boxed(text: &Option<String>) -> OptionalText {
    text.as_deref().map(Into::into)
}

fn derived_uuid(kind: &str, slug: &str) -> Uuid {
    Uuid::new_v5(
        &Uuid::NAMESPACE_URL,
        format!("galley:{kind}:{slug}").as_bytes(),
    )
}
