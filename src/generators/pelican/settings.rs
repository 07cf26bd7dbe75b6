//! Reads the settings of Pelican: literal values in `pelicanconf.py` and in `publishconf.py`, which takes precedence.

use std::{path::Path, sync::LazyLock};

use serde_json::{Map, Value as Json};

use crate::{
    content_text::{Diagnostic, Source, Span},
    generators::{
        pelican::{
            folders::{self, Folders},
            metadata,
            reference::{DATES, ROWS, SLUGS},
            slugs,
            variables::{list, list_text, literal_list, literal_pairs, text, value},
        },
        permalink::{PatternRule, UrlRules},
        profile::Role,
        settings::{
            ProjectSettings, Regex,
            literals::{clean, regex, text_of},
            reference,
        },
    },
    render::markdown::{Dialect, Math, Typography},
};

/// The extensions of documents.
const DOCUMENTS: &str = "{md,markdown,mkd,mdown,rst}";

/// The settings that are patterns of paths.
const PATTERNS: [&str; 2] = ["FILENAME_METADATA", "PATH_METADATA"];

/// The variable that is set if the Markdown has admonitions.
pub(super) const ADMONITIONS: &str = "MARKDOWN.admonition";

/// The variable that is set if the Markdown has attribute lists.
pub(super) const ATTRIBUTE_LISTS: &str = "MARKDOWN.attr_list";

/// The variable that is set if lists nest by fewer than four spaces.
pub(super) const SHORT_TABS: &str = "MARKDOWN.tab_length";

/// The variable that is set if bulleted and numbered lists are separate.
pub(super) const SEPARATE_LISTS: &str = "MARKDOWN.sane_lists";

/// The variable that is set if `[TOC]` is a table of contents.
pub(super) const CONTENTS: &str = "MARKDOWN.toc";

/// The variable that is set if a plugin moves the table of contents out of the text.
pub(super) const EXTRACTED_CONTENTS: &str = "PLUGINS.extract_toc";

/// The variable that is set if formulas are preserved.
pub(super) const MATH: &str = "MARKDOWN.math";

/// The variable that is set if a plugin expands Liquid tags.
pub(super) const LIQUID_TAGS: &str = "PLUGINS.liquid_tags";

/// The variable with the folder of code that documents include.
pub(super) const CODE_FOLDER: &str = "CODE_DIR";

/// The variable that is set if articles without a date get a default one.
pub(super) const DEFAULT_DATE: &str = "DEFAULT_DATE";

const IGNORED: &str = "it matches `IGNORE_FILES`";

/// Reads the settings of the project `root`.
pub(super) fn read(root: &Path) -> ProjectSettings {
    // The first script with a setting counts, and `publishconf.py` builds the public site.
    let scripts = [
        text_of(root, "publishconf.py"),
        text_of(root, "pelicanconf.py"),
    ];
    let literal = |key: &str| scripts.iter().find_map(|script| text(script, key));
    let content = literal("PATH")
        .map(|path| clean(&path))
        .unwrap_or_else(|| folder_of_documents(root, &scripts).to_owned());
    let below = |path: &str| match (content.as_str(), clean(path).as_str()) {
        ("", path) => path.to_owned(),
        (content, "") => content.to_owned(),
        (content, path) => format!("{content}/{path}"),
    };
    let rules = rules(&scripts, &below);
    let patterns = [
        ("article", ["ARTICLE_SAVE_AS", "ARTICLE_URL"]),
        ("page", ["PAGE_SAVE_AS", "PAGE_URL"]),
    ];
    let patterns = patterns.into_iter().filter_map(|(kind, keys)| {
        let pattern = keys.iter().find_map(|key| literal(key))?;
        Some(PatternRule {
            kind: kind.to_owned(),
            pattern,
            ..PatternRule::default()
        })
    });
    let mut settings = ProjectSettings {
        urls: UrlRules {
            patterns: patterns.collect(),
            style: literal("SLUGIFY_SOURCE").unwrap_or_default(),
            ..UrlRules::default()
        },
        language: literal("DEFAULT_LANG"),
        time_zone: literal("TIMEZONE"),
        served_folders: vec![content.clone(), below("extra")],
        roots: vec![content.clone()],
        rules,
        defaults: metadata::defaults(&scripts, &below),
        ..ProjectSettings::default()
    };
    settings.dialect = Some(dialect(&scripts));
    settings.site = variables(&scripts);
    for (file, script) in ["publishconf.py", "pelicanconf.py"].iter().zip(&scripts) {
        settings.problems.extend(unsupported(file, script));
    }
    settings.set_url(&literal("SITEURL").unwrap_or_default());
    settings
}

