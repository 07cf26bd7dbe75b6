//! Plans which post each document becomes: its post of an earlier import, or a new one under a free slug.

use std::{collections::HashSet, sync::Arc};

use super::{
    import_record::ImportRecord,
    project::{Project, ProjectDocument},
};
use crate::{
    content_files::{
        FileOutput, Layout,
        generator_files::{GeneratorDocument, slug_candidates},
    },
    domain::post::PostKind,
    error::Result,
    id::Id,
    site::Transaction,
};

/// A document and the post that it becomes.
pub struct PlannedPost {
    /// The document.
    pub document: ProjectDocument,
    /// The identifier of the post.
    pub id: Id,
    /// Its slug.
    pub slug: String,
    /// The names by which other documents link to it.
    pub output: FileOutput,
    /// True if an earlier import of the document created the post.
    pub is_known: bool,
}

/// The identity that a document requests.
pub struct RequestedIdentity {
    /// The names by which other documents link to it, with the requested slug.
    pub output: FileOutput,
    id: Option<Id>,
    kind: PostKind,
    title: String,
}

impl RequestedIdentity {
    /// Returns the requested identity of a parsed document.
    pub fn of(read: &GeneratorDocument) -> Self {
        Self {
            output: read.output(),
            id: read.id(),
            kind: read.kind(),
            title: read.title().to_owned(),
        }
    }
}

/// Assigns posts to documents.
pub struct Planner<'a> {
    transaction: &'a Transaction,
    folder: String,
    layout: Arc<Layout>,
    ids: HashSet<Id>,
    slugs: HashSet<String>,
}

/// The availability of a post for a document.
enum Availability {
    /// The post does not exist.
    Free,
    /// An earlier import of the document created it.
    Own,
    /// The post belongs to another document, or was not imported.
    Taken,
}

impl<'a> Planner<'a> {
    /// Returns a planner for the site's posts and `project`.
    pub fn new(transaction: &'a Transaction, project: &Project) -> Self {
        Self {
            transaction,
            folder: project.root.to_string_lossy().into_owned(),
            layout: Arc::clone(&project.layout),
            ids: HashSet::new(),
            slugs: HashSet::new(),
        }
    }

    /// Plans the post of a document. If the slug is in use, the section of the document is prefixed, or else a number
    /// is appended (Ghost 6.65, recorded).
    ///
    /// # Errors
    ///
    /// If the store cannot be read.
    pub fn plan(
        &mut self,
        document: ProjectDocument,
        requested: &RequestedIdentity,
    ) -> Result<PlannedPost> {
        let output = requested.output.clone();
        let requested_id = match requested.id {
            Some(id)
                if !matches!(
                    self.availability(id, &document, requested)?,
                    Availability::Taken
                ) =>
            {
                Some(id)
            }
            _ => None,
        };
        let sections = if self.layout.is_own() {
            Vec::new()
        } else {
            let published = output.aliases.first().map(|path| &**path);
            self.layout.distinction_of(&document.path, published)
        };
        for slug in slug_candidates(&output.slug, &sections) {
            // Derived as for a content file with this slug, so that a repeated import finds the
            // post.
            let id = requested_id.unwrap_or_else(|| Id::derive(requested.kind.name(), &slug));
            if self.ids.contains(&id) || self.slugs.contains(&slug) {
                continue;
            }
            let availability = self.availability(id, &document, requested)?;
            let holder = self.transaction.catalog().posts.by_slug(&slug);
            let is_others_slug = holder.is_some_and(|holder| holder.id != id);
            if matches!(availability, Availability::Taken) || is_others_slug {
                continue;
            }
            self.ids.insert(id);
            self.slugs.insert(slug.clone());
            return Ok(PlannedPost {
                is_known: matches!(availability, Availability::Own),
                document,
                id,
                output: FileOutput {
                    slug: slug.as_str().into(),
                    ..output
                },
                slug,
            });
        }
        unreachable!("the candidates have no end")
    }

    /// Returns the availability of the post `id` for a document: `Own` if an earlier import of the document created the
    /// post. The document of that import must have the same path, and either the same folder or, if the folder has
    /// moved, the same title.
    fn availability(
        &self,
        id: Id,
        document: &ProjectDocument,
        requested: &RequestedIdentity,
    ) -> Result<Availability> {
        if self.ids.contains(&id) {
            return Ok(Availability::Taken);
        }
        let Some(post) = self.transaction.catalog().posts.get(id) else {
            return Ok(Availability::Free);
        };
        let imported = ImportRecord::of(self.transaction, id)?;
        let is_own = imported.is_some_and(|imported| {
            imported.path == document.path
                && (imported.folder == self.folder || *post.title == *requested.title)
        });
        Ok(if is_own && post.origin.is_store() {
            Availability::Own
        } else {
            Availability::Taken
        })
    }
}
