//! Hexo.

mod paths;
mod plugins;
mod reference;
mod settings;
mod syntax;

use crate::{
    generators::{
        document::Document,
        generator::{Generator, names_markdown},
        profile::{
            HtmlDocuments, NameTitle, PAGE, POST, PageTemplates, PathDates, Profile, Readme, Role,
            Sign, UploadLinks, rule,
        },
        reading_rules::ReadingRules,
        settings::{ProjectSettings, reference::SettingRow},
        syntax::{DocumentSyntax, liquid, liquid::LiquidDialect, summary},
    },
    render::markdown::Dialect,
};
use std::path::Path;

/// Hexo.
#[derive(Debug)]
pub struct Hexo;

/// Liquid of Hexo, with its own tags.
static LIQUID: LiquidDialect = LiquidDialect {
    is_nunjucks: false,
    has_url_tags: false,
    has_html_in_raw: true,
    own_tags: syntax::rendering,
};

static PROFILE: Profile = Profile {
    name: "hexo",
    title: "Hexo",
    signs: &[Sign::All(&[
        Sign::Settings("_config"),
        Sign::Entry("source/_posts"),
    ])],
    roots: &["source"],
    language_folders: &[],
    rules: &[
        rule("{_posts,_drafts}/**", POST),
        rule("_*/**", Role::Other),
        rule("index*", Role::Section),
        rule("**", PAGE),
    ],
    html: HtmlDocuments::Nowhere,
    page_templates: PageTemplates {
        extensions: &["html", "htm", "ejs", "njk", "pug", "swig"],
        patterns: &["**"],
        have_front_matter: true,
    },
    served_folders: &["source", ""],
    upload_folders: &["source"],
    upload_links: UploadLinks::BelowSite(""),
    has_bundles: false,
    readme: Readme::Page,
    dialect: Dialect::MARKED,
    reading: ReadingRules::LISTS,
    usual_names: &[("published_at", "date"), ("updated_at", "updated")],
    syntax: DocumentSyntax {
        templates: &[|text, scope| liquid::pass(text, scope, &LIQUID)],
        passes: &[plugins::containers, |text, _| summary::pass(text)],
        is_in_html: true,
        ..DocumentSyntax::NONE
    },
    title_of_name: NameTitle::AsIs,
    dates_of_path: PathDates::Names,
    author_files: &[],
};

impl Generator for Hexo {
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
}
