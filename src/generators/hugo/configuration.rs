//! The configuration of a Hugo project, merged into one table: a file at its top, folders with files for parts of the
//! configuration, and the parameters of its themes.
//!
//! In `config/_default` and `config/production`, at any depth, `hugo.*` and `config.*` contain the whole configuration,
//! `params.*` the value of its key `params`, and `languages.en.*` that of the key `languages.en`. `params.en.*` and
//! `menus.en.*` contain keys of that language, and other files with a language its settings.

use std::path::Path;

use crate::{
    content_text::{
        Span, Spanned,
        document::{Kind, Table, Value},
    },
    generators::settings::{
        folders::{below, folders_below},
        literals::{data_in, inner, text, texts},
    },
};

/// The folders of the configuration, in order of increasing precedence. Galley serves the site that Hugo builds for
/// production.
const FOLDERS: [&str; 2] = ["config/_default", "config/production"];

/// The names of files with the whole configuration. At the top of the project, only the first one is read.
const WHOLE: [&str; 2] = ["hugo", "config"];

/// Maximum number of files in a folder of the configuration. Further ones are ignored.
const FILES_MAX: usize = 200;

/// Maximum depth and number of folders in a folder of the configuration.
const FOLDERS_MAX: (usize, usize) = (3, 50);

/// A file of the configuration.
pub(super) struct ConfigurationFile {
    /// Its path in the project, without extension.
    pub(super) stem: String,
    /// The nested keys whose value the file contains; empty for the whole configuration.
    pub(super) keys: Vec<String>,
    pub(super) table: Table,
}

/// Returns the files of the configuration of the project `root`, in order of increasing precedence.
pub(super) fn files(root: &Path) -> Vec<ConfigurationFile> {
    let at_top = WHOLE.iter().find_map(|stem| {
        Some(ConfigurationFile {
            stem: (*stem).to_owned(),
            keys: Vec::new(),
            table: data_in(root, stem)?,
        })
    });
    let mut files: Vec<ConfigurationFile> = at_top.into_iter().collect();
    for top in FOLDERS {
        for folder in folders_below(root, top, FOLDERS_MAX, |_| false) {
            let stems = stems_in(&root.join(&folder)).into_iter();
            files.extend(stems.filter_map(|stem| {
                let path = below(&folder, &stem);
                let table = data_in(root, &path)?;
                let keys = keys_of(&table, &stem);
                Some(ConfigurationFile {
                    stem: path,
                    keys,
                    table,
                })
            }));
        }
    }
    files
}

/// Merges `files` into the configuration of the project `root`.
pub(super) fn merged(root: &Path, files: Vec<ConfigurationFile>) -> Table {
    let mut merged = Table::default();
    for file in files {
        let mut table = file.table;
        for key in file.keys.iter().rev() {
            table = under(key, table);
        }
        merge(&mut merged, table);
    }
    // `theme` may be a list or a string. The project must be merged
    // first, because it names the themes.
    let mut themes = texts(&merged, "theme");
    themes.extend(text(&merged, "theme"));
    themes.extend(modules(&merged));
    for theme in themes {
        add_theme(&mut merged, root, &theme);
    }
    merged
}

/// Returns the names of the imported modules, which are the last parts of their paths.
fn modules(table: &Table) -> Vec<String> {
    let imports = inner(table, "module").and_then(|module| {
        let mut entries = module.entries.iter();
        entries.find(|(key, _)| key.value.eq_ignore_ascii_case("imports"))
    });
    let Some((
        _,
        Value {
            value: Kind::List(imports),
            ..
        },
    )) = imports
    else {
        return Vec::new();
    };
    let paths = imports.iter().filter_map(|import| match &import.value {
        Kind::Table(import) => text(import, "path"),
        _ => None,
    });
    let last = |path: String| path.rsplit('/').next().unwrap_or_default().to_owned();
    paths.map(last).collect()
}

