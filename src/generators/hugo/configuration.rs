//! The configuration of a project of Hugo: files at its top, and folders of files for the parts of it, merged to one table.
//!
//! In `config/_default` and `config/production`, `hugo.*` and `config.*` are the whole configuration, `params.*` is its key
//! `params`, and `languages.en.*` the key `languages.en`; `params.en.*` and the like belong to that language.

use std::path::Path;

use crate::{
    content_text::{
        Span, Spanned,
        document::{Kind, Table, Value},
    },
    generators::settings::literals::data_in,
};

/// The folders of the configuration, in order of increasing precedence: Galley serves what Hugo builds for the public.
const FOLDERS: [&str; 2] = ["config/_default", "config/production"];

/// The names of files with the whole configuration.
const WHOLE: [&str; 2] = ["hugo", "config"];

/// Maximum number of files in a folder of the configuration. Further ones are ignored.
const FILES_MAX: usize = 200;

/// Returns the merged configuration of the project `root`.
pub(super) fn read(root: &Path) -> Table {
    let mut merged = Table::default();
    for stem in WHOLE {
        merge(&mut merged, data_in(root, stem).unwrap_or_default());
    }
    for folder in FOLDERS {
        let folder = root.join(folder);
        for stem in stems_in(&folder) {
            if let Some(table) = data_in(&folder, &stem) {
                merge(&mut merged, placed(table, &stem));
            }
        }
    }
    merged
}

/// Returns the names without extension of the data files in a folder, those of the whole configuration first.
fn stems_in(folder: &Path) -> Vec<String> {
    let Ok(entries) = folder.read_dir() else {
        return Vec::new();
    };
    let names = entries.filter_map(Result::ok);
    let names = names.filter_map(|entry| entry.file_name().into_string().ok());
    let stems = names.filter_map(|name| {
        let (stem, extension) = name.rsplit_once('.')?;
        let is_data = ["toml", "yaml", "yml", "json"].contains(&extension);
        (is_data && !stem.is_empty()).then(|| stem.to_owned())
    });
    let mut stems: Vec<String> = stems.take(FILES_MAX).collect();
    stems.sort_by_key(|stem| (!WHOLE.contains(&stem.as_str()), stem.clone()));
    stems.dedup();
    stems
}

/// Returns the configuration that a file has for the key in its name.
fn placed(table: Table, stem: &str) -> Table {
    if WHOLE.contains(&stem) {
        return table;
    }
    let (key, language) = match stem.split_once('.') {
        Some((key, language)) => (key, Some(language)),
        None => (stem, None),
    };
    // The key of the file may be repeated in it.
    let is_repeated = |(name, _): &(Spanned<String>, Value)| name.value == key;
    if language.is_none() && table.entries.len() == 1 && table.entries.iter().all(is_repeated) {
        return table;
    }
    match (key, language) {
        ("languages", Some(language)) => under("languages", under(language, table)),
        (key, Some(language)) => under("languages", under(language, under(key, table))),
        ("menu", None) => under("menus", table),
        (key, None) => under(key, table),
    }
}

/// Returns a table with `table` under `key`.
fn under(key: &str, table: Table) -> Table {
    let key = Spanned::new(key.to_owned(), Span::default());
    let value = Spanned::new(Kind::Table(table), Span::default());
    Table {
        entries: vec![(key, value)],
    }
}

/// Adds the entries of `other`, which replace those of `table`; tables are merged.
fn merge(table: &mut Table, other: Table) {
    for (key, value) in other.entries {
        let known = table
            .entries
            .iter_mut()
            .find(|(known, _)| known.value.eq_ignore_ascii_case(&key.value));
        match (known, value) {
            (
                Some((
                    _,
                    Value {
                        value: Kind::Table(known),
                        ..
                    },
                )),
                Value {
                    value: Kind::Table(inner),
                    ..
                },
            ) => merge(known, inner),
            (Some((_, known)), value) => *known = value,
            (None, value) => table.entries.push((key, value)),
        }
    }
}

#[cfg(test)]
mod tests {
    use crate::generators::{Settings, hugo::Hugo};

    fn read(files: &[(&str, &str)]) -> Settings {
        let folder = tempfile::tempdir().unwrap();
        for (path, text) in files {
            let path = folder.path().join(path);
            std::fs::create_dir_all(path.parent().unwrap()).unwrap();
            std::fs::write(path, text).unwrap();
        }
        Settings::read(&Hugo, folder.path())
    }

    #[test]
    fn folders_of_languages_are_read_wherever_they_are_configured() {
        for files in [
            &[("hugo.toml", "[languages.en]\ncontentDir = 'content/en'\n")][..],
            &[(
                "config/_default/languages.toml",
                "[en]\ncontentDir = 'content/en'\n",
            )],
            &[(
                "config/_default/languages.toml",
                "[languages.en]\ncontentDir = 'content/en'\n",
            )],
            &[(
                "config/_default/languages.en.toml",
                "contentDir = 'content/en'\n",
            )],
            &[(
                "config/_default/hugo.yaml",
                "languages:\n  en:\n    contentDir: content/en\n",
            )],
            &[
                ("hugo.toml", "[languages.en]\ncontentDir = 'content/old'\n"),
                (
                    "config/production/languages.en.toml",
                    "contentDir = 'content/en'\n",
                ),
            ],
        ] {
            let settings = read(files);
            assert_eq!(settings.roots, ["content/en"], "{files:?}");
            assert_eq!(settings.languages, ["en"], "{files:?}");
            assert_eq!(settings.language.as_deref(), Some("en"), "{files:?}");
        }
    }

    #[test]
    fn files_of_a_folder_are_merged() {
        let settings = read(&[
            (
                "config/_default/hugo.toml",
                "title = 'Harbour'\n[params]\na = 1\n",
            ),
            ("config/_default/params.toml", "b = 2\n"),
            ("config/_default/permalinks.toml", "posts = '/:slug/'\n"),
        ]);
        assert_eq!(settings.site["a"], 1);
        assert_eq!(settings.site["b"], 2);
        assert_eq!(settings.addresses.pattern("", "posts"), Some("/:slug/"));
    }
}
