//! Maps each file of a content folder to its role: by the patterns of the operator or `site.toml`, then by the project's own
//! settings, then by the profile of the folder's generator.

mod bundles;
mod default_values;
mod defaults;
mod folder_layout;
mod located;
mod matcher;
mod outweighing;
mod roles;
mod sections;
mod served_folders;
mod uploads;

pub use folder_layout::Layout;
pub use matcher::Reason;
