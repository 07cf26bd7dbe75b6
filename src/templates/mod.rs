//! Templates in the language of Handlebars 4.7, with the layouts of Ghost's themes.
//!
//! A pipeline: a lexer finds the tags of a text, a parser makes a [`Template`], which is a tree with positions, once; and a
//! renderer writes it into one buffer, with the values and the helpers that it is given. Depth, output and steps of a rendering are
//! bounded by [`Limits`]. *It knows no theme, no site and no helper but those of the language.*

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
