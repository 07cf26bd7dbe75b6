//! What a project says in its own settings: folders of texts, languages, collections. The files are read and none is run.

use std::{path::Path, sync::LazyLock};

use regex::Regex;
use serde_json::{Map, Value as Json};

use super::{
    Profile, Role, TextKind, directory_data, language,
    project::{SCRIPTS, settings_file, text_of},
};
use crate::sources::{
    document::{self, Kind, Table, Value},
    permalink::{AddressRules, PatternRule},
    worked_out::json_of,
};

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
    /// How addresses are made.
    pub addresses: AddressRules,
    /// What templates may ask the settings for: `site.title`, parameters of Hugo.
    pub site: Map<String, Json>,
}

impl Settings {
    pub(super) fn read(profile: &Profile, root: &Path) -> Self {
        match profile.name {
            "hugo" => Self::hugo(root),
            "zola" => Self::zola(root),
            "jekyll" => Self::jekyll(root),
            "eleventy" => Self::eleventy(root),
            "astro" => Self::astro(root),
            "docusaurus" => Self::docusaurus(root),
            "hexo" => Self::hexo(root),
            "mdbook" => Self::mdbook(root),
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
        if let Some(table) = data_in(&folder, "permalinks") {
            settings.add_permalinks(&table);
        }
        settings
    }

    /// Adds the patterns of addresses of Hugo's sections.
    fn add_permalinks(&mut self, table: &Table) {
        let of_pages = inner(table, "page").unwrap_or(table);
        for (section, pattern) in &of_pages.entries {
            if let Kind::Text(pattern) = &pattern.value {
                self.addresses.patterns.push(PatternRule {
                    kind: section.value.clone(),
                    pattern: pattern.clone(),
                    ..PatternRule::default()
                });
            }
        }
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
        if let Some(permalinks) = inner(table, "permalinks") {
            self.add_permalinks(permalinks);
        }
        let is_below_language = value(table, "defaultContentLanguageInSubdir")
            .is_some_and(|value| value.value == Kind::Boolean(true));
        if is_below_language {
            let language = self.language.clone();
            self.addresses.prefix = language.unwrap_or_else(|| "en".to_owned());
        }
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
            addresses: AddressRules {
                patterns: jekyll_patterns(&table),
                style: text(&table, "permalink").unwrap_or_default(),
                ..AddressRules::default()
            },
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
        let input = input.unwrap_or_default();
        Self {
            addresses: AddressRules {
                patterns: directory_data::permalinks(root, &input),
                input: match input.as_str() {
                    "" => input,
                    input => format!("{input}/"),
                },
                ..AddressRules::default()
            },
            roots,
            ..Self::default()
        }
    }

    fn hexo(root: &Path) -> Self {
        let table = data_in(root, "_config").unwrap_or_default();
        let base_path = text(&table, "root").unwrap_or_default();
        Self {
            roots: text(&table, "source_dir")
                .map(|source| clean(&source))
                .into_iter()
                .collect(),
            base_path: base_path.trim_end_matches('/').to_owned(),
            origin: text(&table, "url").unwrap_or_default(),
            addresses: AddressRules {
                style: text(&table, "permalink").unwrap_or_default(),
                ..AddressRules::default()
            },
            ..Self::default()
        }
    }

    fn mdbook(root: &Path) -> Self {
        let table = data_in(root, "book").unwrap_or_default();
        let source = inner(&table, "book").and_then(|book| text(book, "src"));
        Self {
            roots: source.map(|source| clean(&source)).into_iter().collect(),
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
        // The documents of Starlight are at the top of the site.
        let of_starlight = script.contains("starlight").then(|| PatternRule {
            folder: "src/content/docs".to_owned(),
            ..PatternRule::default()
        });
        Self {
            addresses: AddressRules {
                patterns: of_starlight.into_iter().collect(),
                ..AddressRules::default()
            },
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
        let folders = FOLDER.captures_iter(&script).map(|found| {
            let place = found.get(0).map_or(0, |whole| whole.start());
            let is_blog = braces_around(&script, place)
                .is_some_and(|(start, _)| is_of_blog(&script[..start]));
            (clean(&found[1]), is_blog)
        });
        let mut rules: Vec<(String, Role)> = folders
            .filter(|(folder, _)| !folder.is_empty() && folder != "i18n")
            .map(|(folder, is_blog)| {
                let role = Role::Text(match is_blog || is_of_posts(&folder) {
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
            addresses: AddressRules {
                patterns: routes(&script),
                ..AddressRules::default()
            },
            ..Self::default()
        }
    }
}

/// Returns the patterns that the settings of Jekyll have for collections and, by `defaults`, for folders. Those for more
/// precise folders come first.
fn jekyll_patterns(table: &Table) -> Vec<PatternRule> {
    let mut patterns = Vec::new();
    if let Some(Kind::List(defaults)) = value(table, "defaults").map(|value| &value.value) {
        for default in defaults.iter().rev() {
            let Kind::Table(default) = &default.value else {
                continue;
            };
            let scope = inner(default, "scope");
            let of_scope = |key| scope.and_then(|scope| text(scope, key));
            let values = inner(default, "values");
            let Some(pattern) = values.and_then(|values| text(values, "permalink")) else {
                continue;
            };
            let folder = of_scope("path").unwrap_or_default();
            patterns.push(PatternRule {
                folder: clean(folder.split('*').next().unwrap_or_default()),
                kind: of_scope("type").unwrap_or_default(),
                pattern,
            });
        }
    }
    patterns.sort_by_key(|rule| std::cmp::Reverse(rule.folder.len()));
    for (name, collection) in inner(table, "collections")
        .into_iter()
        .flat_map(|table| &table.entries)
    {
        if let Kind::Table(collection) = &collection.value
            && let Some(pattern) = text(collection, "permalink")
        {
            patterns.push(PatternRule {
                kind: name.value.clone(),
                pattern,
                ..PatternRule::default()
            });
        }
    }
    patterns
}

/// Returns under which path Docusaurus shows which folder, where the settings say so: `routeBasePath`.
fn routes(script: &str) -> Vec<PatternRule> {
    static ROUTE: LazyLock<Regex> = LazyLock::new(|| {
        regex(r#"(?-u:\b)routeBasePath[ \t\r\n]*:[ \t\r\n]*["'`]([^"'`$]*)["'`]"#)
    });
    static FOLDER: LazyLock<Regex> = LazyLock::new(|| {
        regex(r#"(?-u:\b)path[ \t\r\n]*:[ \t\r\n]*["'`](?:\./)?([^"'`$:]+)["'`]"#)
    });
    static NAME: LazyLock<Regex> =
        LazyLock::new(|| regex(r#"["'`]?([a-z]+)["'`]?[ \t\r\n]*:[ \t\r\n]*$"#));
    let rules = ROUTE.captures_iter(script).filter_map(|found| {
        let place = found.get(0)?.start();
        let (start, end) = braces_around(script, place)?;
        let folder = FOLDER.captures(&script[start..end]);
        let name = || NAME.captures(&script[..start]);
        let folder = folder.or_else(name)?;
        Some(PatternRule {
            folder: clean(&folder[1]),
            pattern: found[1].to_owned(),
            ..PatternRule::default()
        })
    });
    rules.collect()
}

/// Returns the address that a script sets literally as `permalink`.
pub(super) fn permalink_in(script: &str) -> Option<String> {
    static PERMALINK: LazyLock<Regex> = LazyLock::new(|| {
        regex(r#"(?-u:\b)permalink["']?[ \t\r\n]*:[ \t\r\n]*["'`]([^"'`]+)["'`]"#)
    });
    let found = PERMALINK.captures(script)?;
    Some(found[1].to_owned())
}

/// Returns whether what stands before a brace in the settings of Docusaurus says that options of a blog follow.
fn is_of_blog(before: &str) -> bool {
    let before = before.trim_end().trim_end_matches([',', ':']).trim_end();
    let name = before.trim_end_matches(['"', '\'', '`']);
    name.ends_with("content-blog") || name.ends_with("blog")
}

/// Returns where the braces stand that are open at the byte `place`.
fn braces_around(script: &str, place: usize) -> Option<(usize, usize)> {
    let mut depth = 0_usize;
    let mut open = None;
    for (at, byte) in script.as_bytes()[..place].iter().enumerate().rev() {
        match byte {
            b'}' => depth += 1,
            b'{' if depth == 0 => {
                open = Some(at);
                break;
            }
            b'{' => depth -= 1,
            _ => {}
        }
    }
    let mut depth = 0_usize;
    for (at, byte) in script.as_bytes()[place..].iter().enumerate() {
        match byte {
            b'{' => depth += 1,
            b'}' if depth == 0 => return Some((open?, place + at)),
            b'}' => depth -= 1,
            _ => {}
        }
    }
    None
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
        .filter(|name| language::is_tag(name))
        .collect()
}

fn default_locale(script: &str) -> Option<String> {
    static DEFAULT: LazyLock<Regex> = LazyLock::new(|| {
        regex(r#"(?-u:\b)defaultLocale[ \t\r\n]*:[ \t\r\n]*["'`]([A-Za-z-]{2,10})["'`]"#)
    });
    let found = DEFAULT.captures(script)?;
    Some(found[1].to_owned()).filter(|name| language::is_tag(name))
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

pub(super) fn text(table: &Table, key: &str) -> Option<String> {
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
