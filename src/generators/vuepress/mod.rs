//! VuePress, versions 1 and 2.

mod paths;
mod reference;
mod settings;

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
            BY_DATE, HtmlDocuments, NameTitle, POST, PageTemplates, PathDates, Profile, Readme,
            Role, Sign, UploadLinks, rule,
        },
        reading_rules::ReadingRules,
        settings::{ProjectSettings, reference::SettingRow},
        syntax::{
            DocumentSyntax, ExpandedText, ExpansionScope, directives, fence_lines, summary,
            vue::{self, LinkBase},
            vue_blocks::{self, ComponentLines},
            vue_components, vue_tabs, vue_values,
        },
        vue_front_page,
    },
    render::markdown::Dialect,
};

/// VuePress.
#[derive(Debug)]
pub struct VuePress;

static PROFILE: Profile = Profile {
    name: "vuepress",
    title: "VuePress",
    signs: &[Sign::Entry(".vuepress")],
    roots: &[""],
    language_folders: &[],
    rules: &[
        rule("**/.vuepress/**", Role::Other),
        rule("_posts/**", POST),
        rule("**", BY_DATE),
    ],
    html: HtmlDocuments::Nowhere,
    page_templates: PageTemplates::NONE,
    served_folders: &[".vuepress/public", ""],
    upload_folders: &[".vuepress/public"],
    upload_links: UploadLinks::Site(""),
    has_bundles: false,
    readme: Readme::Index,
    dialect: Dialect::VUE,
    reading: ReadingRules::LISTS,
    usual_names: &[("published_at", "date")],
    syntax: DocumentSyntax {
        templates: &[
            |text, scope| vue::include(text, scope, LinkBase::IncludedFile),
            |text, _| vue::hide(text),
            vue_values::pass,
            |text, _| vue_blocks::pass(text, ComponentLines::Opening),
        ],
        passes: &[
            |text, _| vue_components::pass(text),
            // The ids of tab containers are removed before the containers are expanded.
            |text, _| vue_tabs::pass(text),
            containers,
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

/// Expands containers, with the titles of the VuePress version.
fn containers(text: &str, scope: ExpansionScope<'_>) -> ExpandedText {
    let is_version_1 = scope.environment.site.contains_key(settings::VERSION_1);
    let containers = if is_version_1 {
        &vue::CONTAINERS
    } else {
        &vue::CONTAINERS_2
    };
    directives::pass(text, containers)
}

impl Generator for VuePress {
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
        paths::published_path(document)
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

    fn has_readme_front_page(&self) -> bool {
        true
    }
}
