//! Reads values that the configuration of Eleventy sets for all documents: `addGlobalData("permalink", …)`.

use std::sync::LazyLock;

use serde_json::Map;

use crate::{
    content_text::{Diagnostic, Source, Span},
    generators::{
        permalink::PatternRule,
        settings::{
            Regex, default_values::DefaultValues, literals::regex, reference::computed, scripts,
        },
        syntax::mdx::js,
    },
};

/// The document keys that are read.
const KEYS: [&str; 6] = ["date", "draft", "lang", "permalink", "tags", "title"];

/// The values for all documents in a script.
#[derive(Default)]
pub(super) struct GlobalData {
    pub(super) values: DefaultValues,
    pub(super) permalink: Option<PatternRule>,
    /// The diagnostics of computed values, which are not used.
    pub(super) problems: Vec<Diagnostic>,
}

/// Returns the values that the script `file` sets for all documents.
pub(super) fn read(file: &str, script: &str) -> GlobalData {
    static CALL: LazyLock<Regex> = LazyLock::new(|| {
        regex(r#"addGlobalData\([ \t\r\n]*["'`]([A-Za-z.]+)["'`][ \t\r\n]*,[ \t\r\n]*"#)
    });
    let mut data = GlobalData::default();
    let Ok(source) = Source::decode(file, script.as_bytes()) else {
        return data;
    };
    let mut values = Map::new();
    for call in CALL.captures_iter(source.text()) {
        let (Some(whole), key) = (call.get(0), &call[1]) else {
            continue;
        };
        let is_computed_data = key == "eleventyComputed" || key.starts_with("eleventyComputed.");
        if !is_computed_data && !KEYS.contains(&key) {
            continue;
        }
        let rest = &source.text()[whole.end()..];
        let value = rest[..js::expression_length(rest)].trim();
        // Computed data depend on other data, so a literal in them is a template at best.
        match scripts::literal(value).filter(|_| !is_computed_data) {
            Some(value) if key == "permalink" => {
                data.permalink = value.as_str().map(|pattern| PatternRule {
                    pattern: pattern.to_owned(),
                    ..PatternRule::default()
                });
            }
            Some(value) => _ = values.insert(key.to_owned(), value),
            None => {
                let span = Span::new(whole.start(), whole.end());
                data.problems.push(computed(&source, span, key));
            }
        }
    }
    data.values.values = values;
    data
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn literals_are_values_of_all_documents_and_others_are_reported() {
        let script = "export default (c) => {\n  c.addGlobalData('lang', 'en');\n  c.addGlobalData('layout', () => 'a');\n  c.addGlobalData('permalink', () => {\n    return 1;\n  });\n  c.addGlobalData(\"eleventyComputed.title\", () => (data) => data.x);\n}";
        let data = read("eleventy.config.js", script);
        assert_eq!(data.values.values["lang"], "en");
        assert!(data.permalink.is_none());
        let found: Vec<&str> = data
            .problems
            .iter()
            .map(|problem| problem.message.as_str())
            .collect();
        assert_eq!(
            found,
            [
                "the value of `permalink` is computed by a script, which is not run",
                "the value of `eleventyComputed.title` is computed by a script, which is not run",
            ]
        );
        let script = "c.addGlobalData('permalink', '/{{ page.fileSlug }}/')";
        let data = read("eleventy.config.js", script);
        assert_eq!(data.permalink.unwrap().pattern, "/{{ page.fileSlug }}/");
    }
}
