//! Reads documents of another generator's folder, for serving and importing.
//!
//! They were not written for Galley, so invalid values in their front matter are ignored and reported. A missing title is
//! that of the first heading, or derived from the file name as the generator does; properties without a key (kind, language,
//! section) come from the path.

use serde_json::{Map, Value};

use crate::{
    content_files::{
        body::{Body, BodyFormat},
        context::Context,
        date,
        expansion::expand,
        keys::{Reader, Reference},
        parsed_file::{ContentFile, LeftOut, ParsedFile},
        parts::Parts,
        place::{FileKind, FileSyntax, Foreign, GeneratorRole, PathProperties},
        post_file,
        post_file::{PostFile, Role},
        published::DocumentFacts,
    },
    content_text::{Source, Span, Spanned, front_matter::FencedFrontMatter},
    domain::post::{ALIASES_MAX, TITLE_CHARACTERS_MAX},
    generators::{Aliases, HtmlTexts, NameTitle, TextKind},
    render::{markdown, markdown::Dialect, plaintext, slug, slug::Kind},
};

/// Reads a document at `place`.
pub fn read(
    source: Source,
    place: &PathProperties<'_>,
    foreign: &Foreign,
    context: &Context,
) -> ParsedFile {
    let failed = |source, problem| ParsedFile {
        source: Some(source),
        value: None,
        diagnostics: vec![problem],
        left_out: None,
        inclusions: Box::default(),
    };
    let expanded = match expand(&source, place, context) {
        Ok(expanded) => expanded,
        Err(problem) => return failed(source, problem),
    };
    let inclusions = expanded.inclusions;
    let source = expanded.source;
    let is_page_of_html = place.format == FileSyntax::Html
        && place.kind == FileKind::Page
        && context.layout.profile().html == HtmlTexts::Titled;
    let mut parts = match Parts::of_foreign(&source, place) {
        Ok(parts) => parts,
        Err(problem) => return failed(source, problem),
    };
    parts.table.complete(&expanded.meta, parts.opening);
    context
        .layout
        .complete(&mut parts.table, source.path(), parts.opening);
    let page = crate::content_text::document::json_of(&parts.table);
    let reader = Reader::new(&source, parts.language, &context.time_zone);
    let mut reader = reader.lenient(context.layout.profile().reading);
    let role = match place.kind {
        FileKind::Page => Role::Page,
        _ => Role::Post,
    };
    let mut file = post_file::read(&parts, role, &mut reader);
    let (mut diagnostics, _) = reader.finish();
    let is_template = !expanded.diagnostics.is_empty();
    diagnostics.extend(expanded.diagnostics);
    let nothing = |left_out, diagnostics| ParsedFile {
        source: Some(source.clone()),
        value: None,
        diagnostics,
        left_out: Some(left_out),
        inclusions: inclusions.clone(),
    };
    if let Some(reason) = file.left_out.take() {
        return nothing(LeftOut::NotBuilt, vec![reason]);
    }
    if is_page_of_html && file.fields.title.is_none() {
        let message = "it is HTML without a title, so it is left out";
        let advice = "add a `title` to publish it";
        // A file without front matter is copied, and no page of the generator.
        let is_page = FencedFrontMatter::of_other_generator(source.text()).is_some();
        let reason = is_page.then(|| source.warning(parts.opening, message, advice));
        return nothing(LeftOut::Template, reason.into_iter().collect());
    }
    if is_page_of_html && is_template {
        let message = "this page is made of the rest of the site, so it is left out";
        let advice = "write its content as Markdown or HTML to publish it";
        let reason = source.warning(parts.opening, message, advice);
        return nothing(LeftOut::NotBuilt, vec![reason]);
    }
    let is_empty = file.body.text().trim().is_empty();
    if foreign.role == GeneratorRole::Section && is_empty {
        return nothing(LeftOut::EmptyList, Vec::new());
    }
    let set = context.layout.set();
    if set.dates.as_deref() == Some("path") && place.date.is_some() {
        let of_path = place
            .date
            .and_then(|date| date::midnight(date, &context.time_zone));
        file.fields.published_at = of_path.or(file.fields.published_at);
    }
    if set.slugs.as_deref() == Some("path") && file.fields.slug.is_none() {
        let mut path = context.layout.sections_of(source.path());
        path.push(file.stem.clone());
        let slug = slug::from_text(Kind::Post, &path.join("-"), "");
        file.fields.slug = Some(Spanned::new(slug, Span::default()));
    }
    if set.titles.as_deref() == Some("file_name") && file.fields.title.is_none() {
        let title = title_of(&file.stem, context.layout.profile().title_of_name);
        file.fields.title = Some(cut(&title));
    }
    let (title, body) = titled(
        file.fields.title.take(),
        file.body,
        &file.stem,
        context.layout.profile().title_of_name,
    );
    file.fields.title = Some(title);
    file.body = body.with_dialect(context.layout.dialect_of(source.path()));
    add_folder_tags(
        &mut file,
        context.layout.generator().folder_tags(&foreign.sections),
    );
    let document = DocumentFacts {
        layout: &context.layout,
        path: source.path(),
        language: foreign.language.as_deref(),
        page: &page,
        title: file.fields.title.as_deref().unwrap_or_default(),
        date_of_path: place.date,
        date: file
            .fields
            .published_at
            .map(|date| date.to_zoned(context.time_zone.clone()).date()),
    };
    file.published_path = document.published_path();
    if context.layout.profile().reading.aliases == Aliases::Names {
        file.names = names_in(&page);
    }
    if let Some(language) = &foreign.language {
        set_language(&mut file, language);
    }
    let kind = kind_of(&file, place, foreign);
    ParsedFile {
        value: Some(content(kind, file)),
        source: Some(source),
        diagnostics,
        left_out: None,
        inclusions,
    }
}

