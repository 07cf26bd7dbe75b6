//! Edits of TOML, with the crate `toml_edit`, which preserves comments, order and notation.

use toml_edit::{Array, Decor, DocumentMut, InlineTable, Item, Table, TableLike, Value};

use super::{Lines, plan::Operation, scalar, value::KeyValue};

/// Returns `text` with `operation` applied.
pub fn edit(text: &str, operation: &Operation, lines: Lines) -> Result<String, String> {
    let mut document: DocumentMut = text
        .parse()
        .map_err(|error: toml_edit::TomlError| error.message().to_owned())?;
    let missing = || "the key is not in the file".to_owned();
    let written = |value, like| new_value(value, like, lines);
    match operation {
        Operation::Set(path, value) => {
            let (key, outer) = path.split_last().ok_or_else(missing)?;
            let table = table_at(document.as_table_mut(), outer).ok_or_else(missing)?;
            let item = table.get_mut(key).ok_or_else(missing)?;
            match item {
                Item::Value(old) => *old = like(old, value, lines)?,
                // A section, or an array of tables.
                _ => *item = Item::Value(written(value, "")?),
            }
        }
        Operation::Insert(path, key, value) => {
            let table = table_at(document.as_table_mut(), path).ok_or_else(missing)?;
            table.insert(key, new_item_of(value, lines)?);
        }
        Operation::Remove(path) => {
            let (key, outer) = path.split_last().ok_or_else(missing)?;
            let table = table_at(document.as_table_mut(), outer).ok_or_else(missing)?;
            table.remove(key).ok_or_else(missing)?;
        }
    }
    let mut edited = document.to_string();
    // A last line without a line end remains without one.
    if !text.is_empty() && !text.ends_with('\n') && edited.ends_with('\n') {
        edited.pop();
    }
    Ok(edited)
}

/// Returns a new item. A table is a section, which `toml_edit` converts to an inline table inside an inline
/// table.
fn new_item_of(value: &KeyValue, lines: Lines) -> Result<Item, String> {
    let KeyValue::Table(entries) = value else {
        return Ok(Item::Value(new_value(value, "", lines)?));
    };
    let mut table = Table::new();
    let is_section = |(_, value): &(String, KeyValue)| matches!(value, KeyValue::Table(_));
    // `[a.b]` alone implies `[a]`.
    table.set_implicit(!entries.is_empty() && entries.iter().all(is_section));
    for (key, value) in entries {
        table.insert(key, new_item_of(value, lines)?);
    }
    Ok(Item::Table(table))
}

fn table_at<'t>(root: &'t mut dyn TableLike, path: &[String]) -> Option<&'t mut dyn TableLike> {
    path.iter()
        .try_fold(root, |table, key| table.get_mut(key)?.as_table_like_mut())
}

/// Returns `value` in the notation of `old`, with the comments around it.
fn like(old: &Value, value: &KeyValue, lines: Lines) -> Result<Value, String> {
    let mut new = match (old, value) {
        (Value::Array(old), KeyValue::List(items)) => list_like(old, items, lines)?,
        // A date in quotation marks remains a text.
        (Value::String(_), KeyValue::Date(date)) => {
            new_value(&KeyValue::Text(date.clone()), &notation(old), lines)?
        }
        _ => new_value(value, &notation(old), lines)?,
    };
    *new.decor_mut() = old.decor().clone();
    Ok(new)
}

fn notation(value: &Value) -> String {
    value.to_string().trim().to_owned()
}

/// Returns a list with these items: existing items retain their notation, and new items are written like them.
fn list_like(old: &Array, items: &[KeyValue], lines: Lines) -> Result<Value, String> {
    let mut list = Array::new();
    let example = old.get(0).filter(|item| item.is_str()).map(notation);
    let example = example.as_deref().unwrap_or_default();
    let lead = decor_at(old, 0).map(prefix_of).unwrap_or_default();
    let mut free: Vec<&Value> = old.iter().collect();
    for (position, item) in items.iter().enumerate() {
        let known = free.iter().position(|old| equals(old, item));
        let mut value = match known {
            Some(known) => retained_item(free.remove(known)),
            None => new_item(new_value(item, example, lines)?, old, position),
        };
        separate_item(&mut value, position, lead);
        list.push_formatted(value);
    }
    list.set_trailing(old.trailing().clone());
    list.set_trailing_comma(old.trailing_comma() && !items.is_empty());
    Ok(Value::Array(list))
}

