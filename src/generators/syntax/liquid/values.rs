//! Evaluates Liquid: strings, variables and filters.

use std::collections::HashMap;

use crate::generators::syntax::{
    ExpansionScope, escape::html, setting_text::value_at, writer::fence_for,
};

/// Maximum length of a stored value, in bytes.
const VALUE_BYTES_MAX: usize = 20_000;

/// Maximum number of stored variables.
const VARIABLES_MAX: usize = 1_000;

/// The variables of a text.
pub struct LiquidValues<'e> {
    scope: ExpansionScope<'e>,
    /// Whether names without a dot are parameters of the document or the site, and `not` negates.
    is_nunjucks: bool,
    variables: HashMap<String, String>,
}

/// Returns whether an expression is the site's URL or base path, with no filters but those for URLs and escaping.
pub fn is_site_url(inside: &str, is_nunjucks: bool) -> bool {
    let name = inside.split('|').next().unwrap_or_default().trim();
    let is_alone = inside.split('|').skip(1).all(|filter| {
        [
            "escape",
            "safe",
            "xml_escape",
            "relative_url",
            "absolute_url",
            "uri_escape",
        ]
        .contains(&filter.trim())
    });
    let is_name = match name {
        "site.baseurl" | "site.url" | "site.github.url" => true,
        "baseurl" | "site.baseUrl" | "metadata.url" | "site.base_url" => is_nunjucks,
        _ => false,
    };
    is_alone && is_name
}

impl<'e> LiquidValues<'e> {
    /// Creates the initial variables of a text.
    pub fn new(
        scope: ExpansionScope<'e>,
        is_nunjucks: bool,
        variables: HashMap<String, String>,
    ) -> Self {
        Self {
            scope,
            is_nunjucks,
            variables,
        }
    }

    /// Assigns a variable. Returns whether it is within the limits.
    pub fn set(&mut self, name: &str, value: String) -> bool {
        let fits = value.len() <= VALUE_BYTES_MAX && self.variables.len() < VARIABLES_MAX;
        if fits {
            self.variables.insert(name.to_owned(), value);
        }
        fits
    }

    /// Returns the variables that an included file inherits: those of this text, except parameters of an inclusion. They are
    /// chosen in order of their names, as many as fit into `bytes_max`.
    pub fn inherited(&self, bytes_max: usize) -> HashMap<String, String> {
        let is_own = |name: &&String| !name.starts_with("include.");
        let mut names: Vec<&String> = self.variables.keys().filter(is_own).collect();
        // Without an order, the limit would select other variables in each
        // process, and the document would change.
        names.sort();
        let mut bytes_left = bytes_max;
        let mut inherited = HashMap::new();
        for name in names {
            let value = &self.variables[name];
            let Some(left) = bytes_left.checked_sub(name.len() + value.len()) else {
                continue;
            };
            bytes_left = left;
            inherited.insert(name.clone(), value.clone());
        }
        inherited
    }

    /// Returns the base path of the site if the expression names it, else the site's URL.
    pub fn site_url(&self, inside: &str) -> String {
        let name = inside.split('|').next().unwrap_or_default().trim();
        if name.contains("base") {
            self.scope.environment.baseurl.clone()
        } else {
            self.scope.environment.url.clone()
        }
    }