/// Returns whether a document is a post or a page.
fn kind_of(file: &PostFile, place: &PathProperties<'_>, foreign: &Foreign) -> FileKind {
    let fields = &file.fields;
    let is_dated = fields.published_at.is_some() || fields.created_at.is_some();
    match foreign.role {
        GeneratorRole::Text(TextKind::ByDate) if is_dated => FileKind::Post,
        _ => place.kind,
    }
}

fn content(kind: FileKind, file: PostFile) -> ContentFile {
    match kind {
        FileKind::Page => ContentFile::Page(Box::new(file)),
        _ => ContentFile::Post(Box::new(file)),
    }
}

/// Returns the names by which other notes may refer to one, other than that of its file.
fn names_in(page: &Map<String, Value>) -> Vec<String> {
    let named = |value: &Value| match value {
        Value::String(names) => names.split(',').map(str::to_owned).collect(),
        Value::Array(names) => {
            let names = names.iter().filter_map(Value::as_str);
            names.map(str::to_owned).collect()
        }
        _ => Vec::new(),
    };
    let values = ["aliases", "alias"].iter().filter_map(|key| page.get(*key));
    let names = values.flat_map(named).map(|name| name.trim().to_owned());
    names
        .filter(|name| !name.is_empty())
        .take(ALIASES_MAX)
        .collect()
}

/// Adds the folders of a document that are its tags, before those that it names.
fn add_folder_tags(file: &mut PostFile, folders: &[String]) {
    if folders.is_empty() {
        return;
    }
    let tags = file.fields.tags.get_or_insert_default();
    for (index, folder) in folders.iter().enumerate() {
        let is_known = tags.iter().any(
            |tag| matches!(&tag.value, Reference::Named(name) if name.eq_ignore_ascii_case(folder)),
        );
        if !is_known {
            let tag = Spanned::new(Reference::Named(folder.clone()), Span::default());
            tags.insert(index.min(tags.len()), tag);
        }
    }
}

