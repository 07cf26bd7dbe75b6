//! The parameters that select the served parts of records: `include`, `fields`, `formats`.

use super::QueryParameters;
use crate::{
    catalog::fields::{Exposure, Field, FieldSource, Schema, ViewField},
    error::{Error, Kind, Result},
};

/// A format of a post's body.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Format {
    /// HTML.
    Html,
    /// Plain text.
    Plaintext,
    /// The editor's document, which the Content API does not serve.
    Lexical,
    /// The document of Ghost's earlier editor, which the Content API does not serve either.
    Mobiledoc,
}

impl Format {
    /// Returns the format with this name, case-insensitively.
    fn from_name(name: &str) -> Option<Self> {
        match name.to_lowercase().as_str() {
            "html" => Some(Self::Html),
            "plaintext" => Some(Self::Plaintext),
            "lexical" => Some(Self::Lexical),
            "mobiledoc" => Some(Self::Mobiledoc),
            _ => None,
        }
    }
}

/// The parts of records that are served by default.
#[derive(Debug)]
pub struct Defaults {
    /// The relations to include.
    pub include: &'static [&'static str],
    /// The formats of the body.
    pub formats: &'static [Format],
}

impl Defaults {
    /// No defaults, for records without a body and relations.
    pub const NONE: Self = Self {
        include: &[],
        formats: &[],
    };
}

/// The rows of one resource that are served.
pub type Rows<R> = Vec<&'static Field<R>>;

/// The parts of records that a request selects with `include`, `fields` and `formats`.
#[derive(Debug, Default, PartialEq)]
pub struct Selection {
    include: Vec<String>,
    fields: Option<Vec<String>>,
    formats: Option<Vec<Format>>,
}

impl Selection {
    /// Parses `include` and `fields`, for records without a body.
    pub fn parse(query: &QueryParameters) -> Self {
        Self {
            include: words(query.joined("include")),
            // An empty `fields=` counts as missing; otherwise the response would have no fields.
            fields: Some(words(query.joined("fields"))).filter(|fields| !fields.is_empty()),
            formats: None,
        }
    }

    /// Parses `include`, `fields` and `formats`.
    ///
    /// # Errors
    ///
    /// `Validation` for an unknown format.
    pub fn with_formats(query: &QueryParameters) -> Result<Self> {
        let list = query.joined("formats");
        Ok(Self {
            formats: list.as_deref().map(formats).transpose()?.flatten(),
            ..Self::parse(query)
        })
    }

    /// Parses `include`, `fields` and `formats` for the Admin API: unknown values are ignored, and
    /// `fields` disables the defaults (Ghost 6.65, recorded).
    pub fn for_staff(query: &QueryParameters, defaults: &Defaults) -> Self {
        let (fields, defaults) = fields_and_defaults(query, defaults);
        Self {
            fields,
            ..Self::for_change(query, defaults)
        }
    }

    /// Parses the selection for a changed record, which is served with all fields, regardless of
    /// `fields` (Ghost 6.65, recorded).
    pub fn for_change(query: &QueryParameters, defaults: &Defaults) -> Self {
        let named = |name| query.joined(name).filter(|list| !list.is_empty());
        let include = match named("include") {
            Some(list) => words(Some(list)),
            None => defaults.include.iter().map(ToString::to_string).collect(),
        };
        let formats = match named("formats") {
            Some(list) => list
                .split(',')
                .filter_map(|name| Format::from_name(name.trim()))
                .collect(),
            None => defaults.formats.to_vec(),
        };
        Self {
            include,
            fields: None,
            formats: Some(formats),
        }
    }

    /// Parses `include` and `fields` for resources where included relations are added to the
    /// defaults instead of replacing them. `fields` disables the defaults (Ghost 6.65, observed for
    /// members).
    pub fn for_staff_with_defaults(query: &QueryParameters, defaults: &Defaults) -> Self {
        let (fields, defaults) = fields_and_defaults(query, defaults);
        Self {
            fields,
            ..Self::with_defaults(query, defaults)
        }
    }

    /// Like [`for_staff_with_defaults`](Self::for_staff_with_defaults), for a single record, which is served with
    /// all fields, regardless of `fields`.
    pub fn with_defaults(query: &QueryParameters, defaults: &Defaults) -> Self {
        let mut selection = Self::of_defaults(defaults);
        selection.include.extend(words(query.joined("include")));
        selection
    }

    /// Returns the selection of the defaults.
    pub fn of_defaults(defaults: &Defaults) -> Self {
        Self::for_change(&QueryParameters::default(), defaults)
    }

