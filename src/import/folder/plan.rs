//! Which post each text becomes: the one that it made before, or a new one under a slug that is free.

use std::{collections::HashSet, sync::Arc};

use super::{
    imported::ImportedText,
    project::{Project, Text},
};
use crate::{
    error::Result,
    id::Id,
    site::Transaction,
    sources::{
        FileOutput, Layout,
        generator_files::{GeneratorDocument, slug_candidates},
    },
};

/// A text, and the post that it becomes.
pub struct Planned {
    /// The text.
    pub text: Text,
    /// The identifier of the post.
    pub id: Id,
    /// Its slug.
    pub slug: String,
    /// What other texts may know it by.
    pub made: FileOutput,
    /// Whether the text made that post before.
    pub is_known: bool,
}

/// Gives texts their posts.
pub struct Planner<'a> {
    transaction: &'a Transaction,
    folder: String,
    layout: Arc<Layout>,
    ids: HashSet<Id>,
    slugs: HashSet<String>,
}

/// How a post may become that of a text.
enum Standing {
    /// There is none.
    Free,
    /// The text made it before.
    Own,
    /// It is another's.
    Taken,
}

impl<'a> Planner<'a> {
    /// Begins with what the site has.
    pub fn new(transaction: &'a Transaction, project: &Project) -> Self {
        Self {
            transaction,
            folder: project.root.to_string_lossy().into_owned(),
            layout: Arc::clone(&project.layout),
            ids: HashSet::new(),
            slugs: HashSet::new(),
        }
    }

    /// The post that a text becomes. Where its slug is another's, it gets that of its section in front, else one with a number
    /// (Ghost 6.65, recorded).
    ///
    /// # Errors
    ///
    /// When the store cannot be read.
    pub fn plan(&mut self, text: Text, read: &GeneratorDocument) -> Result<Planned> {
        let made = read.made();
        let wanted = &made.slug;
        let asked_for = match read.id() {
            Some(id) if !matches!(self.standing(id, &text, read)?, Standing::Taken) => Some(id),
            _ => None,
        };
        let sections = match self.layout.is_own() {
            true => Vec::new(),
            false => {
                let published = made.aliases.first().map(|path| &**path);
                self.layout.distinction_of(&text.path, published)
            }
        };
        for slug in slug_candidates(wanted, &sections) {
            let id = asked_for.unwrap_or_else(|| Id::derive(read.kind().name(), &slug));
            if self.ids.contains(&id) || self.slugs.contains(&slug) {
                continue;
            }
            let standing = self.standing(id, &text, read)?;
            let holder = self.transaction.catalog().posts.by_slug(&slug);
            let is_others_slug = holder.is_some_and(|holder| holder.id != id);
            if matches!(standing, Standing::Taken) || is_others_slug {
                continue;
            }
            self.ids.insert(id);
            self.slugs.insert(slug.clone());
            return Ok(Planned {
                is_known: matches!(standing, Standing::Own),
                text,
                id,
                made: FileOutput {
                    slug: slug.as_str().into(),
                    ..made
                },
                slug,
            });
        }
        unreachable!("the candidates have no end")
    }

    /// How the post `id` stands to a text. It is the text's own when that made it: the text at this path of this folder, or
    /// of one that has moved and says the same title.
    fn standing(&self, id: Id, text: &Text, read: &GeneratorDocument) -> Result<Standing> {
        if self.ids.contains(&id) {
            return Ok(Standing::Taken);
        }
        let Some(post) = self.transaction.catalog().posts.get(id) else {
            return Ok(Standing::Free);
        };
        let imported = ImportedText::of(self.transaction, id)?;
        let is_own = imported.is_some_and(|imported| {
            imported.path == text.path
                && (imported.folder == self.folder || &*post.title == read.title())
        });
        Ok(match is_own && post.source.is_none() {
            true => Standing::Own,
            false => Standing::Taken,
        })
    }
}
