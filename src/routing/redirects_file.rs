//! The redirects file, in YAML or JSON.

use std::collections::HashSet;

use serde_json::Value as Json;

use super::file_text::{describe_syntax_error, line_of, text_of};
use crate::{
    content_text::document::{self, Kind as Yaml, Language},
    domain::redirect::{REDIRECTS_MAX, Redirect, RedirectError, Redirects, RedirectsFile},
    error::{Error, Kind, Result},
};

/// The redirects file of a site without one.
pub const WITHOUT_REDIRECTS: &str =
    "# Redirects: permanent ones under 301, temporary ones under 302.\n301: {}\n302: {}\n";

/// Maximum length of an implicit YAML key, in characters (YAML 1.2, section 7.4.2). Longer keys are written as explicit keys.
const YAML_KEY_CHARACTERS_MAX: usize = 1000;

/// The format of a redirects file.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum RedirectFormat {
    /// A list of `{from, to, permanent}`.
    Json,
    /// Tables of URLs under 301 and 302.
    Yaml,
}

/// Consumes an entry of a redirects file.
type Take<'a> = dyn FnMut(Result<Redirect>) -> Result<()> + 'a;

/// Reads a redirects file.
///
/// # Errors
///
/// `BadRequest` if the file cannot be read; `Validation`, with the position of the entry, if a redirect is invalid.
pub fn read_redirects(format: RedirectFormat, content: &[u8]) -> Result<RedirectsFile> {
    let file = read(format, content)?;
    compiled(file)
}

/// Reads the valid redirects of a file. Also returns an error for each invalid one, with its line or number.
///
/// # Errors
///
/// If the file cannot be read.
pub fn read_usable_redirects(
    format: RedirectFormat,
    content: &[u8],
) -> Result<(RedirectsFile, Vec<Error>)> {
    let text = text_of(content).map_err(unreadable)?;
    let (mut usable, mut refused) = (Vec::new(), Vec::new());
    read_entries(format, text, &mut |entry| {
        match entry {
            Ok(redirect) => usable.push(redirect),
            // The errors of a hostile file are bounded, too: each has a text.
            Err(_) if refused.len() == REDIRECTS_MAX => return Err(too_many()),
            Err(error) => refused.push(error),
        }
        Ok(())
    })?;
    // If entries are left out, the stored text is generated from the redirects, so that it can be uploaded again.
    let text = text_to_store(format, text).filter(|_| refused.is_empty());
    let file = compiled(file_of(usable, text)?)?;
    Ok((file, refused))
}

/// Checks that the redirects of a file can be used together.
fn compiled(file: RedirectsFile) -> Result<RedirectsFile> {
    Redirects::compile(&file.redirects).map_err(|error| refuse(error.to_string()))?;
    Ok(file)
}

fn read(format: RedirectFormat, content: &[u8]) -> Result<RedirectsFile> {
    let text = text_of(content).map_err(unreadable)?;
    let mut redirects = Vec::new();
    read_entries(format, text, &mut |entry| {
        redirects.push(entry?);
        Ok(())
    })?;
    file_of(redirects, text_to_store(format, text))
}

/// Calls `take` with each entry of a file, or with the error of an invalid entry, until `take` fails.
///
/// Entries are not collected, because a small file may contain tens of thousands of invalid ones.
fn read_entries(format: RedirectFormat, text: &str, take: &mut Take) -> Result<()> {
    match format {
        RedirectFormat::Yaml => from_yaml(text, take),
        RedirectFormat::Json => from_json(text, take),
    }
}

/// Returns the text of a YAML file, which is stored as uploaded so that comments are preserved.
fn text_to_store(format: RedirectFormat, text: &str) -> Option<&str> {
    (format == RedirectFormat::Yaml).then_some(text)
}

/// Returns a file with these redirects. Without a `text`, the text is generated.
fn file_of(redirects: Vec<Redirect>, text: Option<&str>) -> Result<RedirectsFile> {
    if redirects.len() > REDIRECTS_MAX {
        return Err(too_many());
    }
    // Permanent redirects are tried first, in the order of the YAML file. Of duplicates, the first entry applies.
    let (permanent, temporary): (Vec<Redirect>, Vec<Redirect>) = redirects
        .into_iter()
        .partition(|redirect| redirect.permanent);
    // The same source may be listed under both statuses; only duplicates with one status are
    // dropped.
    let mut seen = HashSet::new();
    let redirects: Vec<Redirect> = permanent
        .into_iter()
        .chain(temporary)
        .filter(|redirect| seen.insert((redirect.from.clone(), redirect.permanent)))
        .collect();
    Ok(RedirectsFile {
        text: text.map_or_else(|| to_yaml(&redirects), str::to_owned),
        redirects,
    })
}

