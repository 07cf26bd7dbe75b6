//! Reads a document of another generator's folder.

use serde_json::{Map, Value};

use crate::{
    content_files::{
        context::Context,
        date,
        expansion::expand,
        keys::Reader,
        layout::Layout,
        lenient::{
            kind::{content, kind_of},
            language::set_language,
            omission::omission,
            tags::add_folder_tags,
            title::{cut, title_from_name, titled},
        },
        parsed_file::ParsedFile,
        parts::Parts,
        path_properties::{FileKind, GeneratorProperties, GeneratorRole, PathProperties},
        post_file,
        post_file::{PostFile, Role},
        published::DocumentFacts,
    },
    content_text::{Diagnostic, Source, Span, Spanned, document::json_of},
    domain::{former_path, post::ALIASES_MAX},
    generators::{Aliases, DocumentKind},
    render::{slug, slug::Kind},
};

/// Reads a document whose path has these properties.
pub fn read(
    source: Source,
    properties: &PathProperties<'_>,
    document: &GeneratorProperties,
    context: &Context,
) -> ParsedFile {
    let expanded = match expand(&source, properties, context) {
        Ok(expanded) => expanded,
        Err(problem) => return failed(source, problem),
    };
    let source = expanded.source;
    let mut parts =
        match Parts::of_other_generator(&source, properties, &context.layout.profile().reading) {
            Ok(parts) => parts,
            Err(problem) => return failed(source, problem),
        };
    let opening = parts.opening;
    // Own keys take precedence over those that MDX exports, and both over the project's defaults:
    // completing adds only missing keys.
    parts.table.complete(&expanded.meta, opening);
    let layout = &context.layout;
    layout.complete(&mut parts.table, source.path(), opening);
    let settings = layout.settings();
    settings.choose_dates(&mut parts.table, source.path(), opening);
    // After all defaults, because patterns of URLs use them, too.
    let page = json_of(&parts.table);
    let (mut file, mut diagnostics) = read_parts(&parts, properties.kind, context);
    // Only templates that could not be evaluated have diagnostics.
    let is_template = !expanded.diagnostics.is_empty();
    diagnostics.extend(expanded.diagnostics);
    let of_path = (properties, document);
    let omission = omission(&mut file, (&source, opening), is_template, of_path, context);
    let (value, left_out, diagnostics) = match omission {
        Some((left_out, reason)) => (None, Some(left_out), reason.into_iter().collect()),
        None => {
            complete(&mut file, source.path(), &page, of_path, context);
            let content = content(file, properties, document);
            (Some(content), None, diagnostics)
        }
    };
    ParsedFile {
        source: Some(source),
        value,
        diagnostics,
        left_out,
        inclusions: expanded.inclusions,
    }
}

fn failed(source: Source, problem: Diagnostic) -> ParsedFile {
    ParsedFile {
        source: Some(source),
        value: None,
        diagnostics: vec![problem],
        left_out: None,
        inclusions: Box::default(),
    }
}

/// Reads front matter and body, by the rules of the folder's generator.
fn read_parts(parts: &Parts<'_>, kind: FileKind, context: &Context) -> (PostFile, Vec<Diagnostic>) {
    let reader = Reader::new(parts.source, parts.language, &context.time_zone);
    let mut reader = reader.lenient(context.layout.profile().reading);
    let role = match kind {
        FileKind::Page => Role::Page,
        _ => Role::Post,
    };
    let file = post_file::read(parts, role, &mut reader);
    (file, reader.finish().0)
}

