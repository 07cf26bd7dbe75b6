//! The conditions `has`, `is` and `match`.

use super::{
    HelperRow,
    coercion::{is_empty, is_same, number},
    takes,
};
use crate::{
    front_end::PageState,
    templates::{Call, HelperResult, RenderError, Value},
};

/// The helpers of this family.
pub const HELPERS: &[HelperRow] = &[
    HelperRow::block("has", has),
    HelperRow::block("is", is),
    HelperRow::block("match", matches),
];

/// The attributes that `has` checks.
const ATTRIBUTES: [&str; 9] = [
    "tag",
    "author",
    "slug",
    "visibility",
    "id",
    "number",
    "index",
    "any",
    "all",
];

/// Renders its block if the record matches at least one of the attributes given as arguments.
fn has(call: &mut Call<PageState>) -> HelperResult {
    let given: Vec<(&str, Value)> = ATTRIBUTES
        .iter()
        .filter_map(|name| Some((*name, call.option(name)?.clone())))
        .collect();
    if given.is_empty() {
        return Ok(Value::Undefined);
    }
    if !call.has_block() {
        return Err(call.error("{{#has}} needs a block"));
    }
    let mut is_met = false;
    for (name, wanted) in &given {
        is_met = is_met || has_attribute(call, name, wanted)?;
    }
    branch(call, is_met)
}

/// Renders the block or its `{{else}}` in the context of the call.
fn branch(call: &mut Call<PageState>, is_met: bool) -> HelperResult {
    let this = call.this().clone();
    if is_met {
        call.render_block(&this, &[], &[])?;
    } else {
        call.render_inverse(&this, &[])?;
    }
    Ok(Value::Undefined)
}

fn has_attribute(call: &Call<PageState>, name: &str, wanted: &Value) -> Result<bool, RenderError> {
    if !wanted.is_true() {
        return Ok(false);
    }
    let Value::Text(wanted) = wanted else {
        return Err(call.error(format!("{{{{#has}}}} needs a string for {name}")));
    };
    let this = |property| call.property(property);
    Ok(match name {
        "tag" if wanted.contains("count:") => has_count(wanted, &this("tags")),
        "tag" => names_one(wanted, &this("tags")),
        "author" if wanted.contains("count:") => has_count(wanted, &this("authors")),
        "author" => names_one(wanted, &this("authors")),
        // These are variables of `{{#foreach}}`, not properties of the record.
        "number" | "index" => is_one_of(wanted, &call.data(name)),
        "any" => has_some_path(call, wanted, true)?,
        "all" => !has_some_path(call, wanted, false)?,
        property => {
            let own = this(property);
            own.is_true() && own.to_string().to_lowercase() == wanted.to_lowercase()
        }
    })
}

/// Returns whether the number of items satisfies `count:2`, `count:>2` or `count:<2`.
fn has_count(wanted: &str, items: &Value) -> bool {
    let Value::List(items) = items else {
        return false;
    };
    let counts = || {
        wanted
            .match_indices("count:")
            .map(|(at, found)| &wanted[at + found.len()..])
    };
    let after = |sign: &str| {
        counts().find_map(|rest| {
            let rest = rest.strip_prefix(sign)?;
            let length = rest.bytes().take_while(u8::is_ascii_digit).count();
            rest[..length].parse::<usize>().ok()
        })
    };
    // `after("")` is `None` for `count:>2`, because a sign is not a digit.
    match (after(""), after(">"), after("<")) {
        (Some(count), ..) => items.len() == count,
        (None, Some(count), _) => items.len() > count,
        (None, None, Some(count)) => items.len() < count,
        (None, None, None) => false,
    }
}

/// Returns whether one of the comma-separated names is the name of one of the records, ignoring case.
fn names_one(wanted: &str, records: &Value) -> bool {
    let Value::List(records) = records else {
        return false;
    };
    let names: Vec<String> = records
        .iter()
        .map(|record| record.get("name").to_string().to_lowercase())
        .collect();
    wanted
        .split(',')
        .any(|name| names.contains(&name.trim().to_lowercase()))
}

/// Returns whether a number is in a comma-separated list, or is a multiple of the number after `nth:`.
fn is_one_of(wanted: &str, actual: &Value) -> bool {
    let Value::Number(actual) = *actual else {
        return false;
    };
    let whole =
        |text: &str| super::coercion::whole_number(&text.into()).map(|number| number as f64);
    if let Some(step) = wanted.strip_prefix("nth:")
        && step.starts_with(|character: char| character.is_ascii_digit())
    {
        return whole(step).is_some_and(|step| actual % step == 0.0);
    }
    wanted
        .split(',')
        .any(|number| whole(number) == Some(actual))
}

/// Returns whether one of the comma-separated paths has a value or, if `wanted_there` is false, has none.
fn has_some_path(
    call: &Call<PageState>,
    paths: &str,
    wanted_there: bool,
) -> Result<bool, RenderError> {
    for path in paths.split(',') {
        call.step()?;
        if has_path(call, path) == wanted_there {
            return Ok(true);
        }
    }
    Ok(false)
}

