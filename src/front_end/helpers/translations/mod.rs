//! The helper for translated texts of a theme: `t`.

mod message;
mod parser;

use std::borrow::Cow;

use super::HelperRow;
use crate::{
    front_end::PageState,
    templates::{Call, HelperResult, Value},
};

use self::message::{Formatting, Message};

/// The helpers of this family.
pub const HELPERS: &[HelperRow] = &[HelperRow::inline("t", t)];

/// The output for a translation if one of its arguments has no value.
const FAILED: &str = "An error occurred";

/// Maximum number of characters of a translation quoted in an error.
const SHOWN_CHARACTERS_MAX: usize = 80;

/// Returns the start of a translation, short enough for an error message.
fn beginning_of(translation: &str) -> Cow<'_, str> {
    match translation.char_indices().nth(SHOWN_CHARACTERS_MAX) {
        Some((end, _)) => Cow::Owned(format!("{}…", &translation[..end])),
        None => Cow::Borrowed(translation),
    }
}

/// Writes the translation of a text, with the named arguments in place of `{name}`.
fn t(call: &mut Call<PageState>) -> HelperResult {
    let key = call.argument(0);
    let Value::Text(key) = &key else {
        return Ok(Value::from(""));
    };
    let state = call.state();
    let translation = state.theme.translated(&state.locale, key);
    // Most translations have no syntax, and are not parsed.
    if !translation.contains(['{', '}', '\\', '\'', '#']) {
        return Ok(Value::from(translation));
    }
    let message = Message::parsed(translation);
    let message = message.map_err(|error| {
        let beginning = beginning_of(translation);
        call.error(format!("invalid translation \"{beginning}\": {error}"))
    })?;
    let formatting = Formatting {
        locale: &state.locale,
        values: call.hash(),
    };
    Ok(message
        .formatted(&formatting)
        .unwrap_or_else(|| Value::from(FAILED)))
}
