//! Posts and pages, and the functions that every caller saves them with.

use std::sync::Arc;

use super::{
    Transaction,
    collection::{slug_key, slug_taken},
    records::{self, BodyForm},
    view::SiteView,
};
use crate::{
    catalog::recipients,
    domain::{
        file_reference::FileReference,
        post::{Body, Post, TITLE_CHARACTERS_MAX},
    },
    error::{Error, Kind, Result},
    id::Id,
    store::Table,
};

/// Key that marks that posts are stored with their file references.
pub(super) const HAS_FILE_REFERENCES: &[u8] = b"file_references";

/// Namespace of the slugs that posts and pages share.
const SLUG_KIND: &str = "post";

impl Transaction {
    /// Adds a post or replaces the one with its identifier. Writes nothing if it is unchanged. If the post is from a content
    /// file and this site writes files, the file changes as well.
    ///
    /// # Errors
    ///
    /// `Validation`, naming the field, if the title is empty or too long, the slug is in use, or there is no author; naming
    /// the file, if the file cannot be changed; and `UpdateCollision` if the file has changed.
    pub fn save_post(&mut self, post: Post, body: Body) -> Result<()> {
        let (post, body) = self.through_file(post, body)?;
        self.save_post_of_file(post, body)
    }

    /// Saves a post with the values from its content file, like [`save_post`](Self::save_post) but without changing the
    /// file.
    ///
    /// # Errors
    ///
    /// `Validation`, naming the field, if the title is empty or too long, the slug is in use, or
    /// there is no author.
    pub fn save_post_of_file(&mut self, mut post: Post, body: Body) -> Result<()> {
        post.public_excerpt = body.public_excerpt;
        post.reading_time = body.reading_time;
        let body = [body.html, body.lexical];
        post.files = files_of(&post, &body)?;
        let [html, lexical] = body;
        self.check_post(&post)?;
        let texts = [(BodyForm::Html, html), (BodyForm::Lexical, lexical)];
        // Drafts are saved often, and cached responses stay valid when they are.
        if post.is_listed() || self.is_listed(post.id) {
            self.write_post(post, texts)
        } else {
            self.hidden_from_readers(|change| change.write_post(post, texts))
        }
    }

    fn write_post(&mut self, post: Post, texts: [(BodyForm, Option<String>); 2]) -> Result<()> {
        let mut has_other_body = false;
        for (form, text) in texts {
            has_other_body |= self.write_body(post.id, form, text)?;
        }
        let known = self.catalog().posts.get(post.id);
        if known.is_some_and(|known| **known == post) {
            if has_other_body {
                // Replaces the shared record, because caches of bodies use it as their key.
                self.catalog_mut().posts.put(post);
            }
            return Ok(());
        }
        let old_slug = known.map(|known| known.slug.clone());
        self.move_slug(SLUG_KIND, old_slug.as_deref(), &post.slug, post.id)?;
        self.put(Table::Posts, post.id.as_bytes(), &post)?;
        self.catalog_mut().posts.put(post);
        Ok(())
    }

    /// Returns whether readers see the post with this identifier.
    fn is_listed(&self, id: Id) -> bool {
        let known = self.catalog().posts.get(id);
        known.is_some_and(|known| known.is_listed())
    }

    /// Saves a post whose body is unchanged, and its content file if it has one.
    ///
    /// # Errors
    ///
    /// The errors of [`save_post`](Self::save_post).
    pub fn edit_post(&mut self, post: Post) -> Result<()> {
        if post.origin.is_store() {
            return self.update_post(post);
        }
        let (html, lexical) = self.body(post.id)?;
        let body = Body {
            html,
            lexical,
            public_excerpt: post.public_excerpt.clone(),
            reading_time: post.reading_time,
        };
        self.save_post(post, body)
    }

    /// Replaces an existing post whose slug, title and body are unchanged.
    ///
    /// # Errors
    ///
    /// If the store cannot be read.
    pub fn update_post(&mut self, post: Post) -> Result<()> {
        self.put(Table::Posts, post.id.as_bytes(), &post)?;
        self.catalog_mut().posts.put(post);
        Ok(())
    }

    /// Deletes the post with this identifier, if it exists, and its content file.
    ///
    /// # Errors
    ///
    /// `Validation`, naming the file, if this site writes no files; `UpdateCollision` if the file has changed.
    pub fn delete_post(&mut self, id: Id) -> Result<()> {
        if let Some(post) = self.catalog().posts.get(id).cloned() {
            self.delete_file_of(&post)?;
        }
        self.delete_post_of_file(id)
    }

    /// Deletes the post with this identifier, if it exists, because its content file was deleted.
    ///
    /// # Errors
    ///
    /// If the store cannot be read.
    pub fn delete_post_of_file(&mut self, id: Id) -> Result<()> {
        if self.is_listed(id) {
            self.erase_post(id)
        } else {
            self.hidden_from_readers(|change| change.erase_post(id))
        }
    }

