//! mdBook.

mod reference;
mod settings;
pub(crate) mod syntax;

#[cfg(test)]
mod tests;

use crate::{
    generators::{
        document::{Document, PathParts},
        generator::Generator,
        profile::{
            HtmlDocuments, NameTitle, PAGE, PageTemplates, PathDates, Profile, Readme, Role, Sign,
            UploadLinks, rule,
        },
        reading_rules::ReadingRules,
        settings::{ProjectSettings, reference::SettingRow},
        syntax::{DocumentSyntax, summary},
    },
    render::markdown::{Alerts, Dialect, HeadingRule, Typography},
};
use std::path::Path;

/// mdBook.
#[derive(Debug)]
pub struct MdBook;

static PROFILE: Profile = Profile {
    name: "mdbook",
    title: "mdBook",
    signs: &[Sign::Entry("book.toml")],
    roots: &["src"],
    language_folders: &[],
    rules: &[rule("SUMMARY.md", Role::Other), rule("**", PAGE)],
    html: HtmlDocuments::Nowhere,
    page_templates: PageTemplates::NONE,
    served_folders: &["src", ""],
    upload_folders: &["src"],
    upload_links: UploadLinks::Relative,
    has_bundles: false,
    readme: Readme::Index,
    dialect: Dialect {
        heading_ids: HeadingRule::GitHub,
        alerts: Alerts::GitHub,
        typography: Typography::SMART,
        definition_lists: true,
        ..Dialect::GALLEY
    },
    reading: ReadingRules::LISTS,
    usual_names: &[],
    syntax: DocumentSyntax {
        // Inclusions come first, because included code may have hidden lines.
        templates: &[syntax::pass, |text, _| syntax::hide(text)],
        passes: &[|text, _| summary::pass(text)],
        ..DocumentSyntax::NONE
    },
    title_of_name: NameTitle::Sentence,
    dates_of_path: PathDates::Names,
    author_files: &[],
};

impl Generator for MdBook {
    fn profile(&self) -> &'static Profile {
        &PROFILE
    }

    fn settings_files(&self) -> &'static [&'static str] {
        &["book"]
    }

    fn setting_rows(&self) -> &'static [SettingRow] {
        reference::ROWS
    }

    fn read_settings(&self, root: &Path) -> ProjectSettings {
        settings::read(root)
    }

    fn published_path(&self, document: &Document<'_>) -> Option<String> {
        let location = PathParts::of(document.below_root);
        let page = location.page(&["README", "index"]);
        let is_index = ["README", "index"].contains(&location.stem);
        Some(if is_index { page } else { page + ".html" })
    }
}
