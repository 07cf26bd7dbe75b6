//! The call of a helper: its arguments, its blocks, and where its output goes.

use std::marker::PhantomData;

use super::{
    error::{RenderError, TemplatePosition},
    value::Value,
};

/// A helper. The value that it returns is written after what it has written itself: texts escaped, HTML as it is. In a
/// subexpression, the value is the result; if the helper wrote something, the result is that, as HTML.
pub type Helper<S> = fn(&mut Call<S>) -> Result<Value, RenderError>;

/// One call of a helper, with the state `S` of the page.
pub struct Call<'c, S: ?Sized> {
    state: PhantomData<&'c S>,
}

impl<'c, S: ?Sized> Call<'c, S> {
    /// Returns the name by which it is called.
    pub fn name(&self) -> &str {
        todo!()
    }

    /// Returns the state of the page.
    pub fn state(&self) -> &'c S {
        todo!()
    }

    /// Returns the arguments without names.
    pub fn arguments(&self) -> &[Value] {
        todo!()
    }

    /// Returns an argument by its index; `Undefined` if there is none.
    pub fn argument(&self, _index: usize) -> Value {
        todo!()
    }

    /// Returns the arguments with names, in their order.
    pub fn hash(&self) -> &[(std::sync::Arc<str>, Value)] {
        todo!()
    }

    /// Returns an argument by its name; `None` if it is not given.
    pub fn option(&self, _name: &str) -> Option<&Value> {
        todo!()
    }

    /// Returns the context that it is called in: `this`.
    pub fn this(&self) -> &Value {
        todo!()
    }

    /// Returns a property of `this`, with those that `set_in_context` has written.
    pub fn property(&self, _name: &str) -> Value {
        todo!()
    }

    /// Returns the context of the whole page: `@root`.
    pub fn root(&self) -> &Value {
        todo!()
    }

    /// Returns a variable such as `@site` or `@index`; `Undefined` if there is none.
    pub fn data(&self, _name: &str) -> Value {
        todo!()
    }

    /// Returns whether it has a block: `{{#name}}…{{/name}}`.
    pub fn has_block(&self) -> bool {
        todo!()
    }

    /// Returns whether it has an `{{else}}`.
    pub fn has_inverse(&self) -> bool {
        todo!()
    }

    /// Returns the number of its block parameters: `as |one two|`.
    pub fn block_parameters(&self) -> usize {
        todo!()
    }

    /// Returns whether it is called in a subexpression.
    pub fn is_subexpression(&self) -> bool {
        todo!()
    }

    /// Returns its position in the template.
    pub fn position(&self) -> TemplatePosition {
        todo!()
    }

    /// Returns the path of the template that it is called in.
    pub fn template(&self) -> &str {
        todo!()
    }

    /// Writes HTML into the output.
    pub fn write(&mut self, _html: &str) {
        todo!()
    }

    /// Renders its block into the output, in another context, with more variables (`index`, without `@`) and the values of its
    /// block parameters. Without a block, it renders nothing.
    ///
    /// # Errors
    ///
    /// If a tag in the block fails, or a limit is exceeded.
    pub fn render_block(
        &mut self,
        _context: &Value,
        _data: &[(&'static str, Value)],
        _parameters: &[Value],
    ) -> Result<(), RenderError> {
        todo!()
    }

    /// Renders its `{{else}}` into the output, in a context, with more variables. Without one, it renders nothing.
    ///
    /// # Errors
    ///
    /// As [`render_block`](Self::render_block).
    pub fn render_inverse(
        &mut self,
        _context: &Value,
        _data: &[(&'static str, Value)],
    ) -> Result<(), RenderError> {
        todo!()
    }

    /// Renders a partial of the theme, or if the theme has none of this name, the given text of a built-in template.
    ///
    /// # Errors
    ///
    /// As [`render_block`](Self::render_block).
    pub fn render_partial(
        &mut self,
        _name: &str,
        _built_in: &'static str,
        _context: &Value,
        _data: &[(&'static str, Value)],
    ) -> Result<(), RenderError> {
        todo!()
    }

    /// Runs `render` and returns what it wrote, which does not go into the output.
    ///
    /// # Errors
    ///
    /// Those of `render`.
    pub fn capture(
        &mut self,
        _render: impl FnOnce(&mut Self) -> Result<(), RenderError>,
    ) -> Result<String, RenderError> {
        todo!()
    }

    /// Sets a property of the context that it is called in, for all that follows in that context.
    pub fn set_in_context(&mut self, _name: &str, _value: Value) {
        todo!()
    }

    /// Returns the error for wrong use, at its position.
    pub fn error(&self, message: impl Into<String>) -> RenderError {
        RenderError {
            position: Some(self.position()),
            ..RenderError::new(message)
        }
    }
}
