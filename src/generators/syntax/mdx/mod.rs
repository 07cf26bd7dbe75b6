//! Converts MDX to Markdown: constant JavaScript is evaluated, components become HTML or Markdown, and other Markdown is
//! retained.
//!
//! Removing a tag does not change other text: the content of a component is separate Markdown, whatever its indentation,
//! because MDX has no indented code.

mod blocks;
pub mod declarations;
mod elements;
pub(crate) mod js;
mod statements;
mod tokens;

use crate::generators::syntax::{
    ExpandedText, ExpansionScope,
    mdx::{blocks::Blocks, statements::Module},
};

/// Expands the MDX of a text.
pub(crate) fn pass(text: &str, scope: ExpansionScope<'_>) -> ExpandedText {
    pass_with(text, scope, js::NameValues::new())
}

/// Expands MDX with the properties of the including component.
fn pass_with(text: &str, scope: ExpansionScope<'_>, properties: js::NameValues) -> ExpandedText {
    let tokens = tokens::all(text);
    let module = Module::of(text, &tokens, scope.environment, properties);
    let meta = module.meta.clone();
    let expanded = Blocks::new(text, &tokens, module, scope).write();
    ExpandedText { meta, ..expanded }
}
