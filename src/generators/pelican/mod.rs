//! Pelican.

mod dates;
mod folders;
mod liquid_tags;
mod metadata;
mod paths;
mod reference;
mod settings;
mod slugs;
mod syntax;
mod variables;

#[cfg(test)]
mod tests;

use std::path::Path;

use serde_json::{Map, Value as Json};

use crate::{
    content_text::{
        Span, Spanned,
        document::{Kind, Table},
    },
    generators::{
        document::Document,
        generator::Generator,
        profile::{
            HtmlDocuments, NameTitle, PAGE, POST, PageTemplates, PathDates, Profile, Readme, Role,
            Sign, UploadLinks, rule,
        },
        reading_rules::ReadingRules,
        settings::{ProjectSettings, reference::SettingRow},
        syntax::{
            DocumentSyntax, ExpandedText, ExpansionScope, attribute_lists, contents_marks,
            fence_lines, indented, python_blocks, python_inline,
            python_lists::{self, ListKinds},
            python_markdown,
            writer::ExpansionWriter,
        },
    },
    render::markdown::{Dialect, Math},
};

/// Pelican.
#[derive(Debug)]
pub struct Pelican;

static PROFILE: Profile = Profile {
    name: "pelican",
    title: "Pelican",
    signs: &[Sign::Entry("pelicanconf.py")],
    roots: &["content"],
    language_folders: &[],
    rules: &[
        rule(
            "**/*.{htm,html}",
            Role::LeftOut("it is HTML, which is read only if `[content_files]` includes it"),
        ),
        rule("pages/**", PAGE),
        rule("**", POST),
    ],
    html: HtmlDocuments::Nowhere,
    page_templates: PageTemplates::NONE,
    served_folders: &["content", "content/extra"],
    upload_folders: &["content/images", "content"],
    upload_links: UploadLinks::Relative,
    has_bundles: false,
    readme: Readme::Index,
    dialect: Dialect {
        emoji: false,
        math: Math::NONE,
        ..Dialect::PYTHON_MARKDOWN
    },
    reading: ReadingRules::METADATA_LINES,
    usual_names: &[
        ("published_at", "date"),
        ("updated_at", "modified"),
        ("custom_excerpt", "summary"),
    ],
    syntax: DocumentSyntax {
        passes: &[
            // Its plugin runs before Markdown is parsed, so the tags come first.
            liquid_tags::pass,
            |text, _| python_markdown::code_languages(text),
            admonitions,
            lists,
            |text, _| python_blocks::pass(text, false),
            // List markers within paragraphs must be escaped before.
            list_kinds,
            |text, _| syntax::pass(text),
            attribute_lists,
            inline,
            contents,
            |text, _| fence_lines::pass(text),
        ],
        ..DocumentSyntax::NONE
    },
    title_of_name: NameTitle::Sentence,
    dates_of_path: PathDates::Names,
    author_files: &[],
};

/// Expands admonitions if the project has their extension.
fn admonitions(text: &str, scope: ExpansionScope<'_>) -> ExpandedText {
    if scope.environment.site.contains_key(settings::ADMONITIONS) {
        indented::pass(text)
    } else {
        ExpansionWriter::new(text).finish()
    }
}

/// Rewrites attribute lists if the project has their extension.
fn attribute_lists(text: &str, scope: ExpansionScope<'_>) -> ExpandedText {
    if scope
        .environment
        .site
        .contains_key(settings::ATTRIBUTE_LISTS)
    {
        attribute_lists::pass(text)
    } else {
        ExpansionWriter::new(text).finish()
    }
}

/// Replaces `[TOC]` with a table of contents if the project has its extension, or drops it if a plugin shows the table
/// elsewhere.
fn contents(text: &str, scope: ExpansionScope<'_>) -> ExpandedText {
    let has = |name: &str| scope.environment.site.contains_key(name);
    if has(settings::EXTRACTED_CONTENTS) || has(settings::CONTENTS) {
        contents_marks::pass(text, !has(settings::EXTRACTED_CONTENTS))
    } else {
        ExpansionWriter::new(text).finish()
    }
}

