//! The call of a helper: its arguments, its blocks, and where its output goes.

use std::sync::Arc;

use super::{
    error::{RenderError, TemplatePosition},
    page::Page,
    scope::Scope,
    tree::{Block, Program, Tag},
    value::Value,
};

/// A helper. The value that it returns is written after its own output: texts escaped, HTML as it is. In a
/// subexpression, the value is the result; if the helper wrote output, the result is that output, as HTML.
pub type Helper<S> = fn(&mut Call<S>) -> HelperResult;

/// The value of a helper's call, which is written in place of the tag.
pub type HelperResult = Result<Value, RenderError>;

/// The renderer of the parts of a call, and of the templates to which it refers.
pub trait PartRenderer {
    /// Renders a block in a context, with more variables and block parameters.
    ///
    /// # Errors
    ///
    /// If a tag in it fails, or a limit is exceeded.
    fn block(
        &self,
        out: &mut String,
        program: &Program,
        scope: &Scope,
        context: &Value,
        data: &[(&'static str, Value)],
        parameters: Option<&[Value]>,
    ) -> Result<(), RenderError>;

    /// Renders a partial of the theme, or if the theme has none of this name, the text of a built-in one, which follows the name.
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

/// One call of a helper, with the state `S` of the page.
pub struct Call<'c, S: ?Sized> {
    /// The page.
    pub(super) page: &'c Page<'c>,
    /// The state of the page.
    pub(super) state: &'c S,
    /// The renderer of its blocks and partials.
    pub(super) renderer: &'c (dyn PartRenderer + 'c),
    /// The values in scope.
    pub(super) scope: &'c Scope<'c>,
    /// The output.
    pub(super) out: &'c mut String,
    /// The tag.
    pub(super) tag: &'c Tag,
    /// Its block.
    pub(super) block: Option<&'c Block>,
    /// Whether it is in parentheses.
    pub(super) is_subexpression: bool,
    /// The arguments without names.
    pub(super) arguments: Vec<Value>,
    /// The arguments with names.
    pub(super) hash: Vec<(Arc<str>, Value)>,
}

impl<'c, S: ?Sized> Call<'c, S> {
    /// Returns the name by which it is called.
    pub fn name(&self) -> &str {
        &self.tag.name
    }

    /// Returns the state of the page.
    pub fn state(&self) -> &'c S {
        self.state
    }

    /// Returns the arguments without names.
    pub fn arguments(&self) -> &[Value] {
        &self.arguments
    }

    /// Returns an argument by its index; `Undefined` if there is none.
    pub fn argument(&self, index: usize) -> Value {
        self.arguments.get(index).cloned().unwrap_or_default()
    }

    /// Returns the arguments with names, in their order.
    pub fn hash(&self) -> &[(std::sync::Arc<str>, Value)] {
        &self.hash
    }

    /// Returns an argument by its name; `None` if it is not given.
    pub fn option(&self, name: &str) -> Option<&Value> {
        let named = self.hash.iter().find(|(own, _)| **own == *name)?;
        Some(&named.1)
    }

    /// Returns the context that it is called in: `this`.
    pub fn this(&self) -> &Value {
        match self.scope.context.value {
            value if value.is_some() => value,
            _ => &self.page.empty_context,
        }
    }

    /// Returns a property of `this`, with those that `set_in_context` has written.
    pub fn property(&self, name: &str) -> Value {
        self.page.property(self.this(), name)
    }

    /// Returns the context of the whole page: `@root`.
    pub fn root(&self) -> &Value {
        self.scope.root
    }

    /// Returns a variable such as `@site` or `@index`; `Undefined` if there is none.
    pub fn data(&self, name: &str) -> Value {
        match self.scope.data.get(0, name) {
            Some(value) => value.clone(),
            None if name == "root" => self.scope.root.clone(),
            None => Value::Undefined,
        }
    }

    /// Returns whether it has a block: `{{#name}}…{{/name}}`.
    pub fn has_block(&self) -> bool {
        self.block.is_some()
    }

    /// Returns whether it has an `{{else}}`.
    pub fn has_inverse(&self) -> bool {
        self.block.is_some_and(|block| block.inverse.is_some())
    }

    /// Returns the number of its block parameters: `as |one two|`.
    pub fn block_parameters(&self) -> usize {
        let program = self.block.and_then(|block| block.program.as_ref());
        program.map_or(0, |program| program.parameters)
    }

    /// Returns whether it is called in a subexpression.
    pub fn is_subexpression(&self) -> bool {
        self.is_subexpression
    }

    /// Returns its position in the template.
    pub fn position(&self) -> TemplatePosition {
        self.scope.template.position(self.tag.start)
    }

    /// Returns the path of the template that it is called in.
    pub fn template(&self) -> &str {
        self.scope.template.path()
    }

    /// Counts a step: one of a loop in a helper.
    ///
    /// # Errors
    ///
    /// If a limit of the page is exceeded.
    pub fn step(&self) -> Result<(), RenderError> {
        self.page.step()
    }

    /// Counts bytes of a value before the helper makes it.
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

    /// Renders its block into the output, in another context, with more variables (`index`, without `@`) and the values of its
    /// block parameters. Without a block, it renders nothing.
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

    /// Renders its `{{else}}` into the output, in a context, with more variables. Without one, it renders nothing.
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

    /// Renders a partial of the theme, or if the theme has none of this name, the given text of a built-in template.
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

    /// Runs `render` and returns its output, which is not added to the output of the page.
    ///
    /// # Errors
    ///
    /// Those of `render`.
    pub fn capture(
        &mut self,
        render: impl FnOnce(&mut Self) -> Result<(), RenderError>,
    ) -> Result<String, RenderError> {
        let start = self.out.len();
        let result = render(self);
        let captured = self.out.split_off(start);
        result.map(|()| captured)
    }

    /// Runs `render` as that of a late helper: one that Ghost runs when the rest of the page, with its layouts, is rendered. What
    /// `{{#contentFor}}` stores in it is not in the page then.
    pub fn late<T>(&mut self, render: impl FnOnce(&mut Self) -> T) -> T {
        let page = self.page;
        page.rendered_late(|| render(self))
    }

    /// Sets a property of the context that it is called in, for all that follows in that context.
    pub fn set_in_context(&mut self, name: &str, value: Value) {
        self.page
            .set_property(self.scope.context.value, name, value);
    }

    /// Returns the error for wrong use, at its position.
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
