//! MDX to Markdown: what JavaScript says as far as it can be known, components as HTML or Markdown, and the Markdown between.
//!
//! What is taken out of a text keeps the rest as it is: children of components are Markdown of their own, whatever their
//! indentation, as MDX has no indented code.

mod blocks;
pub mod declarations;
mod elements;
mod js;
mod statements;
mod tokens;

use self::{blocks::Blocks, statements::Module};
use super::{Scope, Worked};

/// Works out the MDX of a text.
pub(super) fn pass(text: &str, scope: Scope<'_>) -> Worked {
    pass_with(text, scope, js::Names::new())
}

/// The same, with properties that the including text hands to it.
fn pass_with(text: &str, scope: Scope<'_>, properties: js::Names) -> Worked {
    let tokens = tokens::all(text);
    let module = Module::of(text, &tokens, scope.environment, properties);
    let meta = module.meta.clone();
    let worked = Blocks::new(text, &tokens, module, scope).write();
    Worked { meta, ..worked }
}
