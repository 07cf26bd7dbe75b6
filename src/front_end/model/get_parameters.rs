//! Converts the arguments of `{{#get}}` to parameters of the Content API. Errors have Ghost's messages, because themes may show
//! them.

use super::filters;
use crate::{
    catalog::params::{PageSize, Paging, QueryParameters, Selection},
    error::{Error, Kind},
    nql::GroupUse,
};

/// Maximum number of records that a theme gets in one call.
const RECORDS_MAX: usize = 100;

/// The reason why a template gets no records.
#[derive(Debug, thiserror::Error)]
#[error("{message}")]
pub struct GetError {
    /// The message, which is `@error` in templates.
    pub message: String,
}

impl GetError {
    fn new(message: impl Into<String>) -> Self {
        Self {
            message: message.into(),
        }
    }

    /// Returns the error for an argument whose value is invalid, with the rule that it violates.
    pub fn of_argument(name: &str, rule: &str) -> Self {
        Self::new(format!("Validation ({rule}) failed for {name}"))
    }

    /// Returns the error for fields that the records do not have.
    pub fn of_fields() -> Self {
        Self::new("Could not understand request.")
    }

    /// Returns the error for a record that does not exist, or whose ID or slug is malformed.
    pub fn of_missing(resource: &str, id: Option<&str>, slug: Option<&str>) -> Self {
        match (id, slug) {
            (Some(id), _) if !is_id(id) => Self::of_argument("id", "matches"),
            (None, Some(slug)) if !is_slug(slug) => Self::of_argument("slug", "isSlug"),
            _ => Error::not_found(resource.trim_end_matches('s')).into(),
        }
    }

    /// Returns the error for a filter that does not parse.
    pub fn of_unreadable_filter(used: GroupUse) -> Self {
        Self::new(match used {
            GroupUse::Test => "The NQL filter you passed was invalid.",
            GroupUse::Query | GroupUse::ExtendedQuery => "Error parsing filter",
        })
    }

    /// Returns the error for a filter that parses but cannot be applied.
    pub fn of_filter(error: Error) -> Self {
        match error.kind() {
            Kind::BadRequest => Self::of_fields(),
            _ => error.into(),
        }
    }
}

impl From<Error> for GetError {
    fn from(error: Error) -> Self {
        Self::new(error.message())
    }
}

/// Returns the parameters for arguments.
///
/// # Errors
///
/// If `fields` names a relation of posts.
pub(super) fn parameters(
    resource: &str,
    arguments: &[(String, String)],
) -> Result<QueryParameters, GetError> {
    let mut arguments = arguments.to_vec();
    // Newsletters always have all fields (Ghost 6.65).
    arguments.retain(|(name, _)| resource != "newsletters" || name != "fields");
    for (name, value) in &mut arguments {
        match name.as_str() {
            "include" => *value = exact_names(value),
            "formats" => *value = value.trim().to_owned(),
            _ => {}
        }
    }
    if let Some((_, fields)) = arguments.iter_mut().find(|(name, _)| name == "fields") {
        match resource {
            "posts" | "pages" => *fields = post_fields(fields)?,
            // `{{url}}` needs the URL (Ghost 6.65).
            "tags" => fields.push_str(",url"),
            _ => {}
        }
    }
    Ok(QueryParameters::of(arguments))
}

/// Returns the names in a list that Ghost recognises. To Ghost, a space next to a comma is part of the name, so `tags, authors`
/// includes only tags. Spaces around the whole list are ignored (Ghost 6.65, recorded).
fn exact_names(list: &str) -> String {
    let names = list.trim().split(',');
    let names: Vec<&str> = names.filter(|name| name.trim() == *name).collect();
    names.join(",")
}

/// Returns the fields of posts to read for the fields that a template names. The reading time is computed from the body, so it
/// also requires `html` (Ghost 6.65).
fn post_fields(fields: &str) -> Result<String, GetError> {
    let mut names: Vec<&str> = fields.split(',').map(str::trim).collect();
    let is_relation = |name: &&str| matches!(*name, "tags" | "authors" | "tiers");
    if names.iter().any(is_relation) {
        return Err(GetError::of_fields());
    }
    if !names.contains(&"html") {
        names.retain(|name| *name != "reading_time");
    }
    // `{{url}}` needs it (Ghost 6.65).
    names.push("url");
    Ok(names.join(","))
}

