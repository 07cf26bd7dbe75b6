//! Writes single values in the style of those that they replace.

use serde_json::Value as Json;

use super::{Lines, value::KeyValue};

/// The style of a value of YAML.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum ScalarStyle {
    /// Without quotation marks, if it is read as the same text.
    Plain,
    /// In single quotation marks.
    Single,
    /// In double quotation marks.
    Double,
    /// Indented lines below `|`.
    Literal,
}

/// Returns a text in double quotation marks, which JSON, YAML and TOML read alike.
pub fn double_quoted(text: &str) -> String {
    let quoted = Json::from(text).to_string();
    let mut escaped = String::with_capacity(quoted.len());
    for character in quoted.chars() {
        // YAML and TOML do not permit these characters unescaped.
        match character {
            '\u{7f}'..='\u{9f}' | '\u{2028}' | '\u{2029}' | '\u{feff}' => {
                escaped.push_str(&format!("\\u{:04X}", u32::from(character)));
            }
            _ => escaped.push(character),
        }
    }
    escaped
}

/// Returns a single value in YAML; `indent` is that of its key. `None` for lists and tables.
pub fn yaml(value: &KeyValue, style: ScalarStyle, indent: usize, lines: Lines) -> Option<String> {
    Some(match value {
        KeyValue::Boolean(is_true) => is_true.to_string(),
        KeyValue::Integer(number) => number.to_string(),
        KeyValue::Date(date) => yaml_date(date, style),
        KeyValue::Text(text) => yaml_text(text, style, indent, lines),
        KeyValue::List(_) | KeyValue::Table(_) => return None,
    })
}

fn yaml_date(date: &str, style: ScalarStyle) -> String {
    match style {
        ScalarStyle::Single => format!("'{date}'"),
        ScalarStyle::Double => format!("\"{date}\""),
        ScalarStyle::Plain | ScalarStyle::Literal => date.to_owned(),
    }
}

fn yaml_text(text: &str, style: ScalarStyle, indent: usize, lines: Lines) -> String {
    let is_line = !text.contains(|character: char| character.is_control() || is_special(character));
    match style {
        ScalarStyle::Plain if is_plain(text) => text.to_owned(),
        ScalarStyle::Single if is_line => format!("'{}'", text.replace('\'', "''")),
        ScalarStyle::Literal if lines == Lines::Many && is_literal(text) => {
            literal(text, indent + 2)
        }
        ScalarStyle::Literal if is_plain(text) => text.to_owned(),
        _ => double_quoted(text),
    }
}

/// Returns whether a character needs an escape in YAML.
fn is_special(character: char) -> bool {
    matches!(character, '\u{85}' | '\u{2028}' | '\u{2029}' | '\u{feff}')
}

/// Returns whether a text is read as itself without quotation marks, in block and in flow context.
fn is_plain(text: &str) -> bool {
    // YAML 1.1, which some generators use, reads `yes`, `no`, `on`, `off`, `y` and `n` as booleans.
    const WORDS: [&str; 12] = [
        "y", "n", "yes", "no", "on", "off", "true", "false", "null", "~", ".inf", ".nan",
    ];
    let Some(first) = text.chars().next() else {
        return false;
    };
    // Texts that begin with a digit are quoted: some parsers read them as numbers, dates or times.
    let is_word = first.is_alphabetic() || "(/._+$%^;<".contains(first) && first != '%';
    let is_like_number = first == '.' || first == '+' || first == '_';
    is_word
        && !is_like_number
        && text.trim() == text
        && !WORDS.iter().any(|word| text.eq_ignore_ascii_case(word))
        && !text.contains(": ")
        && !text.contains(" #")
        && !text.ends_with(':')
        && !text.contains(|character: char| {
            character.is_control() || is_special(character) || ",[]{}\"'`|>&*!".contains(character)
        })
}

fn is_literal(text: &str) -> bool {
    let is_plain =
        |character: char| character == '\n' || !(character.is_control() || is_special(character));
    // The first line determines the indentation, so it must not begin with a space, and `|` retains
    // at most one line break at the end.
    text.chars().all(is_plain)
        && text.trim_end_matches('\n').contains('\n')
        && !text.starts_with([' ', '\n', '\t'])
        && !text.ends_with("\n\n")
}

fn literal(text: &str, indent: usize) -> String {
    let (header, text) = match text.strip_suffix('\n') {
        Some(text) => ("|", text),
        None => ("|-", text),
    };
    let indent = " ".repeat(indent);
    let mut literal = header.to_owned();
    for line in text.split('\n') {
        literal.push('\n');
        if !line.is_empty() {
            literal.push_str(&indent);
            literal.push_str(line);
        }
    }
    literal
}

/// Returns a text in TOML, in the style of the value `like`.
pub fn toml_text(text: &str, like: &str, lines: Lines) -> String {
    let is_one_line = !text.contains(|character: char| character.is_control() && character != '\t');
    let is_lines = lines == Lines::Many
        && !text.contains(|character: char| character.is_control() && !"\t\n".contains(character));
    let like = like.trim_start();
    let is_multiline = like.starts_with("\"\"\"") || like.starts_with("'''");
    if is_multiline && text.contains('\n') && is_lines {
        // TOML drops the line break after the opening quotes.
        if like.starts_with('\'') && !text.contains("'''") && !text.ends_with('\'') {
            return format!("'''\n{text}'''");
        }
        let escaped = text.replace('\\', "\\\\").replace("\"\"\"", "\"\"\\\"");
        let escaped = match escaped.strip_suffix('"') {
            Some(before) => format!("{before}\\\""),
            None => escaped,
        };
        return format!("\"\"\"\n{escaped}\"\"\"");
    }
    if like.starts_with('\'') && is_one_line && !text.contains('\'') {
        format!("'{text}'")
    } else {
        double_quoted(text)
    }
}
