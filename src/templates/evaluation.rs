//! Evaluates the expressions of tags: paths, literals, and calls in parentheses.

use std::sync::Arc;

use super::{
    built_in,
    call::{Call, Helper},
    error::RenderError,
    page::Page,
    scope::Scope,
    tree::{Block, Expression, Literal, Path, PathRoot, Tag, TagKind},
    value::Value,
};

/// The renderer of one page, with the state `S`.
pub struct Renderer<'p, S: ?Sized> {
    /// The page.
    pub page: Page<'p>,
    /// The state that helpers read.
    pub state: &'p S,
    /// The helpers other than the built-in ones.
    pub helpers: fn(&str) -> Option<Helper<S>>,
}

impl<S: ?Sized> Renderer<'_, S> {
    /// Returns the helper with a name.
    fn helper(&self, name: &str) -> Option<Helper<S>> {
        built_in::helper(name).or_else(|| (self.helpers)(name))
    }
}

/// The meaning of a tag, once the helpers and values are known.
pub enum Called<S: ?Sized> {
    /// A call of a helper.
    Helper(Helper<S>),
    /// The value of the tag's path.
    Value,
    /// Nothing: the helper is unknown, but there are no positional arguments that require it (Handlebars 4.7).
    Nothing,
}

/// Resolves a tag to a helper, a value or nothing.
///
/// # Errors
///
/// If the tag must be a helper, but the helper does not exist.
pub fn called<S: ?Sized>(
    renderer: &Renderer<S>,
    scope: &Scope,
    tag: &Tag,
) -> Result<Called<S>, RenderError> {
    let helper = match tag.kind {
        TagKind::Value => return Ok(Called::Value),
        TagKind::Ambiguous | TagKind::Helper => renderer.helper(&tag.name),
        TagKind::Invalid => None,
    };
    match helper {
        Some(helper) => Ok(Called::Helper(helper)),
        None if tag.kind == TagKind::Ambiguous => Ok(Called::Value),
        // Handlebars calls the first truthy one of the helper, the value and `helperMissing`: a
        // value is not a function, and `helperMissing` fails only with arguments.
        None if tag.arguments.is_empty()
            && !lookup(&renderer.page, scope, &tag.path)?.is_true() =>
        {
            Ok(Called::Nothing)
        }
        None => Err(RenderError::new(format!(
            "Missing helper: \"{}\"",
            tag.name
        ))),
    }
}

/// Evaluates the arguments of a tag and returns its call.
pub fn call<'c, S: ?Sized>(
    renderer: &'c Renderer<'c, S>,
    out: &'c mut String,
    scope: &'c Scope<'c>,
    tag: &'c Tag,
    block: Option<&'c Block>,
    is_subexpression: bool,
) -> Result<Call<'c, S>, RenderError> {
    let mut arguments = Vec::with_capacity(tag.arguments.len());
    for argument in &tag.arguments {
        arguments.push(evaluate(renderer, out, scope, argument)?);
    }
    let hash = named(renderer, out, scope, &tag.hash)?;
    Ok(Call {
        page: &renderer.page,
        state: renderer.state,
        renderer,
        scope,
        out,
        tag,
        block,
        is_subexpression,
        arguments,
        hash,
    })
}

/// Evaluates named arguments.
pub fn named<S: ?Sized>(
    renderer: &Renderer<S>,
    out: &mut String,
    scope: &Scope,
    hash: &[(Arc<str>, Expression)],
) -> Result<Vec<(Arc<str>, Value)>, RenderError> {
    let mut named = Vec::with_capacity(hash.len());
    for (name, value) in hash {
        named.push((Arc::clone(name), evaluate(renderer, out, scope, value)?));
    }
    Ok(named)
}

/// Evaluates an expression.
pub fn evaluate<S: ?Sized>(
    renderer: &Renderer<S>,
    out: &mut String,
    scope: &Scope,
    expression: &Expression,
) -> Result<Value, RenderError> {
    let tag = match expression {
        Expression::Literal(literal) => return Ok(value_of(literal)),
        Expression::Path(path) => return lookup(&renderer.page, scope, path),
        Expression::Call(tag) => tag,
    };
    let result = renderer.page.nested(|| {
        renderer.page.step()?;
        let helper = match called(renderer, scope, tag)? {
            Called::Helper(helper) => helper,
            Called::Value => return lookup(&renderer.page, scope, &tag.path),
            Called::Nothing => {
                named(renderer, out, scope, &tag.hash)?;
                // The named arguments are evaluated although nothing uses them, because they may
                // fail.
                return Ok(Value::Undefined);
            }
        };
        let start = out.len();
        let value = call(renderer, out, scope, tag, None, true)?.run(helper)?;
        // Output has been counted when it was written; other values are counted here.
        if out.len() == start {
            let bytes = value.as_text().map_or(0, str::len);
            renderer.page.count_value(bytes)?;
            return Ok(value);
        }
        renderer.page.write_value(out, &value, true);
        Ok(Value::html(out.split_off(start)))
    });
    result.map_err(|error| error.at(|| scope.template.position(tag.start)))
}

fn value_of(literal: &Literal) -> Value {
    match literal {
        Literal::Undefined => Value::Undefined,
        Literal::Null => Value::Null,
        Literal::Bool(value) => Value::Bool(*value),
        Literal::Number(number) => Value::Number(*number),
        Literal::Text(text) => Value::Text(Arc::clone(text)),
    }
}

/// Resolves a path.
pub fn lookup(page: &Page, scope: &Scope, path: &Path) -> Result<Value, RenderError> {
    let start = match path.root {
        PathRoot::Context(up) => scope.context.up(up).map(|context| context.value),
        PathRoot::Parameter(up, index) => {
            let frame = scope.parameters.and_then(|frame| frame.up(up));
            // A helper that passes no block parameters leaves them undefined, and reading one fails
            // (Handlebars 4.7).
            let values = frame.and_then(|frame| frame.values);
            let values = values.ok_or_else(|| {
                RenderError::new("the helper of this block has no block parameters")
            })?;
            values.get(index)
        }
        PathRoot::Data(up) => return Ok(variable(page, scope, up, &path.names)),
    };
    let Some(start) = start else {
        return Ok(Value::Undefined);
    };
    let Some((first, names)) = path.names.split_first() else {
        return Ok(start.clone());
    };
    // As in Handlebars, a property of null is null, and a property of undefined is undefined.
    if !start.is_some() {
        return Ok(start.clone());
    }
    let mut value = page.property(start, first);
    for name in names {
        if !value.is_some() {
            break;
        }
        value = page.property(&value, name);
    }
    Ok(value)
}

/// Resolves a path that begins with a variable. Unlike elsewhere, a property of a falsy value is that value.
fn variable(page: &Page, scope: &Scope, up: usize, names: &[Box<str>]) -> Value {
    let Some((first, names)) = names.split_first() else {
        return Value::Undefined;
    };
    let mut value = match (scope.data.get(up, first), &**first) {
        (Some(value), _) => value.clone(),
        (None, "root") => scope.root.clone(),
        (None, "partial-block") => match scope.partial_block {
            Some(_) => Value::Bool(true),
            None => Value::Undefined,
        },
        (None, _) => Value::Undefined,
    };
    for name in names {
        if !value.is_true() {
            break;
        }
        value = page.property(&value, name);
    }
    value
}
