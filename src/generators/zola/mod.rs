//! Zola.

mod paths;
mod reference;
mod settings;
pub(crate) mod syntax;

#[cfg(test)]
mod tests;

use crate::{
    generators::{
        document::Document,
        generator::{Generator, names_markdown},
        profile::{
            BY_DATE, HtmlDocuments, NameTitle, PAGE, POST, PageTemplates, PathDates, Profile,
            Readme, Role, Sign, UploadLinks, rule,
        },
        reading_rules::ReadingRules,
        settings::{ProjectSettings, reference::SettingRow},
        syntax::{DocumentSyntax, summary},
    },
    render::markdown::Dialect,
};
use std::path::Path;

/// Zola.
#[derive(Debug)]
pub struct Zola;

static PROFILE: Profile = Profile {
    name: "zola",
    title: "Zola",
    signs: &[
        Sign::SettingsWith("config", &["base_url"]),
        Sign::SettingsWith("zola", &["base_url"]),
    ],
    roots: &["content"],
    language_folders: &[],
    rules: &[
        rule("**/_index*", Role::Section),
        rule("index*", Role::Section),
        rule("{article,articles,blog,blogs,news,post,posts}/**", POST),
        rule("{page,pages,_pages}/**", PAGE),
        rule("**", BY_DATE),
    ],
    html: HtmlDocuments::Nowhere,
    page_templates: PageTemplates::NONE,
    served_folders: &["static", "content", ""],
    upload_folders: &["static"],
    upload_links: UploadLinks::Site(""),
    // Unlike in Hugo, other Markdown next to `index.md` is a separate page.
    has_bundles: false,
    readme: Readme::Page,
    dialect: Dialect::ZOLA,
    reading: ReadingRules::ZOLA,
    usual_names: &[("published_at", "date"), ("updated_at", "updated")],
    syntax: DocumentSyntax {
        templates: &[|text, _| syntax::pass(text)],
        passes: &[|text, _| summary::pass(text)],
        ..DocumentSyntax::NONE
    },
    title_of_name: NameTitle::Sentence,
    dates_of_path: PathDates::Names,
    author_files: &[],
};

impl Generator for Zola {
    fn profile(&self) -> &'static Profile {
        &PROFILE
    }

    fn settings_files(&self) -> &'static [&'static str] {
        &["config", "zola"]
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

    fn leaves_link(&self, path: &str) -> bool {
        !names_markdown(path)
    }

    fn is_reference(&self, url: &str) -> bool {
        url.starts_with("@/")
    }
}
