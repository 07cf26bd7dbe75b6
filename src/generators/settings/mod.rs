//! Project settings: folders of documents, languages, collections. The files are parsed and none is run.

use std::{path::Path, sync::LazyLock};

pub(crate) use regex::Regex;
use serde_json::{Map, Value as Json};

use crate::{
    confined_folder::RefusedLink,
    content_text::{
        Diagnostic, document,
        document::{Kind, Table},
    },
    generators::{
        language,
        permalink::{AddressRules, PatternRule},
        profile::{Profile, Role, Sign, TextKind},
        settings::{
            default_values::DefaultValues,
            literals::{
                SCRIPTS, clean, data_in, inner, is_set, keys, literal, path_of_url, read_text,
                regex, settings_file, text, text_of, texts, unused_file, value, without_scheme,
            },
        },
    },
};

pub(crate) mod default_values;
pub(crate) mod folders;
pub(crate) mod literals;

/// The settings of a project.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Settings {
    /// Folders of documents that replace those of the profile; empty without any.
    pub roots: Vec<String>,
    /// Folders of documents of a single language, with that language.
    pub language_roots: Vec<(String, String)>,
    /// Further folders that are served at the root of the site, relative to the project, which may be outside it.
    pub tops: Vec<String>,
    /// Folders that are served at another path: the path at the site, without slashes around it, and the folder relative to the
    /// project.
    pub mounts: Vec<(String, String)>,
    /// Whether `.md` files contain no MDX, though the generator supports it.
    pub has_plain_markdown: bool,
    /// Roles of further files, by patterns relative to the project.
    pub rules: Vec<(String, Role)>,
    /// The languages of the site.
    pub languages: Vec<String>,
    /// The site's own language.
    pub language: Option<String>,
    /// The base path of the site, such as `/blog`.
    pub base_path: String,
    /// The site's URL without that path.
    pub origin: String,
    /// The rules for URLs.
    pub addresses: AddressRules,
    /// Values of documents that do not say them.
    pub defaults: Vec<DefaultValues>,
    /// Variables of templates: `site.title`, parameters of Hugo.
    pub site: Map<String, Json>,
    /// What of the settings is not used. Paths are relative to the project.
    pub problems: Vec<Diagnostic>,
    /// The settings files that are links out of the project, which are not used. The look at the content folder reports those
    /// in it.
    pub refused_links: Vec<Diagnostic>,
}

/// Returns the names of a generator's settings files without extension.
fn settings_stems(profile: &Profile) -> &'static [&'static str] {
    match profile.name {
        "hugo" => &[
            "hugo",
            "config",
            "config/_default/hugo",
            "config/_default/config",
            "config/_default/languages",
            "config/_default/module",
            "config/_default/permalinks",
            "config/_default/cascade",
        ],
        "zola" => &["config", "zola"],
        "jekyll" | "hexo" => &["_config"],
        "mdbook" => &["book"],
        _ => &[],
    }
}

/// Returns a warning for each settings file that cannot be parsed: none of it is used.
fn malformed_files(profile: &Profile, root: &Path) -> Vec<Diagnostic> {
    let stems = settings_stems(profile).iter();
    let malformed = stems.filter_map(|stem| {
        let (path, language) = settings_file(root, stem)?;
        let text = text_of(root, &path);
        let malformed = document::parse(language, &text, 0).err()?;
        Some(unused_file(&path, &text, malformed))
    });
    malformed.collect()
}

fn refused_links(profile: &Profile, root: &Path) -> Vec<Diagnostic> {
    const ADVICE: &str = "put a copy of the file in the project";
    let stems = settings_stems(profile).iter();
    let data = stems.filter_map(|stem| settings_file(root, stem));
    let scripts = profile.signs.iter().filter_map(|sign| match sign {
        Sign::Script(stem) => Some(SCRIPTS.map(|extension| format!("{stem}.{extension}"))),
        _ => None,
    });
    let files = data.map(|(path, _)| path).chain(scripts.flatten());
    let refused = files.filter_map(|path| {
        let error = read_text(root, &path).err()?;
        let message = RefusedLink::of(&error)?.to_string();
        Some(Diagnostic::about_file(&path, message, ADVICE).into_warning())
    });
    refused.collect()
}

/// Returns a mount of `folder`, which may be a pattern below a folder, at a path of the site.
pub(crate) fn mount(folder: &str, path: &str) -> (String, String) {
    let constant = folder
        .split('/')
        .take_while(|part| !part.contains(['*', '{']));
    let folder: Vec<&str> = constant.collect();
    (clean(path), clean(&folder.join("/")))
}

impl Settings {
    pub(crate) fn read(profile: &Profile, root: &Path) -> Self {
        let mut settings = match profile.name {
            "hugo" => Self::hugo(profile, root),
            "zola" => Self::zola(root),
            "jekyll" => Self::jekyll(root),
            "eleventy" => Self::eleventy(root),
            "astro" => Self::astro(root),
            "docusaurus" => Self::docusaurus(root),
            "hexo" => Self::hexo(root),
            "mdbook" => Self::mdbook(root),
            _ => Self::default(),
        };
        settings.problems.extend(malformed_files(profile, root));
        settings.refused_links = refused_links(profile, root);
        settings
    }