/// Returns whether a path has a value, in the context or, for a path such as `@site.logo`, in the data.
fn has_path(call: &Call<PageState>, path: &str) -> bool {
    let path = path.trim().to_lowercase();
    let (first, rest) = path.split_once(['.', '[']).unwrap_or((&path, ""));
    let value = match first.strip_prefix('@') {
        Some(name) if matches!(name, "site" | "config" | "labs") => call.data(name),
        Some(_) => return false,
        None => call.property(first),
    };
    let segments = rest
        .split(['.', '[', ']'])
        .filter(|segment| !segment.is_empty());
    let value = segments.fold(value, |value, segment| value.get(segment));
    !is_empty(&value)
}

/// Renders its block if the page is one of the comma-separated contexts.
fn is(call: &mut Call<PageState>) -> HelperResult {
    takes(call, 1)?;
    if call.arguments().is_empty() {
        return Err(call.error("{{#is}} needs a context"));
    }
    let Value::Text(wanted) = call.argument(0) else {
        return Ok(Value::Undefined);
    };
    if !call.has_block() {
        return Err(call.error("{{#is}} needs a block"));
    }
    let contexts = &call.state().contexts;
    let is_met = wanted
        .split(',')
        .any(|name| contexts.iter().any(|context| context == name.trim()));
    branch(call, is_met)
}

/// Renders its block if a comparison is true; without a block, writes the result.
fn matches(call: &mut Call<PageState>) -> HelperResult {
    let arguments: Vec<Value> = call
        .arguments()
        .iter()
        .map(|argument| match argument {
            Value::Html(text) => Value::Text(text.clone()),
            other => other.clone(),
        })
        .collect();
    let is_met = match arguments.as_slice() {
        [one] => {
            let includes_zero = call.option("includeZero").is_some_and(Value::is_true);
            // With one argument, `{{#match}}` follows the rules of `{{#if}}`.
            let is_zero = matches!(one, Value::Number(0.0));
            !one.is_empty() || includes_zero && is_zero
        }
        [one, other] => is_same(one, other),
        [one, operator, other] => compare(one, &operator.to_string(), other),
        _ => return Ok(Value::Undefined),
    };
    if call.has_block() {
        return branch(call, is_met);
    }
    // The result is HTML, which Handlebars wraps in an object, so enclosing conditions are always true (Ghost 6.65, recorded).
    Ok(Value::html(is_met.to_string()))
}

fn compare(one: &Value, operator: &str, other: &Value) -> bool {
    let texts = || Some((text_of(one)?, text_of(other)?));
    match operator {
        "!=" => !is_same(one, other),
        "<" => is_less(one, other, false),
        ">" => is_less(other, one, false),
        "<=" => is_less(one, other, true),
        ">=" => is_less(other, one, true),
        "~" => texts().is_some_and(|(one, other)| one.contains(other)),
        "~^" => texts().is_some_and(|(one, other)| one.starts_with(other)),
        "~$" => texts().is_some_and(|(one, other)| one.ends_with(other)),
        _ => is_same(one, other),
    }
}

fn text_of(value: &Value) -> Option<&str> {
    match value {
        Value::Text(text) => Some(text),
        _ => None,
    }
}

/// Returns whether one value is less than, or equal to, the other. Strings are compared by UTF-16 code units, other values as
/// numbers.
fn is_less(one: &Value, other: &Value, or_equal: bool) -> bool {
    if let (Some(one), Some(other)) = (text_of(one), text_of(other)) {
        let order = one.encode_utf16().cmp(other.encode_utf16());
        return order.is_lt() || or_equal && order.is_eq();
    }
    let (one, other) = (number(one), number(other));
    one < other || or_equal && one == other
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn counts_are_compared() {
        let four = Value::from(vec![Value::Null; 4]);
        assert!(has_count("count:4", &four));
        assert!(has_count("count:>3", &four));
        assert!(has_count("count:<5", &four));
        assert!(!has_count("count:3", &four));
        assert!(!has_count("count:x", &four));
        assert!(has_count("count:0", &Value::from(vec![])));
        assert!(!has_count("count:0", &Value::Undefined));
    }

    #[test]
    fn numbers_are_listed_or_multiples() {
        assert!(is_one_of("2, 4", &4.0.into()));
        assert!(is_one_of("nth:3", &6.0.into()));
        assert!(!is_one_of("nth:3", &7.0.into()));
        assert!(!is_one_of("x", &1.0.into()));
        assert!(!is_one_of("1", &Value::Undefined));
    }

    #[test]
    fn operators_count_types_but_for_order() {
        let (five, text) = (Value::from(5.0), Value::from("5"));
        assert!(!compare(&five, "=", &text));
        assert!(compare(&five, "!=", &text));
        assert!(compare(&five, ">=", &text));
        assert!(!compare(&10.0.into(), "<", &"9".into()));
        assert!(compare(&"b".into(), ">", &"a".into()));
        assert!(compare(&"abc".into(), "~$", &"bc".into()));
        assert!(!compare(&five, "~", &five));
        assert!(!compare(&Value::Undefined, "<=", &five));
    }
}
