//! Astro.

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
        link_path,
        profile::{
            BY_DATE, HtmlDocuments, NameTitle, PAGE, POST, PageTemplates, PathDates, Profile,
            Readme, Role, Sign, TERMS, UploadLinks, rule,
        },
        reading_rules::ReadingRules,
        settings::{ProjectSettings, reference::SettingRow},
        syntax::{DocumentSyntax, directives, summary},
    },
    render::markdown::Dialect,
};
use std::path::Path;

/// Astro.
#[derive(Debug)]
pub struct Astro;

static PROFILE: Profile = Profile {
    name: "astro",
    title: "Astro",
    signs: &[Sign::Script("astro.config"), Sign::Habit("src/content")],
    roots: &[""],
    language_folders: &["src/content/docs", "src/content/blog", "src/pages"],
    rules: &[
        // Astro builds nothing from names with a leading underscore. The first matching rule
        // applies, so these precede the folders.
        rule("**/_*/**", Role::Other),
        rule("**/_*", Role::Other),
        // Templates for the pages of documents: `[slug].astro`.
        rule("**/[[]*", Role::Other),
        rule(
            "src/{content,data}/{authors,author,tags,categories,category}/**",
            TERMS,
        ),
        rule("src/{content,data}/{page,pages,docs}/**", PAGE),
        rule(
            "src/{content,data}/{article,articles,blog,blogs,drafts,news,notes,post,posts}/**",
            POST,
        ),
        rule("src/{content,data}/**", BY_DATE),
        rule("src/pages/index*", Role::Section),
        rule(
            "src/pages/{article,articles,blog,blogs,news,notes,post,posts}/index*",
            Role::Section,
        ),
        rule(
            "src/{,pages/}{article,articles,blog,blogs,drafts,news,notes,post,posts}/**",
            POST,
        ),
        rule("src/pages/**", PAGE),
    ],
    html: HtmlDocuments::Nowhere,
    page_templates: PageTemplates {
        extensions: &["astro", "html"],
        patterns: &["src/pages/**"],
        have_front_matter: false,
    },
    served_folders: &["public", "src", "src/content", ""],
    upload_folders: &["public"],
    upload_links: UploadLinks::Site(""),
    has_bundles: false,
    readme: Readme::Page,
    dialect: Dialect::REMARK,
    reading: ReadingRules::LISTS,
    usual_names: &[("published_at", "pubDate"), ("updated_at", "updatedDate")],
    syntax: DocumentSyntax {
        passes: &[
            |text, _| directives::pass(text, &syntax::CONTAINERS),
            |text, _| summary::pass(text),
        ],
        callout: Some(syntax::CALLOUT),
        ..DocumentSyntax::NONE
    },
    title_of_name: NameTitle::Sentence,
    dates_of_path: PathDates::Names,
    author_files: &[],
};

impl Generator for Astro {
    fn profile(&self) -> &'static Profile {
        &PROFILE
    }

    fn further_settings_files(&self) -> &'static [&'static str] {
        &["content"]
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
        // Astro changes no links. Those to files (`./fog.md`) are dead there and become links to
        // documents here.
        !link_path::is_file_like(path)
    }
}
