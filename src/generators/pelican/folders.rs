//! The folders of articles and pages: `ARTICLE_PATHS` and `PAGE_PATHS`, without `ARTICLE_EXCLUDES` and `PAGE_EXCLUDES`.

use crate::generators::{
    pelican::variables::{literal_list, text},
    profile::{DocumentKind, Role},
    settings::literals::clean,
};

/// The settings that are lists of folders.
pub(super) const KEYS: [&str; 4] = [
    "ARTICLE_EXCLUDES",
    "ARTICLE_PATHS",
    "PAGE_EXCLUDES",
    "PAGE_PATHS",
];

const EXCLUDED: &str = "its folder is listed in `ARTICLE_EXCLUDES` or `PAGE_EXCLUDES`";

const ELSEWHERE: &str = "its folder is not listed in `ARTICLE_PATHS` or `PAGE_PATHS`";

/// The folders of a project, relative to the folder of documents, whose own path is empty. An entry may also be a file.
pub(super) struct Folders {
    articles: Vec<String>,
    pages: Vec<String>,
    article_excludes: Vec<String>,
    page_excludes: Vec<String>,
    /// Whether the settings name folders of articles or pages.
    are_set: bool,
}

impl Folders {
    pub(super) fn of(scripts: &[String]) -> Self {
        let list = |key: &str| {
            let list = scripts
                .iter()
                .find_map(|script| literal_list(script, key))?;
            Some(list.iter().map(|folder| clean(folder)).collect::<Vec<_>>())
        };
        // Pelican before 3.4 called these settings `PAGE_DIR` and `ARTICLE_DIR`.
        let old = |key: &str| {
            let folder = scripts.iter().find_map(|script| text(script, key));
            folder
                .map(|folder| vec![clean(&folder)])
                .or_else(|| list(key))
        };
        let articles = list("ARTICLE_PATHS").or_else(|| old("ARTICLE_DIR"));
        let pages = list("PAGE_PATHS").or_else(|| old("PAGE_DIR"));
        Self {
            are_set: articles.is_some() || pages.is_some(),
            articles: articles.unwrap_or_else(|| vec![String::new()]),
            pages: pages.unwrap_or_else(|| vec!["pages".to_owned()]),
            article_excludes: list("ARTICLE_EXCLUDES").unwrap_or_default(),
            page_excludes: list("PAGE_EXCLUDES").unwrap_or_default(),
        }
    }

    /// Returns the folders, innermost first, each with the role of the documents in it and below it. Without settings, the
    /// folder of documents itself is not included, because its documents have the default role.
    pub(super) fn roles(&self) -> Vec<(&str, Role)> {
        let named = [
            &self.articles,
            &self.pages,
            &self.article_excludes,
            &self.page_excludes,
        ];
        let mut folders: Vec<&str> = named.into_iter().flatten().map(String::as_str).collect();
        folders.push("");
        folders.sort_by_key(|folder| (std::cmp::Reverse(depth(folder)), *folder));
        folders.dedup();
        let roles = folders.into_iter();
        let roles = roles.filter(|folder| self.are_set || !folder.is_empty());
        roles.map(|folder| (folder, self.role_in(folder))).collect()
    }

    /// Returns the role of the documents in `folder`. Pelican searches for articles in their folders and below, except in
    /// excluded folders and in those of pages, and likewise for pages. An exclusion only applies to searches from a folder
    /// around it.
    fn role_in(&self, folder: &str) -> Role {
        if is_found(
            folder,
            &self.articles,
            [&self.article_excludes, &self.pages],
        ) {
            return Role::Document(DocumentKind::Post);
        }
        if is_found(folder, &self.pages, [&self.page_excludes, &self.articles]) {
            return Role::Document(DocumentKind::Page);
        }
        // The reason is shown in `galley check`, so an exclusion differs
        // from a folder that is not listed.
        let mut folders = with_outer(folder);
        let is_excluded = folders.any(|folder| {
            let mut excludes = self.article_excludes.iter().chain(&self.page_excludes);
            !folder.is_empty() && excludes.any(|known| known == folder)
        });
        Role::LeftOut(if is_excluded { EXCLUDED } else { ELSEWHERE })
    }
}

/// Returns whether a search in `paths` without `excludes` finds the documents in `folder`.
fn is_found(folder: &str, paths: &[String], excludes: [&Vec<String>; 2]) -> bool {
    let has = |list: &[String], folder: &str| list.iter().any(|known| known == folder);
    for folder in with_outer(folder) {
        if has(paths, folder) {
            return true;
        }
        if excludes.iter().any(|list| has(list, folder)) {
            return false;
        }
    }
    false
}

/// Returns a folder and its parents, from the inside to the outside.
fn with_outer(folder: &str) -> impl Iterator<Item = &str> {
    std::iter::successors(Some(folder), |folder| {
        let outer = folder.rsplit_once('/').map_or("", |(outer, _)| outer);
        (!folder.is_empty()).then_some(outer)
    })
}

fn depth(folder: &str) -> usize {
    folder.split('/').filter(|part| !part.is_empty()).count()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn documents_have_the_roles_of_the_innermost_named_folder() {
        const PAGE: Role = Role::Document(DocumentKind::Page);
        const POST: Role = Role::Document(DocumentKind::Post);
        for (script, expected) in [
            ("", vec![("pages", PAGE)]),
            ("PAGE_PATHS = ['']\nARTICLE_PATHS = []\n", vec![("", PAGE)]),
            (
                "PAGE_PATHS: list[str] = ['a', 'b']\nARTICLE_PATHS: list[str] = []\n",
                vec![("a", PAGE), ("b", PAGE), ("", Role::LeftOut(ELSEWHERE))],
            ),
            (
                "PAGE_PATHS = ['', 'a/b']\nARTICLE_PATHS = ['a']\n",
                vec![("a/b", PAGE), ("a", POST), ("", PAGE)],
            ),
            (
                "ARTICLE_PATHS = [\n    'a',  # articles\n]\nARTICLE_EXCLUDES = ['a/b']\n",
                vec![
                    ("a/b", Role::LeftOut(EXCLUDED)),
                    ("a", POST),
                    ("pages", PAGE),
                    ("", Role::LeftOut(ELSEWHERE)),
                ],
            ),
            (
                "PAGE_EXCLUDES = ['pages/a']\n",
                vec![("pages/a", Role::LeftOut(EXCLUDED)), ("pages", PAGE)],
            ),
            // The value is computed.
            (
                "ARTICLE_PATHS = [name for name in a]\n",
                vec![("pages", PAGE)],
            ),
        ] {
            let folders = Folders::of(&[script.to_owned()]);
            assert_eq!(folders.roles(), expected, "{script}");
        }
    }
}
