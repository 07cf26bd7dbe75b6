//! Decoded names and values of a query.

use percent_encoding::percent_decode_str;

use crate::error::{Error, Kind, Result};

/// The parameters that responses depend on.
const RESPONSE_PARAMETERS: &[&str] = &[
    // A parameter that affects responses must be in this list: otherwise two requests that differ
    // only in it would get the same cached response.
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
pub struct QueryParameters(Vec<(String, String)>);

impl QueryParameters {
    /// Decodes `name=value&…`; a plus sign is decoded to a space.
    ///
    /// # Errors
    ///
    /// `BadRequest` if a percent sequence is malformed, or a name or value is not UTF-8.
    pub fn parse(raw: &str) -> Result<Self> {
        raw.split('&')
            .filter(|pair| !pair.is_empty())
            .map(|pair| {
                let (name, value) = pair.split_once('=').unwrap_or((pair, ""));
                Ok((
                    // Replaced before decoding, so that an encoded plus sign (`%2B`) is preserved.
                    decode(&name.replace('+', " "))?,
                    decode(&value.replace('+', " "))?,
                ))
            })
            .collect::<Result<_>>()
            .map(Self)
    }

    /// Returns the query with these names and values.
    pub fn of(pairs: Vec<(String, String)>) -> Self {
        Self(pairs)
    }

    /// Returns all values of `name`, also written as `name[]` and `name[0]`.
    pub fn all<'a>(&'a self, name: &'a str) -> impl Iterator<Item = &'a str> {
        self.0
            .iter()
            .filter(move |(own, _)| is_named(own, name))
            .map(|(_, value)| value.as_str())
    }

    /// Returns all parameters, in the order in which they were sent.
    pub fn iter(&self) -> impl Iterator<Item = (&str, &str)> {
        self.0.iter().map(|(name, value)| (&**name, &**value))
    }

    /// Returns the first value of `name`.
    pub fn first(&self, name: &str) -> Option<&str> {
        let mut values = self.0.iter().filter(|(own, _)| own == name);
        values.next().map(|(_, value)| value.as_str())
    }

    /// Returns the query without these parameters.
    pub fn without(&self, names: &[&str]) -> Self {
        let is_removed = |own: &str| names.iter().any(|name| is_named(own, name));
        let remaining = self.0.iter().filter(|(own, _)| !is_removed(own));
        Self(remaining.cloned().collect())
    }

    /// Returns whether `name` is written with an index, as `name[]`.
    pub fn is_indexed(&self, name: &str) -> bool {
        self.0
            .iter()
            .any(|(own, _)| own.strip_prefix(name).is_some_and(is_index))
    }

    /// Returns all values of `name` joined with commas; `None` if there are none.
    pub fn joined(&self, name: &str) -> Option<String> {
        let values: Vec<&str> = self.all(name).collect();
        (!values.is_empty()).then(|| values.join(","))
    }

    /// Returns whether the response depends on more than the catalog: on the time, for a filter
    /// with a relative date, or on the search index, which is updated after the catalog.
    pub fn is_volatile(&self) -> bool {
        let is_relative = |filter: &str| filter.contains("now");
        let is_search = |name| self.first(name).is_some();
        // Also true for "now" within a text, which only means that the response is not cached.
        self.all("filter").any(is_relative) || is_search("search") || is_search("q")
    }

    /// Returns a normal form of the request for `path`, with only the parameters that affect the
    /// response. Two requests with the same normal form have the same response.
    pub fn normalised(&self, path: &str) -> String {
        let mut text = path.to_owned();
        for name in RESPONSE_PARAMETERS {
            for value in self.all(name) {
                // The length delimits the value, so no value can imitate another parameter.
                text.push_str(&format!("\n{name}:{}:{value}", value.len()));
            }
        }
        text
    }

    /// Returns the single value of `name`; `None` if it is missing.
    ///
    /// # Errors
    ///
    /// An error of `kind` if there are several values.
    pub fn single<'a>(&'a self, name: &'a str, kind: Kind) -> Result<Option<&'a str>> {
        let mut values = self.all(name);
        match (values.next(), values.next()) {
            (value, None) => Ok(value),
            _ => Err(Error::new(
                kind,
                format!("The parameter \"{name}\" occurs more than once in the query."),
            )),
        }
    }
}

/// Returns whether `own` is `name`, with or without an index.
fn is_named(own: &str, name: &str) -> bool {
    own.strip_prefix(name)
        .is_some_and(|rest| rest.is_empty() || is_index(rest))
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
/// `BadRequest` if one is malformed or the result is not UTF-8.
pub fn decode(text: &str) -> Result<String> {
    let malformed = || {
        Error::new(
            Kind::BadRequest,
            "The query contains a percent-encoding that is malformed or not UTF-8.",
        )
        .context(text)
    };
    let bytes = text.as_bytes();
    // Checked separately, because the decoder leaves malformed sequences unchanged.
    let has_malformed = bytes.iter().enumerate().any(|(index, byte)| {
        let digits = bytes.get(index + 1..index + 3);
        *byte == b'%' && !digits.is_some_and(|digits| digits.iter().all(u8::is_ascii_hexdigit))
    });
    if has_malformed {
        return Err(malformed());
    }
    match percent_decode_str(text).decode_utf8() {
        Ok(text) => Ok(text.into_owned()),
        Err(_) => Err(malformed()),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn malformed_percent_sequence_is_refused() {
        for raw in ["filter=%E0%A4%A", "filter=%ZZ", "%=1", "filter=%E0%A4"] {
            assert_eq!(
                QueryParameters::parse(raw).unwrap_err().kind(),
                Kind::BadRequest,
                "{raw}"
            );
        }
    }
}
