//! Which generator a folder is for, and what the project says in its own settings: recognised by a few files, of which none
//! is run.

use std::{
    fs::File,
    io::Read,
    path::{Path, PathBuf},
    sync::{Arc, LazyLock},
};

use jiff::tz::TimeZone;
use regex::Regex;
use serde_json::{Map, Value as Json};

use super::{GALLEY, PLAIN, PROFILES, Profile, Role, Sign, TextKind};
use crate::sources::{
    AuthorRecord, Context,
    document::{self, Kind, Language, Table, Value},
    read_authors,
    worked_out::json_of,
};

/// Most bytes of a file of settings that are read.
const SETTINGS_BYTES_MAX: u64 = 512 << 10;

/// How many folders above and below the given one are looked at for the settings of a generator.
const LEVELS_UP_MAX: usize = 6;
const LEVELS_DOWN_MAX: usize = 2;

/// Extensions of settings, with the language that each is in. JSON is YAML (YAML 1.2, section 1.3).
const DATA: [(&str, Language); 4] = [
    ("toml", Language::Toml),
    ("yaml", Language::Yaml),
    ("yml", Language::Yaml),
    ("json", Language::Yaml),
];

const SCRIPTS: [&str; 5] = ["js", "mjs", "cjs", "ts", "mts"];

/// Folders at the top by which a folder is one of Galley's own.
const OWN_FOLDERS: [&str; 8] = [
    "posts",
    "pages",
    "blog",
    "authors",
    "tags",
    "tiers",
    "newsletters",
    "drafts",
];

/// Folders that hold no project, or one that is not the site's.
const FOREIGN_FOLDERS: [&str; 8] = [
    "build",
    "dist",
    "examples",
    "node_modules",
    "public",
    "tests",
    "themes",
    "vendor",
];

/// What a folder is recognised as.
#[derive(Clone, Debug)]
pub struct Project {
    /// The generator.
    pub profile: &'static Profile,
    /// Where the project lies in the folder: empty, or with a slash at its end.
    pub folder: String,
    /// Where the folder lies in the project: empty, or with a slash at its end.
    pub base: String,
    /// What its settings say.
    pub settings: Settings,
    /// The authors whom posts name by a key, as the project describes them.
    pub authors: Vec<AuthorRecord>,
}

/// What the settings of a project say about its texts.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Settings {
    /// The folders of texts, in the place of those of the profile; none where nothing is said.
    pub roots: Vec<String>,
    /// What further files are, by patterns relative to the project.
    pub rules: Vec<(String, Role)>,
    /// The languages of the site.
    pub languages: Vec<String>,
    /// Which of them is the site's own.
    pub language: Option<String>,
    /// The path that the site lives at, such as `/blog`.
    pub base_path: String,
    /// The site's address without that path.
    pub origin: String,
    /// What templates may ask the settings for: `site.title`, parameters of Hugo.
    pub site: Map<String, Json>,
}

impl Project {
    /// Recognises the content folder `root`. A folder that shows no generator is Galley's own.
    pub fn of_content(root: &Path) -> Self {
        let own = || Self::at(&GALLEY, root, String::new(), String::new());
        if has_any_sign(&GALLEY, root) {
            return own();
        }
        if let Some(profile) = recognised(root) {
            return Self::at(profile, root, String::new(), String::new());
        }
        let has_own_folders = OWN_FOLDERS.iter().any(|name| root.join(name).is_dir());
        let has_own_alone = ["authors", "tiers", "newsletters", "tags"]
            .iter()
            .any(|name| root.join(name).is_dir());
        if !has_own_alone && let Some(project) = Self::around(root) {
            return project;
        }
        if !has_own_folders && let Some(project) = Self::below(root) {
            return project;
        }
        own()
    }

    /// Recognises the folder that is imported, and returns the project with its folder, which may be one above.
    pub fn of_import(folder: &Path) -> (PathBuf, Self) {
        for root in folder.ancestors().take(LEVELS_UP_MAX) {
            if let Some(profile) = recognised(root) {
                return (
                    root.to_owned(),
                    Self::at(profile, root, String::new(), String::new()),
                );
            }
        }
        let profile = match has_any_sign(&GALLEY, folder)
            || (folder.join("posts").is_dir()
                && ["authors", "tiers", "newsletters"]
                    .iter()
                    .any(|name| folder.join(name).is_dir()))
        {
            true => &GALLEY,
            false => match Self::below(folder) {
                Some(project) => return (folder.to_owned(), project),
                None => &PLAIN,
            },
        };
        let project = Self::at(profile, folder, String::new(), String::new());
        (folder.to_owned(), project)
    }

