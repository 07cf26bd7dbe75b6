//! The members that a request selects.

use crate::{
    api::{admin::Request, listing::FilterRules},
    catalog::{fields::MEMBERS, members::MemberSearch, relation::Relations},
    domain::member::Member,
};

/// The rules for filters of members.
pub const FILTER_RULES: FilterRules<Member> = FilterRules {
    relations: Relations::OfMembers,
    ..FilterRules::of_fields(&MEMBERS)
};

/// Returns the search for members in a request.
pub fn search(request: &Request) -> Option<MemberSearch> {
    let searched = request.parameters.joined("search")?;
    MemberSearch::new(&searched)
}
