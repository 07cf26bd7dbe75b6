//! Resolves links in the documents of a project: to another document, to a file to upload, or to neither.

use std::{collections::HashMap, sync::Arc};

use super::{project::Project, upload_paths::UploadPaths};
use crate::{
    content_files::{
        FileOutput,
        assets::AssetTarget,
        generator_files::{TextNames, UrlLookup, UrlTarget, stored},
    },
    render::urls::PLACEHOLDER,
};

/// Resolves links in a project. Cheap to clone: the index is shared by the converter threads.
#[derive(Clone)]
pub struct ProjectLinks(Arc<LinkIndex>);

struct LinkIndex {
    project: Arc<Project>,
    upload_paths: Arc<UploadPaths>,
    /// The posts that the documents become, by path.
    documents: HashMap<String, FileOutput>,
    names: TextNames,
}

impl ProjectLinks {
    /// Returns a resolver for a project whose documents become these posts.
    pub fn new(
        project: Arc<Project>,
        upload_paths: Arc<UploadPaths>,
        documents: HashMap<String, FileOutput>,
    ) -> Self {
        Self(Arc::new(LinkIndex {
            names: TextNames::of(
                documents
                    .iter()
                    .map(|(path, output)| output.named_text(path)),
            )
            .with_files(project.paths.iter().map(String::as_str)),
            project,
            upload_paths,
            documents,
        }))
    }

    /// Returns the path of the uploadable file that the link `written` in the document at `file` refers to, if there is one.
    pub fn upload(&self, file: &str, written: &str) -> Option<String> {
        match self.0.resolve(file, written) {
            AssetTarget::Asset { path, .. } => self.0.upload_paths.target_of(&path).map(|_| path),
            _ => None,
        }
    }
}

impl UrlLookup for ProjectLinks {
    fn url_target(&self, file: &str, written: &str) -> UrlTarget {
        match self.0.resolve(file, written) {
            AssetTarget::Content { path, suffix } => match self.0.documents.get(&path) {
                Some(output) => UrlTarget::Found(stored(&format!("/{}/", output.slug), &suffix)),
                None => match self.0.project.layout.section_of(&path) {
                    Some(section) => UrlTarget::Found(stored(&section, &suffix)),
                    None => UrlTarget::Unusable(path),
                },
            },
            AssetTarget::Asset { path, suffix } => match self.0.upload_paths.target_of(&path) {
                Some(target) => UrlTarget::Found(stored(&format!("/content/{target}"), &suffix)),
                None => UrlTarget::Unusable(path),
            },
            AssetTarget::Missing { path } => UrlTarget::Broken(path),
            AssetTarget::Outside => UrlTarget::Outside,
            // `//host/path` is the URL of another host.
            AssetTarget::Unchanged if written.starts_with('/') && !written.starts_with("//") => {
                UrlTarget::Found(format!("{PLACEHOLDER}{written}"))
            }
            AssetTarget::Unchanged => UrlTarget::Elsewhere,
        }
    }
}

impl LinkIndex {
    /// Resolves a link in the document at `file`.
    fn resolve(&self, file: &str, written: &str) -> AssetTarget {
        let exists = |path: &str| self.project.paths.contains(path);
        self.names
            .resolve(&self.project.layout, file, written, exists)
    }
}