    /// Returns the project of a generator that is named, in the folder `root`.
    pub fn named(profile: &'static Profile, root: &Path) -> Self {
        Self::at(profile, root, String::new(), String::new())
    }

    /// Recognises the project whose folder of texts `root` is.
    fn around(root: &Path) -> Option<Self> {
        let root = root.canonicalize().ok()?;
        let name = root.file_name()?.to_str()?;
        let parent = root.parent()?;
        let profile = recognised(parent)?;
        let settings = Settings::read(profile, parent);
        let roots = settings.roots_of(profile);
        let is_root = roots.iter().any(|text_root| text_root == name);
        is_root.then(|| Self::at(profile, parent, String::new(), format!("{name}/")))
    }

    /// Recognises the one project that lies in the folder `root`.
    fn below(root: &Path) -> Option<Self> {
        let mut level = vec![String::new()];
        for _ in 0..LEVELS_DOWN_MAX {
            let mut next = Vec::new();
            for folder in &level {
                next.extend(folders_in(root, folder));
            }
            let found: Vec<(&String, &'static Profile)> = next
                .iter()
                .filter_map(|folder| Some((folder, recognised(&root.join(folder))?)))
                .collect();
            match found.as_slice() {
                [] => {}
                // Several vaults beside each other are one site in several languages.
                [(_, profile), (_, other), ..] if profile.name == other.name => {
                    return Some(Self::at(profile, root, String::new(), String::new()));
                }
                [(folder, profile), ..] => {
                    return Some(Self::at(
                        profile,
                        &root.join(folder),
                        format!("{folder}/"),
                        String::new(),
                    ));
                }
            }
            level = next;
        }
        None
    }

    fn at(profile: &'static Profile, root: &Path, folder: String, base: String) -> Self {
        Self {
            profile,
            folder,
            base,
            settings: Settings::read(profile, root),
            authors: authors_in(profile, root),
        }
    }

    /// Returns whether what the file at `path` says, or that it is there, may decide what the folder is recognised as.
    pub fn depends_on(path: &str) -> bool {
        let (folders, file) = path.rsplit_once('/').unwrap_or(("", path));
        let stem = file.trim_start_matches('.').split('.').next();
        let settings = [
            "hugo",
            "config",
            "_config",
            "zola",
            "eleventy",
            "astro",
            "next",
            "docusaurus",
            "content",
            "site",
            "languages",
            "module",
        ];
        let is_deep = folders.split('/').count() > LEVELS_DOWN_MAX + 2;
        let is_text = [".md", ".mdx", ".markdown"]
            .iter()
            .any(|extension| file.ends_with(extension));
        !is_deep && !is_text && stem.is_some_and(|stem| settings.contains(&stem))
    }
}

/// Returns the authors that the files of a project describe. What is wrong in such a file is left out.
fn authors_in(profile: &Profile, root: &Path) -> Vec<AuthorRecord> {
    if profile.author_files.is_empty() {
        return Vec::new();
    }
    let context = Context {
        time_zone: TimeZone::UTC,
        layout: Arc::default(),
    };
    let mut authors = Vec::new();
    for path in profile.author_files {
        if root.join(path).is_file() {
            let text = text_of(&root.join(path));
            let read = read_authors(path, text.as_bytes(), &context);
            authors.extend(read.map(|file| file.authors).unwrap_or_default());
        }
    }
    authors
}

/// Returns the generator whose signs `root` shows, but Galley itself.
fn recognised(root: &Path) -> Option<&'static Profile> {
    let others = PROFILES
        .iter()
        .filter(|profile| profile.name != GALLEY.name);
    others.copied().find(|profile| has_any_sign(profile, root))
}

fn has_any_sign(profile: &Profile, root: &Path) -> bool {
    profile.signs.iter().any(|sign| has_sign(sign, root))
}

fn has_sign(sign: &Sign, root: &Path) -> bool {
    match sign {
        Sign::Entry(name) => root.join(name).exists(),
        Sign::Script(stem) => SCRIPTS
            .iter()
            .any(|extension| root.join(format!("{stem}.{extension}")).is_file()),
        Sign::Settings(stem) => settings_file(root, stem).is_some(),
        Sign::SettingsWith(stem, words) => {
            let Some((path, _)) = settings_file(root, stem) else {
                return false;
            };
            let text = text_of(&path);
            let begins = |line: &str| {
                words.iter().any(|word| {
                    line.strip_prefix(word)
                        .is_some_and(|rest| rest.trim_start().starts_with(['=', ':']))
                })
            };
            text.lines().any(begins)
        }
        Sign::All(signs) => signs.iter().all(|sign| has_sign(sign, root)),
    }
}

