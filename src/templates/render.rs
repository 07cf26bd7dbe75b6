//! Renders a tree into one buffer.

use std::sync::Arc;

use super::{
    built_in,
    call::{Call, Helper},
    error::RenderError,
    page::{Extended, Page, is_same},
    partials::partial_tag,
    scope::{Context, Data, Inlines, Parameters, Scope},
    template::Template,
    tree::{Block, Expression, Literal, Node, Path, PathRoot, Program, Tag, TagKind},
    value::{Record, Value},
};

/// Renders a template and its layouts.
///
/// # Errors
///
/// As [`Templates::render`](super::Templates::render).
pub fn page<S: ?Sized>(
    page: &Page<S>,
    name: &str,
    root: &Value,
    data: &[(&'static str, Value)],
) -> Result<String, RenderError> {
    let template = page.templates.get(name);
    let mut template =
        template.ok_or_else(|| RenderError::new(format!("There is no template {name}.hbs")))?;
    let mut out = String::new();
    let mut layouts = 0;
    whole(page, &mut out, template, root, data)?;
    while let Some(path) = template.layout() {
        let layout = page.templates.at_path(path);
        template =
            layout.ok_or_else(|| RenderError::new(format!("Could not read file {path}.hbs")))?;
        layouts += 1;
        page.check_depth(layouts)?;
        let body = Record::new().with("body", std::mem::take(&mut out));
        let root = Value::object(Extended {
            base: root.clone(),
            own: body,
        });
        whole(page, &mut out, template, &root, data)?;
    }
    page.check_output()?;
    Ok(out)
}

/// Renders a template that is a page or a layout.
fn whole<S: ?Sized>(
    page: &Page<S>,
    out: &mut String,
    template: &Template,
    root: &Value,
    data: &[(&'static str, Value)],
) -> Result<(), RenderError> {
    let given = Data {
        values: data,
        outer: None,
    };
    let scope = Scope {
        template,
        context: &Context {
            value: root,
            outer: None,
        },
        data: &Data {
            values: &[],
            outer: Some(&given),
        },
        parameters: None,
        inlines: None,
        partial_block: None,
        root,
    };
    content(page, out, template.program(), &scope, &scope, false)
}

/// Renders a block of a tag in a context, with more variables and block parameters.
pub fn block<S: ?Sized>(
    page: &Page<S>,
    out: &mut String,
    program: &Program,
    scope: &Scope,
    context: &Value,
    data: &[(&'static str, Value)],
    parameters: Option<&[Value]>,
) -> Result<(), RenderError> {
    let context = inner_context(page, context, scope);
    let data = Data {
        values: data,
        outer: Some(scope.data),
    };
    let parameters = Parameters {
        values: parameters,
        outer: scope.parameters,
    };
    let inner = Scope {
        context: &context,
        data: if data.values.is_empty() {
            scope.data
        } else {
            &data
        },
        parameters: if program.parameters > 0 {
            Some(&parameters)
        } else {
            scope.parameters
        },
        ..*scope
    };
    content(page, out, program, &inner, scope, true)
}

/// Returns the context of a part of a template. Where it is the same as the one outside, `..` does not lead there.
pub fn inner_context<'s, S: ?Sized>(
    page: &Page<S>,
    value: &'s Value,
    scope: &Scope<'s>,
) -> Context<'s> {
    let outer = scope.context;
    let is_null = matches!(outer.value, Value::Null) && is_same(value, &page.empty_context);
    let outer = if is_null || is_same(value, outer.value) {
        outer.outer
    } else {
        Some(outer)
    };
    Context { value, outer }
}

/// Renders a program; the partials that it defines see the scope of its creator.
pub fn content<S: ?Sized>(
    page: &Page<S>,
    out: &mut String,
    program: &Program,
    scope: &Scope,
    creator: &Scope,
    has_context: bool,
) -> Result<(), RenderError> {
    if program.inlines.is_empty() {
        return page.nested(|| nodes(page, out, program, scope));
    }
    let inlines = Inlines {
        inlines: &program.inlines,
        scope: *creator,
        has_context,
        outer: scope.inlines,
    };
    let scope = Scope {
        inlines: Some(&inlines),
        ..*scope
    };
    page.nested(|| nodes(page, out, program, &scope))
}

fn nodes<S: ?Sized>(
    page: &Page<S>,
    out: &mut String,
    program: &Program,
    scope: &Scope,
) -> Result<(), RenderError> {
    for node in &program.nodes {
        let (start, result) = match node {
            Node::Text(text) => {
                page.write(out, &scope.template.text()[text.value.clone()]);
                continue;
            }
            Node::Output { tag, is_escaped } => {
                (tag.start, output(page, out, scope, tag, *is_escaped))
            }
            Node::Block(block) => (block.tag.start, block_tag(page, out, scope, block)),
            Node::Partial(partial) => (partial.start, partial_tag(page, out, scope, partial)),
            Node::Comment | Node::Inline(_) => continue,
        };
        result.map_err(|error| error.at(|| scope.template.position(start)))?;
    }
    Ok(())
}

fn output<S: ?Sized>(
    page: &Page<S>,
    out: &mut String,
    scope: &Scope,
    tag: &Tag,
    is_escaped: bool,
) -> Result<(), RenderError> {
    page.step()?;
    let value = match called(page, scope, tag)? {
        Called::Helper(helper) => call(page, out, scope, tag, None, false)?.run(helper)?,
        Called::Value => lookup(page, scope, &tag.path)?,
        Called::Nothing => return named(page, out, scope, &tag.hash).map(drop),
    };
    page.write_value(out, &value, is_escaped);
    Ok(())
}

fn block_tag<S: ?Sized>(
    page: &Page<S>,
    out: &mut String,
    scope: &Scope,
    block_tag: &Block,
) -> Result<(), RenderError> {
    page.step()?;
    match called(page, scope, &block_tag.tag)? {
        Called::Helper(helper) => {
            let mut call = call(page, out, scope, &block_tag.tag, Some(block_tag), false)?;
            let value = call.run(helper)?;
            page.write_value(out, &value, false);
            return Ok(());
        }
        Called::Value => {}
        Called::Nothing => return named(page, out, scope, &block_tag.tag.hash).map(drop),
    }
    let value = lookup(page, scope, &block_tag.tag.path)?;
    let this = scope.context.value;
    let (program, context) = match &value {
        Value::Undefined | Value::Null | Value::Bool(false) => (&block_tag.inverse, this),
        Value::Bool(true) => (&block_tag.program, this),
        Value::List(items) if items.is_empty() => (&block_tag.inverse, this),
        Value::List(_) => {
            let mut call = Call {
                page,
                scope,
                out,
                tag: &block_tag.tag,
                block: Some(block_tag),
                is_subexpression: false,
                arguments: vec![value.clone()],
                hash: Vec::new(),
            };
            return built_in::each(&mut call).map(drop);
        }
        other => (&block_tag.program, other),
    };
    match program {
        Some(program) => block(page, out, program, scope, context, &[], Some(&[])),
        None => Ok(()),
    }
}

/// What a tag is, when the helpers and the values are known.
enum Called<S: ?Sized> {
    /// A call of a helper.
    Helper(Helper<S>),
    /// The value of its path.
    Value,
    /// Nothing: the helper is unknown, and no argument without a name says that there should be one (Handlebars 4.7).
    Nothing,
}

fn called<S: ?Sized>(page: &Page<S>, scope: &Scope, tag: &Tag) -> Result<Called<S>, RenderError> {
    let helper = match tag.kind {
        TagKind::Value => return Ok(Called::Value),
        TagKind::Ambiguous | TagKind::Helper => page.helper(&tag.name),
        TagKind::Invalid => None,
    };
    match helper {
        Some(helper) => Ok(Called::Helper(helper)),
        None if tag.kind == TagKind::Ambiguous => Ok(Called::Value),
        None if tag.arguments.is_empty() && !lookup(page, scope, &tag.path)?.is_true() => {
            Ok(Called::Nothing)
        }
        None => Err(RenderError::new(format!(
            "Missing helper: \"{}\"",
            tag.name
        ))),
    }
}

/// Returns the call of a tag, with its arguments.
fn call<'c, S: ?Sized>(
    page: &'c Page<'c, S>,
    out: &'c mut String,
    scope: &'c Scope<'c>,
    tag: &'c Tag,
    block: Option<&'c Block>,
    is_subexpression: bool,
) -> Result<Call<'c, S>, RenderError> {
    let mut arguments = Vec::with_capacity(tag.arguments.len());
    for argument in &tag.arguments {
        arguments.push(evaluate(page, out, scope, argument)?);
    }
    let hash = named(page, out, scope, &tag.hash)?;
    Ok(Call {
        page,
        scope,
        out,
        tag,
        block,
        is_subexpression,
        arguments,
        hash,
    })
}

/// Returns the values of the arguments with names.
pub fn named<S: ?Sized>(
    page: &Page<S>,
    out: &mut String,
    scope: &Scope,
    hash: &[(Arc<str>, Expression)],
) -> Result<Vec<(Arc<str>, Value)>, RenderError> {
    let mut named = Vec::with_capacity(hash.len());
    for (name, value) in hash {
        named.push((Arc::clone(name), evaluate(page, out, scope, value)?));
    }
    Ok(named)
}

/// Returns the value of an expression.
pub fn evaluate<S: ?Sized>(
    page: &Page<S>,
    out: &mut String,
    scope: &Scope,
    expression: &Expression,
) -> Result<Value, RenderError> {
    let tag = match expression {
        Expression::Literal(literal) => return Ok(value_of(literal)),
        Expression::Path(path) => return lookup(page, scope, path),
        Expression::Call(tag) => tag,
    };
    let result = page.nested(|| {
        page.step()?;
        let helper = match called(page, scope, tag)? {
            Called::Helper(helper) => helper,
            Called::Value => return lookup(page, scope, &tag.path),
            Called::Nothing => {
                named(page, out, scope, &tag.hash)?;
                return Ok(Value::Undefined);
            }
        };
        let start = out.len();
        let value = call(page, out, scope, tag, None, true)?.run(helper)?;
        if out.len() == start {
            return Ok(value);
        }
        page.write_value(out, &value, true);
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

/// Returns the value of a path.
fn lookup<S: ?Sized>(page: &Page<S>, scope: &Scope, path: &Path) -> Result<Value, RenderError> {
    let start = match path.root {
        PathRoot::Context(up) => scope.context.up(up).map(|context| context.value),
        PathRoot::Parameter(up, index) => {
            let frame = scope.parameters.and_then(|frame| frame.up(up));
            let values = frame.and_then(|frame| frame.values);
            let values = values.ok_or_else(|| {
                RenderError::new("the helper of this block gives no block parameters")
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
    // A property of null is null, of undefined undefined.
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

/// Returns the value of a path that begins with a variable. Unlike elsewhere, a property of what is false is that itself.
fn variable<S: ?Sized>(page: &Page<S>, scope: &Scope, up: usize, names: &[Box<str>]) -> Value {
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