/// Converts links and escapes. If the project has a plugin for formulas, a backslash may belong to a formula.
fn inline(text: &str, scope: ExpansionScope<'_>) -> ExpandedText {
    let has_math = scope.environment.site.contains_key(settings::MATH);
    python_inline::pass(text, has_math)
}

/// Moves list items to the level at which Python-Markdown reads them, unless a setting nests lists by fewer than four
/// spaces.
fn lists(text: &str, scope: ExpansionScope<'_>) -> ExpandedText {
    if scope.environment.site.contains_key(settings::SHORT_TABS) {
        ExpansionWriter::new(text).finish()
    } else {
        python_markdown::lists(text)
    }
}

/// Converts the markers of list items to the marker of their list, unless a setting nests lists by fewer than four spaces.
fn list_kinds(text: &str, scope: ExpansionScope<'_>) -> ExpandedText {
    let has = |name: &str| scope.environment.site.contains_key(name);
    match has(settings::SEPARATE_LISTS) {
        _ if has(settings::SHORT_TABS) => ExpansionWriter::new(text).finish(),
        true => python_lists::pass(text, ListKinds::Separate),
        false => python_lists::pass(text, ListKinds::Mixed),
    }
}

impl Generator for Pelican {
    fn profile(&self) -> &'static Profile {
        &PROFILE
    }

    fn setting_rows(&self) -> &'static [SettingRow] {
        reference::ROWS
    }

    fn skips_undated_posts(&self, settings: &ProjectSettings) -> bool {
        !settings.site.contains_key(settings::DEFAULT_DATE)
    }

    fn skips_untitled_documents(&self) -> bool {
        true
    }

    fn read_settings(&self, root: &Path) -> ProjectSettings {
        settings::read(root)
    }

    fn further_settings_files(&self) -> &'static [&'static str] {
        &["pelicanconf", "publishconf"]
    }

    fn published_path(&self, document: &Document<'_>) -> Option<String> {
        paths::published_path(document)
    }

    /// Completes front matter like Pelican: hidden and skipped documents become drafts, dates have the year first, and
    /// authors are separated at semicolons, if there are any, or commas.
    fn complete(&self, table: &mut Table, values: &Map<String, Json>, opening: Span) {
        let mut values = values.clone();
        // Pelican ignores the case of keys, which `complete` does not.
        values.retain(|key, _| {
            let mut written = table.entries.iter();
            !written.any(|(known, _)| known.value.eq_ignore_ascii_case(key))
        });
        table.complete(&values, opening);
        for (key, value) in &mut table.entries {
            let Kind::Text(text) = &value.value else {
                continue;
            };
            match key.value.to_lowercase().as_str() {
                "status" => {
                    let status = text.to_lowercase();
                    // Pelican publishes hidden documents without links to them. They become drafts,
                    // so that nothing becomes public that was not.
                    let is_hidden = ["hidden", "skip"].contains(&status.as_str());
                    let status = if is_hidden {
                        "draft".to_owned()
                    } else {
                        status
                    };
                    value.value = Kind::Text(status);
                }
                "date" | "modified" => {
                    value.value = Kind::Text(dates::iso(text));
                }
                "authors" => {
                    let separator = if text.contains(';') { ';' } else { ',' };
                    let names = text.split(separator).map(str::trim);
                    let names = names.filter(|name| !name.is_empty());
                    let names = names.map(|name| Kind::Text(name.to_owned()));
                    let names = names.map(|name| Spanned::new(name, value.span)).collect();
                    value.value = Kind::List(names);
                }
                _ => {}
            }
        }
    }

    fn names_documents_by_url(&self) -> bool {
        true
    }
}
