//! Tests the permissions of each role: every cell of the table on a running site, with a session, with a staff token, and as an
//! integration.
//!
//! `permissions.json` is the table of Ghost 6.65, as observed. [`attempts`] has a request for each of its rows, which succeeds
//! for the owner. A cell determines which requests must succeed and which must get 403.

mod attempts;
mod routes;
mod scopes;
mod site_with_roles;
mod table;

use std::collections::BTreeSet;

use galley::{
    api::permissions,
    domain::{permission::Right, role::Role},
};
use galley_tests::{Request, Who, request::ADMIN};

use self::{
    attempts::{ATTEMPTS, Attempt, RUINOUS},
    site_with_roles::SiteWithRoles,
    table::{Cell, Expected, Trial},
};

/// Defines a test for each group of resources, and the list of all tested resources.
macro_rules! groups {
    ($($test:ident: [$($resource:literal),*];)*) => {
        const TRIED: &[&str] = &[$($($resource),*),*];
        $(
            #[test]
            fn $test() {
                try_all(&[$($resource),*]);
            }
        )*
    };
}

groups! {
    posts: ["posts"];
    pages: ["pages"];
    tags_tiers_and_newsletters: ["tags", "tiers", "newsletters", "offers"];
    integrations_and_settings: ["integrations", "settings", "site", "config", "slugs", "actions"];
    webhooks: ["webhooks"];
    members: ["members", "labels"];
    snippets_and_statistics: ["snippets", "notifications", "stats", "comments", "links", "emails", "email_previews"];
    unsupported_features: [
        "gift_links", "feedback", "mentions", "incoming_recommendations", "automated_emails", "automations", "identities",
        "tinybird", "slack"
    ];
    themes_and_urls: ["themes", "custom_theme_settings", "redirects", "routes"];
    roles_and_invites: ["roles", "invites"];
    users: ["users"];
    images: ["images"];
    everything: ["db", "everything"];
}

/// Tests every cell of these resources.
fn try_all(resources: &[&str]) {
    let site = SiteWithRoles::new();
    let mut wrong = Vec::new();
    for cell in table::cells() {
        if !resources.contains(&cell.resource.as_str()) {
            continue;
        }
        let attempt = attempt_of(&cell);
        for trial in cell.trials() {
            let is_ruinous = RUINOUS.contains(&(cell.resource.as_str(), cell.act.as_str()));
            let verdict = if is_ruinous && trial.expected != Expected::Refused {
                tried(&SiteWithRoles::new(), attempt, &trial)
            } else {
                tried(&site, attempt, &trial)
            };
            if let Err(responded) = verdict {
                wrong.push(format!(
                    "{} {}: {trial:?} {responded}",
                    cell.resource, cell.act
                ));
            }
        }
    }
    assert!(wrong.is_empty(), "{}", wrong.join("\n"));
}

fn attempt_of(cell: &Cell) -> Attempt {
    let is_it =
        |(resource, act, _): &&(&str, &str, _)| *resource == cell.resource && *act == cell.act;
    let found = ATTEMPTS.iter().find(is_it);
    let (_, _, attempt) =
        found.unwrap_or_else(|| panic!("no test tries {} {}", cell.resource, cell.act));
    *attempt
}

/// Performs one trial, and describes the request and its response if the response is not the expected one.
fn tried(site: &SiteWithRoles, attempt: Attempt, trial: &Trial) -> Result<(), String> {
    let request = attempt(site, trial);
    let response = site.ask_as(&trial.who, &request);
    let is_refusal =
        || response.status == 403 && response.json()["errors"][0]["type"] == "NoPermissionError";
    let is_right = match trial.expected {
        Expected::Allowed => response.status < 300,
        Expected::Refused => is_refusal(),
        Expected::Ignored => {
            response.status < 300 && response.json()["posts"][0]["tags"] == serde_json::json!([])
        }
    };
    if is_right {
        Ok(())
    } else {
        Err(format!(
            "{} {}: {} {}",
            request.method,
            request.target,
            response.status,
            response.text()
        ))
    }
}

#[test]
fn every_cell_of_the_table_is_tested() {
    let resources: BTreeSet<String> = table::cells()
        .into_iter()
        .map(|cell| cell.resource)
        .collect();
    let mut tried = TRIED.to_vec();
    tried.sort_unstable();
    assert_eq!(resources.iter().collect::<Vec<_>>(), tried);
}

#[test]
fn program_uses_the_same_permission_table() {
    for cell in table::cells() {
        // Integrations have one cell for both actions, because they cannot edit users.
        let act = match (cell.resource.as_str(), cell.act.as_str()) {
            ("users", "edit") => "edit others",
            ("users", "delete") => "delete others",
            (_, act) => act,
        };
        let row = permissions().get(&(&*cell.resource, act)).copied();
        let row = row.unwrap_or_else(|| panic!("the program has no row {} {act}", cell.resource));
        let right = match Role::from_name(&cell.role) {
            Some(role) => row.of_role(role),
            None => row.of_integrations(),
        };
        let rights = cell.rights();
        assert!(
            rights.is_empty() || rights.contains(&right),
            "{} may {act} {}: {right:?}, not {rights:?}",
            cell.role,
            cell.resource
        );
    }
}

/// Ghost's permissions for these requests were not recorded, so only the program's table defines them.
#[test]
fn post_export_and_member_statistics_have_their_own_rows() {
    let site = SiteWithRoles::new();
    for (resource, act, target) in [
        ("posts", "export", "/posts/export/"),
        ("members", "read events", "/members/events/"),
        ("members", "read stats", "/members/stats/count/"),
        ("members", "read stats", "/members/stats/mrr/"),
    ] {
        let row = permissions().get(&(resource, act)).copied();
        let row = row.unwrap_or_else(|| panic!("the program has no row {resource} {act}"));
        let request = Request::new("GET", &format!("{ADMIN}{target}"));
        let status = |who: &Who| site.ask_as(who, &request).status;
        for role in ["Owner"].iter().chain(&table::INVITED) {
            let right = row.of_role(Role::from_name(role).unwrap());
            let expected = if right == Right::Yes { 200 } else { 403 };
            for who in [Who::session(role), Who::staff_token(role)] {
                assert_eq!(status(&who), expected, "{target} {who:?}");
            }
        }
        assert_eq!(row.of_integrations(), Right::BeyondSpecification);
        assert_eq!(status(&Who::Integration), 403, "{target}");
    }
}
