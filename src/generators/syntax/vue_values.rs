//! Replaces values in documents of VitePress and VuePress, such as `{{ $frontmatter.title }}`, with values from front matter
//! and the site. Other Vue expressions are not evaluated and are dropped with a remark.

use std::sync::LazyLock;

use regex::Regex;

use crate::generators::{
    settings::literals::regex,
    syntax::{
        Environment, ExpandedText, ExpansionScope, code::Code, escape::markdown_text,
        setting_text::value_at, writer::ExpansionWriter,
    },
};

/// Maximum length of an expression, in bytes. Longer ones are text.
const EXPRESSION_BYTES_MAX: usize = 500;

/// Maximum length of an expression in a remark, in bytes.
const SHOWN_BYTES_MAX: usize = 80;

/// The prefixes of front matter keys in expressions.
const FRONT_MATTER: [&str; 5] = [
    "$frontmatter.",
    "$page.frontmatter.",
    "$page.",
    "page.frontmatter.",
    "frontmatter.",
];

/// The prefixes of site settings in expressions.
const SITE: [&str; 2] = ["$site.", "site."];

/// Replaces the expressions outside of code and of parts with `v-pre`.
pub fn pass(text: &str, scope: ExpansionScope<'_>) -> ExpandedText {
    let mut writer = ExpansionWriter::new(text);
    if !text.contains("{{") {
        return writer.finish();
    }
    let code = Code::and_comments(text);
    let verbatim = Verbatim::of(text, &code);
    let mut offset = 0;
    while let Some(found) = text[offset..].find("{{") {
        let start = offset + found;
        offset = start + 2;
        if let Some(code) = code.at(start) {
            offset = code.end;
            continue;
        }
        if let Some(end) = verbatim.end_of(start) {
            offset = end;
            continue;
        }
        let window = &text[offset..text.floor_char_boundary(offset + EXPRESSION_BYTES_MAX)];
        let inside = window.split_once("}}").map(|(inside, _)| inside);
        // Templates of other programs begin with these characters; Vue expressions do not.
        let is_template =
            |inside: &&str| inside.trim_start().starts_with(['<', '%', '#', '.', '/']);
        let inside = inside.filter(|inside| !inside.contains("\n\n") && !is_template(inside));
        let Some(inside) = inside else {
            continue;
        };
        let end = offset + inside.len() + 2;
        writer.copy_to(start);
        match value(inside.trim(), scope.environment) {
            Some(value) => writer.put(&markdown_text(&value)),
            None => {
                let line = inside.trim().lines().next().unwrap_or_default();
                let line = &line[..line.floor_char_boundary(SHOWN_BYTES_MAX)];
                writer.remark(
                    start,
                    format!("the expression `{{{{ {line} }}}}` is not evaluated and is left out"),
                );
            }
        }
        writer.skip_to(end);
        offset = end;
    }
    writer.finish()
}

/// Returns the value of an expression; `None` if it requires evaluation. As in Vue, a missing key of the front matter is
/// empty.
fn value(expression: &str, environment: &Environment<'_>) -> Option<String> {
    let literal = ['"', '\'', '`'].into_iter().find_map(|quote| {
        let inside = expression.strip_prefix(quote)?.strip_suffix(quote)?;
        (!inside.contains([quote, '\\']) && !inside.contains("${")).then_some(inside)
    });
    if let Some(literal) = literal {
        return Some(literal.to_owned());
    }
    let is_name = |name: &str| {
        let is_of_name = |character: char| character.is_alphanumeric() || "_.-".contains(character);
        !name.is_empty() && name.chars().all(is_of_name)
    };
    let after = |prefixes: &'static [&'static str]| {
        let names = prefixes
            .iter()
            .filter_map(|prefix| expression.strip_prefix(prefix));
        names.filter(|name| is_name(name)).map(str::to_owned).next()
    };
    if let Some(name) = after(&FRONT_MATTER) {
        return Some(value_at(&environment.page, &name).unwrap_or_default());
    }
    let name = after(&SITE).or_else(|| {
        let names = ["$title", "$description"];
        let name = names.iter().find(|name| **name == expression)?;
        Some(name.trim_start_matches('$').to_owned())
    })?;
    value_at(&environment.site, &name)
}

/// The parts of a text in which Vue does not evaluate expressions: `::: v-pre`, and elements with the attribute `v-pre`.
struct Verbatim {
    ranges: Vec<(usize, usize)>,
}

impl Verbatim {
    fn of(text: &str, code: &Code) -> Self {
        static START: LazyLock<Regex> = LazyLock::new(|| {
            regex(
                r"(?m)^[ \t]*(:{3,})[ \t]*v-pre[ \t]*$|<([A-Za-z][A-Za-z0-9-]*)[^<>]*[ \t\n]v-pre[^<>]*>",
            )
        });
        let mut ranges: Vec<(usize, usize)> = Vec::new();
        if !text.contains("v-pre") {
            return Self { ranges };
        }
        for found in START.captures_iter(text) {
            let Some(whole) = found.get(0) else { continue };
            // Elements within a verbatim part are verbatim anyway, and the ranges must not overlap.
            let is_within = ranges.last().is_some_and(|(_, end)| whole.start() < *end);
            if is_within || code.at(whole.start()).is_some() {
                continue;
            }
            let close = match (found.get(1), found.get(2)) {
                (Some(colons), _) => format!("\n{}", colons.as_str()),
                (None, Some(element)) => format!("</{}", element.as_str()),
                (None, None) => continue,
            };
            let rest = &text[whole.end()..];
            let end = rest.find(&close).unwrap_or(rest.len());
            ranges.push((whole.start(), whole.end() + end));
        }
        Self { ranges }
    }

    /// Returns the end of the part that contains the byte `offset`.
    fn end_of(&self, offset: usize) -> Option<usize> {
        let next = self.ranges.partition_point(|(_, end)| *end <= offset);
        let range = self.ranges.get(next)?;
        (range.0 <= offset).then_some(range.1)
    }
}