/// Returns the folder of documents of a project without `PATH`. This is `content`, which is the usual argument of Pelican's
/// command, unless the folder does not exist or the folders of articles and pages already begin with it.
fn folder_of_documents(root: &Path, scripts: &[String]) -> &'static str {
    let mut folders = ["ARTICLE_PATHS", "PAGE_PATHS"]
        .into_iter()
        .flat_map(|key| scripts.iter().find_map(|script| list(script, key)))
        .flatten();
    let is_named = folders.any(|folder| {
        let folder = clean(&folder);
        folder == "content" || folder.starts_with("content/")
    });
    let is_top = is_named || !root.join("content").is_dir();
    if is_top { "" } else { "content" }
}

/// Returns the roles of documents from the folders in the settings. `below` converts a path in the folder of documents to a
/// path in the project.
fn rules(scripts: &[String], below: &dyn Fn(&str) -> String) -> Vec<(String, Role)> {
    let lists = |key: &str| scripts.iter().find_map(|script| list(script, key));
    let in_folder = |folder: &str| match below(folder) {
        file if is_document(&file) => file,
        top if top.is_empty() => format!("**/*.{DOCUMENTS}"),
        folder => format!("{folder}/**/*.{DOCUMENTS}"),
    };
    let mut rules = Vec::new();
    for name in lists("IGNORE_FILES").unwrap_or_default() {
        let name = name.trim_start_matches("**/");
        let ends = ["", "/**"];
        rules.extend(ends.map(|end| (below(&format!("**/{name}{end}")), Role::LeftOut(IGNORED))));
    }
    let folders = Folders::of(scripts);
    let roles = folders.roles().into_iter();
    rules.extend(roles.map(|(folder, role)| (in_folder(folder), role)));
    rules
}

/// Returns whether a path in the settings has the extension of a document.
fn is_document(path: &str) -> bool {
    let extensions = DOCUMENTS.trim_matches(['{', '}']);
    let extension = path.rsplit_once('.').map(|(_, extension)| extension);
    extension.is_some_and(|extension| extensions.split(',').any(|known| known == extension))
}

/// Returns the text of the setting `MARKDOWN`; empty without one.
fn markdown(scripts: &[String]) -> &str {
    let text = scripts.iter().find_map(|script| {
        let start = value(script, "MARKDOWN")?.as_ptr() as usize - script.as_ptr() as usize;
        let rest = &script[start..];
        // The value is usually a table over several lines, which ends with
        // a brace at the beginning of a line.
        Some(&rest[..rest.find("\n}").unwrap_or(rest.len())])
    });
    text.unwrap_or_default()
}

