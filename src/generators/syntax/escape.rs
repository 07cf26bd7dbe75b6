//! Escapes text for HTML, Markdown and URLs.

use std::fmt::Write as _;

use crate::render::markdown;

/// Escapes text for HTML, including attributes.
pub fn html(text: &str) -> String {
    text.replace('&', "&amp;")
        .replace('"', "&quot;")
        .replace('<', "&lt;")
        .replace('>', "&gt;")
        // HTML stays on one line, because a blank line in it would end the block.
        .replace('\n', " ")
}

/// Escapes code for HTML inside Markdown, on one line.
pub fn code_text(code: &str) -> String {
    let mut escaped = String::with_capacity(code.len());
    for character in code.chars() {
        match character {
            ' ' => escaped.push(' '),
            _ if character.is_alphanumeric() => escaped.push(character),
            // Neither Markdown nor a later pass reads references.
            _ => {
                // Writing to a string cannot fail.
                let _ = write!(escaped, "&#{};", u32::from(character));
            }
        }
    }
    escaped
}

/// Escapes text for Markdown.
pub fn markdown_text(text: &str) -> String {
    let mut escaped = String::with_capacity(text.len());
    for character in text.chars() {
        match character {
            // Later passes and the parser still find these marks of templates, formulas and HTML
            // behind a backslash, so they become references.
            '{' | '}' | '$' | ':' | '%' | '<' | '&' => {
                // Writing to a string cannot fail.
                let _ = write!(escaped, "&#{};", u32::from(character));
            }
            '\\' | '`' | '*' | '_' | '[' | ']' | '#' | '|' | '~' | '!' => {
                escaped.push('\\');
                escaped.push(character);
            }
            _ => escaped.push(character),
        }
    }
    escaped
}

/// Escapes the label of a link in Markdown, which may contain formatting.
pub fn label(text: &str) -> String {
    text.replace(['[', ']', '\n'], " ")
}

/// Escapes the destination of a link in Markdown.
pub fn destination(url: &str) -> String {
    let is_plain = |character: char| {
        !character.is_whitespace() && !character.is_control() && !"()<>".contains(character)
    };
    if !url.is_empty() && url.chars().all(is_plain) {
        url.to_owned()
    } else {
        let inside = url.replace(['\n', '\r'], " ");
        let inside = inside.replace('<', "%3C").replace('>', "%3E");
        format!("<{inside}>")
    }
}

/// Returns the reference to another document: `galley-ref:KIND/TARGET#FRAGMENT`.
pub fn reference(kind: &str, target: &str, fragment: Option<&str>) -> String {
    let mut url = format!("galley-ref:{kind}/{}", percent(target));
    if let Some(fragment) = fragment {
        url.push('#');
        url.push_str(&percent(fragment));
    }
    url
}

fn percent(text: &str) -> String {
    let mut encoded = String::with_capacity(text.len());
    for byte in text.bytes() {
        match byte {
            b'a'..=b'z' | b'A'..=b'Z' | b'0'..=b'9' | b'-' | b'.' | b'_' | b'~' | b'/' => {
                encoded.push(char::from(byte));
            }
            _ => {
                // Writing to a string cannot fail.
                let _ = write!(encoded, "%{byte:02X}");
            }
        }
    }
    encoded
}

/// Renders a line or two of Markdown, such as a caption, as HTML without a paragraph.
pub fn inline_markdown(text: &str) -> String {
    let paragraph = markdown::to_html(text.trim(), markdown::Dialect::GALLEY, |_| None);
    let paragraph = paragraph.trim();
    let inside = paragraph
        .strip_prefix("<p>")
        .and_then(|rest| rest.strip_suffix("</p>"))
        .filter(|inside| !inside.contains("<p>"));
    inside.unwrap_or(paragraph).replace('\n', " ")
}
