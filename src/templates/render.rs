//! Renders a tree into one buffer, with its layouts and partials: those of the theme, inline partials of templates, and the
//! blocks of partials.

use super::{
    built_in,
    call::{Call, Helper, PartRenderer},
    error::RenderError,
    evaluation::{Called, Renderer, call, called, evaluate, lookup, named},
    limits::Limits,
    page::{Extended, Page, is_same},
    scope::{Context, Data, Inlines, PARTIAL_BLOCK, Parameters, PartialBlock, Scope},
    set::Templates,
    template::Template,
    tree::{Block, Expression, Literal, Node, Partial, PartialName, Program, Tag},
    value::{PlainObject, Value},
};

/// Initial capacity for a page, in bytes, so that most pages need no reallocation: those of Ghost's themes have 20 to 40 kB.
const PAGE_BYTES: usize = 48 * 1024;

impl Templates {
    /// Renders a template and its layouts.
    ///
    /// `root` is the context of the template and of each layout; `data` are the variables, without `@`.
    ///
    /// # Errors
    ///
    /// If the template or a layout does not exist, a tag fails, or a limit is exceeded.
    pub fn render<S: ?Sized>(
        &self,
        name: &str,
        root: &Value,
        data: &[(&'static str, Value)],
        state: &S,
        helpers: fn(&str) -> Option<Helper<S>>,
        limits: &Limits,
    ) -> Result<String, RenderError> {
        let renderer = Renderer {
            page: Page::new(self, limits),
            state,
            helpers,
        };
        page(&renderer, name, root, data)
    }
}

impl<S: ?Sized> PartRenderer for Renderer<'_, S> {
    fn block(
        &self,
        out: &mut String,
        program: &Program,
        scope: &Scope,
        context: &Value,
        data: &[(&'static str, Value)],
        parameters: Option<&[Value]>,
    ) -> Result<(), RenderError> {
        block(self, out, program, scope, context, data, parameters)
    }

    fn partial(
        &self,
        out: &mut String,
        scope: &Scope,
        names: (&str, &'static str),
        context: &Value,
        data: &[(&'static str, Value)],
    ) -> Result<(), RenderError> {
        by_name(self, out, scope, names, context, data)
    }
}

/// Renders a template and its layouts.
fn page<S: ?Sized>(
    renderer: &Renderer<S>,
    name: &str,
    root: &Value,
    data: &[(&'static str, Value)],
) -> Result<String, RenderError> {
    let templates = renderer.page.templates;
    let mut template = templates
        .get(name)
        .ok_or_else(|| match templates.broken(name) {
            Some(error) => RenderError::of_syntax(error),
            None => RenderError::new(format!("There is no template {name}.hbs")),
        })?;
    let mut out = String::with_capacity(PAGE_BYTES);
    let mut rendered = vec![template.path()];
    whole(renderer, &mut out, template, root, data)?;
    while let Some(path) = template.layout() {
        let at = |error: RenderError| error.at(|| template.layout_position());
        let layout = layout_at(renderer, path, &rendered).map_err(at)?;
        renderer.page.check_depth(rendered.len()).map_err(at)?;
        rendered.push(layout.path());
        template = layout;
        // Copied, so that the buffer can be reused for the layout.
        let body = PlainObject::new().with("body", out.as_str());
        out.clear();
        let root = Value::object(Extended {
            base: root.clone(),
            own: body,
        });
        whole(renderer, &mut out, template, &root, data)?;
    }
    renderer.page.check_output()?;
    // The output may be cached.
    out.shrink_to_fit();
    Ok(out)
}

/// Returns the layout at a path. `rendered` contains the paths of the templates inside it.
fn layout_at<'p, S: ?Sized>(
    renderer: &Renderer<'p, S>,
    path: &str,
    rendered: &[&str],
) -> Result<&'p Template, RenderError> {
    let templates = renderer.page.templates;
    let Some(layout) = templates.at_path(path) else {
        return Err(match templates.broken(path) {
            Some(error) => RenderError::of_syntax(error),
            None => RenderError::new(format!("Could not read file {path}.hbs")).help(format!(
                "Add {path}.hbs, or use a layout that the theme has, as in {{{{!< default}}}}."
            )),
        });
    };
    if rendered.contains(&layout.path()) {
        let reason = format!(
            "circular layout: {} → {}",
            rendered.join(" → "),
            layout.path()
        );
        return Err(RenderError::limit(reason).help("Use another layout, or none."));
    }
    Ok(layout)
}

/// Renders a template as a page or layout.
fn whole<S: ?Sized>(
    renderer: &Renderer<S>,
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
            // Handlebars copies the given variables into a new frame (`initData` of its runtime),
            // so `@../` is valid at the top level.
            outer: Some(&given),
        },
        parameters: None,
        inlines: None,
        partial_block: None,
        root,
    };
    content(renderer, out, template.program(), &scope, &scope, false)
        .map_err(|error| error.in_page(template.path()))
}

/// Renders a block of a tag in a context, with additional variables and block parameters.
fn block<S: ?Sized>(
    renderer: &Renderer<S>,
    out: &mut String,
    program: &Program,
    scope: &Scope,
    context: &Value,
    data: &[(&'static str, Value)],
    parameters: Option<&[Value]>,
) -> Result<(), RenderError> {
    let context = inner_context(&renderer.page, context, scope);
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
    content(renderer, out, program, &inner, scope, true)
}

/// Returns the context of a part of a template. If it is the same as the enclosing context, `..` skips it.
fn inner_context<'s>(page: &Page, value: &'s Value, scope: &Scope<'s>) -> Context<'s> {
    let outer = scope.context;
    // A helper whose context is null gets the empty object (`nullContext` of Handlebars); passing
    // it on is no new context either.
    let is_null = matches!(outer.value, Value::Null) && is_same(value, &page.empty_context);
    let outer = if is_null || is_same(value, outer.value) {
        outer.outer
    } else {
        Some(outer)
    };
    Context { value, outer }
}

/// Renders a program. The partials that it defines are evaluated in the scope of `creator`.
fn content<S: ?Sized>(
    renderer: &Renderer<S>,
    out: &mut String,
    program: &Program,
    scope: &Scope,
    creator: &Scope,
    has_context: bool,
) -> Result<(), RenderError> {
    if program.inlines.is_empty() {
        return renderer
            .page
            .nested(|| nodes(renderer, out, program, scope));
    }
    let inlines = Inlines {
        inlines: &program.inlines,
        // `Scope` contains only pointers, so copying it is cheap.
        scope: *creator,
        has_context,
        outer: scope.inlines,
    };
    let scope = Scope {
        inlines: Some(&inlines),
        ..*scope
    };
    renderer
        .page
        .nested(|| nodes(renderer, out, program, &scope))
}

fn nodes<S: ?Sized>(
    renderer: &Renderer<S>,
    out: &mut String,
    program: &Program,
    scope: &Scope,
) -> Result<(), RenderError> {
    for node in &program.nodes {
        let (start, result) = match node {
            Node::Text(text) => {
                renderer
                    .page
                    .write(out, &scope.template.text()[text.value.clone()]);
                continue;
            }
            Node::Output { tag, is_escaped } => {
                (tag.start, output(renderer, out, scope, tag, *is_escaped))
            }
            Node::Block(block) => (block.tag.start, block_tag(renderer, out, scope, block)),
            Node::Partial(partial) => (partial.start, partial_tag(renderer, out, scope, partial)),
            Node::Comment | Node::Inline(_) => continue,
        };
        result.map_err(|error| error.at(|| scope.template.position(start)))?;
    }
    Ok(())
}

fn output<S: ?Sized>(
    renderer: &Renderer<S>,
    out: &mut String,
    scope: &Scope,
    tag: &Tag,
    is_escaped: bool,
) -> Result<(), RenderError> {
    renderer.page.step()?;
    let value = match called(renderer, scope, tag)? {
        Called::Helper(helper) => call(renderer, out, scope, tag, None, false)?.run(helper)?,
        Called::Value => lookup(&renderer.page, scope, &tag.path)?,
        Called::Nothing => return named(renderer, out, scope, &tag.hash).map(drop),
    };
    renderer.page.write_value(out, &value, is_escaped);
    Ok(())
}

fn block_tag<S: ?Sized>(
    renderer: &Renderer<S>,
    out: &mut String,
    scope: &Scope,
    block_tag: &Block,
) -> Result<(), RenderError> {
    renderer.page.step()?;
    match called(renderer, scope, &block_tag.tag)? {
        Called::Helper(helper) => {
            let mut call = call(renderer, out, scope, &block_tag.tag, Some(block_tag), false)?;
            let value = call.run(helper)?;
            renderer.page.write_value(out, &value, false);
            return Ok(());
        }
        Called::Value => {}
        Called::Nothing => return named(renderer, out, scope, &block_tag.tag.hash).map(drop),
    }
    let value = lookup(&renderer.page, scope, &block_tag.tag.path)?;
    let this = scope.context.value;
    // The rules of `blockHelperMissing`: unlike in `{{#if}}`, 0 and an empty string render the
    // block.
    let (program, context) = match &value {
        Value::Undefined | Value::Null | Value::Bool(false) => (&block_tag.inverse, this),
        Value::Bool(true) => (&block_tag.program, this),
        Value::List(items) if items.is_empty() => (&block_tag.inverse, this),
        Value::List(_) => {
            let mut call = Call {
                page: &renderer.page,
                state: renderer.state,
                renderer,
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
        Some(program) => block(renderer, out, program, scope, context, &[], Some(&[])),
        None => Ok(()),
    }
}

/// Renders the tag of a partial.
fn partial_tag<S: ?Sized>(
    renderer: &Renderer<S>,
    out: &mut String,
    scope: &Scope,
    partial: &Partial,
) -> Result<(), RenderError> {
    renderer.page.step()?;
    let computed;
    let name = match &partial.name {
        PartialName::Fixed(name) => &**name,
        PartialName::Computed(name) => {
            let value = evaluate(renderer, out, scope, name)?;
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
        .map(|context| evaluate(renderer, out, scope, context));
    let given = given.transpose()?;
    let mut context = given.as_ref().unwrap_or(scope.context.value);
    let extended;
    if let Some(hash) = &partial.hash {
        let hash = named(renderer, out, scope, hash)?;
        extended = renderer.page.with_properties(context, hash);
        context = &extended;
    }
    renderer
        .page
        .write(out, &scope.template.text()[partial.indent.clone()]);
    let Some(program) = &partial.block else {
        return invoke(renderer, out, scope, scope, name, context);
    };
    // A partial with a block gets a frame of variables (`createFrame` in `invokePartial` of
    // Handlebars), so `@../` counts one level more in it.
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
    invoke(renderer, out, scope, &inner, name, context)
}

/// Renders the partial with a name in the scope of the tag or, if there is none, the block of the tag. The rendered template sees
/// the variables and partials of `inner`.
fn invoke<S: ?Sized>(
    renderer: &Renderer<S>,
    out: &mut String,
    scope: &Scope,
    inner: &Scope,
    name: &str,
    context: &Value,
) -> Result<(), RenderError> {
    // Inline partials take precedence over files, files over the block of the tag.
    if let Some((frame, program)) = inline_of(renderer, out, scope, name)? {
        let partial = Scope {
            data: inner.data,
            inlines: Some(frame),
            partial_block: inner.partial_block,
            ..frame.scope
        };
        return in_context(renderer, out, program, &partial, context, frame.has_context);
    }
    if let Some(template) = renderer.page.templates.partial(name) {
        return whole_partial(renderer, out, template, inner, context);
    }
    let is_block = name == PARTIAL_BLOCK && scope.partial_block.is_some();
    let block = if is_block {
        scope.partial_block
    } else {
        inner.partial_block
    };
    // A tag without a block passes its own scope twice, and must not render the block of an outer
    // partial.
    let has_block = is_block || !std::ptr::eq(scope, inner);
    let Some(block) = block.filter(|_| has_block) else {
        if let Some(error) = renderer.page.templates.broken_partial(name) {
            return Err(RenderError::of_syntax(error));
        }
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
    in_context(renderer, out, block.program, &scope, context, true)
}

/// Renders a partial of the theme on behalf of a helper; if the theme has none with this name, renders a built-in one.
fn by_name<S: ?Sized>(
    renderer: &Renderer<S>,
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
    if let Some(template) = renderer.page.templates.overriding(name) {
        return whole_partial(renderer, out, template, &scope, context);
    }
    if let Some(error) = renderer.page.templates.broken_overriding(name) {
        return Err(RenderError::of_syntax(error));
    }
    let template = renderer.page.templates.built_in(name, built_in);
    let template = template.map_err(|error| RenderError::new(error.to_string()))?;
    whole_partial(renderer, out, &template, &scope, context)
}

/// Renders a template as a partial, without enclosing contexts and block parameters.
fn whole_partial<S: ?Sized>(
    renderer: &Renderer<S>,
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
    content(renderer, out, template.program(), &scope, &scope, false)
}

/// Renders a part of a template in a different context.
fn in_context<S: ?Sized>(
    renderer: &Renderer<S>,
    out: &mut String,
    program: &Program,
    scope: &Scope,
    context: &Value,
    has_outer: bool,
) -> Result<(), RenderError> {
    let mut context = inner_context(&renderer.page, context, scope);
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
    content(renderer, out, program, &inner, scope, has_outer)
}

/// Returns the inline partial with a name, and the frame that contains it.
fn inline_of<'s, S: ?Sized>(
    renderer: &Renderer<S>,
    out: &mut String,
    scope: &Scope<'s>,
    name: &str,
) -> Result<Option<(&'s Inlines<'s>, &'s Program)>, RenderError> {
    let mut next = scope.inlines;
    while let Some(frame) = next {
        // Of several definitions with one name, the last one applies.
        for inline in frame.inlines.iter().rev() {
            let is_found = match &inline.name {
                Expression::Literal(Literal::Text(own)) => **own == *name,
                computed => {
                    renderer.page.step()?;
                    evaluate(renderer, out, &frame.scope, computed)?.to_string() == name
                }
            };
            if is_found {
                return Ok(Some((frame, &inline.program)));
            }
        }
        next = frame.outer;
    }
    Ok(None)
}
