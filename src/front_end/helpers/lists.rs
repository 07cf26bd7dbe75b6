//! Helpers that list the names of a post's tags, authors and tiers: `tags`, `authors`, `tiers`.

use super::{
    HelperRow,
    coercion::{slice, whole_number},
    foreach::is_visible,
    takes,
    urls::relative,
};
use crate::{
    front_end::PageState,
    templates::{Call, HelperResult, RenderError, Value, escape as escape_html},
};

/// The helpers of this family.
pub const HELPERS: &[HelperRow] = &[
    HelperRow::inline("authors", authors),
    HelperRow::inline("tags", tags),
    HelperRow::inline("tiers", tiers),
];

/// Writes the tags of a post as links.
fn tags(call: &mut Call<PageState>) -> HelperResult {
    takes(call, 0)?;
    let option =
        |name, default: &str| text_option(call, name).unwrap_or_else(|| default.to_owned());
    let affixes = (option("prefix", ""), option("suffix", ""));
    let separator = option("separator", ", ");
    linked(call, "tags", &separator, affixes)
}

/// Writes the authors of a post as links.
fn authors(call: &mut Call<PageState>) -> HelperResult {
    takes(call, 0)?;
    let option = |name, default: &str| {
        let given = call
            .option(name)
            .filter(|given| !matches!(given, Value::Undefined));
        given.map_or_else(|| default.to_owned(), super::coercion::spelled)
    };
    let affixes = (option("prefix", ""), option("suffix", ""));
    let separator = option("separator", ", ");
    linked(call, "authors", &separator, affixes)
}

/// Returns an option that is a string; HTML is ignored.
fn text_option(call: &Call<PageState>, name: &str) -> Option<String> {
    match call.option(name)? {
        Value::Text(text) => Some(text.to_string()),
        _ => None,
    }
}

/// Returns the linked names of the visible records in a property of the post, from position `from` to `to`, or at most `limit`.
fn linked(
    call: &Call<PageState>,
    property: &str,
    separator: &str,
    (prefix, suffix): (String, String),
) -> HelperResult {
    let Value::List(records) = call.property(property) else {
        return Ok(Value::html(""));
    };
    // Before the names are joined, which allocates the separators.
    count_separators(call, separator, records.len())?;
    let is_linked = text_option(call, "autolink").as_deref() != Some("false");
    let visibility = call
        .option("visibility")
        .filter(|visibility| visibility.is_true());
    if visibility.is_some_and(|visibility| !matches!(visibility, Value::Text(_))) {
        return Err(call.error("visibility must be a string"));
    }
    let visibility = visibility.map_or_else(|| "public".to_owned(), Value::to_string);
    let wanted: Vec<&str> = visibility.split(',').map(str::trim).collect();
    let names: Vec<String> = records
        .iter()
        .filter(|record| wanted.contains(&"all") || is_visible(record, &wanted))
        .map(|record| name(call, record, is_linked))
        .collect();
    let number = |name| {
        call.option(name)
            .filter(|given| given.is_true())
            .and_then(whole_number)
    };
    let from = match call.option("from") {
        // Unlike a string of digits, a number is used as it is: 0 is the position before the first.
        Some(Value::Number(0.0)) if property == "authors" => -1,
        _ => number("from").unwrap_or(1) - 1,
    };
    let count = names.len() as i64;
    // `to` precedes `limit`; 0 counts as missing, as in JavaScript.
    let to = number("to").filter(|to| *to != 0);
    let to = to
        .or_else(|| Some(number("limit")? + from).filter(|to| *to != 0))
        .unwrap_or(count);
    let text = slice(&names, from, to).join(separator);
    if text.is_empty() {
        return Ok(Value::html(""));
    }
    Ok(Value::html(format!("{prefix}{text}{suffix}")))
}

/// Counts the memory of the separators in a list, which may be longer than the items.
fn count_separators(
    call: &Call<PageState>,
    separator: &str,
    items: usize,
) -> Result<(), RenderError> {
    call.count_value(separator.len().saturating_mul(items))
}

fn name(call: &Call<PageState>, record: &Value, is_linked: bool) -> String {
    let name = escape_html(&record.get("name").to_string());
    if !is_linked {
        return name;
    }
    let url = record.get("url").to_string();
    format!(
        "<a href=\"{}\">{name}</a>",
        relative(&call.state().site_urls, &url)
    )
}

/// Writes the names of the tiers that may read a post.
fn tiers(call: &mut Call<PageState>) -> HelperResult {
    takes(call, 0)?;
    let Value::List(tiers) = call.property("tiers") else {
        return Ok(Value::html(""));
    };
    let names: Vec<String> = tiers
        .iter()
        .map(|tier| escape_html(&tier.get("name").to_string()))
        .collect();
    let option =
        |name, default: &str| text_option(call, name).unwrap_or_else(|| default.to_owned());
    let (text, suffix) = match names.as_slice() {
        [] => return Ok(Value::html("")),
        [one] => (one.clone(), " tier"),
        [first @ .., last] => {
            let separator = option("separator", ", ");
            count_separators(call, &separator, names.len())?;
            let first = first.join(&separator);
            (
                format!("{first}{}{last}", option("lastSeparator", " and ")),
                " tiers",
            )
        }
    };
    if text.is_empty() {
        return Ok(Value::html(""));
    }
    Ok(Value::html(format!(
        "{}{text}{}",
        option("prefix", ""),
        option("suffix", suffix)
    )))
}
