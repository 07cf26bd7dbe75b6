//! HTML fragments as trees: parsing by the HTML standard, traversal, and serialisation.
//!
//! [`parse_fragment`] accepts any string, as a browser does for the content of a body. A tree is a
//! list of nodes that refer to one another by number. Nothing here recurses. A tree is bounded in
//! depth ([`tree::DEPTH_MAX`]), and in size by its HTML, which bounds every traversal. The content
//! of a `template` element is its children. Trees are read-only, except for attributes.

mod attribute_limit;
mod builder;
mod depth_limit;
mod parse;
mod serialize;
mod tree;

pub(crate) use self::parse::{clean_fragment, parse_fragment, parse_in_quirks_mode};
pub(crate) use self::serialize::Serialization;
pub(crate) use self::tree::{HtmlNodeKind, Node, Tree};
