//! Expressions of earlier versions of Ghost, for which a theme is refused: they would show nothing (Ghost 6.65).

/// The form of a removed expression.
#[derive(Clone, Copy)]
enum Form {
    /// A value, `{{name}}`; `[#]` is any index.
    Value,
    /// A condition, `{{#if name}}`.
    Condition,
    /// A helper, with or without arguments.
    Helper,
}

/// A removed expression.
struct RemovedExpression {
    /// The code of the rule, for programs.
    code: &'static str,
    form: Form,
    name: &'static str,
    /// What to write instead; empty for nothing.
    instead: &'static str,
}

/// A use of a removed expression.
pub(super) struct RemovedUse {
    /// The code of the rule.
    pub code: &'static str,
    /// The line, from 1.
    pub line: usize,
    /// The expression as it is written, and what to write instead.
    pub message: String,
}

const fn value(code: &'static str, name: &'static str, instead: &'static str) -> RemovedExpression {
    RemovedExpression {
        code,
        form: Form::Value,
        name,
        instead,
    }
}

const fn condition(
    code: &'static str,
    name: &'static str,
    instead: &'static str,
) -> RemovedExpression {
    RemovedExpression {
        form: Form::Condition,
        ..value(code, name, instead)
    }
}

const fn helper(
    code: &'static str,
    name: &'static str,
    instead: &'static str,
) -> RemovedExpression {
    RemovedExpression {
        form: Form::Helper,
        ..value(code, name, instead)
    }
}

/// All removed expressions, except those of `../author`.
const REMOVED: &[RemovedExpression] = &[
    helper("GS001-DEPR-PURL", "pageUrl", "page_url"),
    helper("GS001-DEPR-IMG", "image", "img_url"),
    value("GS001-DEPR-COV", "cover", "cover_image"),
    value("GS001-DEPR-PIMG", "post.image", "post.feature_image"),
    value("GS001-DEPR-BC", "@blog.cover", "@site.cover_image"),
    value("GS001-DEPR-TIMG", "tag.image", "tag.feature_image"),
    value(
        "GS001-DEPR-PTIMG",
        "post.tags.[#].image",
        "post.tags.[#].feature_image",
    ),
    value(
        "GS001-DEPR-TSIMG",
        "tags.[#].image",
        "tags.[#].feature_image",
    ),
    condition("GS001-DEPR-CON-IMG", "image", "feature_image"),
    condition("GS001-DEPR-CON-COV", "cover", "cover_image"),
    condition("GS001-DEPR-CON-BC", "@blog.cover", "@site.cover_image"),
    condition("GS001-DEPR-CON-TIMG", "tag.image", "tag.feature_image"),
    condition(
        "GS001-DEPR-CON-PTIMG",
        "post.tags.[#].image",
        "post.tags.[#].feature_image",
    ),
    condition(
        "GS001-DEPR-CON-TSIMG",
        "tags.[#].image",
        "tags.[#].feature_image",
    ),
    value("GS001-DEPR-PAUTH", "post.author", "post.primary_author"),
    value(
        "GS001-DEPR-PAUTH-ID",
        "post.author.id",
        "post.primary_author.id",
    ),
    value(
        "GS001-DEPR-PAUTH-SLUG",
        "post.author.slug",
        "post.primary_author.slug",
    ),
    value(
        "GS001-DEPR-PAUTH-MAIL",
        "post.author.email",
        "post.primary_author.email",
    ),
    value(
        "GS001-DEPR-PAUTH-MT",
        "post.author.meta_title",
        "post.primary_author.meta_title",
    ),
    value(
        "GS001-DEPR-PAUTH-MD",
        "post.author.meta_description",
        "post.primary_author.meta_description",
    ),
    value(
        "GS001-DEPR-PAUTH-NAME",
        "post.author.name",
        "post.primary_author.name",
    ),
    value(
        "GS001-DEPR-PAUTH-BIO",
        "post.author.bio",
        "post.primary_author.bio",
    ),
    value(
        "GS001-DEPR-PAUTH-LOC",
        "post.author.location",
        "post.primary_author.location",
    ),
    value(
        "GS001-DEPR-PAUTH-WEB",
        "post.author.website",
        "post.primary_author.website",
    ),
    value(
        "GS001-DEPR-PAUTH-TW",
        "post.author.twitter",
        "post.primary_author.twitter",
    ),
    value(
        "GS001-DEPR-PAUTH-FB",
        "post.author.facebook",
        "post.primary_author.facebook",
    ),
    value(
        "GS001-DEPR-PAUTH-PIMG",
        "post.author.profile_image",
        "post.primary_author.profile_image",
    ),
    value(
        "GS001-DEPR-PAUTH-CIMG",
        "post.author.cover_image",
        "post.primary_author.cover_image",
    ),
    value(
        "GS001-DEPR-PAUTH-URL",
        "post.author.url",
        "post.primary_author.url",
    ),
    value(
        "GS001-DEPR-PAID",
        "post.author_id",
        "post.primary_author.id",
    ),
    value("GS001-DEPR-BPL", "@blog.permalinks", ""),
    value("GS001-DEPR-SPL", "@site.permalinks", ""),
    value("GS001-DEPR-SGH", "@site.ghost_head", "ghost_head"),
    value("GS001-DEPR-SGF", "@site.ghost_foot", "ghost_foot"),
];

