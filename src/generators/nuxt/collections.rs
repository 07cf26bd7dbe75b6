//! Reads the collections of Nuxt Content 3: literals in `content.config.*`. The sources of the collections select documents
//! and their URLs.

use std::path::Path;

use serde_json::Value as Json;

use crate::{
    content_text::{Diagnostic, Source, Span},
    generators::{
        permalink::PatternRule,
        profile::Role,
        settings::{
            ProjectSettings,
            reference::computed,
            scripts::{literal, member, values_of},
            scripts_in,
        },
        syntax::mdx::js,
    },
};

/// Reads the sources of the collections of the project `root`. Computed sources are reported. If there are any, the
/// documents of the collections are not known, and all documents are published.
pub(super) fn read(root: &Path, settings: &mut ProjectSettings) {
    let mut is_known = true;
    for (file, script) in scripts_in(root, &["content.config"]) {
        let Ok(source) = Source::decode(&file, script.as_bytes()) else {
            continue;
        };
        for text in values_of(source.text(), "source") {
            for part in parts(text) {
                if let Err(computed) = add(part, &source, settings) {
                    settings.problems.push(computed);
                    is_known = false;
                }
            }
        }
    }
    if !is_known {
        settings.collected.clear();
    }
}

/// Returns the sources in a list, or a single source.
fn parts(text: &str) -> Vec<&str> {
    let list = text
        .strip_prefix('[')
        .and_then(|text| text.strip_suffix(']'));
    let Some(mut rest) = list else {
        return vec![text];
    };
    let mut parts = Vec::new();
    while !rest.trim().is_empty() {
        let length = js::expression_length(rest);
        parts.push(rest[..length].trim());
        rest = rest.get(length + 1..).unwrap_or_default();
    }
    parts.retain(|part| !part.is_empty());
    parts
}

/// Adds the source `text`: a pattern, or an object with `include`, `prefix` and `exclude`.
fn add(text: &str, source: &Source, settings: &mut ProjectSettings) -> Result<(), Diagnostic> {
    let at = |text: &str, key: &str| {
        // The text is a slice of the source, so its address gives its offset.
        let start = text.as_ptr() as usize - source.text().as_ptr() as usize;
        computed(source, Span::new(start, start + text.len()), key)
    };
    if !text.starts_with('{') {
        let Some(Json::String(include)) = literal(text) else {
            return Err(at(text, "source"));
        };
        settings.collected.push(format!("content/{include}"));
        return Ok(());
    }
    let value = |key: &str| {
        let Some(text) = member(text, key) else {
            return Ok(None);
        };
        let value = literal(text).ok_or_else(|| at(text, &format!("source.{key}")))?;
        Ok(Some(value))
    };
    // Documents in another folder or repository are not part of the project.
    if member(text, "repository").is_some() || member(text, "cwd").is_some() {
        return Ok(());
    }
    let Some(Json::String(include)) = value("include")? else {
        return Err(at(text, "source.include"));
    };
    if let Some(Json::Array(excluded)) = value("exclude")? {
        let patterns = excluded.iter().filter_map(Json::as_str);
        let rules = patterns.map(|pattern| (format!("content/{pattern}"), Role::Other));
        settings.rules.extend(rules);
    }
    if let Some(Json::String(prefix)) = value("prefix")? {
        settings.urls.patterns.push(PatternRule {
            folder: constant_folder(&include),
            pattern: prefix,
            ..PatternRule::default()
        });
    }
    settings.collected.push(format!("content/{include}"));
    Ok(())
}

/// Returns the folder that a pattern begins with, up to the first part with a wildcard.
fn constant_folder(pattern: &str) -> String {
    let parts = pattern.split('/');
    let names = parts.take_while(|part| !part.contains(['*', '{', '?', '.']));
    let folders: Vec<&str> = std::iter::once("content").chain(names).collect();
    folders.join("/")
}
