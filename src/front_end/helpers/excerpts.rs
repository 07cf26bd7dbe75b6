//! Helpers for the text of a post: `content`, `excerpt`, `reading_time`.

use super::{
    HelperRow,
    built_in::CALL_TO_ACTION,
    coercion::{is_post, number, spelled, whole_number},
    downsize::{Cut, downsize},
    escape,
};
use crate::{
    front_end::{PageState, highlighting::highlighted},
    render::reading_time,
    templates::{Call, HelperResult, PlainObject, Value},
};

/// The helpers of this family.
pub const HELPERS: &[HelperRow] = &[
    HelperRow::inline("content", content),
    HelperRow::inline("excerpt", excerpt),
    HelperRow::inline("reading_time", reading_time),
];

/// Number of words in an excerpt if no length is given.
const WORDS_DEFAULT: i64 = 50;

/// Writes the body of a post, whole or truncated; for readers without access, its preview and a
/// call to action.
fn content(call: &mut Call<PageState>) -> HelperResult {
    let access = call.property("access");
    // Records of `{{#get}}` with `fields` may have no `access`; their body is already limited to
    // what the reader may see.
    if !matches!(access, Value::Undefined) && !access.is_true() {
        let accent_color = call.data("site").get("accent_color");
        let properties = PlainObject::new().with("accentColor", accent_color);
        return CALL_TO_ACTION.render_with(call, properties, &[]);
    }
    let html = call.property("html");
    let is_cut = ["words", "characters"]
        .iter()
        .any(|name| call.option(name).is_some());
    let html = if matches!(html, Value::Null) {
        String::new()
    } else {
        spelled(&html)
    };
    if !is_cut && call.state().theme.highlights_code {
        return Ok(Value::html(highlighted(&html).into_owned()));
    }
    if !is_cut {
        return Ok(Value::html(html));
    }
    if matches!(call.property("html"), Value::Undefined) {
        return Err(call.error("{{content}} has no html to cut: it is used outside of a post"));
    }
    let length = |name| call.option(name).and_then(whole_number);
    let cut = length("words").map_or_else(|| Cut::Characters(length("characters")), Cut::Words);
    Ok(Value::html(downsize(&html, cut)))
}

/// Writes the excerpt of a post, truncated unless its author wrote it.
fn excerpt(call: &mut Call<PageState>) -> HelperResult {
    let custom = call.property("custom_excerpt");
    let is_custom = custom.is_true();
    let text = if is_custom {
        custom
    } else {
        call.property("excerpt")
    };
    let text = match text.as_text() {
        Some(text) => escape::plain_html(text),
        None => escape::plain_html(&text.to_string()),
    };
    let length = |name| call.option(name).and_then(whole_number);
    let (words, characters) = (length("words"), length("characters"));
    let asked = |number: Option<i64>| number.filter(|number| *number != 0);
    // `words` takes precedence over `characters`. 0 words alone count as no length, and next to
    // `characters` as a length.
    let cut = if is_custom {
        // A custom excerpt is never truncated, except to zero words (Ghost 6.65, recorded).
        if words == Some(0) {
            Cut::Words(0)
        } else {
            Cut::Characters(None)
        }
    } else if let Some(words) = words.filter(|words| *words != 0 || asked(characters).is_some()) {
        Cut::Words(words)
    } else if let Some(characters) = asked(characters) {
        Cut::Characters(Some(characters))
    } else {
        Cut::Words(WORDS_DEFAULT)
    };
    Ok(Value::html(downsize(&text, cut)))
}

/// Writes the reading time of a post: `minute`, or `minutes` with the number in place of `%`.
fn reading_time(call: &mut Call<PageState>) -> HelperResult {
    let this = call.this();
    if !is_post(this) {
        return Ok(Value::Null);
    }
    let known = number(&call.property("reading_time"));
    let minutes = if known > 0.0 {
        known
    } else {
        let html = call.property("html");
        if !html.is_true() {
            return Ok(Value::html(""));
        }
        let has_image = call.property("feature_image").is_true();
        reading_time::minutes(&html.to_string(), has_image).map_or(0.0, f64::from)
    };
    let option = |name, default: &str| match call.option(name) {
        Some(Value::Text(text)) => text.to_string(),
        _ => default.to_owned(),
    };
    Ok(Value::html(if minutes <= 1.0 {
        option("minute", "1 min read")
    } else {
        option("minutes", "% min read").replacen('%', &Value::from(minutes).to_string(), 1)
    }))
}
