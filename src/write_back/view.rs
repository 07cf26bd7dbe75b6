//! The folder as it will be after the pending edits: names of tags and authors resolve to the records of their edited files.

use crate::content_files::folder_view::FolderView;
use std::sync::{Arc, Mutex, PoisonError};

use crate::{
    catalog::file_edits::EditSummary,
    content_files::{FileKind, Layout, identity::identity, symbol_table::Directory},
    domain::file_edit::FileEdit,
    error::Result,
    site::TransactionView,
};

/// The last view with edits, which is reused while many files change.
#[derive(Default)]
pub struct EditedViews(Mutex<Option<EditedView>>);

struct EditedView {
    base: Arc<FolderView>,
    edits: Vec<(u64, EditSummary)>,
    uploads: Vec<Box<str>>,
    view: Arc<FolderView>,
}

impl EditedViews {
    /// Returns `base` with the pending edits of records other than posts, the uploads of all pending edits, and `uploads`.
    ///
    /// # Errors
    ///
    /// If the store cannot be read.
    pub fn view(
        &self,
        base: Arc<FolderView>,
        transaction: &TransactionView,
        uploads: &[Box<str>],
    ) -> Result<Arc<FolderView>> {
        let edits = transaction.catalog().file_edits.referable();
        let edits: Vec<(u64, EditSummary)> = edits
            .map(|(number, summary)| (number, summary.clone()))
            .collect();
        // Usually nothing is pending, and the lock is not taken.
        if edits.is_empty() && uploads.is_empty() {
            return Ok(base);
        }
        // The lock is held while the view is built, so that concurrent edits do not build it twice.
        // After a panic the previous view is still complete, so poisoning is ignored.
        let mut last = self.0.lock().unwrap_or_else(PoisonError::into_inner);
        if let Some(last) = &*last
            // Each run of the follower creates another view, so comparing addresses is enough.
            // Continued edits differ in their number of saves.
            && Arc::ptr_eq(&last.base, &base)
            && last.edits == edits
            && last.uploads == uploads
        {
            return Ok(Arc::clone(&last.view));
        }
        let of_records = edits.iter().filter(|(_, edit)| edit.record.is_some());
        let of_records: Result<Vec<Option<FileEdit>>> = of_records
            .map(|(number, _)| transaction.file_edit(*number))
            .collect();
        let all_uploads = edits.iter().flat_map(|(_, edit)| &edit.uploads);
        let of_records: Vec<FileEdit> = of_records?.into_iter().flatten().collect();
        let view = Arc::new(with_edits(
            &base,
            &of_records,
            all_uploads.chain(uploads).map(|path| &**path),
        ));
        *last = Some(EditedView {
            base,
            edits,
            uploads: uploads.to_vec(),
            view: Arc::clone(&view),
        });
        Ok(view)
    }
}

fn is_of_record(layout: &Layout, path: &str) -> bool {
    let kind = layout.kind_of(path);
    kind.is_some_and(|kind| !matches!(kind, FileKind::Post | FileKind::Page))
}

fn with_edits<'u>(
    base: &FolderView,
    edits: &[FileEdit],
    uploads: impl Iterator<Item = &'u str>,
) -> FolderView {
    let directory = &base.directory;
    let mut outputs = directory.outputs().clone();
    let mut paths = (**directory.paths()).clone();
    paths.extend(uploads.map(str::to_owned));
    let of_records = |edit: &&FileEdit| is_of_record(&base.conditions.layout, &edit.path);
    for edit in edits.iter().filter(of_records) {
        // Edits are in order of number, so a later edit of a file replaces the result of an earlier
        // one.
        outputs.remove(edit.found_at());
        paths.remove(edit.found_at());
        if let Some(text) = &edit.after {
            paths.insert(edit.path.to_string());
            let read = base.conditions.parse(&edit.path, text.as_bytes()).value;
            if let Some(file) = read {
                outputs.insert(edit.path.to_string(), Arc::new(identity(&file)));
            }
        }
    }
    let has_file = |id| outputs.values().any(|output| output.id == id);
    let others = directory.others().iter();
    let others = others
        .filter(|other| !has_file(other.id))
        .cloned()
        .collect();
    let directory = Directory::beside(others, Arc::new(paths), outputs)
        .with_layout(Arc::clone(&base.conditions.layout));
    FolderView {
        directory: Arc::new(directory),
        conditions: base.conditions.clone(),
    }
}