fn folders_in(root: &Path, folder: &str) -> Vec<String> {
    let Ok(entries) = root.join(folder).read_dir() else {
        return Vec::new();
    };
    let mut names: Vec<String> = entries
        .filter_map(Result::ok)
        .filter(|entry| entry.file_type().is_ok_and(|kind| kind.is_dir()))
        .filter_map(|entry| entry.file_name().into_string().ok())
        .filter(|name| !name.starts_with('.') && !FOREIGN_FOLDERS.contains(&name.as_str()))
        .map(|name| match folder {
            "" => name,
            folder => format!("{folder}/{name}"),
        })
        .collect();
    names.sort();
    names
}

/// Returns the file of settings called `stem`, and the language that it is in.
fn settings_file(root: &Path, stem: &str) -> Option<(PathBuf, Language)> {
    DATA.iter().find_map(|(extension, language)| {
        let path = root.join(format!("{stem}.{extension}"));
        path.is_file().then_some((path, *language))
    })
}

fn text_of(path: &Path) -> String {
    let mut bytes = Vec::new();
    // Settings that cannot be read say nothing.
    let _ = File::open(path).map(|file| file.take(SETTINGS_BYTES_MAX).read_to_end(&mut bytes));
    String::from_utf8_lossy(&bytes).into_owned()
}

fn data_in(root: &Path, stem: &str) -> Option<Table> {
    let (path, language) = settings_file(root, stem)?;
    document::parse(language, &text_of(&path), 0).ok()
}

fn script_in(root: &Path, stems: &[&str]) -> String {
    let names = stems
        .iter()
        .flat_map(|stem| SCRIPTS.map(|extension| format!("{stem}.{extension}")));
    let texts = names
        .map(|name| root.join(name))
        .filter(|path| path.is_file())
        .map(|path| text_of(&path));
    texts.collect::<Vec<_>>().join("\n")
}

impl Settings {
    fn read(profile: &Profile, root: &Path) -> Self {
        match profile.name {
            "hugo" => Self::hugo(root),
            "zola" => Self::zola(root),
            "jekyll" => Self::jekyll(root),
            "eleventy" => Self::eleventy(root),
            "astro" => Self::astro(root),
            "docusaurus" => Self::docusaurus(root),
            _ => Self::default(),
        }
    }

    /// Returns the folders of texts of a project of `profile`.
    pub fn roots_of(&self, profile: &Profile) -> Vec<String> {
        match self.roots.is_empty() {
            true => profile
                .roots
                .iter()
                .map(|root| (*root).to_owned())
                .collect(),
            false => self.roots.clone(),
        }
    }

    fn hugo(root: &Path) -> Self {
        let mut settings = Self::default();
        let folder = root.join("config/_default");
        let tables = [
            data_in(root, "hugo"),
            data_in(root, "config"),
            data_in(&folder, "hugo"),
            data_in(&folder, "config"),
        ];
        for table in tables.iter().flatten() {
            settings.add_hugo(table);
        }
        if let Some(table) = data_in(&folder, "languages") {
            settings.languages.extend(keys(&table));
        }
        if let Some(module) = data_in(&folder, "module") {
            settings.add_mounts(&module);
        }
        settings
    }

    fn add_hugo(&mut self, table: &Table) {
        if let Some(folder) = text(table, "contentDir") {
            self.roots.push(clean(&folder));
        }
        self.language = text(table, "defaultContentLanguage").or(self.language.take());
        if let Some(languages) = inner(table, "languages") {
            self.languages.extend(keys(languages));
        }
        if let Some(module) = inner(table, "module") {
            self.add_mounts(module);
        }
        self.site
            .extend(inner(table, "params").map(json_of).unwrap_or_default());
        self.site
            .extend(text(table, "title").map(|title| ("title".to_owned(), title.into())));
        if let Some(address) = text(table, "baseURL") {
            self.base_path = path_of_url(&address);
        }
    }