fn from_json(text: &str, take: &mut Take) -> Result<()> {
    let parsed: Json = serde_json::from_str(text)
        .map_err(|error| unreadable(format!("It is not JSON: {error}.")))?;
    let Json::Array(entries) = parsed else {
        return Err(unreadable("It is not a list of redirects.".to_owned()));
    };
    for (index, entry) in entries.iter().enumerate() {
        take(from_json_entry(&format!("Entry {}", index + 1), entry))?;
    }
    Ok(())
}

fn from_json_entry(position: &str, entry: &Json) -> Result<Redirect> {
    let wrong = |what: &str| refuse(format!("{position} {what}"));
    let text = |key: &str| {
        let text = entry.get(key).and_then(Json::as_str);
        text.filter(|text| !text.is_empty())
            .map(str::to_owned)
            .ok_or_else(|| wrong(&format!("has no string \"{key}\"")))
    };
    let permanent = match entry.get("permanent") {
        None | Some(Json::Null) => false,
        Some(Json::Bool(permanent)) => *permanent,
        Some(_) => return Err(wrong("has a \"permanent\" that is neither true nor false")),
    };
    let (from, to) = (text("from")?, text("to")?);
    checked(
        position,
        Redirect {
            from,
            to,
            permanent,
        },
    )
}

fn from_yaml(text: &str, take: &mut Take) -> Result<()> {
    let table = document::parse(Language::Yaml, text, 0)
        .map_err(|malformed| unreadable(describe_syntax_error(text, &malformed)))?;
    let shape = || {
        unreadable(
            "The keys must be 301 and 302, each with a table of paths and their targets."
                .to_owned(),
        )
    };
    if table.entries.is_empty() {
        return Err(shape());
    }
    for (status, entries) in table.entries {
        let permanent = match &*status.value {
            "301" => true,
            "302" => false,
            _ => return Err(shape()),
        };
        let entries = match entries.value {
            Yaml::Nothing => continue,
            Yaml::Table(table) => table.entries,
            _ => return Err(shape()),
        };
        for (from, to) in entries {
            let line = line_of(text, from.span.start);
            take(match to.value {
                Yaml::Text(to) => {
                    let from = from.value;
                    let redirect = Redirect {
                        from,
                        to,
                        permanent,
                    };
                    checked(&format!("Line {line}"), redirect)
                }
                other => Err(unreadable(format!(
                    "Line {line}: the target of \"{}\" is {}, not a string.",
                    from.value,
                    other.name()
                ))),
            })?;
        }
    }
    Ok(())
}

fn checked(position: &str, redirect: Redirect) -> Result<Redirect> {
    match redirect.check() {
        Ok(()) => Ok(redirect),
        Err(error) => {
            let what = match error {
                RedirectError::Expression(_) => "is not a valid regular expression",
                RedirectError::Length | RedirectError::Active | RedirectError::TooMuch => {
                    "cannot be used"
                }
            };
            // A source may be as long as the file; the message names its beginning.
            let from: String = redirect.from.chars().take(200).collect();
            Err(refuse(format!("{position}: \"{from}\" {what}: {error}")))
        }
    }
}

/// Formats the redirects as YAML, in order.
fn to_yaml(redirects: &[Redirect]) -> String {
    let mut text = String::new();
    for (status, permanent) in [("301", true), ("302", false)] {
        let entries = redirects
            .iter()
            .filter(|redirect| redirect.permanent == permanent);
        let lines: String = entries
            .map(|redirect| entry(&quoted(&redirect.from), &quoted(&redirect.to)))
            .collect();
        match &*lines {
            "" => {}
            lines => text.push_str(&format!("{status}:\n{lines}")),
        }
    }
    match &*text {
        "" => WITHOUT_REDIRECTS.to_owned(),
        _ => text,
    }
}

/// Formats an entry of a YAML mapping.
fn entry(key: &str, value: &str) -> String {
    if key.chars().count() > YAML_KEY_CHARACTERS_MAX {
        format!("  ? {key}\n  : {value}\n")
    } else {
        format!("  {key}: {value}\n")
    }
}

/// Formats a string as a YAML scalar: plain if that is unambiguous, otherwise quoted as in JSON.
fn quoted(text: &str) -> String {
    let is_certain = |sign: char| sign.is_ascii_alphanumeric() || "/._-+()^$*?=".contains(sign);
    // Other plain scalars could be parsed as numbers, booleans or null.
    let is_plain = text.starts_with('/') || text.starts_with("^/");
    if is_plain && text.chars().all(is_certain) {
        text.to_owned()
    } else {
        // A JSON string is also a valid YAML string in double quotes.
        Json::from(text).to_string()
    }
}

fn unreadable(context: String) -> Error {
    Error::new(Kind::BadRequest, "The redirects file cannot be read.").context(context)
}

fn too_many() -> Error {
    refuse(format!("It has more than {REDIRECTS_MAX} redirects"))
}

