//! The keys of front matter that date documents, for projects that configure them: `[frontmatter]` of Hugo.

use crate::content_text::{
    Span, Spanned,
    document::{Kind, Table, Value},
};

/// A date of documents, and its sources.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct DateRule {
    /// The key that contains the date when front matter is read.
    pub key: &'static str,
    /// The other keys that would be read as this date.
    pub synonyms: &'static [&'static str],
    /// The sources of the date. The first one in a document applies.
    pub sources: Vec<DateSource>,
}

/// A source of a date.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum DateSource {
    /// A key of front matter, ignoring case.
    Key(String),
    /// The beginning of the file's name, or of the folder's name for an `index` file: `2024-05-01-fog.md`. The rest of the
    /// name is the slug of a document without one.
    Name,
}

/// Sets the dates that the rules select in the front matter `table` of the document at `path`. Dates that are not from front
/// matter have the position `opening`.
pub(super) fn choose(rules: &[DateRule], table: &mut Table, path: &str, opening: Span) {
    // All dates are chosen before keys are removed, because one key
    // may be a source of several dates.
    let chosen: Vec<_> = rules
        .iter()
        .map(|rule| rule.date_in(table, path, opening))
        .collect();
    for rule in rules {
        table
            .entries
            .retain(|(key, value)| !rule.is_about(key, value));
    }
    for (rule, (date, slug)) in rules.iter().zip(chosen) {
        let entry = |key: &str, value: Value| (Spanned::new(key.to_owned(), value.span), value);
        table.entries.extend(date.map(|date| entry(rule.key, date)));
        let has_slug = table.entries.iter().any(|(key, _)| key.value == "slug");
        table
            .entries
            .extend(slug.filter(|_| !has_slug).map(|slug| entry("slug", slug)));
    }
}

/// Returns the keys that are sources of dates in the rules.
pub(super) fn keys(rules: &[DateRule]) -> impl Iterator<Item = &str> {
    let sources = rules.iter().flat_map(|rule| &rule.sources);
    sources.filter_map(|source| match source {
        DateSource::Key(key) => Some(key.as_str()),
        DateSource::Name => None,
    })
}

impl DateRule {
    /// Returns whether an entry of front matter would be read as this date.
    fn is_about(&self, key: &Spanned<String>, value: &Value) -> bool {
        // `published: true` is a status and not a date.
        let mut names = self.synonyms.iter().chain([&self.key]);
        !matches!(value.value, Kind::Boolean(_))
            && names.any(|name| name.eq_ignore_ascii_case(&key.value))
    }

    /// Returns the date of a document, and the slug in its name if the date is from the name.
    fn date_in(&self, table: &Table, path: &str, opening: Span) -> (Option<Value>, Option<Value>) {
        let text = |text: &str| Spanned::new(Kind::Text(text.to_owned()), opening);
        for source in &self.sources {
            match source {
                DateSource::Key(name) => {
                    let mut entries = table.entries.iter();
                    let value = entries.find(|(key, value)| {
                        key.value.eq_ignore_ascii_case(name) && is_date(&value.value)
                    });
                    if let Some((_, date)) = value {
                        return (Some(date.clone()), None);
                    }
                }
                DateSource::Name => {
                    if let Some((date, rest)) = date_of_name(path) {
                        let slug = (!rest.is_empty()).then(|| text(rest));
                        return (Some(text(date)), slug);
                    }
                }
            }
        }
        (None, None)
    }
}

/// Returns whether a value may be a date. Text that is not one is reported when the date is read.
fn is_date(value: &Kind) -> bool {
    match value {
        Kind::Date(_) => true,
        Kind::Text(text) => !text.trim().is_empty(),
        _ => false,
    }
}

/// Returns the date at the beginning of a file's name, and the rest of it.
fn date_of_name(path: &str) -> Option<(&str, &str)> {
    let (folders, file) = path.rsplit_once('/').unwrap_or(("", path));
    let stem = file.rsplit_once('.').map_or(file, |(stem, _)| stem);
    let name = match stem {
        // A bundle has its date in the name of its folder.
        "index" => folders.rsplit('/').next()?,
        stem => stem,
    };
    let (date, rest) = name.split_at_checked("2024-05-01".len())?;
    date.parse::<jiff::civil::Date>().ok()?;
    Some((date, rest.trim_matches([' ', '-', '_'])))
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::content_text::document::json_of;

    #[test]
    fn first_source_that_a_document_has_dates_it() {
        let rules = [DateRule {
            key: "date",
            synonyms: &["publishDate"],
            sources: vec![
                DateSource::Key("written".to_owned()),
                DateSource::Name,
                DateSource::Key("date".to_owned()),
            ],
        }];
        for (path, front_matter, expected) in [
            (
                "posts/a.md",
                "date: 2020-01-01\n",
                r#"{"date":"2020-01-01"}"#,
            ),
            (
                "posts/a.md",
                "date: 2020-01-01\nWritten: 2021-01-01\npublishDate: 2022-01-01\n",
                r#"{"Written":"2021-01-01","date":"2021-01-01"}"#,
            ),
            (
                "posts/2024-05-01-fog.md",
                "date: 2020-01-01\n",
                r#"{"date":"2024-05-01","slug":"fog"}"#,
            ),
            (
                "posts/2024-05-01-fog/index.md",
                "slug: mist\n",
                r#"{"date":"2024-05-01","slug":"mist"}"#,
            ),
            ("posts/a.md", "publishDate: 2022-01-01\n", "{}"),
        ] {
            let language = crate::content_text::document::Language::Yaml;
            let mut table =
                crate::content_text::document::parse(language, front_matter, 0).unwrap();
            choose(&rules, &mut table, path, Span::default());
            let expected: serde_json::Value = serde_json::from_str(expected).unwrap();
            assert_eq!(
                serde_json::Value::Object(json_of(&table)),
                expected,
                "{path} {front_matter}"
            );
        }
    }
}
