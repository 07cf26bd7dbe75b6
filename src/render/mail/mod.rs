//! Rendering of a post as a mail: an HTML page for mail programs, and equivalent plain text.
//!
//! A mail to thousands of recipients is rendered once per audience. Values of the recipient are
//! slots of a [`Template`], which is filled by copying.
//!
//! Mail programs support little: layout by tables, inline styles, fixed image widths, no scripts.
//! The HTML of a post is therefore rewritten (`body`, with a function for each card), and
//! unsupported content becomes a link to the web.

mod article;
pub(in crate::render) mod body;
pub(in crate::render) mod design;
mod page;
mod rendering;
mod rewriting;
pub(in crate::render) mod surface;
pub(in crate::render) mod template;
mod text;

pub use self::{
    article::{Article, FeatureImage, Masthead, OtherPost, RenderedMail},
    design::{Alignment, ButtonColors, Corners, Design, LinkStyle},
    rendering::render,
    template::{Recipient, Slot, Template},
};