/// Returns the whitespace and the comments around the item at this position, or around the last item.
fn decor_at(list: &Array, position: usize) -> Option<&Decor> {
    let position = position.min(list.len().checked_sub(1)?);
    Some(list.get(position)?.decor())
}

/// Returns the whitespace and the comments before an item.
fn prefix_of(decor: &Decor) -> &str {
    let prefix = decor.prefix().and_then(|prefix| prefix.as_str());
    prefix.unwrap_or_default()
}

/// Returns an existing item for the new list.
fn retained_item(old: &Value) -> Value {
    let mut value = old.clone();
    let suffix = value.decor().suffix().and_then(|suffix| suffix.as_str());
    // The whitespace after a last item without a comma must not precede the comma that it gets if it is no longer
    // the last.
    if suffix.is_none_or(|suffix| suffix.trim().is_empty()) {
        value.decor_mut().set_suffix("");
    }
    value
}

/// Returns a new item, on a separate line if the others are.
fn new_item(mut value: Value, old: &Array, position: usize) -> Value {
    if let Some(decor) = decor_at(old, 1).or(decor_at(old, 0)) {
        let prefix = prefix_of(decor);
        // A comment belongs to its item, so it is not copied.
        let prefix = prefix.rfind('\n').map_or(prefix, |line| &prefix[line..]);
        let is_beside = position > 0 && prefix.is_empty();
        value
            .decor_mut()
            .set_prefix(if is_beside { " " } else { prefix });
    }
    value
}

/// Separates an item from the bracket or the item before it. `lead` is the text before the first item.
fn separate_item(value: &mut Value, position: usize, lead: &str) {
    let prefix = prefix_of(value.decor());
    let new = if position == 0 && !prefix.contains('\n') && !lead.contains('#') {
        lead
    } else if position > 0 && prefix.is_empty() && !lead.contains('\n') {
        " "
    } else {
        return;
    };
    value.decor_mut().set_prefix(new);
}

/// Returns whether a value of a list is equal to `item`.
fn equals(old: &Value, item: &KeyValue) -> bool {
    match (old, item) {
        (Value::String(old), KeyValue::Text(text)) => old.value() == text,
        (Value::Integer(old), KeyValue::Integer(number)) => old.value() == number,
        (Value::Boolean(old), KeyValue::Boolean(is_true)) => old.value() == is_true,
        _ => false,
    }
}

fn new_value(value: &KeyValue, like: &str, lines: Lines) -> Result<Value, String> {
    let is_text = like.starts_with(['"', '\'']);
    Ok(match value {
        KeyValue::Text(text) => parsed(&scalar::toml_text(text, like, lines))?,
        KeyValue::Date(date) if is_text => parsed(&scalar::toml_text(date, like, lines))?,
        KeyValue::Date(date) => match date.parse() {
            Ok(date) => Value::Datetime(toml_edit::Formatted::new(date)),
            Err(_) => parsed(&scalar::double_quoted(date))?,
        },
        KeyValue::Boolean(is_true) => Value::from(*is_true),
        KeyValue::Integer(number) => Value::from(*number),
        KeyValue::List(items) => {
            let items = items.iter().map(|item| new_value(item, "", lines));
            Value::Array(items.collect::<Result<Array, String>>()?)
        }
        KeyValue::Table(entries) => {
            let entries = entries.iter();
            let entries = entries.map(|(key, value)| Ok((key, new_value(value, "", lines)?)));
            Value::InlineTable(entries.collect::<Result<InlineTable, String>>()?)
        }
    })
}

fn parsed(text: &str) -> Result<Value, String> {
    text.parse()
        .map_err(|error: toml_edit::TomlError| error.message().to_owned())
}
