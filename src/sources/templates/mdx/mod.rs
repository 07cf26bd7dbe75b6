//! MDX to Markdown: what JavaScript says as far as it can be known, components as HTML or Markdown, and the Markdown between.
//!
//! What is taken out of a text keeps the rest as it is: children of components are Markdown of their own, whatever their
//! indentation, as MDX has no indented code.

mod blocks;
mod elements;
mod js;
mod statements;
mod tokens;

use serde_json::{Map, Value};

use self::{blocks::Blocks, statements::Module};
use super::{Environment, Family, Remark, Scope, Worked};

/// MDX as Markdown.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Mdx {
    /// The Markdown.
    pub markdown: String,
    /// What `export const meta = {…}`, `metadata` or `frontmatter` says.
    pub meta: Map<String, Value>,
    /// What was left out or cannot be worked out.
    pub remarks: Vec<Remark>,
}

/// Reads a text, whose first line has the number `first_line`, without anything known beside it.
/// [`work_out`](super::work_out) does it with all that is.
pub fn read(text: &str, first_line: usize) -> Mdx {
    let environment = Environment {
        is_mdx: true,
        ..Environment::default()
    };
    let worked = super::work_out(text, first_line, Family::None, &environment);
    Mdx {
        markdown: worked.text,
        meta: worked.meta,
        remarks: worked.remarks,
    }
}

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