    /// Adds the folders that a project of Hugo mounts as its texts.
    fn add_mounts(&mut self, module: &Table) {
        let Some(Kind::List(mounts)) = value(module, "mounts").map(|value| &value.value) else {
            return;
        };
        for mount in mounts {
            if let Kind::Table(mount) = &mount.value
                && let (Some(source), Some(target)) = (text(mount, "source"), text(mount, "target"))
                && (target == "content" || target.starts_with("content/"))
            {
                self.roots.push(clean(&source));
            }
        }
    }

    fn zola(root: &Path) -> Self {
        let table = data_in(root, "config").or_else(|| data_in(root, "zola"));
        let table = table.unwrap_or_default();
        let languages = inner(&table, "languages").map(keys).unwrap_or_default();
        Self {
            language: text(&table, "default_language").filter(|_| !languages.is_empty()),
            languages,
            base_path: text(&table, "base_url").map_or_else(String::new, |url| path_of_url(&url)),
            ..Self::default()
        }
    }

    fn jekyll(root: &Path) -> Self {
        let table = data_in(root, "_config").unwrap_or_default();
        let mut settings = Self {
            roots: text(&table, "source")
                .map(|source| clean(&source))
                .into_iter()
                .collect(),
            origin: text(&table, "url").unwrap_or_default(),
            site: json_of(&table),
            base_path: text(&table, "baseurl")
                .unwrap_or_default()
                .trim_end_matches('/')
                .to_owned(),
            languages: texts(&table, "languages"),
            language: text(&table, "default_lang"),
            ..Self::default()
        };
        let below = |path: &str| match settings.roots.first() {
            Some(source) if !source.is_empty() => format!("{source}/{path}"),
            _ => path.to_owned(),
        };
        let folder = text(&table, "collections_dir")
            .map_or_else(String::new, |folder| format!("{}/", clean(&folder)));
        let mut rules = Vec::new();
        for excluded in texts(&table, "exclude") {
            let excluded = clean(&excluded);
            rules.push((below(&excluded), Role::Other));
            rules.push((below(&format!("{excluded}/**")), Role::Other));
        }
        if let Some(collections) = inner(&table, "collections") {
            for (name, collection) in &collections.entries {
                if name.value != "posts" && is_set(collection, "output") {
                    let pattern = below(&format!("{folder}_{}/**", name.value));
                    rules.push((pattern, Role::Text(TextKind::Page)));
                }
            }
        }
        settings.rules = rules;
        settings
    }

    fn eleventy(root: &Path) -> Self {
        static INPUT: LazyLock<Regex> = LazyLock::new(|| {
            regex(
                r#"(?:(?-u:\b)input[ \t\r\n]*:|setInputDirectory\()[ \t\r\n]*["'`]([^"'`]+)["'`]"#,
            )
        });
        let script = script_in(root, &[".eleventy", "eleventy.config"]);
        let input = INPUT.captures(&script).map(|found| clean(&found[1]));
        let roots = match input.as_deref() {
            None => Vec::new(),
            Some("") => vec![String::new()],
            Some(input) => vec![format!("{input}/content"), input.to_owned()],
        };
        Self {
            roots,
            ..Self::default()
        }
    }

