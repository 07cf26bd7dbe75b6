//! Roles, and which of them an actor may assign.

use crate::domain::{actor::Actor, permission::USERS_ASSIGN_ROLES, role::Role};

/// Returns the roles that `actor` may assign.
pub fn assignable(actor: &Actor) -> Vec<Role> {
    let Ok(right) = USERS_ASSIGN_ROLES.admit(actor) else {
        return Vec::new();
    };
    let roles = Role::ALL.into_iter();
    roles.filter(|role| right.covers_role(*role)).collect()
}
