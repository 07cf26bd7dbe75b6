//! Access to a post.

use super::change::PostChange;
use crate::{
    catalog::Catalog,
    domain::post::{Post, Visibility},
    error::{Error, Kind, Result},
};

/// Applies the visibility and the tiers of a change to `post`. Tiers are stored only if the
/// visibility uses them.
///
/// # Errors
///
/// `Validation` if there is no such tier (Ghost 6.65, recorded).
pub(super) fn apply(post: &mut Post, change: &PostChange, catalog: &Catalog) -> Result<()> {
    if let Some(visibility) = change.visibility {
        post.visibility = visibility;
    }
    if let Some(tiers) = &change.tiers {
        if let Some(unknown) = tiers
            .iter()
            .find(|tier| catalog.tiers.get(**tier).is_none())
        {
            return Err(Error::new(
                Kind::Validation,
                format!("There is no tier {unknown}."),
            ));
        }
        post.tiers.clear();
        for tier in tiers {
            if !post.tiers.contains(tier) {
                post.tiers.push(*tier);
            }
        }
    }
    if post.visibility != Visibility::Tiers {
        post.tiers.clear();
    }
    Ok(())
}
