//! Project settings: folders of documents, languages, collections. Settings files are parsed and never run.

use std::{path::Path, sync::LazyLock};

pub(crate) use regex::Regex;
use serde_json::{Map, Value as Json};

use crate::{
    content_text::{Diagnostic, Span, document::Table},
    generators::{
        language,
        permalink::UrlRules,
        profile::{Profile, Role},
        settings::{
            date_rules::DateRule,
            default_values::DefaultValues,
            literals::{SCRIPTS, clean, path_of_url, regex, text_of, without_scheme},
            redirects::Redirects,
            reference::{SettingRow, unsupported_in_script},
        },
    },
    render::markdown::Dialect,
};

pub(crate) mod date_rules;
pub(crate) mod default_values;
pub(crate) mod folders;
pub(crate) mod literals;
pub(crate) mod markdown_it;
pub(crate) mod math_plugins;
pub mod redirects;
pub mod reference;
pub(crate) mod scripts;

/// The settings of a project.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct ProjectSettings {
    /// Folders of documents, which replace those of the profile unless empty.
    pub roots: Vec<String>,
    /// Folders of documents of a single language, with that language.
    pub language_roots: Vec<(String, String)>,
    /// Further folders that are served at the root of the site, relative to the project. They may be outside of it.
    pub served_folders: Vec<String>,
    /// Folders that are served at another path: the path on the site, without leading and trailing slashes, and the folder
    /// relative to the project.
    pub mounts: Vec<(String, String)>,
    /// Whether `.md` files contain no MDX although the generator supports it.
    pub has_plain_markdown: bool,
    /// Roles of further files, by patterns relative to the project.
    pub rules: Vec<(String, Role)>,
    /// Regular expressions for the paths of ignored files in the project. Invalid expressions match no file.
    pub ignored_files: Vec<String>,
    /// Patterns of the documents in collections, relative to the project. If empty, all documents are published.
    pub collected: Vec<String>,
    /// The languages of the site.
    pub languages: Vec<String>,
    /// The site's own language.
    pub language: Option<String>,
    /// The name of the time zone of dates without an offset, if it is not the site's time zone.
    pub time_zone: Option<String>,
    /// The base path of the site, such as `/blog`.
    pub base_path: String,
    /// The origin of the site's URL: scheme and host.
    pub origin: String,
    /// The dialect of the project's Markdown, if it is not that of the profile.
    pub dialect: Option<Dialect>,
    /// The rules for URLs.
    pub urls: UrlRules,
    /// Former URLs of documents.
    pub redirects: Redirects,
    /// The rules for the dates of documents; empty for the default rules.
    pub dates: Vec<DateRule>,
    /// Default values of documents.
    pub defaults: Vec<DefaultValues>,
    /// Variables of templates: `site.title`, parameters of Hugo.
    pub site: Map<String, Json>,
    /// The diagnostics of settings that are not used. Paths are relative to the project.
    pub problems: Vec<Diagnostic>,
    /// Diagnostics of settings files that are links out of the project and are not used. The scan of the content folder
    /// reports the links inside it.
    pub refused_links: Vec<Diagnostic>,
}

/// Returns a mount of `folder` at a path of the site. If `folder` is a pattern, the folder before its first wildcard is
/// mounted.
pub(crate) fn mount(folder: &str, path: &str) -> (String, String) {
    let constant = folder
        .split('/')
        .take_while(|part| !part.contains(['*', '{']));
    let folder: Vec<&str> = constant.collect();
    (clean(path), clean(&folder.join("/")))
}

impl ProjectSettings {
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

    /// Returns the path, query and fragment of `url` if it is an absolute URL on this site.
    pub fn path_on_site<'url>(&self, url: &'url str) -> Option<&'url str> {
        let own = without_scheme(&self.origin)?.trim_end_matches('/');
        let rest = without_scheme(url)?;
        // The length of the host may be within a character of another URL.
        let (host, path) = rest.split_at_checked(own.len())?;
        let is_own = !own.is_empty() && host.eq_ignore_ascii_case(own) && path.starts_with('/');
        let below_base = path.strip_prefix(&self.base_path)?;
        // `/blog` is not the base path of `/blogroll`.
        let is_below = below_base.is_empty() || below_base.starts_with(['/', '?', '#']);
        (is_own && is_below).then_some(path)
    }

    /// Sets the dates that the project's rules select in the front matter `table` of the document at `path`. Dates that are
    /// not from front matter have the position `opening`.
    pub(crate) fn choose_dates(&self, table: &mut Table, path: &str, opening: Span) {
        date_rules::choose(&self.dates, table, path, opening);
    }

    /// Returns the keys that the project's rules use as sources of dates.
    pub(crate) fn date_keys(&self) -> impl Iterator<Item = &str> {
        date_rules::keys(&self.dates)
    }

    /// Sets the site's origin and base path from its URL.
    pub(crate) fn set_url(&mut self, url: &str) {
        let Some(rest) = without_scheme(url) else {
            return;
        };
        let scheme = &url[..url.len() - rest.len()];
        let host = rest.split('/').next().unwrap_or_default();
        self.origin = format!("{scheme}{host}");
        self.base_path = path_of_url(url);
    }
}

/// Returns whether a folder contains posts, judging by its name.
pub(crate) fn is_of_posts(folder: &str) -> bool {
    let words = ["article", "blog", "changelog", "news", "post", "release"];
    words
        .iter()
        .any(|word| folder.to_lowercase().contains(word))
}

pub(super) fn locales(script: &str) -> Vec<String> {
    // Locales are a list of names, or an object whose entries have a label.
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

/// Returns the concatenated scripts of the project `root` with one of these names.
pub(super) fn script_in(root: &Path, stems: &[&str]) -> String {
    let texts = scripts_in(root, stems).into_iter().map(|(_, text)| text);
    texts.collect::<Vec<_>>().join("\n")
}

/// Returns the scripts of the project `root` with one of these names, as pairs of path and text.
pub(super) fn scripts_in(root: &Path, stems: &[&str]) -> Vec<(String, String)> {
    let names = stems
        .iter()
        .flat_map(|stem| SCRIPTS.map(|extension| format!("{stem}.{extension}")));
    let files = names.filter(|name| root.join(name).is_file());
    files
        .map(|name| {
            let text = text_of(root, &name);
            (name, text)
        })
        .collect()
}

impl ProjectSettings {
    /// Reports settings in the scripts of the project `root` with one of these names that are computed, or that change
    /// documents and are not supported.
    pub(crate) fn report_scripts(&mut self, root: &Path, stems: &[&str], rows: &[SettingRow]) {
        for (file, script) in scripts_in(root, stems) {
            self.problems
                .extend(unsupported_in_script(&file, &script, rows));
        }
    }
}
