//! The query of a request: names and values, and what lists and reads make of them (NOTES of Ghost 6.65, recorded).

use percent_encoding::percent_decode_str;

use crate::{
    catalog::{
        browse::{PAGE_RECORDS_DEFAULT, PAGE_RECORDS_MAX},
        fields::{Exposure, Field, Schema, Source, ViewField},
    },
    error::{Error, Kind, Result},
};

/// The parameters on which answers depend.
const COUNTING: &[&str] = &[
    "include",
    "fields",
    "formats",
    "filter",
    "order",
    "page",
    "limit",
    "visibility",
    "since",
];

/// The decoded query of a request.
#[derive(Clone, Debug, Default)]
pub struct Query(Vec<(String, String)>);

impl Query {
    /// Decodes `name=value&…`; a plus is a blank.
    ///
    /// # Errors
    ///
    /// `BadRequest` when a percent sequence is broken.
    pub fn parse(raw: &str) -> Result<Self> {
        raw.split('&')
            .filter(|pair| !pair.is_empty())
            .map(|pair| {
                let (name, value) = pair.split_once('=').unwrap_or((pair, ""));
                Ok((
                    decode(&name.replace('+', " "))?,
                    decode(&value.replace('+', " "))?,
                ))
            })
            .collect::<Result<_>>()
            .map(Self)
    }

    /// All values of `name`, also written as `name[]` and `name[0]`.
    pub fn all<'a>(&'a self, name: &'a str) -> impl Iterator<Item = &'a str> {
        self.0
            .iter()
            .filter(move |(own, _)| {
                own.strip_prefix(name)
                    .is_some_and(|rest| rest.is_empty() || is_index(rest))
            })
            .map(|(_, value)| value.as_str())
    }

    /// The first value of `name`.
    pub fn first(&self, name: &str) -> Option<&str> {
        let mut values = self.0.iter().filter(|(own, _)| own == name);
        values.next().map(|(_, value)| value.as_str())
    }

    /// Whether `name` is written with an index, as `name[]`.
    pub fn is_indexed(&self, name: &str) -> bool {
        self.0
            .iter()
            .any(|(own, _)| own.strip_prefix(name).is_some_and(is_index))
    }

    /// All values of `name` joined with commas; `None` when there is none.
    pub fn joined(&self, name: &str) -> Option<String> {
        let values: Vec<&str> = self.all(name).collect();
        (!values.is_empty()).then(|| values.join(","))
    }

    /// Whether the filter speaks of times relative to now.
    pub fn is_about_now(&self) -> bool {
        self.all("filter").any(|filter| filter.contains("now"))
    }

    /// The request for `path` with what counts of this query, in one way to write it: two requests with the same text
    /// have the same answer.
    pub fn normalised(&self, path: &str) -> String {
        let mut text = path.to_owned();
        for name in COUNTING {
            for value in self.all(name) {
                // The length says where a value ends, so no value can pass for another parameter.
                text.push_str(&format!("\n{name}:{}:{value}", value.len()));
            }
        }
        text
    }

    /// The single value of `name`; `None` when there is none.
    ///
    /// # Errors
    ///
    /// Of `kind`, when there are several.
    pub fn single<'a>(&'a self, name: &'a str, kind: Kind) -> Result<Option<&'a str>> {
        let mut values = self.all(name);
        match (values.next(), values.next()) {
            (value, None) => Ok(value),
            _ => Err(Error::new(
                kind,
                format!("The parameter \"{name}\" stands in the query more than once."),
            )),
        }
    }
}

fn is_index(rest: &str) -> bool {
    rest.strip_prefix('[')
        .and_then(|rest| rest.strip_suffix(']'))
        .is_some_and(|index| index.bytes().all(|byte| byte.is_ascii_digit()))
}

/// Decodes percent sequences.
///
/// # Errors
///
/// `BadRequest` when one is broken or what comes out is no text.
pub fn decode(text: &str) -> Result<String> {
    let malformed = || {
        Error::new(
            Kind::BadRequest,
            "The address holds a percent sequence that is no text.",
        )
        .context(text)
    };
    let bytes = text.as_bytes();
    let broken = bytes.iter().enumerate().any(|(place, byte)| {
        let digits = bytes.get(place + 1..place + 3);
        *byte == b'%' && !digits.is_some_and(|digits| digits.iter().all(u8::is_ascii_hexdigit))
    });
    if broken {
        return Err(malformed());
    }
    match percent_decode_str(text).decode_utf8() {
        Ok(text) => Ok(text.into_owned()),
        Err(_) => Err(malformed()),
    }
}

