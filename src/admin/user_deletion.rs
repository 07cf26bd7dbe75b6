//! Deletion of a staff user, and the consequences for the user's posts (specification, section 9;
//! rules as recorded from Ghost 6.65).

use std::sync::Arc;

use super::{collection, content_files, users};
use crate::{
    domain::{
        action::ActionEvent,
        actor::Actor,
        post::Post,
        role::Role,
        tag::Tag,
        user::{USERS_DELETE_OTHERS, User},
    },
    error::{Error, Kind, Result},
    id::Id,
    render::slug,
    site::{Site, Transaction},
};

/// Deletes a user with all credentials. The owner replaces the user in the list of authors of each
/// post. A post without another author gets an internal tag that names the user.
///
/// # Errors
///
/// `NotFound` if the user does not exist; `NoPermission` if the actor may not delete the user, and
/// for the owner; `Validation` if the user or a post of the user comes from a content file.
pub fn delete(site: &Site, actor: &Actor, id: Option<Id>) -> Result<()> {
    content_files::edit(site, actor, |transaction| {
        let user = users::found(transaction, id)?;
        check_right(actor, &user)?;
        // Checked before the posts, so that the error names the file of the user rather than the
        // file of a post.
        transaction.check_origin(&format!("user \"{}\"", user.slug), &user.origin)?;
        hand_over_posts(transaction, &user)?;
        // After the posts, so that no post ever names an author who does not exist.
        transaction.remove_edited::<User>(user.id)?;
        collection::record_action(transaction, actor, ActionEvent::Deleted, &*user)
    })
}

/// Checks that the actor may delete the user. An actor who may delete other users may also delete
/// themselves; the owner cannot be deleted.
fn check_right(actor: &Actor, user: &User) -> Result<()> {
    let right = USERS_DELETE_OTHERS.admit(actor)?;
    let is_self = actor.user() == Some(user.id);
    if user.role != Role::Owner && (is_self || right.covers_role(user.role)) {
        Ok(())
    } else {
        Err(USERS_DELETE_OTHERS.refusal())
    }
}

fn hand_over_posts(transaction: &mut Transaction, user: &User) -> Result<()> {
    let posts: Vec<Arc<Post>> = transaction
        .catalog()
        .posts
        .iter()
        .filter(|post| post.authors.contains(&user.id))
        .cloned()
        .collect();
    if posts.is_empty() {
        return Ok(());
    }
    let owner = transaction.catalog().owner().map(|owner| owner.id);
    let owner = owner.ok_or_else(|| {
        Error::new(
            Kind::Validation,
            "The site has no owner to take over the posts of this user.",
        )
        .help("Set the site up first, or create an owner with `galley user create`.")
    })?;
    let mark = if posts.iter().any(|post| post.authors.len() == 1) {
        Some(mark_of(transaction, user)?)
    } else {
        None
    };
    for post in posts {
        let mut handed = Post::clone(&post);
        replace(&mut handed.authors, user.id, owner);
        // The number of authors before the change: the owner has already replaced the user in
        // `handed`.
        if let (Some(mark), 1) = (mark, post.authors.len())
            && !handed.tags.contains(&mark)
        {
            handed.tags.push(mark);
        }
        transaction.edit_post(handed)?;
    }
    Ok(())
}

/// Replaces `old` with `new`, without adding a duplicate.
fn replace(authors: &mut Vec<Id>, old: Id, new: Id) {
    if authors.contains(&new) {
        authors.retain(|author| *author != old);
        return;
    }
    for author in authors.iter_mut().filter(|author| **author == old) {
        *author = new;
    }
}

/// Returns the internal tag `#slug-of-the-user`, creating it if it does not exist.
fn mark_of(transaction: &mut Transaction, user: &User) -> Result<Id> {
    let name = format!("#{}", user.slug);
    let slug = slug::from_text(slug::Kind::Tag, &name, "");
    if let Some(tag) = transaction.catalog().tags.by_slug(&slug) {
        return Ok(tag.id);
    }
    let now = transaction.now();
    let id = Id::generate(now).map_err(Error::internal)?;
    transaction.save(Tag::new(id, &slug, &name, now))?;
    Ok(id)
}
