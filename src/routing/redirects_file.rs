//! The redirects file, in YAML or JSON.

use std::collections::HashSet;

use serde_json::Value as Json;

use super::file_text::{describe_syntax_error, line_of, text_of};
use crate::{
    content_text::document::{self, Kind as Yaml, Language},
    domain::redirect::{REDIRECTS_MAX, Redirect, RedirectError, Redirects, RedirectsFile},
    error::{Error, Kind, Result},
};

/// The file of a site without one.
pub const WITHOUT_REDIRECTS: &str =
    "# Redirects: permanent ones under 301, temporary ones under 302.\n301: {}\n302: {}\n";

/// Longest key of a line of YAML, in characters (YAML 1.2, section 7.4.2). Longer ones are marked as keys.
const YAML_KEY_CHARACTERS_MAX: usize = 1000;

/// The format of a file of redirects.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum RedirectFormat {
    /// A list of `{from, to, permanent}`.
    Json,
    /// Tables of URLs under 301 and 302.
    Yaml,
}

/// Reads a redirects file.
///
/// # Errors
///
/// `BadRequest` if the file cannot be read, `Validation`, naming the entry, for an invalid redirect.
pub fn read_redirects(format: RedirectFormat, content: &[u8]) -> Result<RedirectsFile> {
    let file = read(format, content)?;
    Redirects::compile(&file.redirects).map_err(|error| refuse(error.to_string()))?;
    Ok(file)
}

fn read(format: RedirectFormat, content: &[u8]) -> Result<RedirectsFile> {
    let text = text_of(content).map_err(unreadable)?;
    let (redirects, text) = match format {
        RedirectFormat::Yaml => (from_yaml(text)?, Some(text)),
        RedirectFormat::Json => (from_json(text)?, None),
    };
    if redirects.len() > REDIRECTS_MAX {
        return Err(refuse(format!(
            "It has more than {REDIRECTS_MAX} redirects"
        )));
    }
    // Permanent redirects are tried first, in the order of the YAML file; of duplicates, the first
    // entry counts.
    let (permanent, temporary): (Vec<Redirect>, Vec<Redirect>) = redirects
        .into_iter()
        .partition(|redirect| redirect.permanent);
    let mut seen = HashSet::new();
    let redirects: Vec<Redirect> = permanent
        .into_iter()
        .chain(temporary)
        .filter(|redirect| seen.insert((redirect.from.clone(), redirect.permanent)))
        .collect();
    Ok(RedirectsFile {
        // YAML is stored as it was uploaded, so that comments survive a download.
        text: text.map_or_else(|| to_yaml(&redirects), str::to_owned),
        redirects,
    })
}

fn from_json(text: &str) -> Result<Vec<Redirect>> {
    let parsed: Json = serde_json::from_str(text)
        .map_err(|error| unreadable(format!("It is not JSON: {error}.")))?;
    let Json::Array(entries) = parsed else {
        return Err(unreadable("It is not a list of redirects.".to_owned()));
    };
    let entries = entries.iter().enumerate();
    entries
        .map(|(index, entry)| {
            let position = format!("Entry {}", index + 1);
            let wrong = |what: &str| refuse(format!("{position} {what}"));
            let text = |key: &str| {
                let text = entry.get(key).and_then(Json::as_str);
                text.filter(|text| !text.is_empty())
                    .map(str::to_owned)
                    .ok_or_else(|| wrong(&format!("has no text \"{key}\"")))
            };
            let permanent = match entry.get("permanent") {
                None | Some(Json::Null) => false,
                Some(Json::Bool(permanent)) => *permanent,
                Some(_) => return Err(wrong("has a \"permanent\" that is neither true nor false")),
            };
            checked(
                &position,
                Redirect {
                    from: text("from")?,
                    to: text("to")?,
                    permanent,
                },
            )
        })
        .collect()
}

fn from_yaml(text: &str) -> Result<Vec<Redirect>> {
    let table = document::parse(Language::Yaml, text, 0)
        .map_err(|malformed| unreadable(describe_syntax_error(text, &malformed)))?;
    let shape = || {
        unreadable(
            "Its keys are 301 and 302, each with a table of paths and their targets.".to_owned(),
        )
    };
    if table.entries.is_empty() {
        return Err(shape());
    }
    let mut redirects = Vec::new();
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
            let Yaml::Text(to) = to.value else {
                return Err(unreadable(format!(
                    "Line {line}: the target of \"{}\" is {}, not a string.",
                    from.value,
                    to.value.name()
                )));
            };
            let position = format!("Line {line}");
            redirects.push(checked(
                &position,
                Redirect {
                    from: from.value,
                    to,
                    permanent,
                },
            )?);
        }
    }
    Ok(redirects)
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
            let from: String = redirect.from.chars().take(200).collect();
            Err(refuse(format!("{position}: \"{from}\" {what}: {error}")))
        }
    }
}

/// Returns the redirects in YAML, in their order.
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

/// Returns an entry of a table in YAML.
fn entry(key: &str, value: &str) -> String {
    if key.chars().count() > YAML_KEY_CHARACTERS_MAX {
        format!("  ? {key}\n  : {value}\n")
    } else {
        format!("  {key}: {value}\n")
    }
}

/// Returns a text as a YAML scalar: plain if that is unambiguous, else in quotes as in JSON.
fn quoted(text: &str) -> String {
    let is_certain = |sign: char| sign.is_ascii_alphanumeric() || "/._-+()^$*?=".contains(sign);
    // Other plain scalars may read as numbers, booleans or null.
    let is_plain = text.starts_with('/') || text.starts_with("^/");
    if is_plain && text.chars().all(is_certain) {
        text.to_owned()
    } else {
        Json::from(text).to_string()
    }
}

fn unreadable(context: String) -> Error {
    Error::new(Kind::BadRequest, "The file with redirects cannot be read.").context(context)
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
