//! The writable fields of posts and pages, and the conversion of a request into a change.

use serde_json::{Map, Value};

use super::references;
use crate::{
    admin::{
        ignored_fields,
        posts::{BodyChange, MailOptions, PostChange, body},
    },
    api::admin::{
        Request,
        envelope::{self, malformed},
        input::{Input, InputField, InputType, ListEntry, parse_instant, with_texts, writable},
    },
    catalog::{Catalog, fields::POST_TEXTS},
    domain::post::{Post, PostKind, Status, Visibility},
    error::{Error, Kind, Result},
    id::Id,
    nql,
    render::lexical::DOCUMENT_BYTES_MAX,
};

/// A document of a body. Its length in bytes is checked when it is parsed; this bound in characters
/// never rejects a document of valid length.
const DOCUMENT: InputType = InputType::Text(DOCUMENT_BYTES_MAX);

/// Longest visibility that is written as a filter, in characters.
const VISIBILITY_CHARACTERS_MAX: usize = 2000;

/// Expands to the writable fields common to posts and pages (Ghost 6.65, recorded), the given rows, and
/// the fields of texts. The operation enforces a lower limit for the title, with an error that names no
/// field.
macro_rules! fields {
    ($($own:expr,)*) => {{
        const OWN: &[InputField] = &[
            InputField::required("title", InputType::Text(2000)),
            InputField::optional("slug", InputType::Text(191)),
            InputField::optional("lexical", DOCUMENT),
            InputField::optional("mobiledoc", DOCUMENT),
            InputField::optional("html", DOCUMENT),
            InputField::set("featured", InputType::Boolean),
            InputField::optional("visibility", InputType::Text(VISIBILITY_CHARACTERS_MAX)),
            InputField::set("tiers", InputType::List(ListEntry::RecordOrText)),
            InputField::optional("published_at", InputType::Time),
            InputField::optional("updated_at", InputType::Time),
            InputField::optional("locale", InputType::Text(6)),
            InputField::set("tags", InputType::List(ListEntry::RecordOrText)),
            InputField::set("authors", InputType::List(ListEntry::RecordOrText)),
            $($own,)*
        ];
        &with_texts::<Post, { OWN.len() + writable(POST_TEXTS) }>(OWN, POST_TEXTS)
    }};
}

/// The writable fields of posts.
pub static POST_FIELDS: &[InputField] = fields![
    InputField::set(
        "status",
        InputType::Choice(&["draft", "scheduled", "published", "sent"])
    ),
    InputField::set("email_only", InputType::Boolean),
];

/// The writable fields of pages.
pub static PAGE_FIELDS: &[InputField] = fields![
    InputField::set(
        "status",
        InputType::Choice(&["draft", "scheduled", "published"])
    ),
    InputField::set("show_title_and_feature_image", InputType::Boolean),
];

/// The name of the envelope.
pub fn envelope_name(kind: PostKind) -> &'static str {
    match kind {
        PostKind::Post => "posts",
        PostKind::Page => "pages",
    }
}

/// Reads a new record.
///
/// # Errors
///
/// `Validation` naming the field or the envelope. For pages, an empty envelope is `BadRequest`
/// (Ghost 6.65, recorded).
pub fn new_record(request: &Request, kind: PostKind) -> Result<Input> {
    Input::new_record(record(request, kind)?, fields_of(kind))
}

/// Reads the changes to a record, including the `updated_at` that the client knows. If it is null,
/// there is no collision check (Ghost 6.65, recorded).
///
/// # Errors
///
/// As [`new_record`]; `BadRequest` for a page whose `id` differs from the path.
pub fn changed_record(request: &Request, kind: PostKind, id: Option<Id>) -> Result<Input> {
    let record = record(request, kind)?;
    if kind == PostKind::Page {
        envelope::check_id(&record, id)?;
    }
    if !record.contains_key("updated_at") {
        return Err(malformed(
            "0",
            "required",
            "A change requires the \"updated_at\" of the record.".to_owned(),
        ));
    }
    Input::change(record, fields_of(kind))
}

fn fields_of(kind: PostKind) -> &'static [InputField] {
    match kind {
        PostKind::Post => POST_FIELDS,
        PostKind::Page => PAGE_FIELDS,
    }
}

fn record(request: &Request, kind: PostKind) -> Result<Map<String, Value>> {
    let name = envelope_name(kind);
    match kind {
        PostKind::Post => envelope::record(request, name),
        PostKind::Page => envelope::record_of_page(request, name),
    }
}