    /// Evaluates an expression with its filters. Also returns the first unknown filter; unknown filters are ignored. In a
    /// URL, filters that prepend the site's URL do nothing.
    pub fn of<'x>(
        &self,
        expression: &'x str,
        is_in_url: bool,
    ) -> Option<(String, Option<&'x str>)> {
        let mut parts = parts(expression, '|').into_iter();
        let mut value = self.term(parts.next()?.trim());
        let mut unknown = None;
        for part in parts {
            let part = part.trim();
            let filtered = self.filtered(value.as_deref(), part, is_in_url);
            if filtered.is_none() && value.is_some() {
                unknown = unknown.or(Some(filter_name(part)));
            }
            value = filtered.or(value);
        }
        let value = value.filter(|value| value.len() <= VALUE_BYTES_MAX)?;
        Some((value, unknown))
    }

    /// Evaluates a condition: values, comparisons with `==`, `!=` and `contains`, joined by `and` and `or`, which are
    /// right-associative in Liquid. Returns `None` if a value is unknown.
    pub fn condition(&self, condition: &str) -> Option<bool> {
        // The recursion is bounded by the length of a tag.
        let (first, rest) = match split_at_word(condition, &["and", "or"]) {
            Some((first, word, rest)) => (first, Some((word, rest))),
            None => (condition, None),
        };
        let is_met = self.comparison(first.trim())?;
        match rest {
            Some(("and", rest)) => Some(is_met && self.condition(rest)?),
            Some((_, rest)) => Some(is_met || self.condition(rest)?),
            None => Some(is_met),
        }
    }

    fn comparison(&self, comparison: &str) -> Option<bool> {
        if let Some(negated) = comparison.strip_prefix("not ")
            && self.is_nunjucks
        {
            return Some(!self.comparison(negated.trim())?);
        }
        let operators = ["==", "!=", "contains", "===", "!=="];
        let Some((left, operator, right)) = split_at_word(comparison, &operators) else {
            let value = self.operand(comparison)?;
            return Some(value.is_some_and(|value| value != "false"));
        };
        let (left, right) = (self.operand(left.trim())?, self.operand(right.trim())?);
        Some(match operator {
            "==" | "===" => left == right,
            "contains" => left
                .unwrap_or_default()
                .contains(&right.unwrap_or_default()),
            _ => left != right,
        })
    }

    /// Evaluates an operand of a condition; `None` if it is unknown. Nil, which includes a missing parameter of an
    /// inclusion, is `Some(None)`.
    fn operand(&self, term: &str) -> Option<Option<String>> {
        match self.term(term) {
            // `term` returns an empty text for nil, which differs from nil in conditions.
            _ if matches!(term, "nil" | "null") => Some(None),
            Some(value) => Some(Some(value)),
            None if term.starts_with("include.") && self.scope.depth > 0 => Some(None),
            None => None,
        }
    }

    fn term(&self, term: &str) -> Option<String> {
        if let Some(text) = literal(term) {
            return Some(text.to_owned());
        }
        if term.parse::<f64>().is_ok()
            && term.starts_with(|character: char| character.is_ascii_digit() || character == '-')
        {
            return Some(term.to_owned());
        }
        if let Some(value) = self.variables.get(term) {
            return Some(value.clone());
        }
        let environment = self.scope.environment;
        match term {
            "true" | "false" => return Some(term.to_owned()),
            "nil" | "null" | "empty" | "blank" => return Some(String::new()),
            "site.baseurl" => return Some(environment.baseurl.clone()),
            "site.url" | "site.github.url" => return Some(environment.url.clone()),
            _ => {}
        }
        match term.split_once('.') {
            Some(("page", name)) => value_at(&environment.page, name),
            Some(("site" | "metadata", name)) => value_at(&environment.site, name),
            _ if self.is_nunjucks => environment.parameter(term),
            _ => None,
        }
    }

    fn filtered(&self, value: Option<&str>, filter: &str, is_in_url: bool) -> Option<String> {
        let name = filter_name(filter);
        let arguments = &filter[name.len()..];
        let arguments = arguments
            .trim()
            .trim_start_matches([':', '('])
            .trim_end_matches(')');
        let written = parts(arguments, ',');
        let argument = |index: usize| self.term(written.get(index)?.trim());
        let Some(value) = value else {
            // `default` is the only filter that applies to nil.
            return (name == "default").then(|| argument(0)).flatten();
        };
        let value = value.to_owned();
        let environment = self.scope.environment;
        Some(match name {
            // The linker resolves paths from the root of the site, so the
            // site's URL is not prepended in URLs.
            "relative_url" | "url" if is_in_url => rooted(&value),
            "absolute_url" | "htmlBaseUrl" if is_in_url => rooted(&value),
            "relative_url" | "url" => with_site(&value, &environment.baseurl),
            "absolute_url" | "htmlBaseUrl" => with_site(
                &value,
                &format!("{}{}", environment.url, environment.baseurl),
            ),
            "prepend" if is_in_url && is_site_url(arguments, self.is_nunjucks) => value,
            "prepend" => argument(0)? + &value,
            "append" => value + &argument(0)?,
            "escape" | "xml_escape" | "escape_once" | "e" | "h" => html(&value),
            "upcase" | "upper" => value.to_uppercase(),
            "downcase" | "lower" => value.to_lowercase(),
            "capitalize" => {
                let mut characters = value.chars();
                let first = characters
                    .next()
                    .map(|first| first.to_uppercase().to_string());
                first.unwrap_or_default() + characters.as_str()
            }
            "strip" | "trim" => value.trim().to_owned(),
            "lstrip" => value.trim_start().to_owned(),
            "rstrip" => value.trim_end().to_owned(),
            "highlight" => {
                let fence = fence_for(&value);
                let language = argument(0).unwrap_or_default();
                format!("{fence}{language}\n{}\n{fence}", value.trim_matches('\n'))
            }
            "strip_newlines" => value.replace(['\n', '\r'], ""),
            "newline_to_br" => value.replace('\n', "<br />\n"),
            "replace" => replaced(&value, &argument(0)?, &argument(1)?),
            "replace_first" => value.replacen(&argument(0)?, &argument(1)?, 1),
            "remove" => value.replace(&argument(0)?, ""),
            "remove_first" => value.replacen(&argument(0)?, "", 1),
            "default" if value.is_empty() || value == "false" => argument(0)?,
            "uri_escape" | "cgi_escape" | "url_encode" | "slugify" | "slug" => plain_url(&value)?,
            "default" | "markdownify" | "safe" | "smartify" | "inspect" | "string"
            | "to_string" => value,
            _ => return None,
        })
    }
}