/// Returns the parameters that select the properties of tags and authors. With `fields`, the number of posts is omitted (Ghost
/// 6.65).
pub(super) fn of_shown(parameters: &QueryParameters) -> QueryParameters {
    match parameters.first("fields") {
        Some(_) => parameters.without(&["include"]),
        None => parameters.clone(),
    }
}

/// Returns the selected properties of posts.
///
/// # Errors
///
/// If a format is unknown.
pub(super) fn selection(parameters: &QueryParameters) -> Result<Selection, GetError> {
    let selection = Selection::with_formats(parameters);
    selection.map_err(|_| GetError::of_argument("formats", "AllowedValues"))
}

/// Returns the page of records to select: at most 100 records for a template, any number for `routes.yaml`.
///
/// # Errors
///
/// If a parameter is invalid.
pub(super) fn paging(
    parameters: &QueryParameters,
    used: GroupUse,
    is_of_route: bool,
) -> Result<Paging, GetError> {
    let size = PageSize {
        default: PageSize::USUAL.default,
        max: if is_of_route {
            Paging::ALL
        } else {
            RECORDS_MAX
        },
    };
    let paging = Paging::parse_with(parameters, size).map_err(|error| {
        let is_invalid = |name: &&str| {
            let value = parameters.first(name).map(str::to_owned);
            // The error does not name the parameter, so each one is tried alone.
            let own = value.map(|value| QueryParameters::of(vec![((*name).to_owned(), value)]));
            own.is_some_and(|own| Paging::parse_with(&own, size).is_err())
        };
        match ["limit", "page", "order"]
            .into_iter()
            .find(|name| is_invalid(name))
        {
            Some(name) => GetError::of_argument(name, "matches"),
            None => error.into(),
        }
    })?;
    let filter = match paging.filter.as_deref() {
        Some(filter) => {
            filters::read(filter, used).map_err(|_| GetError::of_unreadable_filter(used))?
        }
        None => None,
    };
    Ok(Paging { filter, ..paging })
}

/// Returns whether a string has the form of an ID.
fn is_id(text: &str) -> bool {
    let is_hexadecimal = |byte: u8| matches!(byte, b'0'..=b'9' | b'a'..=b'f');
    // 1 is the identifier of the owner in earlier versions of Ghost.
    text == "1" || text.len() == 24 && text.bytes().all(is_hexadecimal)
}

/// Returns whether a string has the form of a slug.
fn is_slug(text: &str) -> bool {
    let is_part =
        |byte: u8| byte.is_ascii_lowercase() || byte.is_ascii_digit() || b"-_".contains(&byte);
    text.bytes().all(is_part)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn invalid_arguments_are_refused_in_the_words_of_ghost() {
        let refused = |name: &str, value: &str| {
            let parameters = QueryParameters::of(vec![(name.to_owned(), value.to_owned())]);
            let paging = paging(&parameters, GroupUse::Query, false);
            paging.err().map(|error| error.message)
        };
        for (name, value) in [("limit", "2.5"), ("page", "x"), ("order", "a;b")] {
            let expected = format!("Validation (matches) failed for {name}");
            assert_eq!(refused(name, value), Some(expected));
        }
        assert_eq!(
            refused("filter", "a b").as_deref(),
            Some("Error parsing filter")
        );
        assert_eq!(refused("limit", "all"), None);
    }

    #[test]
    fn blanks_beside_commas_belong_to_names_of_relations() {
        for (include, expected) in [
            ("tags,authors", "tags,authors"),
            (" tags,authors ", "tags,authors"),
            ("tags, authors", "tags"),
            ("tags ,authors", "authors"),
            ("tags , authors", ""),
        ] {
            let arguments = [("include".to_owned(), include.to_owned())];
            let parameters = parameters("posts", &arguments).unwrap();
            assert_eq!(parameters.first("include"), Some(expected), "{include}");
        }
    }

    #[test]
    fn blanks_around_formats_do_not_count() {
        let selects = |formats: &str| {
            let arguments = [("formats".to_owned(), formats.to_owned())];
            selection(&parameters("posts", &arguments).unwrap()).is_ok()
        };
        assert!(selects(" plaintext "));
        assert!(!selects("html, plaintext"));
    }

    #[test]
    fn fields_of_posts_are_not_relations() {
        let fields = |names: &str| post_fields(names).ok();
        assert_eq!(fields("title").as_deref(), Some("title,url"));
        assert_eq!(fields("title, reading_time").as_deref(), Some("title,url"));
        let with_html = fields("html,reading_time");
        assert_eq!(with_html.as_deref(), Some("html,reading_time,url"));
        assert_eq!(fields("title,tags"), None);
    }
}
