//! Renders partials: those of the theme, those that templates define themselves, and the blocks of partials.

use super::{
    error::RenderError,
    page::Page,
    render::{content, evaluate, inner_context, named},
    scope::{Context, Data, Inlines, Parameters, PartialBlock, Scope},
    template::Template,
    tree::{Expression, Literal, Partial, PartialName, Program},
    value::Value,
};

/// The name of the partial that is the block of the one that is rendered.
pub const PARTIAL_BLOCK: &str = "@partial-block";

/// Renders the tag of a partial.
pub fn partial_tag<S: ?Sized>(
    page: &Page<S>,
    out: &mut String,
    scope: &Scope,
    partial: &Partial,
) -> Result<(), RenderError> {
    page.step()?;
    let computed;
    let name = match &partial.name {
        PartialName::Fixed(name) => &**name,
        PartialName::Computed(name) => {
            let value = evaluate(page, out, scope, name)?;
            computed = if value.is_true() {
                value.to_string()
            } else {
                "undefined".to_owned()
            };
            &computed
        }
    };
    let given = partial
        .context
        .as_ref()
        .map(|context| evaluate(page, out, scope, context));
    let given = given.transpose()?;
    let mut context = given.as_ref().unwrap_or(scope.context.value);
    let extended;
    if let Some(hash) = &partial.hash {
        let hash = named(page, out, scope, hash)?;
        extended = page.with_properties(context, hash);
        context = &extended;
    }
    page.write(out, &scope.template.text()[partial.indent.clone()]);
    let Some(program) = &partial.block else {
        return invoke(page, out, scope, scope, name, context);
    };
    let block = PartialBlock { program, scope };
    let inlines = Inlines {
        inlines: &program.inlines,
        scope: *scope,
        has_context: true,
        outer: scope.inlines,
    };
    let data = Data {
        values: &[],
        outer: Some(scope.data),
    };
    let inner = Scope {
        data: &data,
        partial_block: Some(&block),
        inlines: Some(&inlines),
        ..*scope
    };
    invoke(page, out, scope, &inner, name, context)
}

/// Renders the partial of a name as the tag sees it, or if there is none, the block of the tag. What is rendered sees the variables
/// and the partials of `inner`.
fn invoke<S: ?Sized>(
    page: &Page<S>,
    out: &mut String,
    scope: &Scope,
    inner: &Scope,
    name: &str,
    context: &Value,
) -> Result<(), RenderError> {
    if let Some((frame, program)) = inline_of(page, out, scope, name)? {
        let partial = Scope {
            data: inner.data,
            inlines: Some(frame),
            partial_block: inner.partial_block,
            ..frame.scope
        };
        return in_context(page, out, program, &partial, context, frame.has_context);
    }
    if let Some(template) = page.templates.partial(name) {
        return whole(page, out, template, inner, context);
    }
    let is_block = name == PARTIAL_BLOCK && scope.partial_block.is_some();
    let block = if is_block {
        scope.partial_block
    } else {
        inner.partial_block
    };
    let has_block = is_block || !std::ptr::eq(scope, inner);
    let Some(block) = block.filter(|_| has_block) else {
        let reason = format!("The partial {name} could not be found");
        return Err(RenderError::new(reason));
    };
    let data = Data {
        values: &[],
        outer: Some(inner.data),
    };
    let scope = Scope {
        data: &data,
        ..*block.scope
    };
    in_context(page, out, block.program, &scope, context, true)
}

/// Renders a partial of the theme by a helper, or if the theme has none of this name, a built-in one.
pub fn by_name<S: ?Sized>(
    page: &Page<S>,
    out: &mut String,
    scope: &Scope,
    (name, built_in): (&str, &'static str),
    context: &Value,
    data: &[(&'static str, Value)],
) -> Result<(), RenderError> {
    let data = Data {
        values: data,
        outer: Some(scope.data),
    };
    let scope = Scope {
        data: &data,
        inlines: None,
        ..*scope
    };
    if let Some(template) = page.templates.overriding(name) {
        return whole(page, out, template, &scope, context);
    }
    let template = page.templates.built_in(name, built_in);
    let template = template.map_err(|error| RenderError::new(error.to_string()))?;
    whole(page, out, &template, &scope, context)
}

/// Renders a template as a partial: it sees no outer context and no block parameters.
fn whole<S: ?Sized>(
    page: &Page<S>,
    out: &mut String,
    template: &Template,
    scope: &Scope,
    context: &Value,
) -> Result<(), RenderError> {
    let context = Context {
        value: context,
        outer: None,
    };
    let scope = Scope {
        template,
        context: &context,
        parameters: None,
        ..*scope
    };
    content(page, out, template.program(), &scope, &scope, false)
}

/// Renders a part of a template in another context.
fn in_context<S: ?Sized>(
    page: &Page<S>,
    out: &mut String,
    program: &Program,
    scope: &Scope,
    context: &Value,
    has_outer: bool,
) -> Result<(), RenderError> {
    let mut context = inner_context(page, context, scope);
    if !has_outer {
        context.outer = None;
    }
    let parameters = Parameters {
        values: None,
        outer: scope.parameters,
    };
    let inner = Scope {
        context: &context,
        parameters: if program.parameters > 0 {
            Some(&parameters)
        } else {
            scope.parameters
        },
        ..*scope
    };
    content(page, out, program, &inner, scope, has_outer)
}

/// Returns the partial that a template has defined itself, and the frame that it is in.
fn inline_of<'s, S: ?Sized>(
    page: &Page<S>,
    out: &mut String,
    scope: &Scope<'s>,
    name: &str,
) -> Result<Option<(&'s Inlines<'s>, &'s Program)>, RenderError> {
    let mut next = scope.inlines;
    while let Some(frame) = next {
        for inline in frame.inlines.iter().rev() {
            let is_found = match &inline.name {
                Expression::Literal(Literal::Text(own)) => **own == *name,
                computed => evaluate(page, out, &frame.scope, computed)?.to_string() == name,
            };
            if is_found {
                return Ok(Some((frame, &inline.program)));
            }
        }
        next = frame.outer;
    }
    Ok(None)
}