/// A form in which a body can be asked for.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Format {
    /// HTML.
    Html,
    /// Plain text.
    Plaintext,
    /// The editor's document: not served through the Content API.
    Lexical,
    /// The document of the editor before that one: likewise.
    Mobiledoc,
}

impl Format {
    /// The form called `name`, in any case of letters.
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

/// What is served of records when the request does not say.
#[derive(Debug)]
pub struct Defaults {
    /// What is included.
    pub include: &'static [&'static str],
    /// In which forms the body comes.
    pub formats: &'static [Format],
}

impl Defaults {
    /// For records without body and relations, or of which nothing comes unasked.
    pub const NONE: Self = Self {
        include: &[],
        formats: &[],
    };
}

/// The rows of one resource that were asked for.
pub type Rows<R> = Vec<&'static Field<R>>;

/// What is asked of the records that are served: `include`, `fields`, `formats`.
#[derive(Debug, Default, PartialEq)]
pub struct Selection {
    include: Vec<String>,
    fields: Option<Vec<String>>,
    formats: Option<Vec<Format>>,
}

impl Selection {
    /// Reads `include`, `fields` and `formats`.
    ///
    /// # Errors
    ///
    /// `Validation` for a format that there is not.
    pub fn parse(query: &Query) -> Result<Self> {
        Ok(Self {
            include: words(query.joined("include")),
            fields: Some(words(query.joined("fields"))).filter(|fields| !fields.is_empty()),
            formats: query
                .joined("formats")
                .as_deref()
                .map(formats)
                .transpose()?
                .flatten(),
        })
    }

    /// Reads `include`, `fields` and `formats` as the Admin API does: unknown ones are passed over, and `fields` takes away
    /// what comes unasked (Ghost 6.65, recorded).
    pub fn for_staff(query: &Query, defaults: &Defaults) -> Self {
        let (fields, defaults) = fields_and_unasked(query, defaults);
        Self {
            fields,
            ..Self::for_change(query, defaults)
        }
    }

    /// Reads what is to be served of a record that was changed: all its fields, whatever `fields` says (Ghost 6.65,
    /// recorded).
    pub fn for_change(query: &Query, defaults: &Defaults) -> Self {
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

    /// Reads `include` and `fields` where what is included comes beside what comes unasked, not in its place; `fields` takes
    /// away what comes unasked (Ghost 6.65, observed: members).
    pub fn for_staff_beside(query: &Query, defaults: &Defaults) -> Self {
        let (fields, defaults) = fields_and_unasked(query, defaults);
        Self {
            fields,
            ..Self::beside_defaults(query, defaults)
        }
    }

    /// The same for a single record, of which all fields are served, whatever `fields` says.
    pub fn beside_defaults(query: &Query, defaults: &Defaults) -> Self {
        let mut selection = Self::of_defaults(defaults);
        selection.include.extend(words(query.joined("include")));
        selection
    }

    /// What is served of a record unasked.
    pub fn of_defaults(defaults: &Defaults) -> Self {
        Self::for_change(&Query::default(), defaults)
    }

    /// These relations, with their addresses, and nothing else that comes unasked.
    pub fn of_relations<'a>(names: impl Iterator<Item = &'a str>) -> Self {
        Self {
            include: names.map(str::to_owned).collect(),
            fields: Some(vec!["url".to_owned()]),
            formats: None,
        }
    }

    /// Whether anything below `name` was asked for with `include`, such as `count.posts` below `count`.
    pub fn includes_below(&self, name: &str) -> bool {
        self.include.iter().any(|included| {
            included
                .strip_prefix(name)
                .is_some_and(|rest| rest.starts_with('.'))
        })
    }

    /// Whether `name` was asked for with `include`.
    pub fn includes(&self, name: &str) -> bool {
        self.include.iter().any(|included| included == name)
    }

    /// Whether `name` stands in `fields`.
    pub fn names(&self, name: &str) -> bool {
        self.fields
            .as_ref()
            .is_some_and(|fields| fields.iter().any(|field| field == name))
    }

