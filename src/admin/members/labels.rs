//! Labels named in a member change.

use super::change::LabelReference;
use crate::{
    admin::labels::{self, LabelChanges},
    catalog::Catalog,
    domain::{actor::Actor, label::Label},
    error::Result,
    id::Id,
    site::Transaction,
};

/// Returns the named labels, each once, in order. A name refers to an existing label, matched
/// exactly or else ignoring case, or creates a new one.
pub fn resolved(
    transaction: &mut Transaction,
    actor: &Actor,
    named: &[LabelReference],
) -> Result<Vec<Id>> {
    let mut found: Vec<Id> = Vec::with_capacity(named.len());
    for reference in named {
        let name = reference.name.as_deref().unwrap_or_default().trim();
        if name.is_empty() {
            continue;
        }
        let id = match existing(transaction.catalog(), reference.id, name) {
            Some(label) => label.id,
            None => {
                let new = LabelChanges {
                    name: Some(name.into()),
                    slug: reference.slug.clone(),
                };
                labels::add_to(transaction, actor, &new)?.id
            }
        };
        if !found.contains(&id) {
            found.push(id);
        }
    }
    Ok(found)
}

fn existing<'a>(catalog: &'a Catalog, id: Option<Id>, name: &str) -> Option<&'a Label> {
    let labels = || catalog.labels.iter().map(AsRef::as_ref);
    let by_id = id.and_then(|id| catalog.labels.get(id)).map(AsRef::as_ref);
    by_id
        .or_else(|| labels().find(|label: &&Label| *label.name == *name))
        .or_else(|| {
            let folded = name.to_lowercase();
            labels().find(|label| label.name.to_lowercase() == folded)
        })
}