/// Converts a request into a change. Bodies are converted here, before the transaction, so that
/// other changes do not wait.
///
/// # Errors
///
/// `Validation` naming the field.
pub fn change(request: &Request, input: &Input) -> Result<PostChange> {
    let text = |name| {
        input
            .text(name)
            .map(|text| text.unwrap_or_default().to_owned())
    };
    let word = |name| input.value(name).and_then(Value::as_str);
    let access = word("visibility")
        .map(|visibility| Access::parse(visibility, &request.snapshot.catalog))
        .transpose()?;
    let tiers = input.list("tiers").map(references::tiers).transpose()?;
    let known_change = input.text("updated_at").flatten();
    if input.text("locale").flatten().is_some() {
        // No response contains the locale, and it has no effect.
        ignored_fields::report("locale");
    }
    Ok(PostChange {
        title: text("title"),
        slug: text("slug"),
        status: word("status").and_then(Status::from_name),
        published_at: input.time("published_at"),
        updated_at: known_change.and_then(parse_instant),
        // Clients that send dates without a fraction know only the second, so a collision is one of
        // seconds (docs/admin-api.md).
        knows_whole_seconds: known_change.is_some_and(|date| !date.contains('.')),
        visibility: access.as_ref().map(|access| access.visibility),
        tiers: tiers.or_else(|| access.and_then(|access| access.tiers)),
        featured: input.boolean("featured"),
        email_only: input.boolean("email_only"),
        show_title_and_feature_image: input.boolean("show_title_and_feature_image"),
        texts: input.texts(POST_TEXTS),
        emptied: input.emptied(POST_FIELDS),
        tags: input.list("tags").map(references::tags).transpose()?,
        authors: input.list("authors").map(references::authors).transpose()?,
        body: body_change(request, input)?,
        mailing: MailOptions {
            newsletter: request.parameters.joined("newsletter"),
            segment: request.parameters.joined("email_segment"),
        },
        is_explicit_save: is_switched_on(request, "save_revision"),
    })
}

/// The access to a post, as clients write it.
struct Access {
    visibility: Visibility,
    /// The tiers that a filter selects; `None` if the client sent the name of a visibility.
    tiers: Option<Vec<Id>>,
}

impl Access {
    /// Parses the name of a visibility, or a filter of members as sent by older editors:
    /// `status:-free` for paying members, `status:free,status:-free` for all members, and `product:`
    /// with the slug of a tier for its members. Any other filter gives access to no tier (Ghost 6.65,
    /// recorded).
    fn parse(text: &str, catalog: &Catalog) -> Result<Self> {
        if let Some(visibility) = Visibility::from_name(text) {
            return Ok(Self {
                visibility,
                tiers: None,
            });
        }
        if nql::parse(text).is_err() {
            return Err(malformed(
                "visibility",
                "enum",
                format!(
                    "\"visibility\" must be public, members, paid, tiers or a filter of members, not \"{text}\"."
                ),
            ));
        }
        let (visibility, tier) = match text {
            "status:-free" => (Visibility::Paid, None),
            "status:free,status:-free" | "status:-free,status:free" => (Visibility::Members, None),
            _ => (Visibility::Tiers, text.strip_prefix("product:")),
        };
        let tier = tier.and_then(|slug| catalog.tiers.with_slug(slug).next());
        if visibility == Visibility::Tiers && tier.is_none() {
            ignored_fields::report("visibility");
        }
        Ok(Self {
            visibility,
            tiers: Some(tier.map(|tier| tier.id).into_iter().collect()),
        })
    }
}

fn is_switched_on(request: &Request, name: &str) -> bool {
    request
        .parameters
        .all(name)
        .any(|value| matches!(value, "true" | "1"))
}

/// Returns the body: from HTML if the parameter `source` selects it, otherwise from the document of
/// the editor (`lexical`) or of the previous editor (`mobiledoc`).
fn body_change(request: &Request, input: &Input) -> Result<Option<BodyChange>> {
    let site = request.site_urls.url();
    let is_html = match request.parameters.joined("source").as_deref() {
        None | Some("") => false,
        // Ghost accepts only lower case, and drops the body otherwise.
        Some(source) if source.eq_ignore_ascii_case("html") => true,
        Some(other) => {
            return Err(Error::new(
                Kind::Validation,
                format!("\"{other}\" is not a valid source; use \"html\"."),
            ));
        }
    };
    let lexical = input.value("lexical").and_then(Value::as_str);
    let mobiledoc = input.text("mobiledoc").flatten();
    if is_html && let Some(html) = input.text("html").flatten() {
        let document = body::of_html(html, site)?;
        return Ok(Some(BodyChange::Document(document.into())));
    }
    if !is_html && input.text("html").flatten().is_some() {
        // HTML without `source=html` is ignored (Ghost 6.65, recorded).
        ignored_fields::report("html");
    }
    match (lexical, mobiledoc) {
        (Some(_), Some(_)) => Err(malformed(
            "lexical",
            "not",
            "Send the body in \"lexical\" or in \"mobiledoc\", not in both.".to_owned(),
        )),
        (Some(lexical), None) => Ok(Some(body::of_lexical(lexical, site))),
        (None, Some(mobiledoc)) => body::of_mobiledoc(mobiledoc, site)
            .map(|document| Some(BodyChange::Document(document.into()))),
        // A null `lexical` removes the body; without the field, the body remains.
        (None, None) => Ok(input.has("lexical").then_some(BodyChange::Empty)),
    }
}