    /// Returns the folders of documents of a project of `profile`.
    pub fn roots_of(&self, profile: &Profile) -> Vec<String> {
        if self.roots.is_empty() {
            profile
                .roots
                .iter()
                .map(|root| (*root).to_owned())
                .collect()
        } else {
            self.roots.clone()
        }
    }

    /// Returns the language of a folder of documents of a single language.
    pub fn language_of_root(&self, root: &str) -> Option<&str> {
        let mut roots = self.language_roots.iter();
        let language_root = roots.find(|(folder, _)| folder == root);
        language_root.map(|(_, language)| language.as_str())
    }

    /// Returns the path, query and fragment of `address` if it is an absolute URL on this site.
    pub fn path_on_site<'address>(&self, address: &'address str) -> Option<&'address str> {
        let own = without_scheme(&self.origin)?.trim_end_matches('/');
        let rest = without_scheme(address)?;
        let (host, path) = rest.split_at_checked(own.len())?;
        let is_own = !own.is_empty() && host.eq_ignore_ascii_case(own) && path.starts_with('/');
        let below_base = path.strip_prefix(&self.base_path)?;
        let is_below = below_base.is_empty() || below_base.starts_with(['/', '?', '#']);
        (is_own && is_below).then_some(path)
    }

    /// Sets the site's origin and base path from its URL.
    pub(crate) fn set_url(&mut self, address: &str) {
        let Some(rest) = without_scheme(address) else {
            return;
        };
        let scheme = &address[..address.len() - rest.len()];
        let host = rest.split('/').next().unwrap_or_default();
        self.origin = format!("{scheme}{host}");
        self.base_path = path_of_url(address);
    }

    fn zola(root: &Path) -> Self {
        let table = data_in(root, "config").or_else(|| data_in(root, "zola"));
        let table = table.unwrap_or_default();
        let languages = inner(&table, "languages").map(keys).unwrap_or_default();
        let mut settings = Self {
            language: text(&table, "default_language").filter(|_| !languages.is_empty()),
            languages,
            ..Self::default()
        };
        settings.set_url(&text(&table, "base_url").unwrap_or_default());
        settings
    }

    fn jekyll(root: &Path) -> Self {
        let table = data_in(root, "_config").unwrap_or_default();
        let source = text(&table, "source").map(|source| clean(&source));
        let mut settings = Self {
            defaults: default_values::of_jekyll(&table, source.as_deref().unwrap_or_default()),
            roots: source.into_iter().collect(),
            origin: text(&table, "url").unwrap_or_default(),
            site: document::json_of(&table),
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

    fn hexo(root: &Path) -> Self {
        let table = data_in(root, "_config").unwrap_or_default();
        let mut settings = Self {
            roots: text(&table, "source_dir")
                .map(|source| clean(&source))
                .into_iter()
                .collect(),
            addresses: AddressRules {
                style: text(&table, "permalink").unwrap_or_default(),
                ..AddressRules::default()
            },
            ..Self::default()
        };
        settings.set_url(&text(&table, "url").unwrap_or_default());
        if let Some(path) = text(&table, "root") {
            settings.base_path = path.trim_end_matches('/').to_owned();
        }
        settings
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
            let role = Role::Text(if is_of_posts(&base) {
                TextKind::Post
            } else {
                TextKind::ByDate
            });
            (format!("{base}/**"), role)
        });
        let script = script_in(root, &["astro.config"]);
        // Starlight's documents are at the root of the site.
        let of_starlight = script.contains("starlight").then(|| PatternRule {
            folder: "src/content/docs".to_owned(),
            ..PatternRule::default()
        });
        let mut settings = Self {
            addresses: AddressRules {
                patterns: of_starlight.into_iter().collect(),
                ..AddressRules::default()
            },
            rules: rules.collect(),
            languages: locales(&script),
            language: default_locale(&script),
            ..Self::default()
        };
        settings.set_url(&literal(&script, "site").unwrap_or_default());
        if let Some(path) = literal(&script, "base") {
            settings.base_path = format!("/{}", clean(&path));
        }
        settings
    }
}

/// Returns Jekyll's patterns for collections and, by `defaults`, for folders. Those of more specific folders come first.
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

/// Returns whether a folder contains posts by its name.
pub(crate) fn is_of_posts(folder: &str) -> bool {
    let words = ["article", "blog", "changelog", "news", "post", "release"];
    words
        .iter()
        .any(|word| folder.to_lowercase().contains(word))
}

pub(crate) fn locales(script: &str) -> Vec<String> {
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

pub(crate) fn default_locale(script: &str) -> Option<String> {
    static DEFAULT: LazyLock<Regex> = LazyLock::new(|| {
        regex(r#"(?-u:\b)defaultLocale[ \t\r\n]*:[ \t\r\n]*["'`]([A-Za-z-]{2,10})["'`]"#)
    });
    let captures = DEFAULT.captures(script)?;
    Some(captures[1].to_owned()).filter(|name| language::is_tag(name))
}

pub(crate) fn script_in(root: &Path, stems: &[&str]) -> String {
    let names = stems
        .iter()
        .flat_map(|stem| SCRIPTS.map(|extension| format!("{stem}.{extension}")));
    let texts = names
        .filter(|name| root.join(name).is_file())
        .map(|name| text_of(root, &name));
    texts.collect::<Vec<_>>().join("\n")
}
