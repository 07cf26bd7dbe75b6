//! The whole URL space of the API: one row for each endpoint, in one file for each area.
//!
//! A [`Route`] is the complete description of an endpoint: method, path, permission, handler,
//! operation id, summary, parameters, bodies, statuses, the limit of the body, and whether the
//! response may be built inline. The router, `Allow`, the limits and the OpenAPI document are derived
//! from the rows.

mod content;
mod db;
mod integrations;
mod members;
mod offerings;
pub mod parameters;
mod posts;
pub mod route;
mod settings;
pub mod shape;
mod staff;
mod stubs;
mod themes;

use std::{collections::BTreeMap, sync::LazyLock};

use self::route::{Endpoint, Route};
use super::{path::DOCUMENT_PATH, router::Router};
use crate::domain::{
    permission::{Permission, ROLES_BROWSE_ASSIGNABLE, SITE_READ},
    post::{
        PAGES_PUBLISH, POSTS_CHANGE_AUTHORS, POSTS_CHANGE_VISIBILITY, POSTS_PUBLISH, POSTS_TAG,
    },
    user::{
        USERS_ASSIGN_ROLES, USERS_CHANGE_OWN_ROLE, USERS_EDIT_OTHERS, USERS_PASSWORD_OF_OTHERS,
        USERS_SUSPEND, USERS_TOKENS_OF_OTHERS,
    },
};

/// All endpoints, in the order in which the OpenAPI document and `Allow` list them.
pub fn all() -> impl Iterator<Item = &'static Route> {
    TABLES.iter().copied().flatten()
}

/// Returns the router of all endpoints.
pub fn router() -> &'static Router {
    static ROUTER: LazyLock<Router> = LazyLock::new(|| Router::new(all()));
    &ROUTER
}

static TABLES: &[&[Route]] = &[
    &[route::document(DOCUMENT_PATH)],
    content::ROUTES,
    settings::ROUTES,
    staff::ROUTES,
    posts::ROUTES,
    integrations::ROUTES,
    offerings::ROUTES,
    themes::ROUTES,
    members::ROUTES,
    stubs::ROUTES,
    db::ROUTES,
];

/// Permissions that no route requires. They are needed only for some fields or targets of a change.
const RIGHTS_OF_PARTS: [&Permission; 13] = [
    &PAGES_PUBLISH,
    &POSTS_CHANGE_AUTHORS,
    &POSTS_CHANGE_VISIBILITY,
    &POSTS_PUBLISH,
    &POSTS_TAG,
    &ROLES_BROWSE_ASSIGNABLE,
    &SITE_READ,
    &USERS_ASSIGN_ROLES,
    &USERS_CHANGE_OWN_ROLE,
    &USERS_EDIT_OTHERS,
    &USERS_PASSWORD_OF_OTHERS,
    &USERS_SUSPEND,
    &USERS_TOKENS_OF_OTHERS,
];

/// Returns all permissions, keyed by resource and action.
pub fn permissions() -> BTreeMap<(&'static str, &'static str), &'static Permission> {
    let of_routes = all().filter_map(|route| match route.endpoint {
        Endpoint::Admin(permission, _) => Some(permission),
        _ => None,
    });
    let named =
        |permission: &'static Permission| ((permission.resource, permission.act), permission);
    of_routes.chain(RIGHTS_OF_PARTS).map(named).collect()
}

#[cfg(test)]
mod tests {
    use std::collections::BTreeSet;

    use super::*;
    use crate::api::{
        path::ApiPath,
        routes::route::{BodyLimit, Execution, Input},
    };

    /// Prefixes of routes whose permission is not named after the path, with the permission.
    const NAMED_DIFFERENTLY: &[(&str, &str)] = &[
        (
            "admin/authentication/global_password_reset/",
            "everything: reset all passwords",
        ),
        (
            "admin/authentication/reset/",
            "everything: reset all passwords",
        ),
        ("admin/authentication/setup/", "settings: edit"),
        ("admin/automated_emails/", "automated_emails: browse"),
        ("admin/automations/{id}/", "automations: browse"),
        ("admin/comments/{id}/", "comments: browse"),
        ("admin/comments/post/", "comments: browse"),
        ("admin/db/", "everything: delete all content"),
        ("admin/db/backup/", "db: export"),
        ("admin/db/media/inline/", "db: import"),
        ("admin/email_previews/posts/", "email_previews: read"),
        ("admin/email_previews/posts/", "email_previews: send"),
        ("admin/emails/analytics/", "emails: browse"),
        ("admin/emails/{id}/analytics/", "emails: browse"),
        ("admin/emails/{id}/batches/", "emails: browse"),
        ("admin/emails/{id}/recipient-failures/", "emails: browse"),
        ("admin/emails/{id}/status/", "emails: read"),
        ("admin/exports/", "db: export"),
        ("admin/featurebase/", "config: read"),
        ("admin/gift_links/remove_all/", "gift_links: browse"),
        ("admin/integrations/{id}/api_key/", "integrations: keys"),
        ("admin/links/bulk/", "links: edit"),
        ("admin/members/bulk/", "members: edit"),
        ("admin/members/stripe_connect/", "settings: edit"),
        ("admin/members/upload/", "members: add"),
        ("admin/members/upload/", "members: export"),
        ("admin/members/{id}/commenting/", "members: edit"),
        (
            "admin/members/{id}/signin_urls/",
            "members: read sign-in URL",
        ),
        ("admin/members/{id}/sessions/", "members: edit"),
        ("admin/members/{id}/subscriptions/", "members: edit"),
        ("admin/members/{id}/suppression/", "members: edit"),
        ("admin/newsletters/verifications/", "newsletters: edit"),
        ("admin/pages/{id}/gift_links/", "gift_links: browse"),
        ("admin/posts/{id}/gift_links/", "gift_links: browse"),
        ("admin/recommendations/check/", "recommendations: edit"),
        ("admin/search-index/", "search-index: browse"),
        ("admin/settings/access_code/", "settings: edit"),
        ("admin/settings/members/email/", "settings: edit"),
        ("admin/settings/routes/yaml/", "routes: download"),
        ("admin/settings/routes/yaml/", "routes: upload"),
        ("admin/settings/stripe/connect/", "settings: edit"),
        ("admin/settings/verifications/", "settings: edit"),
        ("admin/stats/", "stats: browse"),
        ("admin/stats/mrr/", "stats: member_count"),
        ("admin/stats/subscriptions/", "stats: member_count"),
        ("admin/stats/posts-", "stats: count by post"),
        ("admin/themes/install/", "themes: upload"),
        ("admin/tiers/checkout_config/", "tiers: browse"),
        ("admin/tiers/{id}/checkout_config/", "tiers: read"),
        ("admin/users/password/", "users: edit self"),
        ("admin/webhooks/{id}/deliveries/", "webhooks: edit"),
    ];

