//! The loop `foreach`.

use std::sync::Arc;

use super::{
    HelperRow,
    coercion::{has_all, is_post, number, whole_number},
    takes,
};
use crate::{
    front_end::PageState,
    templates::{Call, HelperResult, RenderError, Value},
};

/// The helpers of this family.
pub const HELPERS: &[HelperRow] = &[HelperRow::block("foreach", foreach)];

/// Approximate memory that one character of a string takes as an item, in bytes.
const CHARACTER_BYTES: usize = 128;

/// An item with its key: the index in a list, the name in an object.
type Item = (Value, Value);

/// Renders its block for each item of a list, property of an object or character of a string.
fn foreach(call: &mut Call<PageState>) -> HelperResult {
    takes(call, 1)?;
    if call.arguments().is_empty() || !call.has_block() {
        return Err(call.error("{{#foreach}} needs a list and a block"));
    }
    let items = visible(call, &call.argument(0))?;
    if items.is_empty() {
        let this = call.this().clone();
        call.render_inverse(&this, &[])?;
        return Ok(Value::Undefined);
    }
    // Every comparison with NaN is false, so without `columns` no item begins or ends a row.
    let columns = call.option("columns").map_or(f64::NAN, number);
    let Range { from, to } = range(call, items.len() as i64);
    for (index, (item, key)) in items.iter().enumerate() {
        let position = index as i64 + 1;
        if position < from {
            continue;
        }
        if position > to {
            break;
        }
        let data = [
            ("key", key.clone()),
            ("index", Value::from(index)),
            ("number", Value::from(index + 1)),
            ("first", Value::from(position == from)),
            ("last", Value::from(position == to)),
            ("even", Value::from(position % 2 == 0)),
            ("odd", Value::from(position % 2 == 1)),
            ("rowStart", Value::from(index as f64 % columns == 0.0)),
            (
                "rowEnd",
                Value::from(index as f64 % columns == columns - 1.0),
            ),
        ];
        call.render_block(item, &data, &[item.clone(), key.clone()])?;
    }
    Ok(Value::Undefined)
}

/// The range of items to render, counted from 1, both ends inclusive.
struct Range {
    from: i64,
    to: i64,
}

fn range(call: &Call<PageState>, length: i64) -> Range {
    let option = |name| {
        call.option(name)
            .and_then(whole_number)
            .filter(|number| *number != 0)
    };
    let limit = option("limit").unwrap_or(length);
    let from = option("from").unwrap_or(1);
    let mut to = option("to").unwrap_or(length);
    // A limit that exceeds the remaining items is ignored (Ghost 6.65, recorded).
    if limit < length && from + limit <= length {
        to = from - 1 + limit;
    }
    Range { from, to }
}

/// Returns the items that match the option `visibility`: by default public items, and all posts and newsletters.
fn visible(call: &Call<PageState>, whole: &Value) -> Result<Vec<Item>, RenderError> {
    if let Value::Text(text) = whole {
        // Before `items` allocates one value for each character.
        call.count_value(text.len().saturating_mul(CHARACTER_BYTES))?;
    }
    let mut items = items(whole);
    let is_all = items.first().is_some_and(|(first, _)| {
        is_post(first) || has_all(first, &["name", "subscribe_on_signup", "visibility"])
    });
    let wanted = call
        .option("visibility")
        .filter(|visibility| visibility.is_true());
    if wanted.is_some_and(|wanted| !matches!(wanted, Value::Text(_) | Value::List(_))) {
        return Err(call.error("{{#foreach}} needs a string as visibility"));
    }
    let wanted = wanted.map(Value::to_string);
    let wanted = wanted.unwrap_or_else(|| if is_all { "all" } else { "public" }.to_owned());
    let wanted: Vec<&str> = wanted.split(',').map(str::trim).collect();
    if wanted.contains(&"all") {
        return Ok(items);
    }
    if items.iter().any(|(item, _)| !item.is_some()) {
        return Err(call.error("{{#foreach}} cannot read the visibility of null"));
    }
    items.retain(|(item, _)| is_visible(item, &wanted));
    if matches!(whole, Value::List(_)) {
        for (index, (_, key)) in items.iter_mut().enumerate() {
            // Items of a list are numbered after the hidden ones have been removed.
            *key = Value::from(index);
        }
    }
    Ok(items)
}

/// Returns whether the visibility of a record is one of `wanted`; a record without a visibility is public.
pub fn is_visible(item: &Value, wanted: &[&str]) -> bool {
    let own = item.get("visibility");
    match own.as_text().filter(|own| !own.is_empty()) {
        Some(own) => wanted.contains(&own),
        None => wanted.contains(&"public"),
    }
}

fn items(whole: &Value) -> Vec<Item> {
    let indexed = |(index, item): (usize, Value)| (item, Value::from(index));
    match whole {
        Value::List(items) => items.iter().cloned().enumerate().map(indexed).collect(),
        Value::Object(object) => {
            let property =
                |name: Arc<str>| (object.get(&name).unwrap_or_default(), Value::Text(name));
            object.names().into_iter().map(property).collect()
        }
        Value::Text(text) => {
            let characters = text
                .chars()
                .map(|character| Value::from(character.to_string()));
            characters
                .enumerate()
                .map(|(index, item)| (item, Value::from(index.to_string())))
                .collect()
        }
        // As in Handlebars, HTML is an object with one property.
        Value::Html(text) => vec![(Value::Text(Arc::clone(text)), "string".into())],
        _ => Vec::new(),
    }
}
