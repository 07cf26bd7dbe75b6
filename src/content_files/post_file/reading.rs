//! Reads a document file from its front matter and its body.

use jiff::Timestamp;

use crate::{
    content_files::{
        body::{Body, BodyFormat},
        date,
        keys::{DateOrSwitch, Entries, ImageDetails, Reader, report_too_many},
        lexical_blocks,
        parts::Parts,
        post_file::{
            OTHER_GENERATOR_SET,
            document::{PostFile, Role},
            front_matter::{BodyLanguage, OtherForms, PostFields, SET, Status, Visibility},
            hidden::Hidden,
        },
        tag_file::TagReference,
    },
    content_text::Spanned,
    domain::{
        former_path,
        post::{ALIASES_MAX, RELATIONS_MAX},
    },
};

pub fn read(parts: &Parts<'_>, role: Role, reader: &mut Reader<'_>) -> PostFile {
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

/// Returns the slug as written, before it was corrected, in the form of a former URL.
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

/// Prepends former URLs to those in `aliases`, without duplicates and the post's own URL.
pub(in crate::content_files) fn add_aliases(
    fields: &mut PostFields,
    more: impl Iterator<Item = Spanned<String>>,
) {
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
    // An empty list in the file stays a value.
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

/// Checks that tiers and visibility are consistent.
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
