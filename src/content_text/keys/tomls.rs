//! Edits of TOML, by the crate `toml_edit`, which preserves comments, order and notation.

use toml_edit::{Array, Decor, DocumentMut, InlineTable, Item, TableLike, Value};

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
                _ => *item = Item::Value(written(value, "")?),
            }
        }
        Operation::Insert(path, key, value) => {
            let table = table_at(document.as_table_mut(), path).ok_or_else(missing)?;
            let value = written(value, "")?;
            table.insert(key, Item::Value(value));
        }
        Operation::Remove(path) => {
            let (key, outer) = path.split_last().ok_or_else(missing)?;
            let table = table_at(document.as_table_mut(), outer).ok_or_else(missing)?;
            table.remove(key).ok_or_else(missing)?;
        }
    }
    let mut edited = document.to_string();
    // A last line without a line end stays so.
    if !text.is_empty() && !text.ends_with('\n') && edited.ends_with('\n') {
        edited.pop();
    }
    Ok(edited)
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

/// Returns a list whose remaining items are unchanged, and whose new ones have the same layout.
fn list_like(old: &Array, items: &[KeyValue], lines: Lines) -> Result<Value, String> {
    let mut list = Array::new();
    let decor_of = |index: usize| -> Option<&Decor> {
        let index = index.min(old.len().checked_sub(1)?);
        Some(old.get(index)?.decor())
    };
    let example = old.get(0).filter(|item| item.is_str()).map(notation);
    let mut free: Vec<usize> = (0..old.len()).collect();
    let mut lead = None;
    for (index, item) in items.iter().enumerate() {
        let same = free
            .iter()
            .position(|old_index| old.get(*old_index).is_some_and(|old| says(old, item)));
        let mut value = match same {
            Some(same) => {
                let mut value = old
                    .get(free.remove(same))
                    .cloned()
                    .unwrap_or_else(|| Value::from(""));
                // An item that is no longer the last had no comma behind it.
                if value
                    .decor()
                    .suffix()
                    .and_then(|suffix| suffix.as_str())
                    .is_none_or(|suffix| suffix.trim().is_empty())
                {
                    value.decor_mut().set_suffix("");
                }
                value
            }
            None => {
                let mut value = new_value(item, example.as_deref().unwrap_or_default(), lines)?;
                if let Some(decor) = decor_of(1).or(decor_of(0)) {
                    let prefix = decor
                        .prefix()
                        .and_then(|prefix| prefix.as_str())
                        .unwrap_or_default();
                    // A comment belongs to its item.
                    let prefix = match prefix.rfind('\n') {
                        Some(line) => &prefix[line..],
                        None => prefix,
                    };
                    value
                        .decor_mut()
                        .set_prefix(if index > 0 && prefix.is_empty() {
                            " "
                        } else {
                            prefix
                        });
                }
                value
            }
        };
        if index == 0 {
            let first = decor_of(0).and_then(|decor| decor.prefix()).cloned();
            lead = first
                .as_ref()
                .and_then(|prefix| prefix.as_str())
                .map(str::to_owned);
            if !value
                .decor()
                .prefix()
                .and_then(|prefix| prefix.as_str())
                .is_some_and(|prefix| prefix.contains('\n'))
                && let Some(first) = first
                && first.as_str().is_some_and(|first| !first.contains('#'))
            {
                value.decor_mut().set_prefix(first);
            }
        } else if value
            .decor()
            .prefix()
            .and_then(|prefix| prefix.as_str())
            .is_none_or(str::is_empty)
            && lead.as_deref().is_none_or(|lead| !lead.contains('\n'))
        {
            value.decor_mut().set_prefix(" ");
        }
        list.push_formatted(value);
    }
    list.set_trailing(old.trailing().clone());
    list.set_trailing_comma(old.trailing_comma() && !items.is_empty());
    Ok(Value::Array(list))
}

/// Returns whether a value of a list says the same.
fn says(old: &Value, item: &KeyValue) -> bool {
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
