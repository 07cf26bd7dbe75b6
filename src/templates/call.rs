//! A call of a helper: its arguments, its blocks, and its output.

use std::sync::Arc;

use super::{
    error::{RenderError, TemplatePosition},
    page::Page,
    scope::Scope,
    tree::{Block, Program, Tag},
    value::Value,
};

/// A helper. The returned value is written after the helper's own output: strings escaped, HTML unchanged. In a subexpression,
/// the value is the result; if the helper wrote output, the result is that output as HTML.
pub type Helper<S> = fn(&mut Call<S>) -> HelperResult;

/// The value that a helper returns, which is written in place of the tag.
pub type HelperResult = Result<Value, RenderError>;

/// Renders the blocks of a call and the partials that a helper refers to.
pub trait PartRenderer {
    /// Renders a block in a context, with additional variables and block parameters.
    ///
    /// # Errors
    ///
    /// If a tag in the block fails, or a limit is exceeded.
    fn block(
        &self,
        out: &mut String,
        program: &Program,
        scope: &Scope,
        context: &Value,
        data: &[(&'static str, Value)],
        parameters: Option<&[Value]>,
    ) -> Result<(), RenderError>;

    /// Renders a partial of the theme; if the theme has none with this name, renders a built-in one. `names` are the name and the
    /// built-in text.
    ///
    /// # Errors
    ///
    /// As [`block`](Self::block).
    fn partial(
        &self,
        out: &mut String,
        scope: &Scope,
        names: (&str, &'static str),
        context: &Value,
        data: &[(&'static str, Value)],
    ) -> Result<(), RenderError>;
}

/// A call of a helper, with the state `S` of the page.
pub struct Call<'c, S: ?Sized> {
    /// The page.
    pub(super) page: &'c Page<'c>,
    /// The state of the page.
    pub(super) state: &'c S,
    /// Renders the blocks and partials of the call.
    pub(super) renderer: &'c (dyn PartRenderer + 'c),
    /// The values in scope.
    pub(super) scope: &'c Scope<'c>,
    /// The output.
    pub(super) out: &'c mut String,
    /// The tag.
    pub(super) tag: &'c Tag,
    /// The block of the tag.
    pub(super) block: Option<&'c Block>,
    /// Whether the call is a subexpression, in parentheses.
    pub(super) is_subexpression: bool,
    /// The positional arguments.
    pub(super) arguments: Vec<Value>,
    /// The named arguments.
    pub(super) hash: Vec<(Arc<str>, Value)>,
}

impl<'c, S: ?Sized> Call<'c, S> {
    /// Returns the name of the helper as called.
    pub fn name(&self) -> &str {
        &self.tag.name
    }

    /// Returns the state of the page.
    pub fn state(&self) -> &'c S {
        self.state
    }

    /// Returns the positional arguments.
    pub fn arguments(&self) -> &[Value] {
        &self.arguments
    }

    /// Returns a positional argument by index; `Undefined` if it is not given.
    pub fn argument(&self, index: usize) -> Value {
        self.arguments.get(index).cloned().unwrap_or_default()
    }

    /// Returns the named arguments in order.
    pub fn hash(&self) -> &[(std::sync::Arc<str>, Value)] {
        &self.hash
    }

    /// Returns a named argument; `None` if it is not given.
    pub fn option(&self, name: &str) -> Option<&Value> {
        let named = self.hash.iter().find(|(own, _)| **own == *name)?;
        Some(&named.1)
    }

    /// Returns the context of the call: `this`.
    pub fn this(&self) -> &Value {
        match self.scope.context.value {
            // Handlebars calls helpers with an empty object as `this` if the context is null.
            value if value.is_some() => value,
            _ => &self.page.empty_context,
        }
    }

    /// Returns a property of `this`, including those set by `set_in_context`.
    pub fn property(&self, name: &str) -> Value {
        self.page.property(self.this(), name)
    }

    /// Returns the context of the page: `@root`.
    pub fn root(&self) -> &Value {
        self.scope.root
    }

    /// Returns a variable such as `@site` or `@index`; `Undefined` if it does not exist.
    pub fn data(&self, name: &str) -> Value {
        match self.scope.data.get(0, name) {
            Some(value) => value.clone(),
            None if name == "root" => self.scope.root.clone(),
            None => Value::Undefined,
        }
    }

    /// Returns whether the call has a block: `{{#name}}…{{/name}}`.
    pub fn has_block(&self) -> bool {
        self.block.is_some()
    }

    /// Returns whether the call has an `{{else}}`.
    pub fn has_inverse(&self) -> bool {
        self.block.is_some_and(|block| block.inverse.is_some())
    }

    /// Returns the number of block parameters: `as |one two|`.
    pub fn block_parameters(&self) -> usize {
        let program = self.block.and_then(|block| block.program.as_ref());
        program.map_or(0, |program| program.parameters)
    }

    /// Returns whether the call is a subexpression.
    pub fn is_subexpression(&self) -> bool {
        self.is_subexpression
    }

    /// Returns the position of the call in the template.
    pub fn position(&self) -> TemplatePosition {
        self.scope.template.position(self.tag.start)
    }

    /// Returns the path of the template that contains the call.
    pub fn template(&self) -> &str {
        self.scope.template.path()
    }

    /// Counts a step, such as an iteration of a loop in a helper.
    ///
    /// # Errors
    ///
    /// If a limit of the page is exceeded.
    pub fn step(&self) -> Result<(), RenderError> {
        self.page.step()
    }

    /// Counts the bytes of a value before the helper allocates it.
    ///
    /// # Errors
    ///
    /// If the values of the page are too large.
    pub fn count_value(&self, bytes: usize) -> Result<(), RenderError> {
        self.page.count_value(bytes)
    }

    /// Writes HTML into the output.
    pub fn write(&mut self, html: &str) {
        self.page.write(self.out, html);
    }

    /// Renders the block into the output, in a context, with additional variables (such as `index`, without `@`) and block
    /// parameters. Does nothing if there is no block.
    ///
    /// # Errors
    ///
    /// If a tag in the block fails, or a limit is exceeded.
    pub fn render_block(
        &mut self,
        context: &Value,
        data: &[(&'static str, Value)],
        parameters: &[Value],
    ) -> Result<(), RenderError> {
        let Some(program) = self.block.and_then(|block| block.program.as_ref()) else {
            return Ok(());
        };
        self.page.step()?;
        let parameters = (!parameters.is_empty()).then_some(parameters);
        self.renderer
            .block(self.out, program, self.scope, context, data, parameters)
    }

    /// Renders the `{{else}}` into the output, in a context, with additional variables. Does nothing if there is no `{{else}}`.
    ///
    /// # Errors
    ///
    /// As [`render_block`](Self::render_block).
    pub fn render_inverse(
        &mut self,
        context: &Value,
        data: &[(&'static str, Value)],
    ) -> Result<(), RenderError> {
        let Some(program) = self.block.and_then(|block| block.inverse.as_ref()) else {
            return Ok(());
        };
        self.page.step()?;
        self.renderer
            .block(self.out, program, self.scope, context, data, None)
    }

    /// Renders a partial of the theme; if the theme has none with this name, renders the built-in template.
    ///
    /// # Errors
    ///
    /// As [`render_block`](Self::render_block).
    pub fn render_partial(
        &mut self,
        name: &str,
        built_in: &'static str,
        context: &Value,
        data: &[(&'static str, Value)],
    ) -> Result<(), RenderError> {
        self.page.step()?;
        let names = (name, built_in);
        self.renderer
            .partial(self.out, self.scope, names, context, data)
    }

    /// Runs `render` and returns its output without adding it to the output of the page.
    ///
    /// # Errors
    ///
    /// The errors of `render`.
    pub fn capture(
        &mut self,
        render: impl FnOnce(&mut Self) -> Result<(), RenderError>,
    ) -> Result<String, RenderError> {
        let start = self.out.len();
        let result = render(self);
        let captured = self.out.split_off(start);
        // Also after an error, so that the output of a failed part is not on the page.
        result.map(|()| captured)
    }

    /// Runs `render` as a late helper. Ghost runs late helpers after the rest of the page and its layouts, so content that
    /// `{{#contentFor}}` stores in them is only available to late helpers.
    pub fn late<T>(&mut self, render: impl FnOnce(&mut Self) -> T) -> T {
        let page = self.page;
        page.rendered_late(|| render(self))
    }

    /// Sets a property of the context of the call, which remains visible in that context.
    pub fn set_in_context(&mut self, name: &str, value: Value) {
        self.page
            .set_property(self.scope.context.value, name, value);
    }

    /// Returns an error at the position of the call.
    pub fn error(&self, message: impl Into<String>) -> RenderError {
        RenderError {
            position: Some(self.position()),
            ..RenderError::new(message)
        }
    }

    /// Calls a helper.
    pub(super) fn run(&mut self, helper: Helper<S>) -> HelperResult {
        helper(self)
    }
}
