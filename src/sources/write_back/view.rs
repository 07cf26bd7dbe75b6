//! The folder as the edits that wait will leave it: names of tags and authors lead to what their edited files say.

use std::sync::{Arc, Mutex, PoisonError};

use jiff::Timestamp;

use crate::{
    domain::{file_edit::FileEdit, setting::Settings},
    sources::{
        FileKind, Layout, conditions::Conditions, identity::identity, symbol_table::Directory,
    },
};

/// What the last run found in the folder.
#[derive(Clone)]
pub struct FolderView {
    /// The records and files that documents may refer to.
    pub directory: Arc<Directory>,
    /// The conditions under which files were read.
    pub conditions: Conditions,
}

impl Default for FolderView {
    fn default() -> Self {
        Self {
            directory: Arc::default(),
            conditions: Conditions::of(&Settings::default(), Timestamp::UNIX_EPOCH),
        }
    }
}

/// The last view with edits, for changes of many files.
#[derive(Default)]
pub struct EditedViews(Mutex<Option<EditedView>>);

struct EditedView {
    base: Arc<FolderView>,
    edits: Vec<FileEdit>,
    uploads: Vec<Box<str>>,
    view: Arc<FolderView>,
}

impl EditedViews {
    /// Returns the view with what these edits say of records other than posts, and with their uploads and these.
    pub fn view(
        &self,
        base: Arc<FolderView>,
        waiting: Vec<FileEdit>,
        uploads: &[Box<str>],
    ) -> Arc<FolderView> {
        let layout = &base.conditions.layout;
        let edits: Vec<FileEdit> = waiting
            .into_iter()
            .filter(|edit| is_of_record(layout, &edit.path) || !edit.uploads.is_empty())
            .collect();
        if edits.is_empty() && uploads.is_empty() {
            return base;
        }
        let mut last = self.0.lock().unwrap_or_else(PoisonError::into_inner);
        if let Some(last) = &*last
            && Arc::ptr_eq(&last.base, &base)
            && last.edits == edits
            && last.uploads == uploads
        {
            return Arc::clone(&last.view);
        }
        let view = Arc::new(with_edits(&base, &edits, uploads));
        *last = Some(EditedView {
            base,
            edits,
            uploads: uploads.to_vec(),
            view: Arc::clone(&view),
        });
        view
    }
}

fn is_of_record(layout: &Layout, path: &str) -> bool {
    let kind = layout.kind_of(path);
    kind.is_some_and(|kind| !matches!(kind, FileKind::Post | FileKind::Page))
}

fn with_edits(base: &FolderView, edits: &[FileEdit], uploads: &[Box<str>]) -> FolderView {
    let directory = &base.directory;
    let mut made = directory.made().clone();
    let mut paths = (**directory.paths()).clone();
    let uploads = edits.iter().flat_map(|edit| &edit.uploads).chain(uploads);
    paths.extend(uploads.map(|path| path.to_string()));
    let of_records = |edit: &&FileEdit| is_of_record(&base.conditions.layout, &edit.path);
    for edit in edits.iter().filter(of_records) {
        made.remove(edit.found_at());
        paths.remove(edit.found_at());
        if let Some(text) = &edit.after {
            paths.insert(edit.path.to_string());
            let read = base.conditions.parse(&edit.path, text.as_bytes()).value;
            if let Some(file) = read {
                made.insert(edit.path.to_string(), Arc::new(identity(&file)));
            }
        }
    }
    let has_file = |id| made.values().any(|made| made.id == id);
    let others = directory.others().iter();
    let others = others
        .filter(|other| !has_file(other.id))
        .cloned()
        .collect();
    let directory = Directory::beside(others, Arc::new(paths), made)
        .with_layout(Arc::clone(&base.conditions.layout));
    FolderView {
        directory: Arc::new(directory),
        conditions: base.conditions.clone(),
    }
}
