//! The regular expression for the source of a redirect.

use std::borrow::Cow;

use percent_encoding::{CONTROLS, utf8_percent_encode};

use super::RedirectError;

/// Returns the regular expression for a source.
pub fn pattern(from: &str) -> Result<String, RedirectError> {
    let inner = from
        .strip_prefix('/')
        .and_then(|rest| rest.strip_suffix("/i"))
        .filter(|inner| !inner.is_empty());
    let (flags, from) = match inner {
        Some(inner) => ("(?i)", inner),
        None => ("", from),
    };
    let pattern = with_escapes(from)?;
    // An escaped `$` is a character of the path, not the end of the expression.
    let ends = pattern.ends_with('$') && !pattern.ends_with("\\$");
    Ok(match &*pattern {
        // For the front page, only the front page itself matches.
        "/" | "^/" => format!("{flags}^/$"),
        pattern if ends => format!("{flags}{pattern}"),
        pattern => {
            let pattern = pattern.strip_suffix('/').unwrap_or(pattern);
            format!("{flags}{pattern}/?$")
        }
    })
}

/// Returns an expression with its non-ASCII characters percent-encoded, as in URLs.
fn with_escapes(from: &str) -> Result<Cow<'_, str>, RedirectError> {
    if from.is_ascii() {
        return Ok(Cow::Borrowed(from));
    }
    let mut escaped = String::new();
    let (mut is_in_class, mut is_escaped) = (false, false);
    for character in from.chars() {
        match character {
            character if character.is_ascii() => escaped.push(character),
            // In brackets, the characters of the encoding would be separate alternatives.
            _ if is_in_class => {
                return Err(RedirectError::Expression(format!(
                    "\"{character}\" is not permitted in brackets: use ASCII characters"
                )));
            }
            character => {
                let text =
                    utf8_percent_encode(character.encode_utf8(&mut [0; 4]), CONTROLS).to_string();
                // Grouped, so that a quantifier after the character applies to its whole encoding.
                escaped.push_str(&format!("(?:{text})"));
            }
        }
        is_in_class = match character {
            '[' if !is_escaped => true,
            ']' if !is_escaped => false,
            _ => is_in_class,
        };
        is_escaped = character == '\\' && !is_escaped;
    }
    Ok(Cow::Owned(escaped))
}

/// Returns the reason why an expression is invalid, in one line.
pub fn reason(error: &regex::Error) -> String {
    let text = error.to_string();
    match error {
        regex::Error::CompiledTooBig(_) => "the compiled expression is too large".to_owned(),
        // The message shows the expression on several lines; only the last line states the problem.
        _ => text
            .lines()
            .last()
            .unwrap_or_default()
            .trim_start_matches("error: ")
            .to_owned(),
    }
}
