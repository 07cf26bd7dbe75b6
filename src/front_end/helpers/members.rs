//! Helpers for members: `cancel_link`, `comment_count`, `comments`, `input_password`, `recommendations`, `search`,
//! `total_members`, `total_paid_members`.

use super::{
    HelperRow,
    built_in::{CANCEL_LINK, RECOMMENDATIONS},
    coercion::{number, whole_number},
    records::context,
    takes,
};
use crate::{
    front_end::{
        PageState,
        model::{self, GetRequest, GetResource},
    },
    templates::{Call, HelperResult, PlainObject, Value},
};

/// The helpers of this family.
pub const HELPERS: &[HelperRow] = &[
    HelperRow::inline("cancel_link", cancel_link),
    HelperRow::inline("comment_count", comment_count),
    HelperRow::inline("comments", comments),
    HelperRow::inline("input_password", input_password),
    HelperRow::inline("recommendations", recommendations),
    HelperRow::inline("search", search),
    HelperRow::inline("total_members", total_members),
    HelperRow::inline("total_paid_members", total_paid_members),
];

/// The button that opens the search dialog.
const SEARCH: &str = include_str!("built_in/search.html");

/// Writes a link that cancels or resumes the current subscription.
fn cancel_link(call: &mut Call<PageState>) -> HelperResult {
    let (id, is_ending) = (call.property("id"), call.property("cancel_at_period_end"));
    if matches!(id, Value::Undefined) || matches!(is_ending, Value::Undefined) {
        return Err(call.error("{{cancel_link}} is used outside of a subscription"));
    }
    let option = |name, default: &str| match call.option(name) {
        Some(given) if given.is_true() => given.clone(),
        _ => Value::from(default),
    };
    let context = PlainObject::new()
        .with("id", id)
        .with("cancel_at_period_end", is_ending)
        .with("class", option("class", "gh-subscription-cancel"))
        .with(
            "errorClass",
            option("errorClass", "gh-error gh-error-subscription-cancel"),
        )
        .with("cancelLabel", option("cancelLabel", "Cancel subscription"))
        .with(
            "continueLabel",
            option("continueLabel", "Resume subscription"),
        );
    CANCEL_LINK.render_in(call, &context.into())
}

/// Writes a script element that shows the number of comments on a post.
fn comment_count(call: &mut Call<PageState>) -> HelperResult {
    takes(call, 0)?;
    let option = |name, default: &str| match call.option(name) {
        None | Some(Value::Undefined) => default.to_owned(),
        Some(given) => given.to_string(),
    };
    let is_wrapped = call.option("autowrap").and_then(Value::as_text) != Some("false");
    let tag = match call.option("autowrap") {
        _ if !is_wrapped => "script".to_owned(),
        Some(tag) if tag.is_true() => tag.to_string(),
        _ => "span".to_owned(),
    };
    let attributes = [
        ("", call.property("id").to_string()),
        ("-empty", option("empty", "")),
        ("-singular", option("singular", "comment")),
        ("-plural", option("plural", "comments")),
        ("-tag", tag),
        ("-class-name", option("class", "")),
        ("-autowrap", is_wrapped.to_string()),
    ];
    let mut html = "<script\n".to_owned();
    for (name, value) in attributes {
        html.push_str(&format!("    data-ghost-comment-count{name}=\"{value}\"\n"));
    }
    html.push_str(">\n</script>");
    Ok(Value::html(html))
}

/// Writes the script element for the comments of a post, if the reader has access to the post.
fn comments(call: &mut Call<PageState>) -> HelperResult {
    let state = call.state();
    let settings = &state.catalog().settings;
    let enabled = settings.text("comments_enabled").unwrap_or_default();
    let has_comments = call.property("comment_id").is_true() && call.property("access").is_true();
    // Galley's own script does not support comments.
    if !has_comments || enabled == "off" || state.scripts.own.is_some() {
        return Ok(Value::Undefined);
    }
    takes(call, 0)?;
    let mode = call.option("mode").and_then(Value::as_text);
    let saturation = call
        .option("saturation")
        .and_then(whole_number)
        .unwrap_or(60);
    let is_counted = !matches!(call.option("count"), Some(Value::Bool(false)));
    let title = match call.option("title") {
        Some(Value::Text(title)) => title.to_string(),
        _ => "null".to_owned(),
    };
    let urls = &state.site_urls;
    let admin = format!("{}/{}/", urls.base(), state.path_prefix);
    let attributes = [
        ("locale", state.locale.clone()),
        ("ghost-comments", urls.site().to_owned()),
        ("api", format!("{admin}api/content/")),
        ("admin", admin),
        ("key", state.content_key.clone()),
        ("title", title),
        ("count", is_counted.to_string()),
        ("post-id", call.property("id").to_string()),
        (
            "color-scheme",
            mode.filter(|mode| matches!(*mode, "dark" | "light"))
                .unwrap_or("auto")
                .to_owned(),
        ),
        ("avatar-saturation", saturation.to_string()),
        (
            "accent-color",
            call.data("site").get("accent_color").to_string(),
        ),
        ("comments-enabled", enabled),
        ("publication", settings.text("title").unwrap_or_default()),
    ];
    let mut html = format!("\n        <script defer src=\"{}\"", state.scripts.comments);
    for (name, value) in &attributes {
        // Ghost 6.65 does not escape the values, so a quotation mark in the title would end the attribute.
        html.extend([" data-", name, "=\"", &value.replace('"', "&quot;"), "\""]);
    }
    html.push_str(" crossorigin=\"anonymous\"></script>\n    ");
    Ok(Value::html(html))
}

