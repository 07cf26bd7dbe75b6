//! A site in memory with one user of each role, and a clock that tests set.

use std::sync::Arc;

use galley::{
    admin::posts::{self, AuthorReference, ChangeContext, PostChange, SavedPost},
    clock::ManualClock,
    domain::{
        actor::{Actor, SignInMethod},
        newsletter::{DEFAULT_SLUG, Newsletter},
        post::{Post, PostKind},
        post_revision::PostRevision,
        role::Role,
        user::User,
    },
    error::{Kind, Result},
    id::Id,
    site::{Site, SiteView},
    store::{Table, memory::MemoryStore},
};
use jiff::{SignedDuration, Timestamp};
use serde::de::IgnoredAny;
use url::Url;

/// A site and the clock that it follows.
pub struct PostSite {
    pub site: Site,
    clock: Arc<ManualClock>,
    url: Url,
}

impl PostSite {
    /// Returns a site with one user of each role, of whom the owner is the first.
    pub fn new() -> Self {
        let clock = Arc::new(ManualClock::new("2026-03-01T12:00:00Z".parse().unwrap()));
        let site = Site::open(Box::new(MemoryStore::new()), clock.clone()).unwrap();
        site.write(|transaction| {
            for role in Role::ALL {
                let slug = role.name().to_lowercase().replace(' ', "-");
                let user = User::new(user_id(role), &slug, role.name(), transaction.now());
                transaction.save(User {
                    role,
                    email: Some(format!("{slug}@example.com").into()),
                    ..user
                })?;
            }
            Ok(())
        })
        .unwrap();
        Self {
            site,
            clock,
            url: Url::parse("https://site.example/").unwrap(),
        }
    }

    pub fn now(&self) -> Timestamp {
        self.site.now()
    }

    /// Advances the clock.
    pub fn advance_clock(&self, time: SignedDuration) {
        self.clock.set(self.now() + time);
    }

    pub fn url(&self) -> &Url {
        &self.url
    }

    pub fn add_as(&self, actor: &Actor, kind: PostKind, change: PostChange) -> Result<Arc<Post>> {
        let context = self.context(actor);
        let written = self
            .site
            .write_once(|transaction| posts::add(transaction, &context, kind, change))?;
        Ok(written.after)
    }

    /// Adds a post as an integration.
    pub fn add(&self, change: PostChange) -> Arc<Post> {
        let kind = PostKind::Post;
        self.add_as(&integration(), kind, change).unwrap()
    }

    pub fn edit_as(&self, actor: &Actor, post: &Post, change: PostChange) -> Result<SavedPost> {
        let context = self.context(actor);
        let change = PostChange {
            updated_at: change.updated_at.or(Some(post.updated_at)),
            ..change
        };
        self.site.write_once(|transaction| {
            posts::edit(transaction, &context, post.kind, post.id, change)
        })
    }

    /// Edits a post as an integration that has just read it.
    pub fn edit(&self, post: &Post, change: PostChange) -> Arc<Post> {
        self.edit_as(&integration(), post, change).unwrap().after
    }

    pub fn delete_as(&self, actor: &Actor, post: &Post) -> Result<Arc<Post>> {
        let context = self.context(actor);
        self.site
            .write(|transaction| posts::delete(transaction, &context, post.kind, post.id))
    }

    pub fn copy_as(&self, actor: &Actor, post: &Post) -> Result<Arc<Post>> {
        let context = self.context(actor);
        let copied = self
            .site
            .write(|transaction| posts::copy(transaction, &context, post.kind, post.id));
        copied.map(|written| written.after)
    }

    pub fn context<'a>(&'a self, actor: &'a Actor) -> ChangeContext<'a> {
        ChangeContext {
            actor,
            site: &self.url,
        }
    }

    /// Returns the current state of a post.
    pub fn read(&self, id: Id) -> Option<Arc<Post>> {
        self.site.current().catalog.posts.get(id).cloned()
    }

    pub fn html(&self, id: Id) -> Option<String> {
        self.site.current().html(id).unwrap()
    }

    /// Publishes the posts in `posts` that are due, like the scheduler.
    pub fn publish_due_posts(&self, posts: &[Id]) {
        self.site
            .write(|transaction| transaction.publish_due_posts(posts))
            .unwrap();
    }

    /// Returns the number of records in a table of the store.
    pub fn records(&self, table: Table) -> usize {
        let mut records = 0;
        let count = |_: &[u8], _: IgnoredAny| {
            records += 1;
            Ok(())
        };
        self.site.current().visit(table, count).unwrap();
        records
    }

    pub fn revisions(&self, id: Id) -> Vec<(PostRevision, String)> {
        let snapshot = self.site.current();
        let snapshot: &dyn SiteView = &**snapshot;
        let revisions = snapshot.served_revisions(id).unwrap().into_iter();
        let with_body = |revision| {
            let body = snapshot.revision_document(&revision).unwrap();
            (revision, body)
        };
        revisions.map(with_body).collect()
    }

    /// Archives or reactivates the default newsletter of the site.
    pub fn archive_newsletter(&self, archived: bool) {
        self.site
            .write(|transaction| {
                let newsletters = &transaction.catalog().newsletters;
                let newsletter = newsletters.by_slug(DEFAULT_SLUG).unwrap();
                let newsletter = Newsletter {
                    active: !archived,
                    ..Newsletter::clone(newsletter)
                };
                transaction.save(newsletter)
            })
            .unwrap();
    }

    /// Makes a content file the origin of a post.
    pub fn give_to_file(&self, post: &Post, file: &str) {
        let post = Post {
            origin: file.into(),
            ..post.clone()
        };
        self.site
            .write_once(|transaction| transaction.update_post(post))
            .unwrap();
    }
}

/// Returns the id of the user of a role.
pub fn user_id(role: Role) -> Id {
    Id::derive("user", role.name())
}

/// Returns the signed-in user of a role.
pub fn user(role: Role) -> Actor {
    Actor::User {
        id: user_id(role),
        role,
        method: SignInMethod::Session,
    }
}

pub fn integration() -> Actor {
    Actor::Integration {
        id: Id::derive("integration", "a program"),
        scope: Default::default(),
    }
}

/// Returns the reference to the user of a role in the authors of a post.
pub fn author(role: Role) -> AuthorReference {
    AuthorReference {
        id: Some(user_id(role)),
        ..AuthorReference::default()
    }
}

/// Returns a change of only the title.
pub fn titled(title: &str) -> PostChange {
    PostChange {
        title: Some(title.to_owned()),
        ..PostChange::default()
    }
}

/// Returns a change that makes the user of this role the author.
pub fn by(role: Role) -> PostChange {
    PostChange {
        authors: Some(vec![author(role)]),
        ..titled("By one of them")
    }
}

/// Returns the kind of the error, if the result is an error.
pub fn refusal<T>(outcome: Result<T>) -> Option<Kind> {
    outcome.err().map(|error| error.kind())
}
