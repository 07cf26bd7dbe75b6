//! The names that a tag sees: contexts, variables, block parameters and partials.
//!
//! Each is a chain of frames on the stack, the innermost first; entering a block copies nothing but pointers.

use super::{
    template::Template,
    tree::{Inline, Program},
    value::Value,
};

/// The name of the partial that is the block of the one that is rendered.
pub const PARTIAL_BLOCK: &str = "@partial-block";

/// All that a tag sees.
#[derive(Clone, Copy)]
pub struct Scope<'s> {
    /// The template that it is in.
    pub template: &'s Template,
    /// The contexts.
    pub context: &'s Context<'s>,
    /// The variables.
    pub data: &'s Data<'s>,
    /// The block parameters.
    pub parameters: Option<&'s Parameters<'s>>,
    /// The partials that templates have defined themselves.
    pub inlines: Option<&'s Inlines<'s>>,
    /// The block that `{{> @partial-block}}` renders.
    pub partial_block: Option<&'s PartialBlock<'s>>,
    /// The context of the page: `@root`.
    pub root: &'s Value,
}

/// A context: `this`.
pub struct Context<'s> {
    /// Its value.
    pub value: &'s Value,
    /// The context outside: `..`.
    pub outer: Option<&'s Context<'s>>,
}

/// Variables.
pub struct Data<'s> {
    /// Those of this frame.
    pub values: &'s [(&'static str, Value)],
    /// Those that are seen through it.
    pub outer: Option<&'s Data<'s>>,
}

/// The block parameters of one block.
pub struct Parameters<'s> {
    /// Their values; `None` if the helper gave none.
    pub values: Option<&'s [Value]>,
    /// Those of the block with parameters outside.
    pub outer: Option<&'s Parameters<'s>>,
}

/// The partials that one program has defined.
pub struct Inlines<'s> {
    /// The partials.
    pub inlines: &'s [Inline],
    /// The values in scope, without the partials of this frame.
    pub scope: Scope<'s>,
    /// Whether they see a context outside of their own.
    pub has_context: bool,
    /// The partials of outer programs.
    pub outer: Option<&'s Inlines<'s>>,
}

/// The block of a partial.
pub struct PartialBlock<'s> {
    /// The block.
    pub program: &'s Program,
    /// The values in scope.
    pub scope: &'s Scope<'s>,
}

impl Context<'_> {
    /// Returns the context that is so many levels outside.
    pub fn up(&self, levels: usize) -> Option<&Self> {
        (0..levels).try_fold(self, |context, _| context.outer)
    }
}

impl Data<'_> {
    /// Returns a variable as the frame sees it that is so many levels outside.
    pub fn get(&self, up: usize, name: &str) -> Option<&Value> {
        let mut frame = (0..up).try_fold(self, |frame, _| frame.outer)?;
        loop {
            if let Some((_, value)) = frame.values.iter().find(|(own, _)| *own == name) {
                return Some(value);
            }
            frame = frame.outer?;
        }
    }
}

impl<'s> Parameters<'s> {
    /// Returns the frame that is so many blocks outside.
    pub fn up(&self, levels: usize) -> Option<&Self> {
        (0..levels).try_fold(self, |frame, _| frame.outer)
    }
}