/// The code of the rule about the author in an outer context.
const OUTER_AUTHOR: &str = "GS001-DEPR-NAUTH";

/// Returns the removed expressions in the text of a template, in order. Expressions in comments and in texts count, as in Ghost.
pub(super) fn find(text: &str) -> Vec<RemovedUse> {
    let mut uses = Vec::new();
    let mut from = 0;
    while let Some(end) = text[from..].find("}}").map(|end| from + end) {
        if let Some(start) = text[from..end].rfind("{{").map(|start| from + start) {
            let inner = text[start + 2..end].trim();
            if let Some((code, instead)) = removed(inner) {
                uses.push(RemovedUse {
                    code,
                    line: 1 + memchr::memchr_iter(b'\n', &text.as_bytes()[..start]).count(),
                    message: message(inner, &instead),
                });
            }
        }
        from = end + 2;
    }
    uses
}

/// Returns the code of the rule that an expression breaks, and what to write instead.
fn removed(inner: &str) -> Option<(&'static str, String)> {
    if let Some(rest) = outer_author(inner) {
        return Some((OUTER_AUTHOR, format!("../primary_author{rest}")));
    }
    let condition = inner.strip_prefix("#if").map(str::trim_start);
    let any_index = |path: &str| with_any_index(path);
    let found = REMOVED.iter().find(|removed| match removed.form {
        Form::Value => any_index(inner) == removed.name,
        Form::Condition => condition.is_some_and(|path| any_index(path) == removed.name),
        Form::Helper => is_call(inner, removed.name),
    })?;
    let instead = match found.form {
        Form::Condition => format!("#if {}", found.instead),
        Form::Value | Form::Helper => found.instead.to_owned(),
    };
    Some((found.code, instead))
}

/// Returns what follows `author` in the path of the author in an outer context.
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

fn message(inner: &str, instead: &str) -> String {
    let what: String = inner.chars().take(80).collect();
    if instead.is_empty() {
        format!("{{{{{what}}}}} has no value: remove it.")
    } else {
        format!("{{{{{what}}}}} has no value: write {{{{{instead}}}}}.")
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn codes(text: &str) -> Vec<&'static str> {
        find(text).into_iter().map(|found| found.code).collect()
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
        let found = find("a\nb {{cover}}");
        assert_eq!(found[0].line, 2);
        assert_eq!(
            found[0].message,
            "{{cover}} has no value: write {{cover_image}}."
        );
    }
}
