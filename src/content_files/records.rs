//! Converts a content file to its record: references resolved, defaults filled in, Markdown rendered.
//!
//! Pure: the same file, directory and conditions yield the same record on every machine. Identifiers are derived from
//! slugs, and a missing date is replaced with a fixed date.

use std::collections::BTreeMap;

use jiff::Timestamp;
use serde_json::{Map, Value};

use crate::{
    catalog::fields::{AUTHOR_TEXTS, NEWSLETTER_TEXTS, POST_TEXTS, TAG_TEXTS, TIER_TEXTS},
    clock::whole_seconds,
    content_files::{
        author_file::AuthorFile,
        body::{Body as FileBody, BodyFormat},
        conditions::Conditions,
        editor_body,
        editor_body::EditorBody,
        file_state::{FileOutput, StoredReference},
        keys::ThemeValue,
        linker::Linker,
        newsletter_file::{NewsletterFile, NewsletterStatus, NewsletterVisibility},
        parsed_file::ContentFile,
        post_file::{PostFields, PostFile, Status, Visibility},
        site_file::SiteFile,
        symbol_table::Directory,
        tag_file::{TagFile, TagVisibility},
        tier_file::{TierFile, TierType, TierVisibility},
    },
    content_text::{BodyReader, Diagnostic, Source, Span, Spanned},
    domain::{
        OptionalText, UNDATED,
        newsletter::Newsletter,
        newsletter_design::{DESIGN, DesignType},
        origin::RecordOrigin,
        post,
        post::{Body, Post, PostKind},
        setting::{SETTINGS, SettingType},
        tag,
        tag::Tag,
        theme::FILE_SETTINGS,
        tier::{Price, Tier},
        user::User,
    },
    render::{body_counts::BodyCounts, markdown},
};