/// Adds an internal tag to a document in another language than the site's, and prefixes its slug with the language.
fn set_language(file: &mut PostFile, language: &str) {
    let slug = match &file.fields.slug {
        Some(slug) => slug.value.clone(),
        None => slug::from_text(Kind::Post, &file.stem, ""),
    };
    let span = file
        .fields
        .slug
        .as_ref()
        .map_or(Span::default(), |slug| slug.span);
    file.fields.slug = Some(Spanned::new(format!("{language}-{slug}"), span));
    let tag = Spanned::new(Reference::Named(format!("#{language}")), Span::default());
    file.fields.tags.get_or_insert_default().push(tag);
}

/// Returns the title of a document, and its body without a heading equal to the title.
fn titled(title: Option<String>, body: Body, stem: &str, of_name: NameTitle) -> (String, Body) {
    let heading = first_heading(&body);
    let title = title.filter(|title| !title.trim().is_empty());
    match (title, heading) {
        (Some(title), Some((heading, end))) if same(&title, &heading) => {
            (title, body.without_start(end))
        }
        (Some(title), _) => (title, body),
        (None, Some((heading, end))) => (cut(&heading), body.without_start(end)),
        (None, None) => match later_heading(&body) {
            Some(heading) => (cut(&heading), body),
            None => (cut(&title_of(stem, of_name)), body),
        },
    }
}

/// Returns the text of a leading level-one heading of a Markdown document, and the end of the heading.
fn first_heading(body: &Body) -> Option<(String, usize)> {
    if body.format != BodyFormat::Markdown {
        return None;
    }
    let text = body.text();
    let start = text.len() - text.trim_start().len();
    let mut lines = text[start..].lines();
    let line = lines.next().unwrap_or_default();
    let next = lines.next().unwrap_or_default();
    let is_underlined = next.starts_with("==") && next.trim_end().bytes().all(|byte| byte == b'=');
    let length = match (line.starts_with("# "), is_underlined) {
        (true, _) => line.len(),
        (false, true) => line.len() + 1 + next.len(),
        (false, false) => return None,
    };
    let heading = plain(&text[start..start + length]);
    (!heading.is_empty()).then_some((heading, start + length))
}

/// Returns the text of the first level-one heading outside of code.
fn later_heading(body: &Body) -> Option<String> {
    if body.format != BodyFormat::Markdown {
        return None;
    }
    let mut is_code = false;
    let mut lines = body.text().lines();
    let line = lines.find(|line| {
        let is_fence = line.trim_start().starts_with("```") || line.trim_start().starts_with("~~~");
        is_code ^= is_fence;
        !is_code && line.starts_with("# ")
    })?;
    Some(plain(line)).filter(|heading| !heading.is_empty())
}

fn plain(markdown: &str) -> String {
    let text = plaintext::from_html(&markdown::to_html(markdown, Dialect::GALLEY, |_| None));
    text.trim().to_owned()
}

fn same(one: &str, other: &str) -> bool {
    one.trim().to_lowercase() == other.trim().to_lowercase()
}

/// Derives a title from the name of a file, by the rule of a generator.
fn title_of(stem: &str, rule: NameTitle) -> String {
    if rule == NameTitle::AsIs {
        return stem.to_owned();
    }
    let words = stem.replace(['-', '_'], " ");
    let words = words.split_whitespace().enumerate().map(|(number, word)| {
        let mut letters = word.chars();
        match letters.next() {
            Some(first) if number == 0 || rule == NameTitle::Capitals => {
                first.to_uppercase().chain(letters).collect()
            }
            _ => word.to_owned(),
        }
    });
    let title = words.collect::<Vec<String>>().join(" ");
    if title.is_empty() {
        stem.to_owned()
    } else {
        title
    }
}

fn cut(title: &str) -> String {
    title.chars().take(TITLE_CHARACTERS_MAX).collect()
}
