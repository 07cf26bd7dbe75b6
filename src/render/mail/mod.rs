//! Rendering of a post as a mail: a page for mail programs, and equivalent plain text.
//!
//! A mail to thousands is rendered once for each audience. Values of the recipient are slots of a
//! [`Template`], and filled in by copying.
//!
//! Mail programs support little: layout by tables, inline styles, fixed image widths, no scripts.
//! So the HTML of a post is rewritten (`body`, with a form for each card), and unsupported content
//! becomes a link to the
//! web.

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
