//! The list of generators.

use super::{
    astro::Astro, docusaurus::Docusaurus, eleventy::Eleventy, galley::Galley, generator::Generator,
    hexo::Hexo, hugo::Hugo, jekyll::Jekyll, mdbook::MdBook, nanoc::Nanoc, next::Next,
    obsidian::Obsidian, plain::Plain, zola::Zola,
};

/// Galley's own content folders.
pub static GALLEY: &dyn Generator = &Galley;

/// Folders of Markdown without a known generator.
pub static PLAIN: &dyn Generator = &Plain;

/// All generators, in the order of detection.
pub static GENERATORS: &[&dyn Generator] = &[
    GALLEY,
    &Docusaurus,
    &Astro,
    &Eleventy,
    &Zola,
    &Hugo,
    &Next,
    &Hexo,
    &Jekyll,
    &MdBook,
    &Nanoc,
    &Obsidian,
    PLAIN,
];

/// Returns whether a file may be a template of which some generator builds a page, by its name.
pub fn may_be_template(path: &str) -> bool {
    let mut generators = GENERATORS.iter();
    generators.any(|generator| generator.profile().page_templates.may_be(path))
}

/// Returns whether two generators are the same.
pub fn are_same(one: &dyn Generator, other: &dyn Generator) -> bool {
    one.profile().name == other.profile().name
}
