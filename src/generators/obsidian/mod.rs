//! Obsidian.

mod settings;

#[cfg(test)]
mod tests;

use std::path::Path;

use crate::{
    generators::{
        document::{Document, PathParts},
        generator::Generator,
        profile::{
            BY_DATE, HtmlDocuments, NameTitle, PageTemplates, PathDates, Profile, Readme, Role,
            Sign, UploadLinks, rule,
        },
        reading_rules::ReadingRules,
        settings::{ProjectSettings, reference::SettingRow},
        syntax::{
            DocumentSyntax, summary,
            wikilinks::{self, LinkText},
        },
    },
    render::markdown::Dialect,
};

/// Obsidian.
#[derive(Debug)]
pub struct Obsidian;

static PROFILE: Profile = Profile {
    name: "obsidian",
    title: "Obsidian",
    signs: &[Sign::Entry(".obsidian"), Sign::LinkedNotes],
    roots: &[""],
    language_folders: &[],
    rules: &[
        rule("{templates,Templates,_templates}/**", Role::Other),
        rule("**", BY_DATE),
    ],
    html: HtmlDocuments::Nowhere,
    page_templates: PageTemplates::NONE,
    served_folders: &[""],
    upload_folders: &[""],
    upload_links: UploadLinks::Relative,
    has_bundles: false,
    readme: Readme::Page,
    dialect: Dialect::OBSIDIAN,
    reading: ReadingRules::OBSIDIAN,
    usual_names: &[("published_at", "date"), ("updated_at", "updated")],
    syntax: DocumentSyntax {
        passes: &[
            |text, _| wikilinks::pass(text, LinkText::Path),
            |text, _| summary::pass(text),
        ],
        ..DocumentSyntax::NONE
    },
    title_of_name: NameTitle::AsIs,
    dates_of_path: PathDates::Notes,
    author_files: &[],
};

impl Generator for Obsidian {
    fn profile(&self) -> &'static Profile {
        &PROFILE
    }

    fn settings_files(&self) -> &'static [&'static str] {
        &[settings::FILE]
    }

    fn setting_rows(&self) -> &'static [SettingRow] {
        settings::ROWS
    }

    fn read_settings(&self, root: &Path) -> ProjectSettings {
        settings::read_vault(root)
    }

    fn published_path(&self, document: &Document<'_>) -> Option<String> {
        let path = PathParts::of(document.below_root).page(&[]);
        // Obsidian Publish writes `+` for spaces.
        Some(path.replace(' ', "+"))
    }

    fn links_by_name(&self) -> bool {
        true
    }

    fn titles_by_name(&self) -> bool {
        true
    }
}
