//! The site as readers see it: pages rendered by the templates of the active theme.
//!
//! `pages` finds the page of a path and the template that renders it; `model` is the data of templates, a lazy view of one
//! snapshot; `helpers` has a row for each helper of Ghost's themes; `head` writes the output of `{{ghost_head}}` and related
//! helpers; `highlighting` adds syntax highlighting to the code in posts; `public_files` has the scripts and styles that pages
//! load; `staff_view` is the additional view of staff. A page is a pure function of the snapshot, the theme, the path, its
//! reader, and the settings that staff preview on it. *A theme reads nothing but the model: no file outside its folder, no draft,
//! no secret, no member's address except the reader's.*

pub mod head;
mod helper_row;
pub mod helpers;
mod highlighting;
pub mod model;
pub mod pages;
pub mod public_files;
mod script_urls;
mod staff_view;
mod state;
mod theme;

pub use self::{
    model::{ModelContext, PostBodies},
    script_urls::{OwnScript, SCRIPTS_PATH, ScriptChoice, ScriptUrls},
    staff_view::{PreviewSettings, StaffView},
    state::{ImageSizes, PageState},
    theme::Theme,
};