/// The record of a file.
#[derive(Clone, Debug)]
pub enum ConvertedRecord {
    /// The settings of the site file.
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

/// A converted file.
pub struct ConvertedFile {
    /// Its record.
    pub record: ConvertedRecord,
    /// Its references, and their targets.
    pub uses: Vec<StoredReference>,
    /// Warnings about ignored values.
    pub diagnostics: Vec<Diagnostic>,
    /// Element counts of its body, if the body is converted to a Lexical document.
    pub counts: BodyCounts,
}

/// Converts the file with the text `source` to its record.
pub fn convert(
    file: &ContentFile,
    output: &FileOutput,
    source: &Source,
    directory: &Directory,
    conditions: &Conditions,
) -> ConvertedFile {
    let mut linker = Linker::new(source, directory);
    let record = match file {
        ContentFile::Site(file) => ConvertedRecord::Settings(settings(file, &mut linker)),
        ContentFile::Post(file) => post(PostKind::Post, file, output, conditions, &mut linker),
        ContentFile::Page(file) => post(PostKind::Page, file, output, conditions, &mut linker),
        ContentFile::Tag(file) => ConvertedRecord::Tag(Box::new(tag(file, output, &mut linker))),
        ContentFile::Author(file) => {
            ConvertedRecord::User(Box::new(user(file, output, &mut linker)))
        }
        ContentFile::Tier(file) => ConvertedRecord::Tier(Box::new(tier(file, output, &mut linker))),
        ContentFile::Newsletter(file) => {
            ConvertedRecord::Newsletter(Box::new(newsletter(file, output, &mut linker)))
        }
    };
    ConvertedFile {
        record,
        uses: linker.uses,
        diagnostics: linker.diagnostics,
        counts: linker.counts,
    }
}

fn post(
    kind: PostKind,
    file: &PostFile,
    output: &FileOutput,
    conditions: &Conditions,
    linker: &mut Linker,
) -> ConvertedRecord {
    let fields = &file.fields;
    linker.creates_authors = file.creates_authors();
    let visibility = visibility(fields, conditions);
    let status = if has_expired(file, conditions.now, linker) {
        post::Status::Draft
    } else {
        status(fields, conditions.now)
    };
    let dates = Dates::of(kind, file, status, linker);
    linker.check_aliases(&fields.aliases, output.id);
    let uuid = fields.uuid.as_ref().and_then(|uuid| uuid.parse().ok());
    let uuid = uuid.unwrap_or_else(|| Post::derived_uuid(kind, &output.slug));
    let mut post = Post {
        slug: output.slug.clone(),
        title: boxed(&fields.title).unwrap_or_default(),
        status,
        visibility,
        tiers: match fields.visibility {
            None => conditions.default_tiers.clone(),
            Some(_) => linker.tiers(&fields.tiers),
        },
        featured: fields.featured.unwrap_or(false),
        updated_at: dates.updated_at,
        published_at: dates.published_at,
        comment_id: boxed(&fields.comment_id).unwrap_or_else(|| output.id.to_string().into()),
        show_title_and_feature_image: fields.show_title_and_feature_image.unwrap_or(true),
        tags: linker.tags(&fields.tags),
        authors: linker.authors(&fields.authors, file.history.as_ref()),
        origin: if file.is_imported {
            RecordOrigin::Store
        } else {
            linker.source.path().into()
        },
        aliases: output.aliases.clone(),
        ..Post::draft(output.id, uuid, kind, dates.created_at)
    };
    // An explicit `email_only: false` is sufficient to create a side record.
    if let Some(email_only) = fields.email_only {
        post.meta.get_or_insert_default().email_only = email_only;
    }
    linker.set_texts(&mut post, POST_TEXTS, &fields.texts);
    let mut body = body(file, post.is_gated(), post.feature_image.is_some(), linker);
    // Editors need a document. Readers still get the HTML of the Markdown, which the document may
    // not reproduce exactly.
    if conditions.are_edited && body.lexical.is_none() {
        let text = &file.body;
        let document = reader_of(text, linker, |reader| reader.document(text.text()));
        body.lexical = Some(document.lexical);
    }
    ConvertedRecord::Post(Box::new(post), body)
}

/// Returns the body of a document, with its URLs in stored form.
fn body(file: &PostFile, is_gated: bool, has_feature_image: bool, linker: &mut Linker) -> Body {
    let text = &file.body;
    let of_editor = |read: EditorBody| {
        Body::new(read.html, is_gated, has_feature_image).with_lexical(read.lexical)
    };
    if file.is_imported {
        // The import renders documents itself.
        let document = editor_body::read_of_other_generator(text, linker);
        return Body {
            lexical: Some(linker.with_references_in_text(document)),
            ..Body::default()
        };
    }
    let html = match text.format {
        BodyFormat::Markdown => markdown::to_html(text.text(), text.dialect, |url| {
            linker.resolve_in(text, url)
        }),
        BodyFormat::Html => {
            markdown::resolve_html(text.text(), |url| linker.resolve_in(text, url)).into_owned()
        }
        BodyFormat::Lexical => return of_editor(editor_body::read(text, linker)),
    };
    Body::new(
        linker.with_references_in_text(html),
        is_gated,
        has_feature_image,
    )
}

/// Calls `read` with the reader of a body for editors. Dangling references are reported elsewhere.
fn reader_of<T>(body: &FileBody, linker: &Linker, read: impl FnOnce(&BodyReader) -> T) -> T {
    let resolve = |url: markdown::BodyUrl<'_>| linker.resolve_quietly(url.written);
    read(&BodyReader {
        format: body.format,
        dialect: body.dialect,
        resolve: &resolve,
        urls: &[],
        expand: None,
    })
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

/// Returns whether the document's generator has stopped building it, and reports a date of expiry.
fn has_expired(file: &PostFile, now: Timestamp, linker: &mut Linker) -> bool {
    let Some(expires_at) = file.expires_at.as_ref() else {
        return false;
    };
    let has_expired = expires_at.value <= now;
    let message = if has_expired {
        "it has expired, so it is a draft here"
    } else {
        "it does not expire here: it stays published after this date"
    };
    let advice = "make it a draft by hand on that date, or remove the date";
    linker.warn(expires_at.span, message.to_owned(), advice.to_owned());
    has_expired
}

/// Returns the status of a post at the time `now`. Unless the post is a draft, `published` or `sent`, it is scheduled if
/// its date is in the future, and otherwise published, or sent if it is for mail only.
fn status(fields: &PostFields, now: Timestamp) -> post::Status {
    match fields.status {
        Some(Status::Draft) => post::Status::Draft,
        Some(Status::Published) => post::Status::Published,
        Some(Status::Sent) => post::Status::Sent,
        _ if fields.published_at.is_some_and(|date| date > now) => post::Status::Scheduled,
        _ if fields.email_only == Some(true) => post::Status::Sent,
        _ => post::Status::Published,
    }
}

struct Dates {
    created_at: Timestamp,
    updated_at: Timestamp,
    published_at: Option<Timestamp>,
}

impl Dates {
    fn of(kind: PostKind, file: &PostFile, status: post::Status, linker: &mut Linker) -> Self {
        let fields = &file.fields;
        let history = file.history.as_ref();
        let given = [fields.published_at, fields.created_at, fields.updated_at];
        let of_history = history.map(|history| history.created_at);
        let first_given = given
            .into_iter()
            .chain([of_history])
            .flatten()
            .map(whole_seconds)
            .next();
        if first_given.is_none() && kind == PostKind::Post && status == post::Status::Published {
            linker.warn(
                Span::default(),
                "this post has no date and is sorted after all others".to_owned(),
                "add a date, as in `2026-01-31`, or begin the file's name with it".to_owned(),
            );
        }
        let date = first_given.unwrap_or(UNDATED);
        let created_at = fields.created_at.map_or(date, whole_seconds);
        // A post dated later than its last change was not changed before its date.
        let last_change = history.map(|history| whole_seconds(history.updated_at).max(created_at));
        Self {
            created_at,
            updated_at: fields
                .updated_at
                .map(whole_seconds)
                .or(last_change)
                .unwrap_or(date),
            // Only drafts may be without a date, because posts are ordered by it.
            published_at: match status {
                post::Status::Draft => fields.published_at.map(whole_seconds),
                _ => Some(fields.published_at.map_or(date, whole_seconds)),
            },
        }
    }
}

fn tag(file: &TagFile, output: &FileOutput, linker: &mut Linker) -> Tag {
    let fields = &file.fields;
    let mut tag = Tag {
        internal: tag::is_internal(&output.name)
            || fields.visibility == Some(TagVisibility::Internal),
        created_at: fields.created_at.map_or(UNDATED, whole_seconds),
        updated_at: changed(fields.created_at, fields.updated_at),
        origin: linker.source.path().into(),
        ..Tag::new(output.id, &output.slug, &output.name, UNDATED)
    };
    linker.set_texts(&mut tag, TAG_TEXTS, &fields.texts);
    tag
}

fn user(file: &AuthorFile, output: &FileOutput, linker: &mut Linker) -> User {
    let fields = &file.fields;
    let mut user = User {
        email: output.email.clone(),
        created_at: fields.created_at.map_or(UNDATED, whole_seconds),
        updated_at: changed(fields.created_at, fields.updated_at),
        origin: linker.source.path().into(),
        ..User::new(output.id, &output.slug, &output.name, UNDATED)
    };
    linker.set_texts(&mut user, AUTHOR_TEXTS, &fields.texts);
    user
}

fn tier(file: &TierFile, output: &FileOutput, linker: &mut Linker) -> Tier {
    let fields = &file.fields;
    let amount = |price: Option<i64>| price.and_then(|price| u64::try_from(price).ok());
    let (monthly, yearly) = (amount(fields.monthly_price), amount(fields.yearly_price));
    let price = (fields.r#type == Some(TierType::Paid)).then(|| Price {
        currency: fields
            .currency
            .as_ref()
            .map_or("usd", |currency| currency.as_str())
            .into(),
        // A missing price becomes 5 or 50 of the currency (Ghost 6.65, recorded).
        monthly: monthly.unwrap_or(500),
        yearly: yearly.unwrap_or(5000),
    });
    let mut tier = Tier {
        id: output.id,
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
        created_at: fields.created_at.map_or(UNDATED, whole_seconds),
        updated_at: fields.updated_at.map(whole_seconds),
        origin: linker.source.path().into(),
        ..Tier::new(&output.slug, &output.name)
    };
    linker.set_texts(&mut tier, TIER_TEXTS, &fields.texts);
    tier
}

fn newsletter(file: &NewsletterFile, output: &FileOutput, linker: &mut Linker) -> Newsletter {
    let fields = &file.fields;
    let uuid = fields.uuid.as_ref().and_then(|uuid| uuid.parse().ok());
    let mut default = Newsletter::new(&output.slug, &output.name);
    for choice in DESIGN {
        // Options without a key have their defaults.
        if let Some(value) = file.design.get(choice.name) {
            default.choose(choice, option(choice.kind, value, linker));
        }
    }
    let mut newsletter = Newsletter {
        id: output.id,
        uuid: uuid.unwrap_or(default.uuid),
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
            .and_then(|index| u32::try_from(index).ok())
            .unwrap_or(0),
        created_at: fields.created_at.map_or(UNDATED, whole_seconds),
        updated_at: changed(fields.created_at, fields.updated_at),
        origin: linker.source.path().into(),
        ..default
    };
    linker.set_texts(&mut newsletter, NEWSLETTER_TEXTS, &fields.texts);
    newsletter
}

/// Returns the value of a design option, with URLs in stored form.
fn option(kind: DesignType, value: &Spanned<Value>, linker: &mut Linker) -> Value {
    match (kind, &value.value) {
        (DesignType::Image(_), Value::String(url)) => {
            let url = Spanned::new(url.clone(), value.span);
            linker.stored_url(&url).map(String::from).into()
        }
        (DesignType::Markup(_), Value::String(markup)) => linker.resolved_markup(markup).into(),
        (_, value) => value.clone(),
    }
}

fn settings(file: &SiteFile, linker: &mut Linker) -> BTreeMap<String, Value> {
    if let Some(author) = &file.default_author
        && linker.author(author).is_none()
    {
        linker.warn(
            author.span,
            "the author does not exist".to_owned(),
            "describe the author in a file in authors/, or write the author's name".to_owned(),
        );
    }
    let mut values: BTreeMap<String, Value> = BTreeMap::new();
    for (key, value) in &file.settings {
        let kind = SETTINGS
            .iter()
            .find(|setting| setting.key == key)
            .map(|setting| setting.kind);
        let value = match (kind, value) {
            (Some(SettingType::Url), Value::String(url)) => {
                let image = linker.resolve_by_text(url);
                Value::String(image.unwrap_or_else(|| url.clone()))
            }
            (Some(SettingType::Markup), Value::String(markup)) => {
                Value::String(linker.resolved_markup(markup).into_owned())
            }
            (_, other) => other.clone(),
        };
        values.insert(key.clone(), value);
    }
    if let Some(url) = &file.url {
        values.insert("url".to_owned(), Value::String(url.value.clone()));
    }
    if !file.theme_settings.is_empty() {
        let themes = file.theme_settings.iter();
        let themes: Map<String, Value> = themes
            .map(|(theme, values)| (theme.clone(), theme_values(values, linker)))
            .collect();
        values.insert(FILE_SETTINGS.to_owned(), Value::Object(themes));
    }
    values
}

/// Returns the values of settings of a theme, with the URLs of images in stored form.
fn theme_values(values: &BTreeMap<String, ThemeValue>, linker: &mut Linker) -> Value {
    let mut stored = Map::new();
    for (key, own) in values {
        let value = match &own.value {
            Value::String(url) if own.is_image => {
                let image = linker.resolve_by_text(url);
                image.unwrap_or_else(|| url.clone()).into()
            }
            other => other.clone(),
        };
        stored.insert(key.clone(), value);
    }
    Value::Object(stored)
}

/// Returns the date of the last change; without one, the date of creation.
fn changed(created_at: Option<Timestamp>, updated_at: Option<Timestamp>) -> Timestamp {
    updated_at.or(created_at).map_or(UNDATED, whole_seconds)
}

fn boxed(text: &Option<String>) -> OptionalText {
    text.as_deref().map(Into::into)
}