fn refuse(context: String) -> Error {
    Error::new(
        Kind::Validation,
        "A redirect is invalid; the previous ones stay in use.",
    )
    .context(format!("{context}."))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn reading_ends_with_the_first_entry_that_is_refused() {
        let json = br#"[{"from": "/a", "to": "/b"}, [], [], []]"#;
        let yaml = b"301:\n  /a: /b\n  /c: []\n  /d: []\n";
        for (format, content) in [
            (RedirectFormat::Json, &json[..]),
            (RedirectFormat::Yaml, &yaml[..]),
        ] {
            let mut entries = 0;
            let result = read_entries(format, text_of(content).unwrap(), &mut |entry| {
                entries += 1;
                entry.map(drop)
            });
            assert!(result.is_err());
            assert_eq!(entries, 2);
        }
    }

    #[test]
    fn json_and_yaml_are_equivalent() {
        let json = br#"[{"from": "/b: c", "to": "/d"}, {"from": "^/a/(.*)", "to": "/x/$1", "permanent": true}]"#;
        let from_json = read(RedirectFormat::Json, json).unwrap();
        assert_eq!(
            from_json.text,
            "301:\n  ^/a/(.*): /x/$1\n302:\n  \"/b: c\": /d\n"
        );
        let from_yaml = read(RedirectFormat::Yaml, from_json.text.as_bytes()).unwrap();
        assert_eq!(from_yaml.redirects, from_json.redirects);
    }

    #[test]
    fn redirects_of_any_length_are_downloaded_as_yaml_that_can_be_uploaded() {
        for length in [900, 1000, 1100, 1999] {
            let json = format!(
                r#"[{{"from": "/{0}", "to": "/é {0}"}}]"#,
                "a".repeat(length - 3)
            );
            let from_json = read(RedirectFormat::Json, json.as_bytes()).unwrap();
            let from_yaml = read(RedirectFormat::Yaml, from_json.text.as_bytes()).unwrap();
            assert_eq!(from_yaml.redirects, from_json.redirects, "{length}");
        }
    }

    #[test]
    fn yaml_is_downloaded_as_it_was_uploaded() {
        let text = "# ours\n301:\n  /a/: /b/\n302:\n";
        assert_eq!(
            read(RedirectFormat::Yaml, text.as_bytes()).unwrap().text,
            text
        );
        assert_eq!(
            read(RedirectFormat::Json, b"[]").unwrap().text,
            WITHOUT_REDIRECTS
        );
        assert!(
            read(RedirectFormat::Yaml, WITHOUT_REDIRECTS.as_bytes())
                .unwrap()
                .redirects
                .is_empty()
        );
    }

    #[test]
    fn errors_name_the_invalid_entry() {
        for (format, text, kind, expected) in [
            (RedirectFormat::Json, "{", Kind::BadRequest, "not JSON"),
            (RedirectFormat::Json, "{}", Kind::BadRequest, "not a list"),
            (
                RedirectFormat::Json,
                "[{\"from\": \"/a\", \"to\": \"/b\"}, 1]",
                Kind::Validation,
                "Entry 2",
            ),
            (
                RedirectFormat::Json,
                "[{\"from\": \"/a\"}]",
                Kind::Validation,
                "\"to\"",
            ),
            (
                RedirectFormat::Json,
                "[{\"from\": \"(\", \"to\": \"/b\"}]",
                Kind::Validation,
                "unclosed group",
            ),
            (
                RedirectFormat::Json,
                "[{\"from\": \"/a\", \"to\": \"/b\", \"permanent\": \"no\"}]",
                Kind::Validation,
                "neither",
            ),
            (RedirectFormat::Yaml, "", Kind::BadRequest, "301 and 302"),
            (
                RedirectFormat::Yaml,
                "303:\n  /a: /b\n",
                Kind::BadRequest,
                "301 and 302",
            ),
            (
                RedirectFormat::Yaml,
                "301:\n  /a: 5\n",
                Kind::BadRequest,
                "Line 2",
            ),
            (
                RedirectFormat::Yaml,
                "301:\n  /a: /b\n  \"(\": /c\n",
                Kind::Validation,
                "Line 3",
            ),
            (
                RedirectFormat::Yaml,
                "301:\n  /a: /b\n  /a: /c\n",
                Kind::BadRequest,
                "given twice",
            ),
            (RedirectFormat::Yaml, "a: [", Kind::BadRequest, "Line 1"),
        ] {
            let error = read(format, text.as_bytes()).expect_err(text);
            assert_eq!(error.kind(), kind, "{text}");
            assert!(error.to_string().contains(expected), "{text}: {error}");
        }
        assert_eq!(
            read(RedirectFormat::Yaml, b"301:\n  /\xff: /b\n")
                .unwrap_err()
                .kind(),
            Kind::BadRequest
        );
    }
}
