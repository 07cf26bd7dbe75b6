//! Languages of documents, by their paths: `content/de/ferry.md`, `ferry.de.md`.

use std::collections::{BTreeMap, BTreeSet};

/// Language codes: those of ISO 639-1, and those of ISO 639-3 that sites are often translated into.
const CODES: &str = "aa ab ae af ak am an ar as av ay az ba be bg bh bi bm bn bo br bs ca ce ch co cr cs cu cv cy da de \
    dv dz ee el en eo es et eu fa ff fi fj fo fr fy ga gd gl gn gu gv ha he hi ho hr ht hu hy hz ia id ie ig ii ik io is it \
    iu ja jv ka kg ki kj kk kl km kn ko kr ks ku kv kw ky la lb lg li ln lo lt lu lv mg mh mi mk ml mn mr ms mt my na nb nd \
    ne ng nl nn no nr nv ny oc oj om or os pa pi pl ps pt qu rm rn ro ru rw sa sc sd se sg si sk sl sm sn so sq sr ss st su \
    sv sw ta te tg th ti tk tl tn to tr ts tt tw ty ug uk ur uz ve vi vo wa wo xh yi yo za zh zu ceb ckb fil haw hsb kab lzh pcm yue";

/// The languages of a site's documents.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Languages {
    /// The language without a URL prefix; `None` if its code is not known.
    pub chosen: Option<String>,
    /// The codes of all languages, in lower case.
    pub codes: BTreeSet<String>,
}

/// Returns whether `name` has the form of a language tag: `de`, `pt-br`, `zh_CN`, `zh-hans`. A code in capitals is something
/// else, such as a subject: `CS`, `ML`.
pub fn is_tag(name: &str) -> bool {
    let mut parts = name.split(['-', '_']);
    let code = parts.next().unwrap_or_default();
    let is_code = CODES.split_whitespace().any(|known| known == code);
    let is_region = |part: &str| {
        (2..=4).contains(&part.len()) && part.bytes().all(|byte| byte.is_ascii_alphanumeric())
    };
    is_code && parts.all(is_region) && name.split(['-', '_']).count() <= 3
}

/// Returns the folders that contain a subfolder for each translation, given the paths of all documents of a project. Such a
/// folder has at least two language folders, and most documents in these have the same path as a document in another
/// language folder or next to the language folders.
pub fn parents<'a>(texts: impl Iterator<Item = &'a str>) -> BTreeSet<String> {
    let texts: BTreeSet<&str> = texts.collect();
    let mut translations: BTreeMap<&str, BTreeMap<&str, Vec<&str>>> = BTreeMap::new();
    for path in &texts {
        // Every folder on the path may contain folders of languages.
        for (slash, _) in path.match_indices('/') {
            let (parent, below) = (&path[..slash], &path[slash + 1..]);
            if let Some((folder, below)) = below.split_once('/').filter(|(name, _)| is_tag(name)) {
                let folders = translations.entry(parent).or_default();
                folders.entry(folder).or_default().push(below);
            }
        }
    }
    let is_translated =
        |parent: &str, folders: &BTreeMap<&str, Vec<&str>>, own: &str, below: &str| {
            let mut others = folders.keys().filter(|folder| **folder != own);
            texts.contains(format!("{parent}/{below}").as_str())
                || others.any(|other| texts.contains(format!("{parent}/{other}/{below}").as_str()))
        };
    let is_parent = |parent: &str, folders: &BTreeMap<&str, Vec<&str>>| {
        let documents = || {
            let folders = folders.iter();
            folders.flat_map(|(own, all)| all.iter().map(move |below| (*own, *below)))
        };
        let translated =
            documents().filter(|(own, below)| is_translated(parent, folders, own, below));
        folders.len() > 1 && translated.count() * 2 > documents().count()
    };
    translations
        .iter()
        .filter(|(parent, folders)| is_parent(parent, folders))
        .map(|(parent, _)| (*parent).to_owned())
        .collect()
}

/// If there are several language folders, with at least this many documents in them for each document outside of them, they
/// are accepted even if no document is a translation.
const OTHERS_SHARE: usize = 10;

