//! Docusaurus.

mod paths;
mod reference;
mod settings;
mod syntax;

#[cfg(test)]
mod tests;

use crate::{
    generators::{
        document::Document,
        generator::Generator,
        profile::{
            COMPONENTS, HtmlDocuments, NameTitle, PAGE, POST, PageTemplates, PathDates, Profile,
            Readme, Role, Sign, UploadLinks, rule,
        },
        reading_rules::ReadingRules,
        settings::{ProjectSettings, reference::SettingRow},
        syntax::{DocumentSyntax, directives, fence_lines, summary},
    },
    render::markdown::Dialect,
};
use std::path::Path;

/// Docusaurus.
#[derive(Debug)]
pub struct Docusaurus;

static PROFILE: Profile = Profile {
    name: "docusaurus",
    title: "Docusaurus",
    signs: &[Sign::Script("docusaurus.config")],
    roots: &[""],
    language_folders: &[],
    rules: &[
        // Partials, which other documents import, begin with an underscore.
        rule("**/_*/**", Role::Other),
        rule("**/_*", Role::Other),
        rule("**/{__tests__/**,*.test.{js,jsx,ts,tsx}}", Role::Other),
        rule("blog/**", POST),
        rule("{docs,src/pages,versioned_docs}/**", PAGE),
        rule("*_versioned_docs/**", PAGE),
    ],
    html: HtmlDocuments::Nowhere,
    page_templates: PageTemplates {
        extensions: COMPONENTS,
        patterns: &["src/pages/**"],
        have_front_matter: false,
    },
    served_folders: &["static", "", "docs"],
    upload_folders: &["static"],
    upload_links: UploadLinks::BelowSite(""),
    has_bundles: false,
    readme: Readme::Index,
    dialect: Dialect::DOCUSAURUS,
    reading: ReadingRules::LISTS,
    usual_names: &[("published_at", "date")],
    syntax: DocumentSyntax {
        is_mdx: |_, environment| !environment.is_plain_markdown,
        passes: &[
            |text, _| directives::pass(text, &syntax::CONTAINERS),
            |text, _| fence_lines::without_highlights(text),
            |text, _| summary::pass(text),
        ],
        callout: Some(syntax::CALLOUT),
        ..DocumentSyntax::NONE
    },
    title_of_name: NameTitle::AsIs,
    dates_of_path: PathDates::Names,
    author_files: &["blog/authors.yml", "blog/authors.yaml"],
};

impl Generator for Docusaurus {
    fn profile(&self) -> &'static Profile {
        &PROFILE
    }

    fn further_settings_files(&self) -> &'static [&'static str] {
        &["versions"]
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
}
