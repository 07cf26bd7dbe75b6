//! Hugo.

mod cascade;
mod configuration;
mod dates;
mod markdown;
mod paths;
mod reference;
mod settings;
mod syntax;

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

/// Hugo.
#[derive(Debug)]
pub struct Hugo;

static PROFILE: Profile = Profile {
    name: "hugo",
    title: "Hugo",
    signs: &[
        Sign::Settings("hugo"),
        Sign::Entry("config/_default/hugo.toml"),
        // `config.*` and `archetypes/` are also usual elsewhere, so
        // they count next to `content/` only.
        Sign::All(&[Sign::Settings("config"), Sign::Entry("content")]),
        Sign::All(&[Sign::Entry("config/_default"), Sign::Entry("content")]),
        Sign::All(&[Sign::Entry("archetypes"), Sign::Entry("content")]),
    ],
    roots: &["content"],
    language_folders: &[],
    rules: &[
        rule("**/_index*", Role::Section),
        rule("index*", Role::Section),
        rule("*", PAGE),
        rule("*/index*", PAGE),
        rule(
            "{_drafts,_posts,article,articles,blog,blogs,drafts,news,post,posts}/**",
            POST,
        ),
        rule("{page,pages,_pages}/**", PAGE),
        rule("**", BY_DATE),
    ],
    html: HtmlDocuments::Everywhere,
    page_templates: PageTemplates::NONE,
    served_folders: &["static", "content", "assets", ""],
    upload_folders: &["static"],
    upload_links: UploadLinks::Site(""),
    has_bundles: true,
    readme: Readme::Page,
    dialect: Dialect::HUGO,
    reading: ReadingRules::HUGO,
    usual_names: &[("published_at", "date"), ("updated_at", "lastmod")],
    syntax: DocumentSyntax {
        templates: &[syntax::pass],
        passes: &[|text, _| summary::pass(text)],
        is_in_html: true,
        ..DocumentSyntax::NONE
    },
    title_of_name: NameTitle::Sentence,
    dates_of_path: PathDates::Names,
    author_files: &[],
};

impl Generator for Hugo {
    fn profile(&self) -> &'static Profile {
        &PROFILE
    }

    fn settings_files(&self) -> &'static [&'static str] {
        &[
            "hugo",
            "config",
            "config/_default/hugo",
            "config/_default/config",
            "config/_default/languages",
            "config/_default/module",
            "config/_default/permalinks",
            "config/_default/cascade",
        ]
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

    fn comparable(&self, path: &str) -> String {
        // URLs of Hugo are in lower case.
        path.to_lowercase()
    }

    fn kind<'f>(&self, file: &str, folders: &[&'f str]) -> &'f str {
        match folders {
            // These are the kinds that `target.kind` of a cascade selects.
            _ if !file.starts_with("_index.") => "page",
            [] => "home",
            _ => "section",
        }
    }
}