/// Returns those of `folders` that have translations. The values of `folders` are the paths of their documents, and `others`
/// are the documents next to the folders.
fn translated<'a>(
    folders: &BTreeMap<&'a str, Vec<&'a str>>,
    others: &BTreeSet<&'a str>,
) -> BTreeSet<&'a str> {
    let count: usize = folders.values().map(Vec::len).sum();
    let share = if folders.len() > 1 { OTHERS_SHARE } else { 0 };
    if others.is_empty() || others.len() * share > 0 && others.len() * share <= count {
        return folders.keys().copied().collect();
    }
    // An index is not evidence of a translation, as any folder may have one.
    let is_index = |path: &str| {
        let name = path.rsplit('/').next().unwrap_or(path).to_lowercase();
        name.starts_with("index.") || name.starts_with("readme.")
    };
    let texts: BTreeMap<&str, BTreeSet<&str>> = folders
        .iter()
        .map(|(folder, below)| {
            let below = below.iter().copied();
            (*folder, below.filter(|path| !is_index(path)).collect())
        })
        .collect();
    let mut found = BTreeSet::new();
    for (folder, below) in &texts {
        let is_most = |twins: usize| twins * 2 > below.len();
        let partner = texts
            .iter()
            .find(|(other, own)| *other != folder && is_most(below.intersection(own).count()));
        if let Some((partner, _)) = partner {
            found.extend([*folder, *partner]);
        } else if is_most(below.intersection(others).count()) {
            found.insert(*folder);
        }
    }
    found
}

impl Languages {
    /// Detects the languages of `texts`, which are paths below one root. `known` are the languages in the project's
    /// settings, and `chosen` is their default.
    ///
    /// A folder at the top is a language folder if the settings name it, if nearly all documents are in such folders, or if
    /// most of its documents have the same paths as documents next to it or in another such folder, which then is a language
    /// folder, too.
    pub fn of<'a>(
        texts: impl Iterator<Item = &'a str> + Clone,
        known: &[String],
        chosen: Option<&str>,
    ) -> Self {
        let mut folders: BTreeMap<&str, Vec<&str>> = BTreeMap::new();
        let mut others = BTreeSet::new();
        let mut named = BTreeSet::new();
        for path in texts.clone() {
            match path.split_once('/') {
                Some((folder, below)) if is_tag(folder) => {
                    folders.entry(folder).or_default().push(below);
                }
                _ => {
                    others.insert(path);
                }
            }
            if let Some((plain, language)) = suffix_of(path) {
                named.insert((plain, language));
            }
        }
        let mut codes: BTreeSet<String> = known.iter().map(|code| lower(code)).collect();
        codes.extend(translated(&folders, &others).into_iter().map(lower));
        // A name such as `ferry.de.md` marks a translation only if the original exists.
        for (plain, language) in &named {
            let has_original = others.contains(plain.as_str())
                || named
                    .iter()
                    .any(|(other, code)| other == plain && code != language);
            if has_original {
                codes.insert(lower(language));
            }
        }
        let count = |code: &str| {
            texts
                .clone()
                .filter(|path| of_folder(path).is_some_and(|folder| lower(folder) == code))
                .count()
        };
        let default = || {
            if codes.contains("en") {
                return Some("en".to_owned());
            }
            // Documents next to the language folders are in the site's own language.
            if others.is_empty() {
                codes.iter().max_by_key(|code| count(code)).cloned()
            } else {
                None
            }
        };
        Self {
            chosen: chosen.map(lower).or_else(default),
            codes,
        }
    }

    /// Returns the language in the path of a document below the root, and the path without it.
    pub fn split<'a>(&self, path: &'a str) -> (Option<&'a str>, std::borrow::Cow<'a, str>) {
        use std::borrow::Cow;
        if self.codes.is_empty() {
            return (None, Cow::Borrowed(path));
        }
        if let Some(folder) = of_folder(path).filter(|folder| self.has(folder)) {
            return (Some(folder), Cow::Borrowed(&path[folder.len() + 1..]));
        }
        match suffix_of(path) {
            Some((plain, language)) if self.has(language) => (Some(language), Cow::Owned(plain)),
            _ => (None, Cow::Borrowed(path)),
        }
    }

    /// Returns whether `language` differs from the chosen one.
    pub fn is_other(&self, language: Option<&str>) -> bool {
        match (language, &self.chosen) {
            (Some(language), Some(chosen)) => lower(language) != *chosen,
            // The documents without a language in their path are in the language of the site.
            (Some(_), None) => true,
            (None, _) => false,
        }
    }

    fn has(&self, language: &str) -> bool {
        self.codes.contains(&lower(language))
    }
}

fn of_folder(path: &str) -> Option<&str> {
    path.split_once('/')
        .map(|(folder, _)| folder)
        .filter(|folder| is_tag(&folder.to_ascii_lowercase()))
}