    /// Whether the answer is restricted to certain fields.
    pub fn is_restricted(&self) -> bool {
        self.fields.is_some()
    }

    /// The rows that are served: those named by `fields`, and `keys`, by which a single record was looked up.
    pub fn rows<R>(&self, schema: &'static Schema<R>, keys: &[&str]) -> Rows<R> {
        schema
            .rows()
            .filter(|field| self.serves(schema, field, keys))
            .collect()
    }

    fn serves<R>(&self, schema: &Schema<R>, field: &Field<R>, keys: &[&str]) -> bool {
        let by_format = match field.source {
            Source::View(ViewField::Html) => Some(Format::Html),
            Source::View(ViewField::Plaintext) => Some(Format::Plaintext),
            Source::View(ViewField::Lexical) => Some(Format::Lexical),
            Source::View(ViewField::Mobiledoc) => Some(Format::Mobiledoc),
            _ => None,
        };
        match schema.exposure(field) {
            Exposure::QueryOnly | Exposure::Private => false,
            _ if by_format.is_some_and(|format| self.has_format(format)) => true,
            _ if self.is_restricted() => self.names(field.name) || keys.contains(&field.name),
            Exposure::OnRequest => by_format.is_none() && self.includes(field.name),
            Exposure::Public => by_format.is_none(),
        }
    }

    /// The rows of a record that is part of another one's answer: its address only when it is asked for where `fields`
    /// says what is (Ghost 6.65, recorded).
    pub fn related_rows<R>(&self, schema: &'static Schema<R>) -> Rows<R> {
        let with_url = !self.is_restricted() || self.names("url");
        schema
            .rows()
            .filter(|field| {
                schema.exposure(field) == Exposure::Public && (with_url || field.name != "url")
            })
            .collect()
    }

    /// Whether the body is served in this form: as asked for, or as HTML when nothing is said.
    pub fn has_format(&self, format: Format) -> bool {
        match &self.formats {
            Some(formats) => formats.contains(&format),
            None => format == Format::Html && self.fields.is_none(),
        }
    }
}

/// The fields that a request names, if it names any, and what then comes unasked: nothing beside named fields.
fn fields_and_unasked<'d>(
    query: &Query,
    defaults: &'d Defaults,
) -> (Option<Vec<String>>, &'d Defaults) {
    let fields = words(query.joined("fields"));
    match fields.is_empty() {
        true => (None, defaults),
        false => (Some(fields), &Defaults::NONE),
    }
}

/// The words of a list: trimmed, in lower case, without empty ones.
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
                        "\"{word}\" is not among the formats: html, plaintext, mobiledoc, lexical."
                    ),
                )
            })
        })
        .collect::<Result<_>>()
        .map(Some)
}

/// What is asked of a list beside what is asked of its records.
#[derive(Debug)]
pub struct Paging {
    /// The filter, if there is one.
    pub filter: Option<String>,
    /// The order, if one is asked for.
    pub order: Option<String>,
    /// Which page, from 1.
    pub page: usize,
    /// Records on a page, 1 to 100.
    pub limit: usize,
}

impl Paging {
    /// Reads `filter`, `order`, `page` and `limit` (specification 4.2 and 8; details as recorded from Ghost 6.65).
    ///
    /// # Errors
    ///
    /// `Validation` when one of the last three is malformed, `BadRequest` when there is more than one filter.
    pub fn parse(query: &Query) -> Result<Self> {
        let limit = query.single("limit", Kind::Validation)?;
        let page = query.single("page", Kind::Validation)?;
        Ok(Self {
            limit: limit.map_or(Ok(PAGE_RECORDS_DEFAULT), parse_limit)?,
            page: page.map_or(Ok(1), parse_page)?,
            order: query.joined("order").map(check_order).transpose()?,
            filter: query
                .single("filter", Kind::BadRequest)?
                .filter(|filter| !filter.trim().is_empty())
                .map(str::to_owned),
        })
    }
}