    /// Returns a selection of these relations, with their URLs, and no defaults.
    pub fn of_relations<'a>(names: impl Iterator<Item = &'a str>) -> Self {
        Self {
            include: names.map(str::to_owned).collect(),
            fields: Some(vec!["url".to_owned()]),
            formats: None,
        }
    }

    /// Returns whether `include` contains `name`.
    pub fn includes(&self, name: &str) -> bool {
        self.include.iter().any(|included| included == name)
    }

    /// Returns whether `fields` contains `name`.
    pub fn names(&self, name: &str) -> bool {
        self.fields
            .as_ref()
            .is_some_and(|fields| fields.iter().any(|field| field == name))
    }

    /// Returns whether the response is restricted to certain fields.
    pub fn is_restricted(&self) -> bool {
        self.fields.is_some()
    }

    /// Returns the rows to serve. `keys` are the fields by which a single record was looked up,
    /// which are served in addition to those in `fields`.
    pub fn rows<R>(&self, schema: &'static Schema<R>, keys: &[&str]) -> Rows<R> {
        schema
            .rows()
            .filter(|field| self.serves(schema, field, keys))
            .collect()
    }

    fn serves<R>(&self, schema: &Schema<R>, field: &Field<R>, keys: &[&str]) -> bool {
        let by_format = match field.source {
            FieldSource::View(ViewField::Html) => Some(Format::Html),
            FieldSource::View(ViewField::Plaintext) => Some(Format::Plaintext),
            FieldSource::View(ViewField::Lexical) => Some(Format::Lexical),
            FieldSource::View(ViewField::Mobiledoc) => Some(Format::Mobiledoc),
            _ => None,
        };
        match schema.exposure(field) {
            Exposure::QueryOnly | Exposure::Private => false,
            // A requested format is served even if `fields` does not name it, so it is checked
            // before `fields`.
            _ if by_format.is_some_and(|format| self.has_format(format)) => true,
            _ if self.is_restricted() => self.names(field.name) || keys.contains(&field.name),
            Exposure::OnRequest => by_format.is_none() && self.includes(field.name),
            Exposure::Public => by_format.is_none(),
        }
    }

    /// Returns the rows of a related record. The URL is served only if `fields` is absent or
    /// contains it (Ghost 6.65, recorded).
    pub fn related_rows<R>(&self, schema: &'static Schema<R>) -> Rows<R> {
        let with_url = !self.is_restricted() || self.names("url");
        schema
            .rows()
            .filter(|field| {
                schema.exposure(field) == Exposure::Public && (with_url || field.name != "url")
            })
            .collect()
    }

    /// Returns whether the body is served in this format: as requested, or as HTML by default.
    pub fn has_format(&self, format: Format) -> bool {
        match &self.formats {
            Some(formats) => formats.contains(&format),
            // `fields` also replaces the default format (Ghost 6.65, recorded).
            None => format == Format::Html && self.fields.is_none(),
        }
    }
}

/// Returns the fields that a request names, if any, and the defaults that apply. With named fields,
/// no defaults apply.
fn fields_and_defaults<'d>(
    query: &QueryParameters,
    defaults: &'d Defaults,
) -> (Option<Vec<String>>, &'d Defaults) {
    let fields = words(query.joined("fields"));
    if fields.is_empty() {
        (None, defaults)
    } else {
        (Some(fields), &Defaults::NONE)
    }
}

/// Splits a list into words, which are trimmed and converted to lower case. Empty words are
/// dropped.
fn words(list: Option<String>) -> Vec<String> {
    list.iter()
        .flat_map(|list| list.split(','))
        .map(|word| word.trim().to_lowercase())
        .filter(|word| !word.is_empty())
        .collect()
}

fn formats(list: &str) -> Result<Option<Vec<Format>>> {
    if list.is_empty() {
        return Ok(None);
    }
    list.split(',')
        .map(|word| {
            Format::from_name(word).ok_or_else(|| {
                Error::new(
                    Kind::Validation,
                    format!(
                        "\"{word}\" is not a valid format: use html, plaintext, mobiledoc, lexical."
                    ),
                )
            })
        })
        .collect::<Result<_>>()
        .map(Some)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn lists_accept_brackets_blanks_and_repetition() {
        let query = QueryParameters::parse(
            "include[]=authors&include[]=Tags&fields=id,+updated_at&fields=Slug",
        )
        .unwrap();
        let selection = Selection::parse(&query);
        assert!(selection.includes("authors") && selection.includes("tags"));
        assert!(selection.names("id") && selection.names("updated_at") && selection.names("slug"));
    }

    #[test]
    fn without_formats_html_is_served_unless_fields_are_named() {
        let parse = |raw| Selection::with_formats(&QueryParameters::parse(raw).unwrap()).unwrap();
        assert!(parse("").has_format(Format::Html));
        assert!(!parse("fields=slug").has_format(Format::Html));
        assert!(parse("fields=slug&formats=plaintext").has_format(Format::Plaintext));
        assert!(!parse("formats=LEXICAL").has_format(Format::Html));
        assert!(
            Selection::with_formats(&QueryParameters::parse("formats=html,%20plaintext").unwrap())
                .is_err()
        );
    }
}