/// Returns `ferry.md` and `de` for `ferry.de.md`.
fn suffix_of(path: &str) -> Option<(String, &str)> {
    let (rest, extension) = path.rsplit_once('.')?;
    let (stem, language) = rest.rsplit_once('.')?;
    let is_named = !stem.is_empty() && !stem.ends_with('/') && is_tag(language);
    is_named.then(|| (format!("{stem}.{extension}"), language))
}

fn lower(code: &str) -> String {
    code.to_ascii_lowercase().replace('_', "-")
}

#[cfg(test)]
mod tests {
    use super::*;

    fn found(
        texts: &[&str],
        known: &[&str],
        chosen: Option<&str>,
    ) -> (Option<String>, Vec<String>) {
        let known: Vec<String> = known.iter().map(|code| (*code).to_owned()).collect();
        let languages = Languages::of(texts.iter().copied(), &known, chosen);
        (languages.chosen, languages.codes.into_iter().collect())
    }

    fn some(code: &str) -> Option<String> {
        Some(code.to_owned())
    }

    #[test]
    fn language_folders_are_recognised() {
        for (texts, expected) in [
            // Two language folders.
            (
                &["en/a.md", "de/a.md", "zh-cn/a.md"][..],
                (some("en"), vec!["de", "en", "zh-cn"]),
            ),
            // A single folder with all documents.
            (&["en/a.md", "en/b/c.md"][..], (some("en"), vec!["en"])),
            // A translation of documents next to it.
            (&["a.md", "b.md", "de/a.md"][..], (None, vec!["de"])),
            // A folder that has such a name by coincidence.
            (&["a.md", "cs/lambda.md"][..], (None, vec![])),
            (
                &[
                    "a.md",
                    "cs/lambda.md",
                    "it/mail.md",
                    "ts/b.md",
                    "ts/README.md",
                ][..],
                (None, vec![]),
            ),
            (&["ML/a.md", "CS/a.md", "index.md"][..], (None, vec![])),
            // Translations of a part, and an index.
            (
                &[
                    "x.md", "en/a.md", "en/b.md", "en/c.md", "de/a.md", "it/d.md",
                ][..],
                (some("en"), vec!["de", "en"]),
            ),
            (&["posts/a.md", "posts/de/a.md"][..], (None, vec![])),
            // By file names.
            (&["a.md", "a.de.md"][..], (None, vec!["de"])),
            (&["a.en.md", "a.fr.md"][..], (some("en"), vec!["en", "fr"])),
            (&["a.md", "v1.is.md"][..], (None, vec![])),
        ] {
            let (chosen, codes) = found(texts, &[], None);
            assert_eq!(
                (chosen, codes),
                (
                    expected.0,
                    expected.1.iter().map(|code| (*code).to_owned()).collect()
                ),
                "{texts:?}"
            );
        }
    }

    #[test]
    fn folders_of_translations_are_recognised() {
        for (texts, expected) in [
            // Translations of documents next to the folders, and of each other.
            (
                &["_guides/a.md", "_guides/de/a.md", "_guides/zh-hant/a.md"][..],
                &["_guides"][..],
            ),
            (
                &[
                    "src/posts/en/a.md",
                    "src/posts/de/a.md",
                    "src/posts/de/b.md",
                ],
                &["src/posts"],
            ),
            // Names by coincidence.
            (&["posts/a.md", "posts/de/a.md"], &[]),
            (&["docs/is/a.md", "docs/to/b.md", "docs/to/c.md"], &[]),
            // Folders at the top, which have a separate rule.
            (&["en/a.md", "de/a.md"], &[]),
        ] {
            let found = parents(texts.iter().copied());
            assert_eq!(
                found,
                expected.iter().map(|folder| (*folder).to_owned()).collect(),
                "{texts:?}"
            );
        }
    }

    #[test]
    fn language_of_a_document_follows_from_its_path() {
        let languages = Languages::of(["en/a.md", "de/a.md"].into_iter(), &[], Some("de"));
        assert_eq!(languages.split("en/b/a.md"), (Some("en"), "b/a.md".into()));
        assert_eq!(languages.split("b/a.de.md"), (Some("de"), "b/a.md".into()));
        assert_eq!(languages.split("b/a.md"), (None, "b/a.md".into()));
        assert!(languages.is_other(Some("en")));
        assert!(!languages.is_other(Some("DE")) && !languages.is_other(None));
    }
}
