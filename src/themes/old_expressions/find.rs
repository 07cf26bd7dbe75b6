//! Finds expressions of earlier versions of Ghost.

use super::{
    form::{Form, OldExpression},
    outdated::{AUTHOR_BLOCK, OUTDATED},
    removed::REMOVED,
};

/// A use of an expression of an earlier version.
pub struct OldUse {
    /// The code of the rule.
    pub code: &'static str,
    /// Whether the theme is refused because of it.
    pub is_removed: bool,
    /// The line, from 1.
    pub line: usize,
    /// The expression as written, with its replacement.
    pub message: String,
}

/// The code of the rule about the author of an enclosing context.
const OUTER_AUTHOR: &str = "GS001-DEPR-NAUTH";

/// The reason for reporting an expression that does not cause the theme to be refused.
const OF_EARLIER_VERSION: &str = "is from an earlier version of Ghost";

/// Returns the expressions of earlier versions in the template at `path`, in order; those that cause the theme to be refused come
/// first. As in Ghost, expressions in comments and in text count too.
pub fn find(path: &str, text: &str) -> Vec<OldUse> {
    let line_at =
        |offset: usize| 1 + memchr::memchr_iter(b'\n', &text.as_bytes()[..offset]).count();
    let mut uses = Vec::new();
    let mut from = 0;
    while let Some(end) = text[from..].find("}}").map(|end| from + end) {
        // The last opening before the end, because a tag has no braces inside.
        if let Some(start) = text[from..end].rfind("{{").map(|start| from + start) {
            let inner = text[start + 2..end].trim();
            let found = of_expression(path, inner).into_iter();
            uses.extend(found.map(|(code, is_removed, instead)| OldUse {
                code,
                is_removed,
                line: line_at(start),
                message: message(inner, is_removed, &instead),
            }));
        }
        from = end + 2;
    }
    for row in OUTDATED.iter().filter(|row| matches!(row.form, Form::Text)) {
        uses.extend(text.match_indices(row.name).map(|(start, name)| OldUse {
            code: row.code,
            is_removed: false,
            line: line_at(start),
            message: format!("{name} {OF_EARLIER_VERSION}: write {}.", row.instead),
        }));
    }
    uses.sort_by_key(|found| !found.is_removed);
    uses
}

/// Returns the code of each rule that an expression violates, whether the theme is refused because of it, and the replacement.
fn of_expression(path: &str, inner: &str) -> Vec<(&'static str, bool, String)> {
    if let Some(rest) = outer_author(inner) {
        return vec![(OUTER_AUTHOR, true, format!("../primary_author{rest}"))];
    }
    let removed = REMOVED.iter().map(|row| (row, true));
    let is_of_authors = path == "author.hbs" || path.starts_with("author-");
    // `{{#author}}` is valid where the page itself has an author.
    let author_block = (!is_of_authors).then_some(&AUTHOR_BLOCK);
    let outdated = author_block.into_iter().chain(OUTDATED);
    let all = removed.chain(outdated.map(|row| (row, false)));
    let indexed = with_any_index(inner);
    let found = all.filter(|(row, _)| is(&indexed, row));
    let found = found.map(|(row, is_removed)| (row.code, is_removed, instead(inner, row)));
    found.collect()
}

/// Returns whether an expression matches a row. `inner` has `[#]` in place of each index.
fn is(inner: &str, row: &OldExpression) -> bool {
    let condition = || inner.strip_prefix("#if").map(str::trim_start);
    match row.form {
        Form::Value => inner == row.name,
        Form::ValueBelow => below(inner, row.name).is_some_and(|rest| !rest.contains('.')),
        Form::Block => inner.strip_prefix('#').map(str::trim_start) == Some(row.name),
        Form::Condition => condition() == Some(row.name),
        Form::ConditionBelow => {
            condition().is_some_and(|path| path == row.name || below(path, row.name).is_some())
        }
        Form::Helper => is_call(inner, row.name),
        Form::Text => false,
    }
}

/// Returns the part of a path after `outer`, if it consists of plain words.
fn below<'p>(path: &'p str, outer: &str) -> Option<&'p str> {
    let names = path.strip_prefix(outer)?.strip_prefix('.')?;
    let is_word = |name: &str| {
        let is_of_word = |byte: u8| byte.is_ascii_alphanumeric() || byte == b'_';
        !name.is_empty() && name.bytes().all(is_of_word)
    };
    names.split('.').all(is_word).then_some(names)
}

/// Returns the replacement of an expression.
fn instead(inner: &str, row: &OldExpression) -> String {
    let rest = || inner.split_once(row.name).map_or("", |(_, rest)| rest);
    match row.form {
        Form::Value | Form::Helper | Form::Text => row.instead.to_owned(),
        Form::ValueBelow => format!("{}{}", row.instead, rest()),
        Form::Block => format!("#{}", row.instead),
        Form::Condition => format!("#if {}", row.instead),
        Form::ConditionBelow => format!("#if {}{}", row.instead, rest()),
    }
}

/// Returns the rest of the path after `author`, if the expression is the author of an enclosing context.
fn outer_author(inner: &str) -> Option<&str> {
    let path = inner
        .strip_prefix("#if")
        .or_else(|| inner.strip_prefix('#'));
    let path = path.unwrap_or(inner).trim_start();
    let rest = path.strip_prefix("../author")?;
    let is_path = rest.is_empty() || rest.starts_with('.');
    (is_path && !rest.contains(char::is_whitespace)).then_some(rest)
}

