//! Roles, and who may give them.

use crate::domain::{actor::Actor, permission::USERS_ASSIGN_ROLES, role::Role};

/// The roles that `actor` may give to somebody.
pub fn assignable(actor: &Actor) -> Vec<Role> {
    let Ok(right) = USERS_ASSIGN_ROLES.admit(actor) else {
        return Vec::new();
    };
    let roles = Role::ALL.into_iter();
    roles.filter(|role| right.covers_role(*role)).collect()
}