/// What begins with no number, or with one above the maximum, means the maximum; anything else must be digits.
fn parse_limit(text: &str) -> Result<usize> {
    let malformed = || {
        Error::new(
            Kind::Validation,
            format!("\"{text}\" is not a limit: it is a whole number or \"all\"."),
        )
    };
    if text.is_empty() {
        return Err(malformed());
    }
    let unsigned = text.trim_start().trim_start_matches(['-', '+']);
    let digits: String = unsigned.chars().take_while(char::is_ascii_digit).collect();
    if digits.is_empty() {
        return Ok(PAGE_RECORDS_MAX);
    }
    let is_negative = text.trim_start().starts_with('-');
    let number: usize = digits.parse().unwrap_or(usize::MAX);
    match number {
        _ if !is_negative && number > PAGE_RECORDS_MAX => Ok(PAGE_RECORDS_MAX),
        _ if digits.len() != text.len() => Err(malformed()),
        0 => Ok(PAGE_RECORDS_DEFAULT),
        _ => Ok(number),
    }
}

fn parse_page(text: &str) -> Result<usize> {
    if text.is_empty() || !text.bytes().all(|byte| byte.is_ascii_digit()) {
        return Err(Error::new(
            Kind::Validation,
            format!("\"{text}\" is not a page: it is a whole number from 1."),
        ));
    }
    Ok(text.parse().unwrap_or(usize::MAX).max(1))
}

fn check_order(order: String) -> Result<String> {
    let allowed = |character: char| {
        character.is_ascii_alphanumeric() || matches!(character, '_' | ',' | '.' | ' ')
    };
    if order.is_empty() || !order.chars().all(allowed) {
        return Err(Error::new(
            Kind::Validation,
            format!("\"{order}\" is not an order: it looks like \"published_at desc,title asc\"."),
        ));
    }
    Ok(order)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn limit(text: &str) -> Option<usize> {
        parse_limit(text).ok()
    }

    #[test]
    fn a_limit_is_read_as_the_reference_reads_it() {
        for (text, expected) in [
            ("5", Some(5)),
            ("100", Some(100)),
            ("101", Some(100)),
            ("all", Some(100)),
            ("ALL", Some(100)),
            ("abc", Some(100)),
            ("x-", Some(100)),
            ("500abc", Some(100)),
            ("99999999999999999999999", Some(100)),
            ("0", Some(15)),
            ("", None),
            ("-1", None),
            ("-500", None),
            ("5abc", None),
            ("2.7", None),
            ("1e1", None),
            (" 5", None),
            ("+5", None),
            ("0x10", None),
        ] {
            assert_eq!(limit(text), expected, "limit={text}");
        }
    }

    #[test]
    fn a_page_is_digits_and_starts_at_one() {
        assert_eq!(parse_page("0").ok(), Some(1));
        assert_eq!(parse_page("7").ok(), Some(7));
        assert_eq!(parse_page("99999999999999999999999").ok(), Some(usize::MAX));
        for text in ["", "-1", "x1", "1.5", " 1"] {
            assert!(parse_page(text).is_err(), "page={text}");
        }
    }

    #[test]
    fn lists_come_with_brackets_blanks_and_repetition() {
        let query = Query::parse(
            "include[]=authors&include[]=Tags&fields=id,+updated_at&fields=Slug&filter=",
        )
        .unwrap();
        let selection = Selection::parse(&query).unwrap();
        assert!(selection.includes("authors") && selection.includes("tags"));
        assert!(selection.names("id") && selection.names("updated_at") && selection.names("slug"));
        assert!(Paging::parse(&query).unwrap().filter.is_none());
    }

    #[test]
    fn a_broken_percent_sequence_is_refused() {
        for raw in ["filter=%E0%A4%A", "filter=%ZZ", "%=1", "filter=%E0%A4"] {
            assert_eq!(
                Query::parse(raw).unwrap_err().kind(),
                Kind::BadRequest,
                "{raw}"
            );
        }
    }

    #[test]
    fn without_formats_html_is_served_unless_fields_are_named() {
        let parse = |raw| Selection::parse(&Query::parse(raw).unwrap()).unwrap();
        assert!(parse("").has_format(Format::Html));
        assert!(!parse("fields=slug").has_format(Format::Html));
        assert!(parse("fields=slug&formats=plaintext").has_format(Format::Plaintext));
        assert!(!parse("formats=LEXICAL").has_format(Format::Html));
        assert!(Selection::parse(&Query::parse("formats=html,%20plaintext").unwrap()).is_err());
    }
}