/// Returns a path with `[#]` in place of each index.
fn with_any_index(path: &str) -> String {
    let is_index = |part: &str| {
        let index = part
            .strip_prefix('[')
            .and_then(|part| part.strip_suffix(']'));
        index.is_some_and(|index| !index.is_empty() && index.bytes().all(|b| b.is_ascii_digit()))
    };
    let parts = path.split('.');
    let parts = parts.map(|part| if is_index(part) { "[#]" } else { part });
    parts.collect::<Vec<_>>().join(".")
}

/// Returns whether an expression calls a helper with plain arguments only.
fn is_call(inner: &str, name: &str) -> bool {
    let Some(arguments) = inner.strip_prefix(name) else {
        return false;
    };
    let is_plain = |c: char| c.is_ascii_alphanumeric() || "_='\"".contains(c) || c.is_whitespace();
    let is_parted = arguments.starts_with(|c: char| !(c.is_ascii_alphanumeric() || c == '_'));
    (arguments.is_empty() || is_parted) && arguments.chars().all(is_plain)
}

fn message(inner: &str, is_removed: bool, instead: &str) -> String {
    let expression: String = inner.chars().take(80).collect();
    let reason = if is_removed {
        "has no value"
    } else {
        OF_EARLIER_VERSION
    };
    if instead.is_empty() {
        format!("{{{{{expression}}}}} {reason}: remove it.")
    } else {
        format!("{{{{{expression}}}}} {reason}: write {{{{{instead}}}}}.")
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn found(path: &str, text: &str) -> Vec<(&'static str, bool)> {
        let found = find(path, text).into_iter();
        found.map(|found| (found.code, found.is_removed)).collect()
    }

    /// The codes of the expressions that cause the theme to be refused.
    fn codes(text: &str) -> Vec<&'static str> {
        let found = found("post.hbs", text).into_iter();
        let found = found.filter(|(_, is_removed)| *is_removed);
        found.map(|(code, _)| code).collect()
    }

    /// The codes of the other expressions.
    fn outdated(path: &str, text: &str) -> Vec<&'static str> {
        let found = found(path, text).into_iter();
        let found = found.filter(|(_, is_removed)| !*is_removed);
        found.map(|(code, _)| code).collect()
    }

    #[test]
    fn removed_expressions_are_found_wherever_they_are() {
        for (text, code) in [
            ("{{ @site.permalinks }}", "GS001-DEPR-SPL"),
            ("{{{image absolute=\"true\"}}}", "GS001-DEPR-IMG"),
            ("{{#if image}}", "GS001-DEPR-CON-IMG"),
            ("{{#if post.tags.[0].image}}", "GS001-DEPR-CON-PTIMG"),
            ("{{tags.[12].image}}", "GS001-DEPR-TSIMG"),
            (
                "{{#get \"posts\" filter=\"author:{{post.author}}\"}}",
                "GS001-DEPR-PAUTH",
            ),
            ("{{../author.name}}", "GS001-DEPR-NAUTH"),
            ("{{#if ../author}}", "GS001-DEPR-NAUTH"),
            ("{{pageUrl 2}}", "GS001-DEPR-PURL"),
        ] {
            assert_eq!(codes(text), [code], "{text}");
        }
    }

    #[test]
    fn other_expressions_are_not_found() {
        for text in [
            "{{img_url image}}",
            "{{image_url}}",
            "{{primary_author.image}}",
            "{{#foreach posts}}{{feature_image}}{{/foreach}}",
            "{{post.authors}} {{../authors}} {{this.image}}",
            "{{#unless cover}}",
            "}} {{",
        ] {
            assert!(codes(text).is_empty(), "{text}");
        }
    }

    #[test]
    fn use_has_its_line_and_what_to_write_instead() {
        let found = find("post.hbs", "a\nb {{cover}}");
        assert_eq!(found[0].line, 2);
        assert_eq!(
            found[0].message,
            "{{cover}} has no value: write {{cover_image}}."
        );
    }

    #[test]
    fn outdated_expressions_are_found_without_a_refusal() {
        for (text, codes) in [
            ("{{author}}", &["GS001-DEPR-AUTH"][..]),
            ("{{ author.name }}", &["GS001-DEPR-AUTH-NAME"]),
            ("{{!-- {{author.name}} --}}", &["GS001-DEPR-AUTH-NAME"]),
            ("{{authors.[0].cover}}", &["GS001-DEPR-AC-3"]),
            ("{{#author}}", &["GS001-DEPR-AUTHBL"]),
            ("{{#if author}}", &["GS001-DEPR-CON-AUTH"]),
            (
                "{{#if author.cover}}",
                &["GS001-DEPR-CON-AC", "GS001-DEPR-CON-AUTH"],
            ),
            ("{{#if post.author.bio}}", &["GS001-DEPR-CON-PAUTH"]),
            ("{{@blog.title}}", &["GS001-DEPR-BLOG"]),
            (
                "{{@blog.posts_per_page}}",
                &["GS001-DEPR-PPP", "GS001-DEPR-BLOG"],
            ),
            ("{{error.code}}", &["GS001-DEPR-ESC"]),
            ("{{#if @labs.members}}", &["GS001-DEPR-LABS-MEMBERS"]),
            ("{{authors}}{{#primary_author}}{{code_of}}", &[]),
            ("{{#if authors}}{{@blog}}{{author.name 1}}", &[]),
        ] {
            assert_eq!(outdated("post.hbs", text), codes, "{text}");
        }
        for template in ["author.hbs", "author-zoe.hbs"] {
            assert!(outdated(template, "{{#author}}").is_empty());
        }
    }
}
