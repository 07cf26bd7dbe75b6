//! Names and values, decoded.

use percent_encoding::percent_decode_str;

use crate::error::{Error, Kind, Result};

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

    /// The query without these parameters.
    pub fn without(&self, names: &[&str]) -> Self {
        let is_named = |own: &str| {
            names.iter().any(|name| {
                own.strip_prefix(name)
                    .is_some_and(|rest| rest.is_empty() || is_index(rest))
            })
        };
        let kept = self.0.iter().filter(|(own, _)| !is_named(own));
        Self(kept.cloned().collect())
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
            "The query contains a percent-encoding that is not UTF-8.",
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

#[cfg(test)]
mod tests {
    use super::*;

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
}