    fn astro(root: &Path) -> Self {
        static BASE: LazyLock<Regex> = LazyLock::new(|| {
            regex(r#"(?-u:\b)base[ \t\r\n]*:[ \t\r\n]*["'`](?:\./)?([^"'`$]+)["'`]"#)
        });
        let collections = script_in(
            root,
            &["src/content.config", "src/content/config", "content.config"],
        );
        let bases = BASE
            .captures_iter(&collections)
            .map(|found| clean(&found[1]));
        let rules = bases.filter(|base| !base.is_empty()).map(|base| {
            let role = Role::Text(match is_of_posts(&base) {
                true => TextKind::Post,
                false => TextKind::ByDate,
            });
            (format!("{base}/**"), role)
        });
        let script = script_in(root, &["astro.config"]);
        Self {
            rules: rules.collect(),
            languages: locales(&script),
            language: default_locale(&script),
            ..Self::default()
        }
    }

    fn docusaurus(root: &Path) -> Self {
        static FOLDER: LazyLock<Regex> =
            LazyLock::new(|| regex(r#"(?-u:\b)path[ \t\r\n]*:[ \t\r\n]*["'`]([^"'`$:]+)["'`]"#));
        let script = script_in(root, &["docusaurus.config"]);
        let folders = FOLDER.captures_iter(&script).map(|found| clean(&found[1]));
        let mut rules: Vec<(String, Role)> = folders
            .filter(|folder| !folder.is_empty() && folder != "i18n")
            .map(|folder| {
                let role = Role::Text(match is_of_posts(&folder) {
                    true => TextKind::Post,
                    false => TextKind::Page,
                });
                (format!("{folder}/**"), role)
            })
            .collect();
        rules.push((
            "i18n/**".to_owned(),
            Role::LeftOut("it is a translation, and the site is taken in its own language"),
        ));
        Self {
            rules,
            languages: locales(&script),
            language: default_locale(&script),
            ..Self::default()
        }
    }
}

/// Returns whether the name of a folder says that posts are in it.
fn is_of_posts(folder: &str) -> bool {
    let words = ["article", "blog", "changelog", "news", "post", "release"];
    words
        .iter()
        .any(|word| folder.to_lowercase().contains(word))
}

fn locales(script: &str) -> Vec<String> {
    static LIST: LazyLock<Regex> =
        LazyLock::new(|| regex(r"(?-u:\b)locales[ \t\r\n]*:[ \t\r\n]*\[([^\]]*)\]"));
    static TABLE: LazyLock<Regex> = LazyLock::new(|| {
        regex(
            r#"(?m)^[ \t\r\n]*["']?([a-z]{2}(?:-[A-Za-z]{2,4})?)["']?[ \t\r\n]*:[ \t\r\n]*\{[^}]*(?-u:\b)label(?-u:\b)"#,
        )
    });
    static NAME: LazyLock<Regex> = LazyLock::new(|| regex(r#"["'`]([A-Za-z-]{2,10})["'`]"#));
    let listed = LIST.captures(script).map(|found| found[1].to_owned());
    let listed = listed.unwrap_or_default();
    let listed = NAME.captures_iter(&listed).map(|found| found[1].to_owned());
    let named = TABLE.captures_iter(script).map(|found| found[1].to_owned());
    listed
        .chain(named)
        .filter(|name| super::language::is_tag(name))
        .collect()
}

fn default_locale(script: &str) -> Option<String> {
    static DEFAULT: LazyLock<Regex> = LazyLock::new(|| {
        regex(r#"(?-u:\b)defaultLocale[ \t\r\n]*:[ \t\r\n]*["'`]([A-Za-z-]{2,10})["'`]"#)
    });
    let found = DEFAULT.captures(script)?;
    Some(found[1].to_owned()).filter(|name| super::language::is_tag(name))
}

fn regex(pattern: &str) -> Regex {
    Regex::new(pattern).expect("invariant: the pattern is a constant")
}

/// Returns the path of a folder without `./` before it and slashes around it.
fn clean(folder: &str) -> String {
    let folder = folder.trim().trim_end_matches('/');
    let folder = folder.strip_prefix("./").unwrap_or(folder);
    match folder.trim_start_matches('/') {
        "." => String::new(),
        folder => folder.to_owned(),
    }
}

/// Returns the path of a site's address: `/blog` of `https://example.com/blog/`.
fn path_of_url(address: &str) -> String {
    let below = address.split_once("://").map_or(address, |(_, rest)| rest);
    let path = below.find('/').map_or("", |start| &below[start..]);
    path.trim_end_matches('/').to_owned()
}

fn value<'a>(table: &'a Table, key: &str) -> Option<&'a Value> {
    let found = table
        .entries
        .iter()
        .find(|(name, _)| name.value.eq_ignore_ascii_case(key));
    found.map(|(_, value)| value)
}

fn text(table: &Table, key: &str) -> Option<String> {
    match &value(table, key)?.value {
        Kind::Text(text) if !text.is_empty() => Some(text.clone()),
        _ => None,
    }
}

fn texts(table: &Table, key: &str) -> Vec<String> {
    let Some(Kind::List(list)) = value(table, key).map(|value| &value.value) else {
        return Vec::new();
    };
    let text = |value: &Value| match &value.value {
        Kind::Text(text) => Some(text.clone()),
        _ => None,
    };
    list.iter().filter_map(text).collect()
}

fn inner<'a>(table: &'a Table, key: &str) -> Option<&'a Table> {
    match &value(table, key)?.value {
        Kind::Table(inner) => Some(inner),
        _ => None,
    }
}

fn keys(table: &Table) -> Vec<String> {
    table
        .entries
        .iter()
        .map(|(key, _)| key.value.clone())
        .collect()
}

fn is_set(value: &Value, key: &str) -> bool {
    let Kind::Table(table) = &value.value else {
        return false;
    };
    matches!(self::value(table, key), Some(value) if value.value == Kind::Boolean(true))
}
