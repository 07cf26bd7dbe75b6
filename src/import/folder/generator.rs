//! Which generator a folder is for, and where that keeps texts and pictures.
//!
//! The rules are those of a new project of each: Hugo's `content/`, Jekyll's `_posts/`, the `posts/` and `blog/` of
//! Eleventy, Astro's `src/content/`, Galley's own content folder, and texts that lie anywhere.

use std::path::Path;

use crate::{
    domain::post::PostKind,
    sources::{ABOUT_THE_FOLDER, FileKind, kind_of, templates::Family},
};

/// What a folder is for.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Generator {
    Hugo,
    Jekyll,
    Eleventy,
    Astro,
    /// Galley itself.
    Galley,
    /// None in particular.
    Plain,
}

/// What a file is to an import.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Role {
    /// It becomes a post or a page.
    Text(PostKind),
    /// It describes a tag, an author, a tier or a newsletter.
    Described,
    /// It is left out, for this reason.
    LeftOut(&'static str),
    /// It is no text of the site: a picture, or part of the generator's own works.
    Other,
}

const POST: Role = Role::Text(PostKind::Post);
const PAGE: Role = Role::Text(PostKind::Page);
const OF_A_LIST: Role = Role::LeftOut("it is the page of a list, which a theme makes");

/// Folders at the top that hold what a generator writes or is built of.
const WORKS: [&str; 9] = [
    "_site",
    "archetypes",
    "bower_components",
    "build",
    "dist",
    "layouts",
    "public",
    "themes",
    "vendor",
];

/// Folders anywhere that hold what a generator is built of.
const PARTS: [&str; 7] = [
    "_components",
    "_data",
    "_includes",
    "_layouts",
    "_plugins",
    "_sass",
    "node_modules",
];

/// Names of folders in which people keep posts.
const POST_FOLDERS: [&str; 11] = [
    "_drafts", "_posts", "article", "articles", "blog", "blogs", "drafts", "news", "notes", "post",
    "posts",
];

/// Names of folders in which people keep pages.
const PAGE_FOLDERS: [&str; 3] = ["_pages", "page", "pages"];

/// Names of folders that describe what posts name.
const TERM_FOLDERS: [&str; 5] = ["authors", "author", "tags", "categories", "category"];

impl Generator {
    /// What the folder is for, by its settings; `None` when there are none.
    pub fn by_settings(folder: &Path) -> Option<Self> {
        let has = |name: &str| folder.join(name).exists();
        let has_with = |stem: &str, extensions: &[&str]| {
            extensions
                .iter()
                .any(|extension| has(&format!("{stem}.{extension}")))
        };
        const DATA: [&str; 4] = ["toml", "yaml", "yml", "json"];
        const SCRIPTS: [&str; 5] = ["js", "mjs", "cjs", "ts", "mts"];
        let has_hugo_settings = has_with("hugo", &DATA)
            || (has("content") && (has_with("config", &DATA) || has("config/_default")));
        if has_hugo_settings {
            Some(Self::Hugo)
        } else if has_with("astro.config", &SCRIPTS) {
            Some(Self::Astro)
        } else if has_with(".eleventy", &SCRIPTS) || has_with("eleventy.config", &SCRIPTS) {
            Some(Self::Eleventy)
        } else if has_with("_config", &DATA) || has("_posts") {
            Some(Self::Jekyll)
        } else {
            None
        }
    }

    /// What the folder is for, by the folders in it.
    pub fn by_folders(folder: &Path) -> Self {
        let has = |name: &str| folder.join(name).exists();
        let has_any = |names: &[&str]| names.iter().any(|name| has(name));
        if has("src/content") {
            Self::Astro
        } else if has("content") && has_any(&["static", "layouts", "archetypes"]) {
            Self::Hugo
        } else if has_any(&["site.toml", "site.yaml", "site.yml"])
            || (has("posts") && has_any(&["authors", "tiers", "newsletters"]))
        {
            Self::Galley
        } else {
            Self::Plain
        }
    }

