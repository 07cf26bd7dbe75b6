//! VitePress.

mod reference;
mod settings;
mod syntax;

#[cfg(test)]
mod tests;

use std::path::Path;

use serde_json::{Map, Value as Json};

use crate::{
    content_text::{Span, document::Table},
    generators::{
        document::Document,
        generator::Generator,
        link_path,
        profile::{
            HtmlDocuments, NameTitle, PAGE, PageTemplates, PathDates, Profile, Readme, Role, Sign,
            UploadLinks, rule,
        },
        reading_rules::ReadingRules,
        settings::{ProjectSettings, reference::SettingRow},
        syntax::{
            DocumentSyntax, directives, fence_lines, summary,
            vue::{self, LinkBase},
            vue_blocks::{self, ComponentLines},
            vue_components, vue_values,
        },
        vue_front_page, vue_paths,
    },
    render::markdown::Dialect,
};

/// VitePress.
#[derive(Debug)]
pub struct VitePress;

static PROFILE: Profile = Profile {
    name: "vitepress",
    title: "VitePress",
    signs: &[Sign::Entry(".vitepress")],
    roots: &[""],
    language_folders: &[],
    rules: &[
        // Templates for the pages of documents: `[slug].md`.
        rule("**/[[]*", Role::Other),
        rule("**", PAGE),
    ],
    html: HtmlDocuments::Nowhere,
    page_templates: PageTemplates::NONE,
    served_folders: &["public", ""],
    upload_folders: &["public"],
    upload_links: UploadLinks::Site(""),
    has_bundles: false,
    readme: Readme::Index,
    dialect: Dialect::VUE,
    reading: ReadingRules::LISTS,
    usual_names: &[("published_at", "date"), ("updated_at", "lastUpdated")],
    syntax: DocumentSyntax {
        templates: &[
            |text, scope| vue::include(text, scope, LinkBase::Document),
            |text, _| vue::hide(text),
            vue_values::pass,
            // Titles of code are dropped before `fence_lines` would show them.
            |text, _| syntax::without_lone_titles(text),
            |text, _| syntax::without_attributes(text),
            |text, _| vue_blocks::pass(text, ComponentLines::Complete),
        ],
        passes: &[
            |text, _| vue_components::pass(text),
            |text, _| directives::pass(text, &vue::CONTAINERS),
            |text, _| fence_lines::pass(text),
            |text, _| fence_lines::without_highlights(text),
            |text, _| summary::pass(text),
        ],
        ..DocumentSyntax::NONE
    },
    title_of_name: NameTitle::Sentence,
    dates_of_path: PathDates::Names,
    author_files: &[],
};

impl Generator for VitePress {
    fn profile(&self) -> &'static Profile {
        &PROFILE
    }

    fn further_settings_files(&self) -> &'static [&'static str] {
        &["config"]
    }

    fn setting_rows(&self) -> &'static [SettingRow] {
        reference::ROWS
    }

    fn read_settings(&self, root: &Path) -> ProjectSettings {
        settings::read(root)
    }

    fn published_path(&self, document: &Document<'_>) -> Option<String> {
        vue_paths::published_path(document, &["index"])
    }

    fn complete(&self, table: &mut Table, values: &Map<String, Json>, opening: Span) {
        vue_front_page::complete_front_page(table, values, opening);
    }

    fn names_documents_by_url(&self) -> bool {
        true
    }

    fn leaves_link(&self, path: &str) -> bool {
        !link_path::is_file_like(path) && !path.ends_with('/')
    }
}
