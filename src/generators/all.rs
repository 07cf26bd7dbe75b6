//! The list of generators.

use std::sync::LazyLock;

use super::{generator::Generator, profile::Sign, without_profile::NamedGenerator};

/// Galley's own content folders.
pub static GALLEY: &dyn Generator = &super::galley::Galley;

/// Folders of Markdown without a known generator.
pub static PLAIN: &dyn Generator = &super::plain::Plain;

/// All generators, in the order of detection.
pub static GENERATORS: &[&dyn Generator] = &[
    GALLEY,
    &super::docusaurus::Docusaurus,
    &super::astro::Astro,
    &super::eleventy::Eleventy,
    // Zola is before Hugo, whose projects may have a `config.toml`, too; only Zola has `base_url`
    // in it.
    &super::zola::Zola,
    &super::hugo::Hugo,
    &super::next::Next,
    // Hexo is before Jekyll, which also has a `_config.yml`.
    &super::hexo::Hexo,
    &super::jekyll::Jekyll,
    &super::mdbook::MdBook,
    &super::mkdocs::MkDocs,
    &super::vitepress::VitePress,
    &super::vuepress::VuePress,
    &super::pelican::Pelican,
    &super::nuxt::Nuxt,
    &super::gatsby::Gatsby,
    // Quartz is before Obsidian, whose vaults it publishes.
    &super::quartz::Quartz,
    &super::nanoc::Nanoc,
    &super::obsidian::Obsidian,
    PLAIN,
];

/// Hidden folders with a subfolder that a generator serves at the root of the site, as pairs: `.vuepress` and `public`.
static SERVED_IN_HIDDEN: LazyLock<Vec<(&str, &str)>> = LazyLock::new(|| {
    let served = GENERATORS
        .iter()
        .flat_map(|generator| generator.profile().served_folders);
    let hidden = served.filter(|folder| folder.starts_with('.'));
    hidden.filter_map(|folder| folder.split_once('/')).collect()
});

/// Returns whether some generator serves a subfolder of the hidden folder `name`. If `next` is given, it must be that
/// subfolder.
pub fn has_served_folder(name: &str, next: Option<&str>) -> bool {
    let is_served = |(hidden, served): &(&str, &str)| {
        name == *hidden && next.is_none_or(|next| next == *served)
    };
    SERVED_IN_HIDDEN.iter().any(is_served)
}

/// Returns whether some generator may build a page from the file, judging by its name.
pub fn may_be_template(path: &str) -> bool {
    let mut generators = GENERATORS.iter();
    generators.any(|generator| generator.profile().page_templates.may_be(path))
}

/// Returns whether a file with this name, without extensions, may contain the settings of a generator's project.
pub fn may_have_settings(name: &str) -> bool {
    let mut signs = NamedGenerator::all().flat_map(|named| named.signs);
    if signs.any(|sign| is_settings_file(sign, name)) {
        return true;
    }
    let mut generators = GENERATORS.iter();
    generators.any(|generator| {
        let profile = generator.profile();
        let files = [
            generator.settings_files(),
            generator.further_settings_files(),
            profile.author_files,
        ];
        let mut signs = profile.signs.iter();
        files.concat().iter().any(|file| stem(file) == name)
            || signs.any(|sign| is_settings_file(sign, name))
    })
}

fn is_settings_file(sign: &Sign, name: &str) -> bool {
    match sign {
        Sign::Script(file) | Sign::Settings(file) | Sign::SettingsWith(file, _) => {
            stem(file) == name
        }
        Sign::All(signs) => signs.iter().any(|sign| is_settings_file(sign, name)),
        Sign::Entry(_) | Sign::Habit(_) | Sign::Mentions(..) | Sign::LinkedNotes => false,
    }
}

/// Returns the name of a file without a leading dot and without extensions.
fn stem(path: &str) -> &str {
    let file = path.rsplit('/').next().unwrap_or(path);
    let name = file.trim_start_matches('.');
    name.split('.').next().unwrap_or(name)
}

/// Returns whether two generators are the same.
pub fn are_same(one: &dyn Generator, other: &dyn Generator) -> bool {
    // The types have no size, so their addresses need not differ.
    one.profile().name == other.profile().name
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn settings_files_of_all_generators_are_known_by_name() {
        let names = [
            "hugo",
            "config",
            "_config",
            "zola",
            "eleventy",
            "astro",
            "next",
            "docusaurus",
            "nanoc",
            "book",
            "permalinks",
            "content",
            "site",
            "languages",
            "module",
            "cascade",
            "authors",
            "metadata",
            "meta",
            "versions",
        ];
        for name in names {
            assert!(may_have_settings(name), "{name}");
        }
        for name in ["", "index", "package", "posts"] {
            assert!(!may_have_settings(name), "{name}");
        }
    }
}
