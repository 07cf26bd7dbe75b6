//! The numbers of members, for templates.

use crate::{domain::member::Status, front_end::state::PageState};

/// Returns the number of members.
pub fn member_count(state: &PageState) -> usize {
    // Changes to members do not invalidate cached pages.
    state.model.mark_momentary();
    state.catalog().members.len()
}

/// Returns the number of paying members.
pub fn paid_member_count(state: &PageState) -> usize {
    let pays = |status: Status| status == Status::Paid;
    let now = state.now();
    let members = state.catalog().members.iter();
    members
        .filter(|member| pays(member.at(now).status()))
        .count()
}
