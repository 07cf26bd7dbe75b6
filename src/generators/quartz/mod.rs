//! Quartz, which publishes Obsidian notes.

mod settings;

use std::path::Path;

use crate::{
    generators::{
        document::{Document, PathParts},
        generator::Generator,
        profile::{
            BY_DATE, HtmlDocuments, NameTitle, PageTemplates, PathDates, Profile, Readme, Role,
            Sign, UploadLinks, rule,
        },
        reading_rules::{Aliases, ReadingRules},
        settings::{ProjectSettings, reference::SettingRow},
        syntax::{
            DocumentSyntax, fence_lines, summary,
            wikilinks::{self, LinkText},
        },
    },
    render::markdown::{Dialect, HeadingRule, Typography},
};

/// Quartz.
#[derive(Debug)]
pub struct Quartz;

static PROFILE: Profile = Profile {
    name: "quartz",
    title: "Quartz",
    signs: &[
        Sign::Script("quartz.config"),
        Sign::Settings("quartz.config"),
    ],
    roots: &["content"],
    language_folders: &[],
    rules: &[rule("**/index*", Role::Section), rule("**", BY_DATE)],
    html: HtmlDocuments::Nowhere,
    page_templates: PageTemplates::NONE,
    served_folders: &["content"],
    upload_folders: &["content"],
    upload_links: UploadLinks::Relative,
    has_bundles: false,
    readme: Readme::Index,
    dialect: Dialect {
        heading_ids: HeadingRule::GitHub,
        typography: Typography::EM_DASHES,
        line_breaks: false,
        ..Dialect::OBSIDIAN
    },
    reading: ReadingRules {
        // Aliases are also URLs, which redirect.
        aliases: Aliases::Names,
        ..ReadingRules::OBSIDIAN
    },
    usual_names: &[("published_at", "date"), ("updated_at", "modified")],
    syntax: DocumentSyntax {
        passes: &[
            |text, _| wikilinks::pass(text, LinkText::LastPart),
            |text, _| fence_lines::pass(text),
            |text, _| summary::pass(text),
        ],
        ..DocumentSyntax::NONE
    },
    title_of_name: NameTitle::AsIs,
    dates_of_path: PathDates::Names,
    author_files: &[],
};

impl Generator for Quartz {
    fn profile(&self) -> &'static Profile {
        &PROFILE
    }

    fn setting_rows(&self) -> &'static [SettingRow] {
        settings::ROWS
    }

    fn read_settings(&self, root: &Path) -> ProjectSettings {
        settings::read_project(root, PROFILE.dialect)
    }

    fn published_path(&self, document: &Document<'_>) -> Option<String> {
        if let Some(path) = document.text("permalink") {
            return Some(path.to_owned());
        }
        let path = PathParts::of(document.below_root).page(&["index"]);
        Some(slug(&path, document.settings))
    }

    /// The plugin `AliasRedirects` publishes a page at each alias, relative to the root of the site.
    fn path_of_alias(&self, alias: &str, settings: &ProjectSettings) -> Option<String> {
        let alias = alias.strip_suffix(".md").unwrap_or(alias);
        Some(format!(
            "/{}",
            slug(alias.trim_start_matches('/'), settings)
        ))
    }

    fn has_languages(&self) -> bool {
        false
    }

    fn links_by_name(&self) -> bool {
        true
    }

    fn titles_by_name(&self) -> bool {
        true
    }
}

/// Returns the URL path of a file, given without extension.
fn slug(path: &str, settings: &ProjectSettings) -> String {
    let path = path.replace(' ', "-").replace('%', "-percent");
    let is_earlier = settings.urls.style == settings::AMPERSANDS;
    let path = if is_earlier {
        path.replace('?', "-q")
    } else {
        path.replace('&', "-and-")
    };
    path.replace(['?', '#'], "")
}
