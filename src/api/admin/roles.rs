//! Roles (Ghost 6.65, recorded).

use super::{Reply, Request, view::View};
use crate::{
    admin::users,
    api::{
        json::{self, Object},
        listing::written_time,
        params::{Defaults, Selection},
    },
    domain::role::Role,
    error::{Error, Kind, Result},
    id::Id,
};

/// The roles of people in the order of the response, except [`Role::SuperEditor`], which comes last.
const LISTED: [Role; 5] = [
    Role::Administrator,
    Role::Editor,
    Role::Author,
    Role::Contributor,
    Role::Owner,
];

/// The names and descriptions of the roles of programs. They cannot be assigned, but clients may search
/// for them.
const OF_PROGRAMS: [(&str, &str); 4] = [
    ("Admin Integration", "External Apps"),
    (
        "Self-Serve Migration Integration",
        "Internal Integration for the Self-Serve migration tool",
    ),
    ("DB Backup Integration", "Internal DB Backup Client"),
    ("Scheduler Integration", "Internal Scheduler Client"),
];

/// `GET admin/roles/`: all roles, or with `permissions=assign` the roles that the user may assign. Other
/// values of `permissions` are rejected (Ghost 6.65, observed). `filter` has no effect.
pub fn browse(request: &Request) -> Result<Reply> {
    let is_of_assignable = match request.parameters.joined("permissions").as_deref() {
        None | Some("") => false,
        Some("assign") => true,
        Some(_) => {
            return Err(Error::new(
                Kind::Validation,
                "The parameter \"permissions\" must be \"assign\".",
            ));
        }
    };
    let assignable = users::assignable_roles(request.actor()?);
    let is_listed = |role: &Role| !is_of_assignable || assignable.contains(role);
    let selection = Selection::of_defaults(&Defaults::NONE);
    let view = View {
        snapshot: request.snapshot,
        site_urls: request.site_urls,
        selection: &selection,
    };
    let first = LISTED
        .into_iter()
        .filter(is_listed)
        .map(ListedRole::OfPerson);
    let programs = OF_PROGRAMS
        .into_iter()
        .filter(|_| !is_of_assignable)
        .map(|(name, about)| ListedRole::OfProgram(name, about));
    let last = Some(Role::SuperEditor).filter(is_listed);
    let all = first.chain(programs).chain(last.map(ListedRole::OfPerson));

    let mut bytes = Vec::new();
    let mut envelope = Object::begin(&mut bytes);
    json::list(envelope.name("roles"), all, |bytes, role| {
        let mut object = Object::begin(bytes);
        match role {
            ListedRole::OfPerson(role) => view.role(&mut object, role),
            ListedRole::OfProgram(name, about) => write_program(&view, &mut object, name, about),
        }
        object.end();
    });
    envelope.end();
    Ok(Reply::json(bytes))
}

/// One entry of the list.
enum ListedRole {
    OfPerson(Role),
    OfProgram(&'static str, &'static str),
}

fn write_program(view: &View, object: &mut Object, name: &str, about: &str) {
    // Roles are not stored. A derived identifier is the same in each response.
    object.field("id", Id::derive("role", name));
    object.field("name", name);
    object.field("description", about);
    let beginning = written_time(view.catalog().beginning());
    object.field("created_at", &beginning);
    object.field("updated_at", &beginning);
}