/// Adds the parameters of a theme in the folder `themes`, or its whole configuration if the project's `_merge` asks for it.
/// Values of the project take precedence.
fn add_theme(merged: &mut Table, root: &Path, theme: &str) {
    let folder = format!("themes/{theme}");
    // The name is from the project. With `..` it could be a path outside of `themes/`.
    let is_name = !theme.is_empty() && !theme.split('/').any(|part| matches!(part, "." | ".."));
    if !is_name || !root.join(&folder).is_dir() {
        return;
    }
    let mut own = Table::default();
    for file in files(&root.join(&folder)) {
        let mut table = file.table;
        for key in file.keys.iter().rev() {
            table = under(key, table);
        }
        merge(&mut own, table);
    }
    let strategy = |table: &Table| text(table, "_merge");
    let of_params = inner(merged, "params").and_then(strategy);
    let takes_all = matches!(strategy(merged).as_deref(), Some("deep" | "shallow"));
    // By default, Hugo takes only the parameters of a theme.
    if !takes_all {
        let takes_params = of_params.as_deref() != Some("none");
        own.entries
            .retain(|(key, _)| takes_params && key.value.eq_ignore_ascii_case("params"));
    }
    // The project is merged over the theme, because later values replace earlier ones.
    merge(&mut own, std::mem::take(merged));
    *merged = own;
}

/// Returns the names of the data files in a folder, without extension. Files with the whole configuration come first.
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
    let mut stems: Vec<String> = stems.collect();
    // Files with the whole configuration come first, so that files for single keys override them.
    stems.sort_by_key(|stem| (!WHOLE.contains(&stem.as_str()), stem.clone()));
    stems.dedup();
    stems.truncate(FILES_MAX);
    stems
}

/// Returns the nested keys whose value a file contains, derived from its name.
fn keys_of(table: &Table, stem: &str) -> Vec<String> {
    let (key, language) = match stem.split_once('.') {
        Some((key, language)) => (key, Some(language)),
        None => (stem, None),
    };
    let keys: Vec<&str> = match (key, language) {
        (key, None) if WHOLE.contains(&key) => Vec::new(),
        ("menu", None) => vec!["menus"],
        (key, None) => vec![key],
        ("menu" | "menus", Some(language)) => vec!["languages", language, "menus"],
        ("params", Some(language)) => vec!["languages", language, "params"],
        (_, Some(language)) => vec!["languages", language],
    };
    // A file may repeat its own key, so its table already has that level.
    let is_repeated = |(name, _): &(Spanned<String>, Value)| name.value == key;
    if language.is_none() && table.entries.len() == 1 && table.entries.iter().all(is_repeated) {
        return Vec::new();
    }
    keys.into_iter().map(str::to_owned).collect()
}

/// Returns a table with `table` under `key`.
fn under(key: &str, table: Table) -> Table {
    let key = Spanned::new(key.to_owned(), Span::default());
    let value = Spanned::new(Kind::Table(table), Span::default());
    Table {
        entries: vec![(key, value)],
    }
}

/// Merges the entries of `other` into `table`. They replace existing values, except that tables are merged.
fn merge(table: &mut Table, other: Table) {
    for (key, value) in other.entries {
        // Hugo ignores the case of keys.
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
    use crate::generators::{ProjectSettings, hugo::Hugo};

    fn read(files: &[(&str, &str)]) -> ProjectSettings {
        let folder = tempfile::tempdir().unwrap();
        for (path, text) in files {
            let path = folder.path().join(path);
            std::fs::create_dir_all(path.parent().unwrap()).unwrap();
            std::fs::write(path, text).unwrap();
        }
        ProjectSettings::read(&Hugo, folder.path())
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
    fn one_file_at_the_top_counts_and_parameters_of_themes_are_added() {
        let settings = read(&[
            ("config.toml", "title = 'Old'\n"),
            (
                "hugo.toml",
                "title = 'Harbour'\ntheme = ['mist', 'gone']\n[params]\na = 1\n[module]\n[[module.imports]]\npath = 'example.org/x/fog'\n",
            ),
            ("config/_default/parts/params.toml", "e = 5\n"),
            ("themes/mist/theme/ignored.toml", "title = 'Not read'\n"),
            (
                "themes/mist/config.toml",
                "title = 'Mist'\n[params]\na = 2\nb = 2\n[permalinks]\nposts = '/:slug/'\n",
            ),
            ("themes/fog/config/_default/params.yaml", "c: 3\n"),
        ]);
        assert_eq!(settings.site["title"], "Harbour");
        for (key, value) in [("a", 1), ("b", 2), ("c", 3), ("e", 5)] {
            assert_eq!(settings.site[key], value, "{key}");
        }
        assert_eq!(settings.urls.pattern("", "posts"), None);
        let settings = read(&[
            ("hugo.toml", "theme = 'mist'\n_merge = 'deep'\n"),
            ("themes/mist/hugo.toml", "[permalinks]\nposts = '/:slug/'\n"),
        ]);
        assert_eq!(settings.urls.pattern("", "posts"), Some("/:slug/"));
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
        assert_eq!(settings.urls.pattern("", "posts"), Some("/:slug/"));
    }
}
