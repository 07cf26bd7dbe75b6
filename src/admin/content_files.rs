//! The authors of changes that are written back to content files.

use crate::{
    catalog::Catalog,
    domain::{actor::Actor, file_edit::Editor},
    error::Result,
    site::{Site, Transaction},
};

/// Runs a change on behalf of `actor` that may write content files.
///
/// # Errors
///
/// The errors of `change` and of the commit.
pub fn edit<T>(
    site: &Site,
    actor: &Actor,
    change: impl Fn(&mut Transaction) -> Result<T>,
) -> Result<T> {
    site.write(|transaction| {
        edit_as(transaction, actor);
        change(transaction)
    })
}

/// Lets `transaction` write content files on behalf of `actor`.
pub fn edit_as(transaction: &mut Transaction, actor: &Actor) {
    let editor = editor(transaction.catalog(), actor);
    transaction.edit_files_as(editor);
}

/// Returns the actor as an editor of content files.
fn editor(catalog: &Catalog, actor: &Actor) -> Editor {
    let user = actor.user().and_then(|id| catalog.users.get(id));
    let (name, email) = match (user, actor) {
        (Some(user), _) => (user.name.clone(), user.email.clone()),
        (None, Actor::Integration { id, .. }) => {
            let integration = catalog.integrations().find(|known| known.id == *id);
            (
                integration.map_or_else(|| "Integration".into(), |known| known.name.clone()),
                None,
            )
        }
        (None, Actor::User { .. } | Actor::Operator) => ("Operator".into(), None),
    };
    Editor { name, email }
}
