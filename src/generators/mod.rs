//! The static site generators: how their projects are recognised, which of their files are documents, where documents are
//! published, and how they are read.

pub mod syntax;

pub(crate) mod front_matter;
pub(crate) mod language;
pub(crate) mod link_path;
pub(crate) mod permalink;
pub(crate) mod profile;
pub(crate) mod reading_rules;
pub(crate) mod settings;
pub(crate) mod table;

mod docusaurus;
mod eleventy;
mod hugo;
mod mdbook;
mod obsidian;
mod zola;

pub use profile::{
    HtmlTexts, NameTitle, PageTemplates, PathRule, Profile, Role, Rule, Sign, TextKind,
    UploadLinks, may_be_template,
};
pub use reading_rules::{Aliases, ReadingRules, StringTags};
pub use settings::Settings;
pub use table::{GALLEY, PLAIN, PROFILES};
