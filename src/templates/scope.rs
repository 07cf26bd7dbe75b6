//! The scope of a tag: contexts, variables, block parameters and partials.
//!
//! Each is a chain of frames on the stack, innermost first; entering a block copies only pointers.

use super::{
    template::Template,
    tree::{Inline, Program},
    value::Value,
};

/// The name of the partial that renders the block of the current partial.
pub const PARTIAL_BLOCK: &str = "@partial-block";

/// Everything that a tag can refer to.
#[derive(Clone, Copy)]
pub struct Scope<'s> {
    /// The template that contains the tag.
    pub template: &'s Template,
    /// The contexts.
    pub context: &'s Context<'s>,
    /// The variables.
    pub data: &'s Data<'s>,
    /// The block parameters.
    pub parameters: Option<&'s Parameters<'s>>,
    /// The inline partials that templates have defined.
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
    /// The enclosing context: `..`.
    pub outer: Option<&'s Context<'s>>,
}

/// Variables.
pub struct Data<'s> {
    /// The variables of this frame.
    pub values: &'s [(&'static str, Value)],
    /// The enclosing frame.
    pub outer: Option<&'s Data<'s>>,
}

/// The block parameters of one block.
pub struct Parameters<'s> {
    /// The values; `None` if the helper did not pass any.
    pub values: Option<&'s [Value]>,
    /// The parameters of the enclosing block that has some.
    pub outer: Option<&'s Parameters<'s>>,
}

/// The inline partials defined by a program.
pub struct Inlines<'s> {
    /// The partials.
    pub inlines: &'s [Inline],
    /// The scope of the definitions, without the partials of this frame.
    pub scope: Scope<'s>,
    /// Whether the partials can refer to the enclosing context.
    pub has_context: bool,
    /// The inline partials of enclosing programs.
    pub outer: Option<&'s Inlines<'s>>,
}

/// The block of a partial.
pub struct PartialBlock<'s> {
    /// The block.
    pub program: &'s Program,
    /// The scope of the block.
    pub scope: &'s Scope<'s>,
}

impl Context<'_> {
    /// Returns the context a number of levels up.
    pub fn up(&self, levels: usize) -> Option<&Self> {
        (0..levels).try_fold(self, |context, _| context.outer)
    }
}

impl Data<'_> {
    /// Returns a variable as seen from the frame a number of levels up.
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
    /// Returns the frame a number of levels up.
    pub fn up(&self, levels: usize) -> Option<&Self> {
        (0..levels).try_fold(self, |frame, _| frame.outer)
    }
}