    fn erase_post(&mut self, id: Id) -> Result<()> {
        let Some(old) = self.catalog_mut().posts.remove(id) else {
            return Ok(());
        };
        self.delete(Table::Slugs, &slug_key(SLUG_KIND, &old.slug));
        for form in BodyForm::ALL {
            self.delete(Table::Bodies, &form.key(id));
        }
        self.delete(Table::ImportedTexts, id.as_bytes());
        self.delete_email_of(id)?;
        self.delete_revisions(id)?;
        self.delete(Table::Posts, id.as_bytes());
        Ok(())
    }

    /// Returns the HTML and the editor's document of a post after the changes of this transaction, both in stored form;
    /// `None` for a form that does not exist.
    ///
    /// # Errors
    ///
    /// If the store cannot be read.
    pub fn body(&self, post: Id) -> Result<(Option<String>, Option<String>)> {
        let view: &dyn SiteView = self;
        Ok((view.html(post)?, view.lexical(post)?))
    }

    /// Adds the file references of posts that were stored by a version without such references.
    ///
    /// # Errors
    ///
    /// If the store cannot be read.
    pub(super) fn add_file_references(&mut self) -> Result<()> {
        let posts: Vec<Arc<Post>> = self.catalog().posts.iter().cloned().collect();
        for post in posts {
            let (html, lexical) = self.body(post.id)?;
            let files = files_of(&post, &[html, lexical])?;
            if files != post.files {
                self.update_post(Post {
                    files,
                    ..Post::clone(&post)
                })?;
            }
        }
        self.put(Table::Meta, HAS_FILE_REFERENCES, &true)
    }

    /// Publishes those of `posts` that are scheduled for now or earlier; the others remain unchanged. Email-only posts are
    /// sent but not shown. A post with a newsletter is sent to its subscribers; it stays scheduled while the newsletter is
    /// archived.
    ///
    /// # Errors
    ///
    /// If the store cannot be read.
    pub fn publish_due_posts(&mut self, posts: &[Id]) -> Result<()> {
        let now = self.now();
        for id in posts {
            let catalog = self.catalog();
            let is_due = |post: &&Arc<Post>| {
                post.is_due(now) && recipients::archived_newsletter(catalog, post).is_none()
            };
            // Checked again in the transaction: the post may have been changed since the scheduler
            // found it.
            let Some(post) = catalog.posts.get(*id).filter(is_due) else {
                continue;
            };
            // The date of an imported post stays unchanged: a later import recognises its posts by a hash that includes the
            // date.
            let is_imported = self.bytes(Table::ImportedTexts, id.as_bytes())?.is_some();
            let updated_at = if post.origin.is_file() || is_imported {
                post.updated_at
            } else {
                self.changed_after(post.updated_at)
            };
            let published = Post {
                status: post.public_status(),
                updated_at,
                ..Post::clone(post)
            };
            self.put(Table::Posts, published.id.as_bytes(), &published)?;
            self.catalog_mut().posts.put(published.clone());
            // Posts of content files are never sent by mail.
            if published.origin.is_store() {
                self.store_revision_of_due(&published)?;
                self.send_to_subscribers(&published)?;
            }
        }
        Ok(())
    }

    fn check_post(&self, post: &Post) -> Result<()> {
        let characters = post.title.chars().count();
        if post.title.trim().is_empty() || characters > TITLE_CHARACTERS_MAX {
            return Err(Error::new(
                Kind::Validation,
                format!(
                    "A title has 1 to {TITLE_CHARACTERS_MAX} characters; this one has {characters}."
                ),
            )
            .property("title"));
        }
        if post.authors.is_empty() {
            return Err(
                Error::new(Kind::Validation, "A post has at least one author.").property("authors"),
            );
        }
        match self.catalog().posts.by_slug(&post.slug) {
            Some(other) if other.id != post.id => {
                Err(slug_taken(other.kind.name(), &post.slug, other.id))
            }
            _ => Ok(()),
        }
    }

    /// Writes a body and returns whether it differs from the previous one.
    fn write_body(&mut self, post: Id, form: BodyForm, text: Option<String>) -> Result<bool> {
        let key = form.key(post);
        // If the transaction has written the body before, the stored one does not show the
        // difference.
        let is_untouched = !self.has_touched(Table::Bodies, &key);
        let found = self.found(Table::Bodies, &key)?;
        let found = found.map(|bytes| form.read(bytes)).transpose()?;
        if is_untouched && found == text {
            return Ok(false);
        }
        match text {
            Some(text) => self.put_bytes(Table::Bodies, &key, form.stored(text))?,
            None => self.delete(Table::Bodies, &key),
        }
        Ok(true)
    }
}

/// Returns the files that a post refers to in its fields and in these forms of its body.
fn files_of(post: &Post, body: &[Option<String>]) -> Result<Box<[FileReference]>> {
    let fields = records::encode(post)?;
    let texts = body.iter().flatten().map(String::as_bytes);
    Ok(FileReference::in_texts(texts.chain([&fields[..]])))
}