/// Splits a condition at the first of these words outside of quotation marks.
fn split_at_word<'x, 'w>(text: &'x str, words: &[&'w str]) -> Option<(&'x str, &'w str, &'x str)> {
    let mut quote = None;
    let mut is_word_start = true;
    for (offset, character) in text.char_indices() {
        match quote {
            Some(open) if open == character => quote = None,
            Some(_) => {}
            None if "\"'".contains(character) => quote = Some(character),
            None if is_word_start => {
                let word = text[offset..].split_whitespace().next().unwrap_or_default();
                if let Some(found) = words.iter().find(|known| **known == word) {
                    return Some((&text[..offset], found, &text[offset + found.len()..]));
                }
            }
            None => {}
        }
        is_word_start = character.is_whitespace();
    }
    None
}

fn filter_name(filter: &str) -> &str {
    let end = filter
        .find(|character: char| !(character.is_alphanumeric() || character == '_'))
        .unwrap_or(filter.len());
    &filter[..end]
}

/// Returns a value if filters that encode URLs or build slugs do not change it.
fn plain_url(value: &str) -> Option<String> {
    let is_plain = |character: char| {
        character.is_ascii_lowercase() || character.is_ascii_digit() || character == '-'
    };
    value.chars().all(is_plain).then(|| value.to_owned())
}

fn replaced(value: &str, from: &str, to: &str) -> String {
    // The result could be far larger than both texts, before its length can be checked.
    if value.len().saturating_mul(to.len().max(1)) > VALUE_BYTES_MAX * 100 {
        value.to_owned()
    } else {
        value.replace(from, to)
    }
}

fn rooted(path: &str) -> String {
    if path.contains("://") || path.starts_with(['/', '#']) {
        path.to_owned()
    } else {
        format!("/{path}")
    }
}

fn with_site(path: &str, url: &str) -> String {
    if path.contains("://") {
        path.to_owned()
    } else {
        format!("{url}{}", rooted(path))
    }
}

fn literal(term: &str) -> Option<&str> {
    let quote = term.chars().next().filter(|quote| "\"'".contains(*quote))?;
    term[1..]
        .strip_suffix(quote)
        .filter(|inside| !inside.contains(quote))
}

/// Splits a text at separators outside of quotation marks.
fn parts(text: &str, separator: char) -> Vec<&str> {
    let mut parts = Vec::new();
    let (mut start, mut quote) = (0, None);
    for (offset, character) in text.char_indices() {
        match quote {
            Some(open) if open == character => quote = None,
            Some(_) => {}
            None if "\"'".contains(character) => quote = Some(character),
            None if character == separator => {
                parts.push(&text[start..offset]);
                start = offset + character.len_utf8();
            }
            None => {}
        }
    }
    parts.push(&text[start..]);
    parts
}
