//! Helpers for strings: `concat`, `split`, `encode`, `json`, `plural`, `title`, `readable_url`, `raw`.

use std::fmt::Write;

use url::Url;

use super::{HelperRow, coercion::spelled, escape, takes};
use crate::{
    clock::written_time,
    front_end::PageState,
    templates::{Call, HelperResult, RenderError, Value, escape as escape_html},
};

/// The helpers of this family.
pub const HELPERS: &[HelperRow] = &[
    HelperRow::inline("concat", concat),
    HelperRow::inline("encode", encode),
    HelperRow::inline("json", json),
    HelperRow::inline("plural", plural),
    HelperRow::block("raw", raw),
    HelperRow::inline("readable_url", readable_url),
    HelperRow::block("split", split),
    HelperRow::inline("title", title),
];

/// Approximate memory of a part of a string in addition to its characters, in bytes.
const PART_BYTES: usize = 64;

/// Most bytes of JSON that a call may write.
const JSON_BYTES_MAX: usize = 8 << 20;

/// The JSON of a value is longer than [`JSON_BYTES_MAX`]. Nested objects soon reach it.
struct TooLong;

/// Writes its arguments and the items of its lists, joined with `separator`.
fn concat(call: &mut Call<PageState>) -> HelperResult {
    let separator = call
        .option("separator")
        .filter(|separator| separator.is_true());
    let separator = separator.map(Value::to_string).unwrap_or_default();
    let mut parts: Vec<String> = Vec::new();
    for argument in call.arguments() {
        // Counted after each argument, so that a page ends before all of them are copied.
        let counted = parts.len();
        match argument {
            Value::List(items) => parts.extend(items.iter().map(Value::to_string)),
            other => parts.push(other.to_string()),
        }
        let bytes = |part: &String| part.len() + separator.len();
        call.count_value(parts[counted..].iter().map(bytes).sum())?;
    }
    Ok(Value::html(parts.join(&separator)))
}

/// Returns the non-empty parts of a string as a list; with a block, renders it with that list as its context.
fn split(call: &mut Call<PageState>) -> HelperResult {
    let separator = call
        .option("separator")
        .filter(|separator| !matches!(separator, Value::Undefined));
    let separator = separator.map_or_else(|| ",".to_owned(), spelled);
    let whole = call.argument(0);
    let is_html = matches!(whole, Value::Html(_));
    let text = whole.to_string();
    // Each part is a separate value, even if it is a single character.
    call.count_value(text.matches(separator.as_str()).count() * PART_BYTES)?;
    let parts: Vec<Value> = text
        .split(separator.as_str())
        .filter(|part| !part.is_empty())
        .map(|part| {
            if is_html {
                Value::html(part)
            } else {
                Value::text(part)
            }
        })
        .collect();
    let parts = Value::from(parts);
    if call.has_block() {
        call.render_block(&parts, &[], std::slice::from_ref(&parts))?;
        return Ok(Value::Undefined);
    }
    Ok(parts)
}

/// Writes its argument as a component of a URL.
fn encode(call: &mut Call<PageState>) -> HelperResult {
    let text = call.argument(0);
    // Ghost encodes the options object of the call in place of an empty string (6.65, recorded).
    let text = if text.is_true() {
        text.to_string()
    } else {
        "[object Object]".to_owned()
    };
    Ok(Value::html(escape::url_component(&text)))
}

/// Writes its argument as JSON, or its named arguments as an object.
fn json(call: &mut Call<PageState>) -> HelperResult {
    let mut json = String::new();
    if !call.hash().is_empty() || call.arguments().is_empty() {
        json.push('{');
        // Handlebars builds the object of named arguments from the last one to the first.
        for (name, value) in call.hash().iter().rev() {
            push_property(&mut json, name, value).map_err(|TooLong| too_long(call))?;
        }
        json.push('}');
    } else {
        let is_json = push_json(&mut json, &call.argument(0));
        if !is_json.map_err(|TooLong| too_long(call))? {
            json.push_str("null");
        }
    }
    Ok(Value::html(for_scripts(&json)))
}

fn too_long(call: &Call<PageState>) -> RenderError {
    call.error(format!(
        "{{{{json}}}} writes more than {JSON_BYTES_MAX} bytes"
    ))
}