    /// The folders whose files have their addresses from the top of the site, the likeliest first.
    pub fn tops(self) -> &'static [&'static str] {
        match self {
            Self::Hugo => &["static", "content", "assets", ""],
            Self::Jekyll | Self::Galley => &[""],
            Self::Eleventy => &["public", "src", "src/public", "static", "content", ""],
            Self::Astro => &["public", "src", "src/content", ""],
            Self::Plain => &["", "static", "public"],
        }
    }

    /// What texts may hold.
    pub fn family(self) -> Family {
        match self {
            Self::Hugo => Family::Hugo,
            Self::Jekyll => Family::Liquid,
            Self::Eleventy => Family::Eleventy,
            Self::Astro => Family::Astro,
            Self::Galley | Self::Plain => Family::None,
        }
    }

    /// What the file at `path` is, which has `/` between its parts.
    pub fn role_of(self, path: &str) -> Role {
        let (folders, file) = path.rsplit_once('/').unwrap_or(("", path));
        let (stem, extension) = file.rsplit_once('.').unwrap_or((file, ""));
        let folders: Vec<&str> = folders.split('/').filter(|part| !part.is_empty()).collect();
        let is_about_the_folder = folders.is_empty()
            && ABOUT_THE_FOLDER
                .iter()
                .any(|known| stem.eq_ignore_ascii_case(known));
        let is_of_works = folders.first().is_some_and(|top| WORKS.contains(top))
            || folders.iter().any(|folder| PARTS.contains(folder));
        if is_about_the_folder || is_of_works {
            return Role::Other;
        }
        let role = match self {
            Self::Hugo => hugo(&folders, stem),
            Self::Jekyll => jekyll(&folders, stem),
            Self::Eleventy => eleventy(&folders, stem),
            Self::Astro => astro(&folders, stem),
            Self::Galley => galley(path),
            Self::Plain => plain(&folders, stem),
        };
        match extension.to_ascii_lowercase().as_str() {
            "md" | "markdown" | "mdx" => role,
            "html" | "htm" if self.takes_html(&folders) => role,
            "toml" | "yaml" | "yml" if self == Self::Galley => role,
            "adoc" | "asciidoc" | "org" | "rst" | "textile" | "pandoc"
                if matches!(role, Role::Text(_)) =>
            {
                Role::LeftOut("it is neither Markdown nor HTML")
            }
            _ => Role::Other,
        }
    }

    /// Whether HTML in these folders is a text, and not a template.
    fn takes_html(self, folders: &[&str]) -> bool {
        match self {
            Self::Hugo | Self::Galley => true,
            Self::Jekyll => folders
                .iter()
                .any(|folder| matches!(*folder, "_posts" | "_drafts")),
            Self::Eleventy | Self::Astro | Self::Plain => false,
        }
    }
}

fn hugo(folders: &[&str], stem: &str) -> Role {
    let is_index = stem == "index" || stem.starts_with("index.");
    match folders {
        ["content", ..] if stem == "_index" || stem.starts_with("_index.") => OF_A_LIST,
        ["content"] if is_index => OF_A_LIST,
        ["content"] => PAGE,
        ["content", folder, ..] if PAGE_FOLDERS.contains(folder) => PAGE,
        // A text with a folder of its own at the top, such as `about/index.md`.
        ["content", _] if is_index => PAGE,
        ["content", ..] => POST,
        _ => Role::Other,
    }
}

fn jekyll(folders: &[&str], stem: &str) -> Role {
    if folders
        .iter()
        .any(|folder| matches!(*folder, "_posts" | "_drafts"))
    {
        return POST;
    }
    match folders {
        ["_pages", ..] => PAGE,
        [folder, ..] if folder.starts_with('_') => {
            Role::LeftOut("it belongs to a collection; posts and pages are imported")
        }
        [] if stem == "index" => OF_A_LIST,
        _ => PAGE,
    }
}

fn eleventy(folders: &[&str], stem: &str) -> Role {
    let below = match folders {
        ["src", "content", rest @ ..] | ["src" | "content", rest @ ..] => rest,
        other => other,
    };
    let_texts(below, stem)
}

fn astro(folders: &[&str], stem: &str) -> Role {
    if stem.starts_with('_') || folders.iter().skip(1).any(|folder| folder.starts_with('_')) {
        return Role::Other;
    }
    match folders {
        ["src", "content" | "data", folder, ..] if PAGE_FOLDERS.contains(folder) => PAGE,
        ["src", "content" | "data", folder, ..] if TERM_FOLDERS.contains(folder) => {
            Role::LeftOut("it describes what posts name; their names are imported with the posts")
        }
        ["src", "content" | "data", _, ..] => POST,
        ["src", "pages", rest @ ..] => let_texts(rest, stem),
        ["src", folder, ..] if POST_FOLDERS.contains(folder) => POST,
        _ => Role::Other,
    }
}

