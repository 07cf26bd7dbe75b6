//! Tags that are derived from the folders of a document.

use crate::{
    content_files::{keys::Reference, post_file::PostFile},
    content_text::{Span, Spanned},
};

/// Adds `folders` to the tags of a document, before the tags that it names.
pub(super) fn add_folder_tags(file: &mut PostFile, folders: &[String]) {
    if folders.is_empty() {
        return;
    }
    let tags = file.fields.tags.get_or_insert_default();
    for (index, folder) in folders.iter().enumerate() {
        let is_known = tags.iter().any(
            |tag| matches!(&tag.value, Reference::Named(name) if name.eq_ignore_ascii_case(folder)),
        );
        if !is_known {
            let tag = Spanned::new(Reference::Named(folder.clone()), Span::default());
            tags.insert(index.min(tags.len()), tag);
        }
    }
}