/// Appends a value as JSON; returns `false` for `undefined`, which JSON cannot represent.
fn push_json(json: &mut String, value: &Value) -> Result<bool, TooLong> {
    if json.len() > JSON_BYTES_MAX {
        return Err(TooLong);
    }
    match value {
        Value::Undefined => return Ok(false),
        Value::Null => json.push_str("null"),
        Value::Number(number) if !number.is_finite() => json.push_str("null"),
        Value::Bool(_) | Value::Number(_) => json.push_str(&value.to_string()),
        Value::Text(text) => push_string(json, text),
        Value::Time(time) => push_string(json, &written_time(*time)),
        Value::Html(text) => {
            json.push('{');
            push_property(json, "string", &Value::Text(text.clone()))?;
            json.push('}');
        }
        Value::List(items) => {
            json.push('[');
            for (index, item) in items.iter().enumerate() {
                if index > 0 {
                    json.push(',');
                }
                if !push_json(json, item)? {
                    json.push_str("null");
                }
            }
            json.push(']');
        }
        Value::Object(object) => {
            json.push('{');
            for name in object.names() {
                push_property(json, &name, &object.get(&name).unwrap_or_default())?;
            }
            json.push('}');
        }
    }
    Ok(true)
}

/// Appends a property of an object, unless JSON cannot represent its value.
fn push_property(json: &mut String, name: &str, value: &Value) -> Result<(), TooLong> {
    // Restored below: JSON omits properties that are undefined.
    let length = json.len();
    if !json.ends_with('{') {
        json.push(',');
    }
    push_string(json, name);
    json.push(':');
    if !push_json(json, value)? {
        json.truncate(length);
    }
    Ok(())
}

fn push_string(json: &mut String, text: &str) {
    let _ = write!(json, "{}", serde_json::Value::from(text));
}

/// Escapes JSON so that it neither ends a script element nor is parsed as markup.
fn for_scripts(json: &str) -> String {
    let mut escaped = String::with_capacity(json.len());
    for character in json.chars() {
        match character {
            '<' => escaped.push_str("\\u003C"),
            '>' => escaped.push_str("\\u003E"),
            '&' => escaped.push_str("\\u0026"),
            '\u{2028}' => escaped.push_str("\\u2028"),
            '\u{2029}' => escaped.push_str("\\u2029"),
            other => escaped.push(other),
        }
    }
    escaped
}

/// Writes the form for a number: `empty`, `singular` or `plural`, with the number in place of `%`.
fn plural(call: &mut Call<PageState>) -> HelperResult {
    takes(call, 1)?;
    let option = |name| {
        call.option(name)
            .filter(|text| !matches!(text, Value::Undefined))
    };
    let (Some(empty), Some(singular), Some(plural)) =
        (option("empty"), option("singular"), option("plural"))
    else {
        return Err(call.error("{{plural}} needs empty, singular and plural"));
    };
    let number = call.argument(0);
    let text = match &number {
        Value::Number(0.0) => empty,
        Value::Number(1.0) => singular,
        other if super::coercion::number(other) >= 2.0 => plural,
        _ => return Ok(Value::Undefined),
    };
    if !matches!(text, Value::Text(_)) {
        return Err(call.error("{{plural}} needs strings as empty, singular and plural"));
    }
    Ok(Value::html(text.to_string().replacen(
        '%',
        &number.to_string(),
        1,
    )))
}

/// Writes the title of the current record.
fn title(call: &mut Call<PageState>) -> HelperResult {
    let title = call.property("title");
    Ok(match title {
        Value::Html(_) => title,
        other if other.is_true() => Value::html(escape_html(&other.to_string())),
        _ => Value::html(""),
    })
}

/// Writes a URL in its short form for readers: host and path, without `www.` and the final slash.
fn readable_url(call: &mut Call<PageState>) -> HelperResult {
    let Value::Text(text) = call.argument(0) else {
        return Ok(Value::html(""));
    };
    let Ok(url) = Url::parse(&text) else {
        return Ok(Value::Html(text));
    };
    let host = url.host_str().unwrap_or_default();
    let host = host.strip_prefix("www.").unwrap_or(host);
    let path = url.path();
    let path = path.strip_suffix('/').unwrap_or(path);
    Ok(Value::html(format!("{host}{path}")))
}

/// Renders its block.
fn raw(call: &mut Call<PageState>) -> HelperResult {
    if !call.has_block() {
        return Err(call.error("{{{{raw}}}} needs a block"));
    }
    takes(call, 0)?;
    let this = call.this().clone();
    call.render_block(&this, &[], &[])?;
    Ok(Value::Undefined)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::templates::PlainObject;

    #[test]
    fn json_is_safe_in_scripts() {
        let record = PlainObject::new()
            .with("title", "Tides & <Notes>")
            .with("nope", Value::Undefined)
            .with("html", Value::html("a"))
            .with("list", Value::from(vec![Value::Undefined, 1.5.into()]));
        let mut json = String::new();
        assert!(matches!(push_json(&mut json, &record.into()), Ok(true)));
        let expected =
            r#"{"title":"Tides \u0026 \u003CNotes\u003E","html":{"string":"a"},"list":[null,1.5]}"#;
        assert_eq!(for_scripts(&json), expected);
    }
}
