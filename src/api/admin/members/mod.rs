//! Members (Ghost 6.65, recorded).

pub mod avatar;
pub mod bulk;
mod endpoints;
pub mod input;
mod selection;
mod view;

pub use self::{
    endpoints::{
        RESOURCE, add, browse, delete, edit, end_sessions, lift_suppression, page, read,
        read_sign_in_url,
    },
    selection::{FILTER_RULES, search},
    view::{MemberView, attributed_to, label},
};