/// Returns the site variables for settings that change the syntax of documents, slugs or dates.
fn variables(scripts: &[String]) -> Map<String, Json> {
    static TAB: LazyLock<Regex> =
        LazyLock::new(|| regex(r#"["']tab_length["'][ \t]*:[ \t]*[123](?-u:\b)"#));
    static TOC: LazyLock<Regex> = LazyLock::new(|| regex(r#"["'.]toc[("']"#));
    let markdown = markdown(scripts);
    let has = |key: &str, name: &str| {
        let lists = scripts.iter().filter_map(|script| list(script, key));
        let mut names = lists.flatten();
        names.any(|known| known.rsplit('.').next() == Some(name))
    };
    let is_set = [
        (ADMONITIONS, markdown.contains("admonition")),
        (SEPARATE_LISTS, markdown.contains("sane_lists")),
        (ATTRIBUTE_LISTS, has_attribute_lists(scripts)),
        (SHORT_TABS, TAB.is_match(markdown)),
        (
            CONTENTS,
            TOC.is_match(markdown) || has("MD_EXTENSIONS", "toc"),
        ),
        (EXTRACTED_CONTENTS, uses_plugin(scripts, "extract_toc")),
        (MATH, dialect(scripts).math != Math::NONE),
        (LIQUID_TAGS, has_liquid_tags(scripts)),
        (
            DEFAULT_DATE,
            scripts.iter().any(|script| {
                let is_set = |date: &str| !date.starts_with("None");
                // Plugins such as `filetime_from_git` take dates from commits.
                value(script, "DEFAULT_DATE").is_some_and(is_set) || script.contains("filetime")
            }),
        ),
    ];
    let variables = is_set.into_iter().filter(|(_, is_set)| *is_set);
    variables
        .map(|(name, _)| (name.to_owned(), true.into()))
        .chain(slugs::variables(scripts))
        .chain(code_folder(scripts))
        .collect()
}

/// Returns whether a plugin expands Liquid tags: `liquid_tags`, or one of the site's own plugins with a similar name.
fn has_liquid_tags(scripts: &[String]) -> bool {
    let mut plugins = scripts
        .iter()
        .filter_map(|script| list_text(script, "PLUGINS"));
    plugins.any(|plugins| plugins.contains("liquid"))
}

/// Returns the variable with the folder of code that documents include.
fn code_folder(scripts: &[String]) -> Option<(String, Json)> {
    let mut folders = scripts
        .iter()
        .filter_map(|script| text(script, CODE_FOLDER));
    let folder = folders.next()?;
    Some((CODE_FOLDER.to_owned(), clean(&folder).into()))
}

/// Returns whether a project uses a plugin. It may be listed as a module in a package.
fn uses_plugin(scripts: &[String], name: &str) -> bool {
    let lists = scripts.iter().filter_map(|script| list(script, "PLUGINS"));
    let mut names = lists.flatten();
    names.any(|known| known.rsplit('.').next() == Some(name))
}

/// Returns whether Markdown has attribute lists. These are part of the extension `extra`, which is one of the defaults.
fn has_attribute_lists(scripts: &[String]) -> bool {
    let markdown = markdown(scripts);
    let is_of_extension = |text: &str| text.contains("extra") || text.contains("attr_list");
    if !markdown.is_empty() {
        return is_of_extension(markdown);
    }
    // Pelican before 3.7 has this setting instead.
    let mut old = scripts
        .iter()
        .filter_map(|script| list(script, "MD_EXTENSIONS"));
    old.next()
        .is_none_or(|names| names.iter().any(|name| is_of_extension(name)))
}

/// Returns the dialect that the settings `TYPOGRIFY`, `MARKDOWN` and `PLUGINS` select. Extensions are found by name.
fn dialect(scripts: &[String]) -> Dialect {
    let mut dialect = super::PROFILE.dialect;
    let is_set = |name: &str| {
        scripts
            .iter()
            .any(|script| value(script, name) == Some("True"))
    };
    let markdown = markdown(scripts);
    let has = |name: &str| markdown.contains(name);
    if is_set("TYPOGRIFY") || has("extensions.smarty") {
        dialect.typography = Typography::SMART;
    }
    dialect.line_breaks = has("extensions.nl2br");
    if has("arithmatex") || has("mdx_math") {
        dialect.math = Math::ARITHMATEX;
    } else if uses_plugin(scripts, "render_math") {
        dialect.math = Math::DOLLARS;
    }
    dialect
}

/// Returns a warning for each unsupported variable of the script `file` that changes documents.
fn unsupported(file: &str, script: &str) -> Vec<Diagnostic> {
    let Ok(source) = Source::decode(file, script.as_bytes()) else {
        return Vec::new();
    };
    let found = ROWS.iter().filter_map(|row| {
        let written = value(source.text(), row.key)?;
        if matches!(written.trim(), "[]" | "{}" | "()" | "None" | "''" | "\"\"") {
            return None;
        }
        // The text is a slice of the source, so its address gives its offset.
        let start = written.as_ptr() as usize - source.text().as_ptr() as usize;
        let is_date = row.key == "DEFAULT_DATE" && written.starts_with('(');
        let is_unusable = PATTERNS.contains(&row.key)
            && text(source.text(), row.key).is_none_or(|pattern| !metadata::is_usable(&pattern));
        let span = Span::new(start, start + written.len());
        if folders::KEYS.contains(&row.key) && literal_list(source.text(), row.key).is_none() {
            return Some(reference::computed(&source, span, row.key));
        }
        let has_unusable_slugs = row.key == slugs::SUBSTITUTIONS
            && literal_pairs(source.text(), row.key).is_none_or(|pairs| !slugs::are_usable(&pairs));
        let instead = match row.behaviour(written.trim_matches(['"', '\''])) {
            _ if is_date => None,
            None if is_unusable => Some(DATES),
            None if has_unusable_slugs => Some(SLUGS),
            instead => instead,
        }?;
        Some(reference::warning(&source, span, row.key, instead))
    });
    found.collect()
}
