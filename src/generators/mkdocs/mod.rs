//! MkDocs, with Material for MkDocs and its blog.

mod extensions;
mod paths;
mod reference;
mod settings;
mod snippets;
mod syntax;

#[cfg(test)]
mod tests;

use std::path::Path;

use crate::{
    generators::{
        document::Document,
        generator::Generator,
        link_path,
        profile::{
            DocumentKind, HtmlDocuments, NameTitle, PAGE, PageTemplates, PathDates, Profile,
            Readme, Role, Sign, UploadLinks, rule,
        },
        reading_rules::ReadingRules,
        settings::{ProjectSettings, reference::SettingRow},
        syntax::{
            DocumentSyntax, ExpandedText, ExpansionScope, contents_marks, directives, fence_lines,
            indented, python_blocks, python_inline,
            python_lists::{self, ListKinds},
            python_markdown, summary, wikilinks,
            writer::ExpansionWriter,
        },
    },
    render::markdown::Dialect,
};

/// MkDocs.
#[derive(Debug)]
pub struct MkDocs;

static PROFILE: Profile = Profile {
    name: "mkdocs",
    title: "MkDocs",
    signs: &[Sign::Settings("mkdocs"), Sign::Settings(settings::ZENSICAL)],
    roots: &["docs"],
    language_folders: &[],
    rules: &[rule("templates/**", Role::Other), rule("**", PAGE)],
    html: HtmlDocuments::Nowhere,
    page_templates: PageTemplates::NONE,
    served_folders: &["docs"],
    upload_folders: &["docs"],
    upload_links: UploadLinks::Relative,
    has_bundles: false,
    readme: Readme::Index,
    dialect: Dialect::PYTHON_MARKDOWN,
    reading: ReadingRules::METADATA_LINES,
    usual_names: &[("published_at", "date")],
    syntax: DocumentSyntax {
        templates: &[snippets::pass],
        passes: &[
            |text, _| syntax::without_generated(text),
            |text, _| directives::pass(text, &syntax::BLOCKS),
            // The content of indented blocks is moved to the left first, so that
            // later passes see the usual indentation.
            |text, _| indented::pass(text),
            |text, _| python_markdown::code_languages(text),
            lists,
            // `list_kinds` needs the escapes of `blocks`: list markers
            // within paragraphs would be items.
            blocks,
            list_kinds,
            |text, _| fence_lines::pass(text),
            wiki,
            syntax::pass,
            inline,
            |text, _| contents_marks::pass(text, true),
            |text, _| summary::pass(text),
        ],
        ..DocumentSyntax::NONE
    },
    title_of_name: NameTitle::Sentence,
    dates_of_path: PathDates::Names,
    author_files: &[],
};

/// Moves list items to the level at which Python-Markdown reads them, unless the project has the extension that nests lists
/// by two spaces.
fn lists(text: &str, scope: ExpansionScope<'_>) -> ExpandedText {
    if scope.environment.site.contains_key(settings::SANE_LISTS) {
        return ExpansionWriter::new(text).finish();
    }
    python_markdown::lists(text)
}

/// Converts the markers of list items to the marker of their list, unless the project has the extension that nests lists by
/// two spaces, which has other rules.
fn list_kinds(text: &str, scope: ExpansionScope<'_>) -> ExpandedText {
    let has = |name: &str| scope.environment.site.contains_key(name);
    match has(settings::SEPARATE_LISTS) {
        _ if has(settings::SANE_LISTS) => ExpansionWriter::new(text).finish(),
        true => python_lists::pass(text, ListKinds::Separate),
        false => python_lists::pass(text, ListKinds::Mixed),
    }
}

/// Converts links and escapes. If the project has an extension for formulas, a backslash may belong to a formula.
fn inline(text: &str, scope: ExpansionScope<'_>) -> ExpandedText {
    let has_math = scope.environment.site.contains_key(settings::MATH);
    python_inline::pass(text, has_math)
}

/// Expands links by name if the project has a plugin for them.
fn wiki(text: &str, scope: ExpansionScope<'_>) -> ExpandedText {
    if scope.environment.site.contains_key(settings::WIKILINKS) {
        wikilinks::pass(text, wikilinks::LinkText::Path)
    } else {
        ExpansionWriter::new(text).finish()
    }
}

/// Converts blocks of Python-Markdown to CommonMark. An extension may require a space after the marks of headings.
fn blocks(text: &str, scope: ExpansionScope<'_>) -> ExpandedText {
    let needs_blank = scope.environment.site.contains_key(settings::SANE_HEADERS);
    python_blocks::pass(text, needs_blank)
}

impl Generator for MkDocs {
    fn profile(&self) -> &'static Profile {
        &PROFILE
    }

    fn settings_files(&self) -> &'static [&'static str] {
        &["mkdocs", settings::ZENSICAL]
    }

    fn setting_rows(&self) -> &'static [SettingRow] {
        reference::ROWS
    }

    fn read_settings(&self, root: &Path) -> ProjectSettings {
        settings::read(root)
    }

    fn published_path(&self, document: &Document<'_>) -> Option<String> {
        paths::published_path(document)
    }

    /// `status` labels a page in the navigation (`new`, `deprecated`) and does not hide it. `draft` hides only posts of the
    /// blog.
    fn ignored_keys(&self, role: &dyn Fn() -> Role) -> &'static [&'static str] {
        match role() {
            Role::Document(DocumentKind::Post) => &["status"],
            _ => &["draft", "status"],
        }
    }

    fn prefers_index(&self) -> bool {
        true
    }

    fn leaves_link(&self, path: &str) -> bool {
        !link_path::is_file_like(path)
    }
}