    fn name(permission: &Permission) -> String {
        format!("{}: {}", permission.resource, permission.act)
    }

    /// Returns every route of the Admin API that requires a permission, with the permission.
    fn routes_with_rights() -> impl Iterator<Item = (&'static Route, &'static Permission)> {
        all().filter_map(|route| match route.endpoint {
            Endpoint::Admin(permission, _) => Some((route, permission)),
            _ => None,
        })
    }

    /// Returns whether the permission is named after the route: it has the same resource, and its
    /// action contains one of the following words of the path, if there are any.
    fn is_named_after_route(route: &Route, permission: &Permission) -> bool {
        let is_lookup = |word: &str| word.starts_with('{') || matches!(word, "slug" | "email");
        let mut words = route.path.trim_end_matches('/').split('/').skip(1);
        let resource = words.next();
        let words: Vec<&str> = words.filter(|word| !is_lookup(word)).collect();
        let is_in_act = |word: &&str| permission.act.contains(*word);
        resource == Some(permission.resource) && (words.is_empty() || words.iter().any(is_in_act))
    }

    #[test]
    fn every_right_is_named_after_its_route_or_listed() {
        let mut unused: BTreeSet<_> = NAMED_DIFFERENTLY.iter().collect();
        for (route, permission) in routes_with_rights() {
            if is_named_after_route(route, permission) {
                continue;
            }
            let right = name(permission);
            let row = NAMED_DIFFERENTLY
                .iter()
                .find(|row| route.path.starts_with(row.0) && right == row.1);
            let row = row.unwrap_or_else(|| panic!("{} requires \"{right}\"", route.path));
            unused.remove(row);
        }
        assert!(unused.is_empty(), "{unused:?}");
    }

    #[test]
    fn access_follows_from_the_path() {
        for route in all() {
            let path = ApiPath::new(route.path);
            let (is_content, is_admin) = match route.endpoint {
                Endpoint::Content(_) | Endpoint::ChangeFeed(_) => (true, false),
                Endpoint::Open(_) | Endpoint::Admin(..) | Endpoint::Unauthenticated(_) => {
                    (false, true)
                }
                Endpoint::Document => (false, false),
            };
            assert_eq!(
                (path.is_content(), path.is_admin()),
                (is_content, is_admin),
                "{}",
                route.path
            );
        }
    }

    /// Returns the paths of the routes that `is_wanted` selects, without duplicates.
    fn paths(is_wanted: impl Fn(&Route) -> bool) -> Vec<&'static str> {
        let mut paths: Vec<&str> = all()
            .filter(|route| is_wanted(route))
            .map(|route| route.path)
            .collect();
        paths.dedup();
        paths
    }

    #[test]
    fn endpoints_that_hash_decode_or_wait_for_a_repository_are_long_running() {
        assert_eq!(
            paths(|route| route.execution == Execution::LongRunning),
            [
                "admin/session/",
                "admin/session/verify/",
                "admin/users/password/",
                "admin/authentication/password_reset/",
                "admin/authentication/reset/",
                "admin/authentication/global_password_reset/",
                "admin/authentication/setup/",
                "admin/authentication/invitation/",
                "admin/images/upload/",
                "admin/media/upload/",
                "admin/media/thumbnail/upload/",
                "admin/themes/install/",
                "admin/git/sync/",
            ]
        );
    }

    #[test]
    fn endpoints_with_a_form_take_uploads() {
        assert_eq!(
            paths(|route| route.body_limit == BodyLimit::Upload),
            paths(|route| matches!(route.input, Input::Form(_)))
        );
    }

    #[test]
    fn method_and_path_of_each_row_are_unique() {
        let mut rows = BTreeSet::new();
        for route in all() {
            assert!(
                rows.insert((route.method.as_str(), route.path)),
                "{} {}",
                route.method,
                route.path
            );
        }
    }
}
