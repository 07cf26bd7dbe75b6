//! Settings of Pelican: `pelicanconf.py`, of which literal values are read, and `publishconf.py`, which takes precedence.

use std::path::Path;

use crate::{
    content_text::{Diagnostic, Source, Span},
    generators::{
        pelican::reference::ROWS,
        permalink::{AddressRules, PatternRule},
        profile::{Role, TextKind},
        settings::{
            Settings,
            default_values::DefaultValues,
            literals::{clean, regex, text_of},
            reference,
        },
    },
    render::markdown::{Dialect, Typography},
};

/// Reads the settings of the project `root`.
pub(super) fn read(root: &Path) -> Settings {
    let scripts = [
        text_of(root, "publishconf.py"),
        text_of(root, "pelicanconf.py"),
    ];
    let literal = |key: &str| scripts.iter().find_map(|script| text(script, key));
    let content = literal("PATH").map_or_else(|| "content".to_owned(), |path| clean(&path));
    let below = |path: &str| match (content.as_str(), clean(path).as_str()) {
        ("", path) => path.to_owned(),
        (content, "") => content.to_owned(),
        (content, path) => format!("{content}/{path}"),
    };
    let lists = |key: &str| scripts.iter().find_map(|script| list(script, key));
    let pages = lists("PAGE_PATHS").unwrap_or_else(|| vec!["pages".to_owned()]);
    let articles = lists("ARTICLE_PATHS").unwrap_or_default();
    let mut rules = Vec::new();
    for (folders, kind) in [(pages, TextKind::Page), (articles, TextKind::Post)] {
        for folder in folders.iter().filter(|folder| !clean(folder).is_empty()) {
            rules.push((
                format!("{}/**/*.{{md,markdown,rst}}", below(folder)),
                Role::Text(kind),
            ));
        }
    }
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
    let mut settings = Settings {
        addresses: AddressRules {
            patterns: patterns.collect(),
            style: literal("SLUGIFY_SOURCE").unwrap_or_default(),
            ..AddressRules::default()
        },
        language: literal("DEFAULT_LANG"),
        time_zone: literal("TIMEZONE"),
        tops: vec![content.clone(), below("extra")],
        roots: vec![content.clone()],
        rules,
        // The values of all documents are completed by rules of Pelican.
        defaults: vec![DefaultValues::default()],
        ..Settings::default()
    };
    settings.dialect = Some(dialect(&scripts));
    for (file, script) in ["publishconf.py", "pelicanconf.py"].iter().zip(&scripts) {
        settings.problems.extend(unsupported(file, script));
    }
    settings.set_url(&literal("SITEURL").unwrap_or_default());
    settings
}

/// Returns the dialect of the settings `TYPOGRIFY` and `MARKDOWN`, whose extensions are found by their names.
fn dialect(scripts: &[String]) -> Dialect {
    let mut dialect = Dialect::PYTHON_MARKDOWN;
    let is_set = |name: &str| {
        scripts
            .iter()
            .any(|script| value(script, name) == Some("True"))
    };
    let markdown = scripts.iter().find_map(|script| {
        let start = value(script, "MARKDOWN")?.as_ptr() as usize - script.as_ptr() as usize;
        let rest = &script[start..];
        Some(&rest[..rest.find("\n}").unwrap_or(rest.len())])
    });
    let has = |name: &str| markdown.is_some_and(|markdown| markdown.contains(name));
    if is_set("TYPOGRIFY") || has("extensions.smarty") {
        dialect.typography = Typography::SMART;
    }
    dialect.line_breaks = has("extensions.nl2br");
    dialect
}

/// Returns a warning for each variable of the script `file` that changes documents and is not supported.
fn unsupported(file: &str, script: &str) -> Vec<Diagnostic> {
    let Ok(source) = Source::decode(file, script.as_bytes()) else {
        return Vec::new();
    };
    let found = ROWS.iter().filter_map(|row| {
        let written = value(source.text(), row.key)?;
        if matches!(written.trim(), "[]" | "{}" | "()" | "None" | "''" | "\"\"") {
            return None;
        }
        let start = written.as_ptr() as usize - source.text().as_ptr() as usize;
        let instead = row.behaviour(written.trim_matches(['"', '\'']))?;
        let span = Span::new(start, start + written.len());
        Some(reference::warning(&source, span, row.key, instead))
    });
    found.collect()
}

/// Returns the first line of the value of a variable.
fn value<'s>(script: &'s str, key: &str) -> Option<&'s str> {
    let pattern = format!(r"(?m)^{key}[ \t]*=[ \t]*([^\n#]*)");
    let captures = regex(&pattern).captures(script)?;
    Some(captures.get(1)?.as_str().trim())
}

/// Returns the literal text of a variable.
fn text(script: &str, key: &str) -> Option<String> {
    let pattern = format!(r#"(?m)^{key}[ \t]*=[ \t]*r?(?:"([^"\n]*)"|'([^'\n]*)')"#);
    let captures = regex(&pattern).captures(script)?;
    let value = captures.iter().skip(1).flatten().next()?;
    Some(value.as_str().to_owned()).filter(|value| !value.is_empty())
}

/// Returns the literal texts of a list.
fn list(script: &str, key: &str) -> Option<Vec<String>> {
    let pattern = format!(r"(?m)^{key}[ \t]*=[ \t]*[\[(]([^\])]*)[\])]");
    let captures = regex(&pattern).captures(script)?;
    let entries = regex(r#"["']([^"'\n]*)["']"#);
    let entries = entries.captures_iter(captures.get(1)?.as_str());
    Some(entries.map(|entry| entry[1].to_owned()).collect())
}
