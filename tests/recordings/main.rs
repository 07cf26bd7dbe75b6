//! Tests that Galley responds like Ghost 6.65, as recorded.
//!
//! A file in `scenarios/` is a recording: requests in order, their responses, and the mails and webhooks that were sent. Each
//! recording is a test. The test serves a new site, sets it up through the Admin API, imports the sample site `corpus.json` if
//! the scenario requires it, and compares the responses. A recording omits values that may vary; everything else must be equal
//! ([`compare`]). `database` names the database of the Ghost that was recorded or compared with: sites in production run on
//! MySQL.
//!
//! `CONTRADICTIONS.md` lists where Galley responds differently, and why. A step without a difference must not be listed.
//!
//! `cargo test --test recordings -- --nocapture` prints how many steps of each scenario are equal.

mod compare;
mod contradictions;
mod recorded_site;
mod replay;
mod request;
mod response;
mod scenario;
mod shape;

use std::{fs, path::PathBuf};

/// Returns the path of a file in `tests/recordings`.
fn beside(path: &str) -> PathBuf {
    PathBuf::from(env!("CARGO_MANIFEST_DIR"))
        .join("tests/recordings")
        .join(path)
}

fn read(path: &str) -> String {
    fs::read_to_string(beside(path)).unwrap_or_else(|error| panic!("{path}: {error}"))
}

/// Defines a test for each scenario, and the list of their names.
macro_rules! scenarios {
    ($($test:ident: $name:literal,)*) => {
        const SCENARIOS: &[&str] = &[$($name),*];
        $(
            #[test]
            fn $test() {
                replay::replay($name);
            }
        )*
    };
}

scenarios! {
    admin_absent_features: "admin-absent-features",
    admin_absent_features_otherwise: "admin-absent-features-otherwise",
    admin_absent_features_rights: "admin-absent-features-rights",
    admin_actions: "admin-actions",
    admin_active_urls: "admin-active-urls",
    admin_auth_integrations: "admin-auth-integrations",
    admin_auth_kids: "admin-auth-kids",
    admin_auth_tokens: "admin-auth-tokens",
    admin_db: "admin-db",
    admin_email_preview: "admin-email-preview",
    admin_errors: "admin-errors",
    admin_filter_fields: "admin-filter-fields",
    admin_filter_values: "admin-filter-values",
    admin_images: "admin-images",
    admin_images_serving: "admin-images-serving",
    admin_input: "admin-input",
    admin_integrations: "admin-integrations",
    admin_invites_case: "admin-invites-case",
    admin_members: "admin-members",
    admin_members_archived_newsletters: "admin-members-archived-newsletters",
    admin_members_csv: "admin-members-csv",
    admin_members_csv_dates: "admin-members-csv-dates",
    admin_members_tiers: "admin-members-tiers",
    admin_misc: "admin-misc",
    admin_newsletters: "admin-newsletters",
    admin_offers: "admin-offers",
    admin_pages: "admin-pages",
    admin_passwords_attempts: "admin-passwords-attempts",
    admin_permissions_posts: "admin-permissions-posts",
    admin_permissions_resources: "admin-permissions-resources",
    admin_permissions_users: "admin-permissions-users",
    admin_posts: "admin-posts",
    admin_posts_access: "admin-posts-access",
    admin_posts_bulk: "admin-posts-bulk",
    admin_posts_content: "admin-posts-content",
    admin_posts_dates: "admin-posts-dates",
    admin_posts_errors: "admin-posts-errors",
    admin_posts_newsletters: "admin-posts-newsletters",
    admin_posts_relations: "admin-posts-relations",
    admin_posts_revisions: "admin-posts-revisions",
    admin_posts_states: "admin-posts-states",
    admin_roles_invites: "admin-roles-invites",
    admin_schedule: "admin-schedule",
    admin_sessions: "admin-sessions",
    admin_sessions_2fa: "admin-sessions-2fa",
    admin_sessions_2fa_more: "admin-sessions-2fa-more",
    admin_sessions_lock: "admin-sessions-lock",
    admin_sessions_reset: "admin-sessions-reset",
    admin_settings: "admin-settings",
    admin_site: "admin-site",
    admin_tags: "admin-tags",
    admin_themes: "admin-themes",
    admin_tiers: "admin-tiers",
    admin_tiers_of_posts: "admin-tiers-of-posts",
    admin_users: "admin-users",
    admin_versions: "admin-versions",
    admin_webhook_deliveries: "admin-webhook-deliveries",
    admin_webhook_deliveries_more: "admin-webhook-deliveries-more",
    admin_webhook_payloads: "admin-webhook-payloads",
    admin_webhook_signatures: "admin-webhook-signatures",
    admin_webhooks: "admin-webhooks",
    content_access: "content-access",
    content_authors: "content-authors",
    content_cors_caching: "content-cors-caching",
    content_errors: "content-errors",
    content_fields_include_formats: "content-fields-include-formats",
    content_filter: "content-filter",
    content_order: "content-order",
    content_other: "content-other",
    content_pages: "content-pages",
    content_pagination: "content-pagination",
    content_posts: "content-posts",
    content_search_index: "content-search-index",
    content_settings: "content-settings",
    content_tags: "content-tags",
    content_tiers: "content-tiers",
    content_versions: "content-versions",
    members_access: "members-access",
    members_account: "members-account",
    members_features_off: "members-features-off",
    members_sign_in: "members-sign-in",
    mysql: "mysql",
    posts_without_words: "posts-without-words",
}

#[test]
fn every_recording_is_a_test() {
    let mut files: Vec<String> = fs::read_dir(beside("scenarios"))
        .unwrap()
        .map(|entry| entry.unwrap().file_name().into_string().unwrap())
        .collect();
    files.sort();
    let mut named: Vec<String> = SCENARIOS
        .iter()
        .map(|name| format!("{name}.json"))
        .collect();
    named.sort();
    assert_eq!(files, named);
}

#[test]
fn contradictions_name_existing_scenarios() {
    for row in contradictions::all() {
        let name = row.scenario;
        assert!(
            SCENARIOS.contains(&name.as_str()),
            "{name} is not a scenario"
        );
    }
}
