//! Templates in Handlebars 4.7 syntax, with the layouts of Ghost's themes.
//!
//! The modules form a pipeline. The lexer splits a template into tags, the parser builds a [`Template`], a tree with positions,
//! once, and the renderer writes it into one buffer with the given values and helpers. Depth, output, time and steps of a
//! rendering are bounded by [`Limits`]. *This module knows no theme, no site and only the built-in helpers.*

mod built_in;
mod call;
mod check;
mod error;
mod evaluation;
mod expression;
mod lexer;
mod limits;
mod names;
mod page;
mod parser;
mod render;
mod scope;
mod set;
mod template;
#[cfg(test)]
mod tests;
mod tree;
mod usage;
mod value;
mod variables;
mod walk;
mod whitespace;

pub use self::{
    call::{Call, Helper, HelperResult},
    error::{BrokenRule, RenderError, SyntaxError, TemplatePosition},
    limits::Limits,
    page::escape,
    set::Templates,
    template::Template,
    usage::Usage,
    value::{Object, PlainObject, Value},
    variables::{VariableUse, Variables},
};
