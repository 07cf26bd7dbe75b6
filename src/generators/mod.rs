//! The static site generators: how their projects are recognised, which of their files are documents, how these are read,
//! and where they are published.
//!
//! Each generator has a folder with one type, which implements [`Generator`]. Its rows are in `mod.rs`, its settings in
//! `settings.rs`, its paths in `paths.rs`.

pub mod syntax;

pub(crate) mod document;
pub(crate) mod front_matter;
pub(crate) mod language;
pub(crate) mod link_path;
pub(crate) mod permalink;
pub(crate) mod profile;
pub(crate) mod reading_rules;
pub(crate) mod settings;

mod all;
mod astro;
mod docusaurus;
mod eleventy;
mod galley;
mod gatsby;
mod generator;
mod hexo;
mod hugo;
mod jekyll;
mod mdbook;
mod mkdocs;
mod moved_settings;
mod nanoc;
mod next;
mod nuxt;
mod obsidian;
mod pelican;
mod plain;
mod project_settings;
mod quartz;
#[cfg(test)]
mod tables;
mod vitepress;
mod vue_front_page;
mod vue_paths;
mod vuepress;
mod without_profile;
mod zola;

pub use all::{
    GALLEY, GENERATORS, PLAIN, are_same, has_served_folder, may_be_template, may_have_settings,
};
pub use generator::Generator;
pub use profile::{
    DocumentKind, HtmlDocuments, NameTitle, PageTemplates, PathDates, Profile, Readme, Role, Rule,
    Sign, UploadLinks,
};
pub use reading_rules::{Aliases, ReadingRules, StringTags};
pub use settings::{
    ProjectSettings,
    reference::{SettingRow, SettingUse},
};
pub use without_profile::NamedGenerator;