/// What texts are where folders of posts stand beside pages.
fn let_texts(folders: &[&str], stem: &str) -> Role {
    match folders {
        [] | [_] if stem == "index" && !has_name_of_its_own(folders) => OF_A_LIST,
        [folder, ..] if POST_FOLDERS.contains(folder) => POST,
        _ => PAGE,
    }
}

/// Whether an `index` file in these folders is a text that is called like its folder: `about/index.md`.
fn has_name_of_its_own(folders: &[&str]) -> bool {
    folders
        .last()
        .is_some_and(|folder| !POST_FOLDERS.contains(folder) && !PAGE_FOLDERS.contains(folder))
}

fn galley(path: &str) -> Role {
    match kind_of(path) {
        Some(FileKind::Post) => POST,
        Some(FileKind::Page) => PAGE,
        Some(FileKind::Author | FileKind::Tag | FileKind::Tier | FileKind::Newsletter) => {
            Role::Described
        }
        Some(FileKind::Site) => Role::LeftOut("settings of the site are not imported"),
        None => Role::Other,
    }
}

fn plain(folders: &[&str], stem: &str) -> Role {
    match folders {
        _ if stem == "_index" => OF_A_LIST,
        [folder, ..] if PAGE_FOLDERS.contains(folder) => PAGE,
        _ => POST,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn each_generator_keeps_its_texts_in_places_of_its_own() {
        use Generator::*;
        let left_out = |role: Role| matches!(role, Role::LeftOut(_));
        for (generator, path, expected) in [
            (Hugo, "content/posts/a.md", POST),
            (Hugo, "content/post/2024/a/index.md", POST),
            (Hugo, "content/about.md", PAGE),
            (Hugo, "content/about/index.md", PAGE),
            (Hugo, "content/themes/a.md", POST),
            (Hugo, "themes/x/exampleSite/content/posts/a.md", Role::Other),
            (Hugo, "README.md", Role::Other),
            (Hugo, "static/a.md", Role::Other),
            (Jekyll, "_posts/2024-01-01-a.markdown", POST),
            (Jekyll, "travel/_posts/2024-01-01-a.html", POST),
            (Jekyll, "_drafts/a.md", POST),
            (Jekyll, "about.md", PAGE),
            (Jekyll, "archive.html", Role::Other),
            (Jekyll, "_site/about.md", Role::Other),
            (Jekyll, "_includes/a.md", Role::Other),
            (Eleventy, "posts/a.md", POST),
            (Eleventy, "src/blog/a/index.md", POST),
            (Eleventy, "content/about/index.md", PAGE),
            (Eleventy, "src/about.md", PAGE),
            (Eleventy, "LICENSE.md", Role::Other),
            (Astro, "src/content/blog/a.mdx", POST),
            (Astro, "src/content/pages/about.md", PAGE),
            (Astro, "src/pages/about.md", PAGE),
            (Astro, "src/pages/posts/a.md", POST),
            (Astro, "src/content/blog/_draft.md", Role::Other),
            (Astro, "src/components/a.md", Role::Other),
            (Galley, "posts/a/index.md", POST),
            (Galley, "pages/a.md", PAGE),
            (Galley, "tags/letters.toml", Role::Described),
            (Plain, "a.md", POST),
            (Plain, "deep/er/a.md", POST),
            (Plain, "pages/a.md", PAGE),
            (Plain, "a.txt", Role::Other),
        ] {
            assert_eq!(generator.role_of(path), expected, "{generator:?}: {path}");
        }
        for (generator, path) in [
            (Hugo, "content/posts/_index.md"),
            (Hugo, "content/_index.fr.md"),
            (Hugo, "content/posts/a.adoc"),
            (Jekyll, "index.md"),
            (Jekyll, "_recipes/soup.md"),
            (Eleventy, "content/blog/index.md"),
            (Astro, "src/content/authors/ada.md"),
            (Galley, "site.toml"),
        ] {
            assert!(left_out(generator.role_of(path)), "{generator:?}: {path}");
        }
    }
}
