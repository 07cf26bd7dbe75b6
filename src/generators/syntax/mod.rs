//! Expands templates, shortcodes, directives, wikilinks and MDX in documents of other generators: text to text.
//!
//! Built-in tags of a generator are rendered like the generator does, and common tags of themes by their evident meaning.
//! Other tags are dropped and reported with line and name, and their content is retained. A reference to another document
//! becomes a `galley-ref:` URL, which the linker resolves. Expansion has no inputs but its arguments, takes time linear in
//! the length of the text, and never fails.

pub(crate) mod arguments;
pub(crate) mod attribute_lists;
pub(crate) mod callout;
pub(crate) mod catalogue;
pub(crate) mod code;
pub(crate) mod contents_marks;
pub(crate) mod directives;
mod document_syntax;
pub(crate) mod embeds;
mod environment;
pub(crate) mod escape;
mod expanded_text;
mod expansion;
pub(crate) mod fence_lines;
pub(crate) mod finder;
mod front_matter;
pub(crate) mod indented;
pub(crate) mod liquid;
pub(crate) mod mdc;
pub(crate) mod mdx;
pub(crate) mod pairs;
pub(crate) mod python_blocks;
pub(crate) mod python_inline;
pub(crate) mod python_lists;
pub(crate) mod python_markdown;
pub(crate) mod rebase;
pub(crate) mod remark;
mod scope;
pub(crate) mod selected_lines;
mod setting_text;
pub(crate) mod summary;
pub(crate) mod tags;
pub(crate) mod vue;
pub(crate) mod vue_blocks;
pub(crate) mod vue_components;
pub(crate) mod vue_tabs;
pub(crate) mod vue_values;
pub(crate) mod wikilinks;
pub(crate) mod writer;

pub use self::document_syntax::DocumentSyntax;
pub use self::environment::{Environment, IncludedFile, Partial};
pub use self::expanded_text::ExpandedText;
pub use self::expansion::expand;
pub(super) use self::front_matter::without_front_matter;
pub(crate) use self::scope::{ExpansionScope, InclusionRefusal};

pub use crate::generators::syntax::{
    mdx::{declarations, declarations::Declaration},
    remark::Remark,
};