/// Completes a document with the properties of its path, and a missing title from its body. `page` is its front matter.
fn complete(
    file: &mut PostFile,
    path: &str,
    page: &Map<String, Value>,
    (properties, document): (&PathProperties<'_>, &GeneratorProperties),
    context: &Context,
) {
    let layout = &context.layout;
    let profile = layout.profile();
    let is_page = kind_of(file, properties, document) == FileKind::Page;
    let is_undated_page = is_page && document.role == GeneratorRole::Document(DocumentKind::ByDate);
    prefer_path(file, path, properties, context);
    if is_undated_page && layout.generator().names_pages_by_path() {
        name_by_path(file, path, layout);
    }
    let title = file.fields.title.take();
    let body = file.body.clone();
    let (title, body) = titled(title, body, &file.stem, profile.title_of_name);
    file.fields.title = Some(title);
    file.body = body.with_dialect(layout.dialect_of(path));
    add_folder_tags(file, layout.generator().folder_tags(&document.sections));
    let published_at = file.fields.published_at;
    let facts = DocumentFacts {
        layout,
        path,
        language: document.language.as_deref(),
        page,
        title: file.fields.title.as_deref().unwrap_or_default(),
        date_of_path: properties.date,
        date: published_at.map(|date| date.to_zoned(context.time_zone.clone()).date()),
    };
    // After the title and the date, which may be parts of the path.
    file.published_path = facts.published_path();
    if layout.generator().names_documents_by_url() {
        let is_front_page = facts.is_front_page();
        name_by_url(file, is_front_page);
    }
    add_former_urls(file, layout);
    if profile.reading.aliases == Aliases::Names {
        file.names = names_in(page);
        let of_name = |name: &String| {
            let path = layout.generator().path_of_alias(name, layout.settings())?;
            Some(Spanned::new(
                former_path::normal_path(&path)?,
                Span::default(),
            ))
        };
        let former: Vec<_> = file.names.iter().filter_map(of_name).collect();
        post_file::add_aliases(&mut file.fields, former.into_iter());
    }
    // Last, because this changes the slug, which the steps above derive.
    if let Some(language) = &document.language {
        set_language(file, language);
    }
}

/// Derives date, slug and title from the path, if the settings of the folder require it.
fn prefer_path(
    file: &mut PostFile,
    path: &str,
    properties: &PathProperties<'_>,
    context: &Context,
) {
    let layout = &context.layout;
    let options = layout.options();
    if options.dates.as_deref() == Some("path") {
        let date = properties.date;
        let of_path = date.and_then(|date| date::midnight(date, &context.time_zone));
        file.fields.published_at = of_path.or(file.fields.published_at);
    }
    if options.slugs.as_deref() == Some("path") {
        name_by_path(file, path, layout);
    }
    let is_by_name = match options.titles.as_deref() {
        Some(titles) => titles == "file_name",
        None => layout.generator().titles_by_name() && file.stem != "index",
    };
    if is_by_name && file.fields.title.is_none() {
        let title = title_from_name(&file.stem, layout.profile().title_of_name);
        file.fields.title = Some(cut(&title));
    }
}

/// Derives the slug of a document without one from its folders and its name.
fn name_by_path(file: &mut PostFile, path: &str, layout: &Layout) {
    if file.fields.slug.is_none() {
        let mut names = layout.sections_of(path);
        names.push(file.stem.clone());
        let slug = slug::from_text(Kind::Post, &names.join("-"), "");
        file.fields.slug = Some(Spanned::new(slug, Span::default()));
    }
}

/// Derives the slug of a document without one from the last part of its published path; the slug of the front page is
/// `index`.
fn name_by_url(file: &mut PostFile, is_front_page: bool) {
    let published = file.published_path.as_deref();
    let of_path = published.and_then(|path| path.rsplit('/').find(|part| !part.is_empty()));
    let name = of_path.or(is_front_page.then_some("index"));
    if let (Some(name), None) = (name, &file.fields.slug) {
        let name = name.strip_suffix(".html").unwrap_or(name);
        let slug = slug::from_text(Kind::Post, name, "");
        file.fields.slug = Some(Spanned::new(slug, Span::default()));
    }
}

/// Adds the former URLs that the settings of the project redirect to the published path of a document.
fn add_former_urls(file: &mut PostFile, layout: &Layout) {
    let settings = layout.settings();
    if let Some(path) = &file.published_path {
        let former = settings.redirects.to(path, &settings.base_path);
        let former = former.filter_map(former_path::normal_path);
        let former = former.map(|path| Spanned::new(path, Span::default()));
        post_file::add_aliases(&mut file.fields, former);
    }
}

/// Returns the names by which other notes may refer to a note, besides its file name.
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
