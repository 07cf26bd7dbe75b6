//! Jekyll.

mod default_values;
mod markdown;
mod paths;
mod reference;
mod settings;

#[cfg(test)]
mod tests;

use crate::{
    generators::{
        document::Document,
        generator::{Generator, names_markdown},
        permalink,
        profile::{
            HtmlDocuments, NameTitle, PAGE, POST, PageTemplates, PathDates, Profile, Readme, Role,
            Sign, UploadLinks, rule,
        },
        reading_rules::ReadingRules,
        settings::{ProjectSettings, reference::SettingRow},
        syntax::{DocumentSyntax, liquid, liquid::LiquidDialect, python_inline, summary},
    },
    render::markdown::Dialect,
};
use std::path::Path;

/// Jekyll.
#[derive(Debug)]
pub struct Jekyll;

static PROFILE: Profile = Profile {
    name: "jekyll",
    title: "Jekyll",
    signs: &[Sign::Settings("_config"), Sign::Habit("_posts")],
    roots: &[""],
    language_folders: &[],
    rules: &[
        // The first matching rule applies, so names with an underscore
        // precede the folders that contain them.
        rule("**/{_posts,_drafts}/**/_*", Role::Other),
        rule("**/{_posts,_drafts}/**/_*/**", Role::Other),
        rule("**/{_posts,_drafts}/**", POST),
        rule("{_posts,_drafts}/**", POST),
        rule(
            "{_data,_includes,_layouts,_plugins,_sass,_site}/**",
            Role::Other,
        ),
        // Jekyll excludes these folders by default.
        rule("vendor/{bundle,cache,gems,ruby}/**", Role::Other),
        rule("_pages/**", PAGE),
        rule(
            // Collections that the site shows have rules in its settings, which precede these.
            "_*/**",
            Role::LeftOut("it belongs to a collection that the site does not show"),
        ),
        rule("**/_*", Role::Other),
        rule("**/_*/**", Role::Other),
        rule("index*", Role::Section),
        rule("**", PAGE),
    ],
    html: HtmlDocuments::Titled,
    page_templates: PageTemplates {
        extensions: &["html", "htm"],
        patterns: &["**"],
        have_front_matter: true,
    },
    served_folders: &[""],
    upload_folders: &["assets"],
    upload_links: UploadLinks::Site("/assets"),
    has_bundles: false,
    readme: Readme::WithFrontMatter,
    dialect: Dialect::KRAMDOWN,
    reading: ReadingRules::JEKYLL,
    usual_names: &[
        ("published_at", "date"),
        ("updated_at", "last_modified_at"),
        ("aliases", "redirect_from"),
    ],
    syntax: DocumentSyntax {
        templates: &[|text, scope| liquid::pass(text, scope, &LiquidDialect::LIQUID)],
        passes: &[
            // URLs of links may contain spaces in kramdown, as in Python-Markdown.
            |text, _| python_inline::links(text),
            |text, _| summary::pass(text),
        ],
        is_in_html: true,
        ..DocumentSyntax::NONE
    },
    title_of_name: NameTitle::Capitals,
    dates_of_path: PathDates::Names,
    author_files: &["_data/authors.yml", "_data/authors.yaml"],
};

impl Generator for Jekyll {
    fn profile(&self) -> &'static Profile {
        &PROFILE
    }

    fn settings_files(&self) -> &'static [&'static str] {
        &["_config"]
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

    fn kind<'f>(&self, _file: &str, folders: &[&'f str]) -> &'f str {
        permalink::jekyll_kind(folders)
    }

    /// Returns the categories of a post: its folders above `_posts`.
    fn folder_tags<'f>(&self, folders: &'f [String]) -> &'f [String] {
        let end = folders.iter().position(|folder| folder == "_posts");
        &folders[..end.unwrap_or_default()]
    }
}
