//! The built-in helpers of Handlebars, and those for the layouts of Ghost's themes.

use std::sync::Arc;

use super::{
    call::{Call, Helper, HelperResult},
    error::RenderError,
    page::StoredBlock,
    value::Value,
};

/// Returns the built-in helper with a name.
pub fn helper<S: ?Sized>(name: &str) -> Option<Helper<S>> {
    Some(match name {
        "if" => if_true,
        "unless" => unless_true,
        "each" => each,
        "with" => with,
        "lookup" => lookup,
        "log" => |_| Ok(Value::Undefined),
        "contentFor" => content_for,
        "block" => stored_block,
        _ => return None,
    })
}

/// Returns whether there is a built-in helper with a name.
pub fn is_helper(name: &str) -> bool {
    helper::<()>(name).is_some()
}

fn if_true<S: ?Sized>(call: &mut Call<S>) -> HelperResult {
    let is_true = condition(call)?;
    render_part(call, is_true)
}

fn unless_true<S: ?Sized>(call: &mut Call<S>) -> HelperResult {
    let is_true = condition(call)?;
    render_part(call, !is_true)
}

fn condition<S: ?Sized>(call: &Call<S>) -> Result<bool, RenderError> {
    let [value] = call.arguments() else {
        let message = format!("#{} requires exactly one argument", call.name());
        return Err(call.error(message));
    };
    need_block(call)?;
    let is_zero = matches!(value, Value::Number(number) if *number == 0.0);
    let counts_zero = call.option("includeZero").is_some_and(Value::is_true);
    Ok(!value.is_empty() || (is_zero && counts_zero))
}

fn render_part<S: ?Sized>(call: &mut Call<S>, is_block: bool) -> HelperResult {
    let this = call.this().clone();
    if is_block {
        call.render_block(&this, &[], &[])?;
    } else {
        call.render_inverse(&this, &[])?;
    }
    Ok(Value::Undefined)
}

fn with<S: ?Sized>(call: &mut Call<S>) -> HelperResult {
    let [value] = call.arguments() else {
        return Err(call.error("#with requires exactly one argument"));
    };
    need_block(call)?;
    let is_zero = matches!(value, Value::Number(number) if *number == 0.0);
    // Unlike `{{#if}}`, `{{#with}}` renders its block for 0: `isEmpty` of Handlebars excludes it.
    if value.is_empty() && !is_zero {
        return render_part(call, false);
    }
    let value = value.clone();
    call.render_block(&value, &[], std::slice::from_ref(&value))?;
    Ok(Value::Undefined)
}

/// Renders the block for each item of a list or property of an object; if there are none, its `{{else}}`.
pub fn each<S: ?Sized>(call: &mut Call<S>) -> HelperResult {
    let [items] = call.arguments() else {
        return Err(call.error("Must pass iterator to #each"));
    };
    need_block(call)?;
    // Cloned, because the call is borrowed mutably while the block is rendered. Only a pointer is
    // copied.
    let value = items.clone();
    match &value {
        Value::List(items) if !items.is_empty() => {
            for (index, item) in items.iter().enumerate() {
                let key = Value::from(index);
                iteration(call, key, item, index, index + 1 == items.len())?;
            }
        }
        Value::Object(object) => {
            let names = call.page.names(object);
            if names.is_empty() {
                return render_part(call, false);
            }
            for (index, name) in names.iter().enumerate() {
                let item = call.page.property(&value, name);
                let key = Value::Text(Arc::clone(name));
                iteration(call, key, &item, index, index + 1 == names.len())?;
            }
        }
        // In Handlebars 4.7, HTML is an object with one property.
        Value::Html(text) => iteration(
            call,
            "string".into(),
            &Value::Text(Arc::clone(text)),
            0,
            true,
        )?,
        _ => return render_part(call, false),
    }
    Ok(Value::Undefined)
}

fn iteration<S: ?Sized>(
    call: &mut Call<S>,
    key: Value,
    item: &Value,
    index: usize,
    is_last: bool,
) -> Result<(), RenderError> {
    let data = [
        ("key", key.clone()),
        ("index", Value::from(index)),
        ("first", Value::Bool(index == 0)),
        ("last", Value::Bool(is_last)),
    ];
    call.render_block(item, &data, &[item.clone(), key])
}

fn lookup<S: ?Sized>(call: &mut Call<S>) -> HelperResult {
    let [object, name] = call.arguments() else {
        return match call.arguments() {
            [object, ..] if !object.is_true() => Ok(object.clone()),
            _ => Err(call.error("lookup requires an object and a name")),
        };
    };
    if !object.is_true() {
        return Ok(object.clone());
    }
    Ok(match name {
        Value::Text(name) => call.page.property(object, name),
        name => call.page.property(object, &name.to_string()),
    })
}

/// Stores its block for use in layouts.
fn content_for<S: ?Sized>(call: &mut Call<S>) -> HelperResult {
    need_block(call)?;
    let name = block_name(call)?;
    let this = call.this().clone();
    // Rendered before `blocks` is borrowed: the block may contain another `{{#contentFor}}`.
    let content = call.capture(|call| call.render_block(&this, &[], &[]))?;
    let mut blocks = call.page.blocks.borrow_mut();
    blocks.entry(name).or_default().push(StoredBlock {
        html: content,
        is_late: call.page.is_late(),
    });
    Ok(Value::Undefined)
}

/// Returns the content stored by `{{#contentFor}}`; if there is none, renders its block. Content stored in late helpers is only
/// available to late helpers.
fn stored_block<S: ?Sized>(call: &mut Call<S>) -> HelperResult {
    let name = block_name(call)?;
    let blocks = call.page.blocks.borrow();
    let contents = blocks.get(&name).into_iter().flatten();
    let is_stored = |content: &&StoredBlock| call.page.is_late() || !content.is_late;
    let contents = contents.filter(is_stored);
    let contents: Vec<&str> = contents.map(|content| &*content.html).collect();
    match contents.as_slice() {
        [_, ..] => Ok(contents.join("\n").into()),
        [] => {
            // The default content may store blocks, which borrows them mutably.
            drop(blocks);
            let this = call.this().clone();
            call.render_block(&this, &[], &[])?;
            Ok(Value::Undefined)
        }
    }
}

fn block_name<S: ?Sized>(call: &Call<S>) -> Result<Arc<str>, RenderError> {
    match call.arguments() {
        [Value::Text(name)] => Ok(Arc::clone(name)),
        [name] => Ok(name.to_string().into()),
        _ => Err(call.error(format!("{} requires exactly one name", call.name()))),
    }
}

fn need_block<S: ?Sized>(call: &Call<S>) -> Result<(), RenderError> {
    if call.has_block() {
        return Ok(());
    }
    Err(call.error(format!("{} requires a block", call.name())))
}