/// Writes the password field of a private site.
fn input_password(call: &mut Call<PageState>) -> HelperResult {
    let option = |name| call.option(name).filter(|given| given.is_true());
    let class =
        option("class").map_or_else(|| "private-login-password".to_owned(), Value::to_string);
    let mut further = "autofocus=\"autofocus\"".to_owned();
    if let Some(placeholder) = option("placeholder") {
        further.push_str(&format!(" placeholder=\"{placeholder}\""));
    }
    if option("data-1p-ignore").is_some() {
        further.push_str(" data-1p-ignore");
    }
    Ok(Value::html(format!(
        "<input class=\"{class}\" type=\"password\" name=\"password\" {further} />"
    )))
}

/// Renders the list of sites that this site recommends.
fn recommendations(call: &mut Call<PageState>) -> HelperResult {
    let state = call.state();
    let is_on = state.catalog().settings.is_on("recommendations_enabled");
    if !is_on || !call.arguments().is_empty() {
        return Ok(Value::Undefined);
    }
    let arguments = [
        ("limit", "5"),
        ("order", "created_at desc"),
        // Empty arguments are removed below; this one is given only by the theme.
        ("filter", ""),
        ("page", "1"),
    ];
    let given = |name: &str| {
        call.option(name)
            .filter(|given| given.is_some())
            .map(Value::to_string)
    };
    if !["limit", "order"]
        .into_iter()
        .all(|name| is_usable(call, name))
    {
        return Ok(Value::Null);
    }
    let arguments = arguments.map(|(name, usual)| {
        (
            name.to_owned(),
            given(name).unwrap_or_else(|| usual.to_owned()),
        )
    });
    let resource = GetResource::Recommendations;
    let request = GetRequest {
        resource,
        arguments: arguments
            .into_iter()
            .filter(|(_, value)| !value.is_empty())
            .collect(),
        is_of_route: false,
    };
    match model::get(state, &request) {
        Ok(found) => RECOMMENDATIONS.render_in(call, &context(resource, found)),
        // As in Ghost, an error of the query leaves the page without recommendations.
        Err(_) => Ok(Value::Null),
    }
}

/// Returns whether an argument of `recommendations` is valid. A string must be a number or `all` for `limit`, and fields with
/// directions for `order`.
fn is_usable(call: &Call<PageState>, name: &str) -> bool {
    let Some(Value::Text(text)) = call.option(name) else {
        return true;
    };
    let is_directed = |part: &str| {
        let direction = part.split_whitespace().nth(1).unwrap_or_default();
        ["asc", "desc"]
            .iter()
            .any(|known| direction.eq_ignore_ascii_case(known))
    };
    match name {
        "order" => text.split(',').all(is_directed),
        _ => &**text == "all" || text.parse::<u64>().is_ok(),
    }
}

/// Writes the button that opens the search dialog.
fn search(_call: &mut Call<PageState>) -> HelperResult {
    Ok(Value::html(SEARCH.trim_end()))
}

/// Writes the number of members, rounded down.
fn total_members(call: &mut Call<PageState>) -> HelperResult {
    Ok(members(call, "total", model::member_count))
}

/// Writes the number of paying members, rounded down.
fn total_paid_members(call: &mut Call<PageState>) -> HelperResult {
    Ok(members(call, "paid", model::paid_member_count))
}

/// Returns a number of members: a property of the context, else the number of the site.
fn members(call: &Call<PageState>, property: &str, count: fn(&PageState) -> usize) -> Value {
    let own = call.property(property);
    let count = if own.is_true() {
        number(&own) as i64
    } else {
        count(call.state()) as i64
    };
    Value::html(rounded(count))
}

/// Formats a number as readers see it: exact up to 50, then rounded down in increasing steps.
fn rounded(count: i64) -> String {
    let down = |step: i64| count / step * step;
    match count {
        ..=50 => count.to_string(),
        51..=100 => format!("{}+", down(10)),
        101..=1_000 => format!("{}+", grouped(down(50))),
        1_001..=10_000 => format!("{}+", grouped(down(100))),
        10_001..=100_000 => format!("{}+", grouped(down(1_000))),
        100_001..=1_000_000 => format!("{}+", compact(down(10_000))),
        _ => format!("{}+", compact(down(100_000))),
    }
}

fn grouped(count: i64) -> String {
    if count < 1_000 {
        count.to_string()
    } else {
        format!("{},{:03}", count / 1_000, count % 1_000)
    }
}

/// Formats a number in thousands, millions or billions, with at most one decimal.
fn compact(count: i64) -> String {
    let (unit, suffix) = match count {
        ..=999_999 => (1_000, 'k'),
        1_000_000..=999_999_999 => (1_000_000, 'm'),
        _ => (1_000_000_000, 'b'),
    };
    match (count / unit, count % unit / (unit / 10)) {
        (whole, 0) => format!("{whole}{suffix}"),
        (whole, tenth) => format!("{whole}.{tenth}{suffix}"),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn numbers_of_members_are_rounded_down() {
        let counts = [14, 57, 199, 1_234, 12_345, 123_456, 1_250_000];
        let rounded = counts.map(rounded);
        assert_eq!(
            rounded,
            ["14", "50+", "150+", "1,200+", "12,000+", "120k+", "1.2m+"]
        );
    }
}
