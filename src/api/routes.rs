//! The whole URL space of the API on one screen. Paths are relative to `/ghost/api/`; `{}` is a
//! variable.

use http::Method;

use super::{
    admin::{
        actions, config, custom_theme_settings, db, email_previews, emails, git, integrations,
        invites, labels, member_events, member_lists, members, newsletters, notifications, oembed,
        offers, passwords, posts, recommendations, records, redirects, roles, routes_file,
        search_index, sessions, set_up, settings, site, slugs, snippets, staff_tokens, stats,
        stubs, tags, themes, tiers, uploads, users, webhook_deliveries, webhooks,
    },
    content::{self, tags_and_authors},
    router::{DOCUMENT_PATH, Route},
};
use crate::domain::{
    label::Label, newsletter::Newsletter, permission, recommendation::Recommendation, tag::Tag,
};

/// One row of the table: its method, its path, who may call it, and its handler.
///
/// Who may call it: holders of a Content API key (`content`, and `feed` for deferred or streamed
/// responses), all (`open`), unauthenticated clients (`unauthenticated`), or holders of the right
/// of that name in [`permission`].
macro_rules! route {
    (GET $path:literal content $endpoint:expr) => {
        Route::content($path, $endpoint)
    };
    (GET $path:literal feed $endpoint:expr) => {
        Route::feed($path, $endpoint)
    };
    (GET $path:literal open $endpoint:expr) => {
        Route::open($path, $endpoint)
    };
    ($method:ident $path:literal unauthenticated $endpoint:expr) => {
        Route::unauthenticated(Method::$method, $path, $endpoint)
    };
    ($method:ident $path:literal $permission:ident $endpoint:expr) => {
        Route::admin(Method::$method, $path, &permission::$permission, $endpoint)
    };
}

macro_rules! routes {
    ($($method:ident $path:literal $who:ident $endpoint:expr;)*) => {
        /// All endpoints.
        pub static ROUTES: &[Route] = &[
            // The OpenAPI document, open to all.
            Route::document(DOCUMENT_PATH),
            $(route!($method $path $who $endpoint)),*
        ];
    };
}

routes! {
    // The Content API.
    GET    "content/posts/"                         content                  content::posts::browse_posts;
    GET    "content/posts/{}/"                      content                  content::posts::read_post_by_id;
    GET    "content/posts/slug/{}/"                 content                  content::posts::read_post_by_slug;
    GET    "content/pages/"                         content                  content::posts::browse_pages;
    GET    "content/pages/{}/"                      content                  content::posts::read_page_by_id;
    GET    "content/pages/slug/{}/"                 content                  content::posts::read_page_by_slug;
    GET    "content/authors/"                       content                  tags_and_authors::browse_authors;
    GET    "content/authors/{}/"                    content                  tags_and_authors::read_author_by_id;
    GET    "content/authors/slug/{}/"               content                  tags_and_authors::read_author_by_slug;
    GET    "content/tags/"                          content                  tags_and_authors::browse_tags;
    GET    "content/tags/{}/"                       content                  tags_and_authors::read_tag_by_id;
    GET    "content/tags/slug/{}/"                  content                  tags_and_authors::read_tag_by_slug;
    GET    "content/tiers/"                         content                  content::tiers::browse;
    GET    "content/settings/"                      content                  content::settings::read;
    GET    "content/newsletters/"                   content                  content::newsletters::browse;
    GET    "content/recommendations/"               content                  content::recommendations::browse;
    GET    "content/offers/{}/"                     content                  content::offers::read;
    GET    "content/changes/"                       feed                     content::changes::browse;
    GET    "content/search-index/posts/"            content                  content::search_index::posts;
    GET    "content/search-index/tags/"             content                  content::search_index::tags;
    GET    "content/search-index/authors/"          content                  content::search_index::authors;

    // The Admin API: the site and its settings.
    GET    "admin/site/"                            open                     site::read;
    GET    "admin/config/"                          CONFIG_READ              config::read;
    GET    "admin/settings/"                        SETTINGS_BROWSE          settings::browse;
    PUT    "admin/settings/"                        SETTINGS_EDIT            settings::edit;
    POST   "admin/settings/members/email/"          SETTINGS_EDIT            settings::edit_members_email;
    PUT    "admin/settings/verifications/"          SETTINGS_EDIT            settings::verify;
    DELETE "admin/settings/stripe/connect/"         SETTINGS_EDIT            settings::disconnect_payments;

    // Sign-in: sessions, passwords, set-up, invitations.
    POST   "admin/session/"                         unauthenticated                 sessions::add;
    DELETE "admin/session/"                         unauthenticated                 sessions::delete;
    PUT    "admin/session/verify/"                  unauthenticated                 sessions::verify;
    POST   "admin/session/verify/"                  unauthenticated                 sessions::send_code;
    PUT    "admin/users/password/"                  USERS_EDIT_SELF          passwords::change;
    POST   "admin/authentication/password_reset/"   unauthenticated                 passwords::send_reset;
    PUT    "admin/authentication/password_reset/"   unauthenticated                 passwords::reset;
    POST   "admin/authentication/reset/"            EVERYTHING_RESET_ALL_PASSWORDS passwords::reset_everything;
    POST   "admin/authentication/global_password_reset/" EVERYTHING_RESET_ALL_PASSWORDS passwords::reset_everything_silently;
    GET    "admin/authentication/setup/"            unauthenticated                 set_up::read;
    POST   "admin/authentication/setup/"            unauthenticated                 set_up::add;
    PUT    "admin/authentication/setup/"            SETTINGS_EDIT            set_up::edit;
    GET    "admin/users/{}/token/"                  USERS_OWN_TOKEN          staff_tokens::read;
    PUT    "admin/users/{}/token/"                  USERS_OWN_TOKEN          staff_tokens::refresh;

    // Users, roles, invites.
    GET    "admin/users/"                           USERS_BROWSE             users::browse;
    GET    "admin/users/{}/"                        USERS_READ               users::read;
    GET    "admin/users/slug/{}/"                   USERS_READ               users::read_by_slug;
    GET    "admin/users/email/{}/"                  USERS_READ               users::read_by_email;
    PUT    "admin/users/owner/"                     USERS_TRANSFER_OWNERSHIP users::transfer_ownership;
    PUT    "admin/users/{}/"                        USERS_EDIT_SELF          users::edit;
    DELETE "admin/users/{}/"                        USERS_DELETE_OTHERS      users::delete;
    GET    "admin/roles/"                           ROLES_BROWSE             roles::browse;
    GET    "admin/invites/"                         INVITES_BROWSE           invites::browse;
    GET    "admin/invites/{}/"                      INVITES_BROWSE           invites::read;
    POST   "admin/invites/"                         INVITES_ADD              invites::add;
    DELETE "admin/invites/{}/"                      INVITES_DELETE           invites::delete;
    GET    "admin/authentication/invitation/"       unauthenticated                 invites::is_invited;
    POST   "admin/authentication/invitation/"       unauthenticated                 invites::accept;

    // Posts and pages: reading.
    GET    "admin/posts/"                           POSTS_BROWSE             posts::browse_posts;
    GET    "admin/posts/{}/"                        POSTS_READ               posts::read_post_by_id;
    GET    "admin/posts/slug/{}/"                   POSTS_READ               posts::read_post_by_slug;
    GET    "admin/pages/"                           PAGES_BROWSE             posts::browse_pages;
    GET    "admin/pages/{}/"                        PAGES_READ               posts::read_page_by_id;
    GET    "admin/pages/slug/{}/"                   PAGES_READ               posts::read_page_by_slug;

    // Posts and pages: writing.
    POST   "admin/posts/"                           POSTS_ADD                posts::write::add_post;
    PUT    "admin/posts/{}/"                        POSTS_EDIT               posts::write::edit_post;
    DELETE "admin/posts/{}/"                        POSTS_DELETE             posts::write::delete_post;
    POST   "admin/posts/{}/copy/"                   POSTS_COPY               posts::write::copy_post;
    POST   "admin/pages/"                           PAGES_ADD                posts::write::add_page;
    PUT    "admin/pages/{}/"                        PAGES_EDIT               posts::write::edit_page;
    DELETE "admin/pages/{}/"                        PAGES_DELETE             posts::write::delete_page;
    POST   "admin/pages/{}/copy/"                   PAGES_COPY               posts::write::copy_page;
    GET    "admin/posts/export/"                    POSTS_EXPORT             posts::export::posts;
    PUT    "admin/posts/bulk/"                      POSTS_BULK_EDIT          posts::bulk::edit_posts;
    DELETE "admin/posts/"                           POSTS_BULK_EDIT          posts::bulk::delete_posts;
    PUT    "admin/pages/bulk/"                      PAGES_BULK_EDIT          posts::bulk::edit_pages;
    DELETE "admin/pages/"                           PAGES_BULK_DELETE        posts::bulk::delete_pages;

    // Tags.
    GET    "admin/tags/"                            TAGS_BROWSE              records::browse::<Tag>;
    GET    "admin/tags/{}/"                         TAGS_READ                records::read_by_id::<Tag>;
    GET    "admin/tags/slug/{}/"                    TAGS_READ                records::read_by_slug::<Tag>;
    POST   "admin/tags/"                            TAGS_ADD                 tags::add;
    PUT    "admin/tags/{}/"                         TAGS_EDIT                tags::edit;
    DELETE "admin/tags/{}/"                         TAGS_DELETE              tags::delete;

    // Helpers for editors: free slugs, search, embeds.
    GET    "admin/slugs/{}/{}/"                     SLUGS_GENERATE           slugs::generate;
    GET    "admin/slugs/{}/{}/{}/"                  SLUGS_GENERATE           slugs::generate;
    GET    "admin/oembed/"                          OEMBED_READ              oembed::read;
    GET    "admin/search-index/posts/"              SEARCH_INDEX_BROWSE      search_index::posts;
    GET    "admin/search-index/pages/"              SEARCH_INDEX_BROWSE      search_index::pages;
    GET    "admin/search-index/tags/"               SEARCH_INDEX_BROWSE      search_index::tags;
    GET    "admin/search-index/users/"              SEARCH_INDEX_BROWSE      search_index::users;

    // Images, media and other files.
    POST   "admin/images/upload/"                   IMAGES_UPLOAD            uploads::upload_image;
    POST   "admin/media/upload/"                    MEDIA_UPLOAD             uploads::upload_media;
    PUT    "admin/media/thumbnail/upload/"          MEDIA_UPLOAD             uploads::upload_thumbnail;
    POST   "admin/files/upload/"                    FILES_UPLOAD             uploads::upload_file;

    // Integrations and their keys.
    GET    "admin/integrations/"                    INTEGRATIONS_BROWSE      integrations::browse;
    GET    "admin/integrations/{}/"                 INTEGRATIONS_READ        integrations::read;
    POST   "admin/integrations/"                    INTEGRATIONS_ADD         integrations::add;
    PUT    "admin/integrations/{}/"                 INTEGRATIONS_EDIT        integrations::edit;
    DELETE "admin/integrations/{}/"                 INTEGRATIONS_DELETE      integrations::delete;
    POST   "admin/integrations/{}/api_key/{}/refresh/" INTEGRATIONS_KEYS        integrations::refresh_key;

    // Webhooks.
    POST   "admin/webhooks/"                        WEBHOOKS_ADD             webhooks::add;
    PUT    "admin/webhooks/{}/"                     WEBHOOKS_EDIT            webhooks::edit;
    DELETE "admin/webhooks/{}/"                     WEBHOOKS_DELETE          webhooks::delete;
    GET    "admin/webhooks/{}/deliveries/"          WEBHOOKS_EDIT            webhook_deliveries::browse;
    POST   "admin/webhooks/{}/deliveries/{}/retry/" WEBHOOKS_EDIT            webhook_deliveries::retry;

    // Tiers, newsletters, offers, recommendations.
    GET    "admin/newsletters/"                     NEWSLETTERS_BROWSE       records::browse::<Newsletter>;
    GET    "admin/newsletters/{}/"                  NEWSLETTERS_READ         records::read_by_id::<Newsletter>;
    POST   "admin/newsletters/"                     NEWSLETTERS_ADD          newsletters::add;
    PUT    "admin/newsletters/{}/"                  NEWSLETTERS_EDIT         newsletters::edit;
    PUT    "admin/newsletters/verifications/"       NEWSLETTERS_EDIT         newsletters::verify;
    GET    "admin/offers/"                          OFFERS_BROWSE            offers::browse;
    GET    "admin/offers/{}/"                       OFFERS_READ              offers::read;
    POST   "admin/offers/"                          OFFERS_ADD               offers::add;
    PUT    "admin/offers/{}/"                       OFFERS_EDIT              offers::edit;
    GET    "admin/recommendations/"                 RECOMMENDATIONS_BROWSE   records::browse::<Recommendation>;
    GET    "admin/recommendations/{}/"              RECOMMENDATIONS_BROWSE   records::read_by_id::<Recommendation>;
    POST   "admin/recommendations/"                 RECOMMENDATIONS_EDIT     recommendations::add;
    POST   "admin/recommendations/check/"           RECOMMENDATIONS_EDIT     recommendations::check;
    PUT    "admin/recommendations/{}/"              RECOMMENDATIONS_EDIT     recommendations::edit;
    DELETE "admin/recommendations/{}/"              RECOMMENDATIONS_EDIT     recommendations::delete;
    GET    "admin/tiers/"                           TIERS_BROWSE             tiers::browse;
    GET    "admin/tiers/{}/"                        TIERS_READ               tiers::read;
    POST   "admin/tiers/"                           TIERS_ADD                tiers::add;
    PUT    "admin/tiers/{}/"                        TIERS_EDIT               tiers::edit;

    // Themes, redirects and routes.
    GET    "admin/themes/"                          THEMES_BROWSE            themes::browse;
    GET    "admin/themes/active/"                   THEMES_READ_ACTIVE       themes::read_active;
    POST   "admin/themes/upload/"                   THEMES_UPLOAD            themes::upload;
    PUT    "admin/themes/{}/activate/"              THEMES_ACTIVATE          themes::activate;
    GET    "admin/themes/{}/download/"              THEMES_DOWNLOAD          themes::download;
    DELETE "admin/themes/{}/"                       THEMES_DELETE            themes::delete;
    GET    "admin/custom_theme_settings/"           CUSTOM_THEME_SETTINGS_BROWSE custom_theme_settings::browse;
    PUT    "admin/custom_theme_settings/"           CUSTOM_THEME_SETTINGS_EDIT custom_theme_settings::edit;
    GET    "admin/redirects/download/"              REDIRECTS_DOWNLOAD       redirects::download;
    POST   "admin/redirects/upload/"                REDIRECTS_UPLOAD         redirects::upload;
    GET    "admin/settings/routes/yaml/"            ROUTES_DOWNLOAD          routes_file::download;
    POST   "admin/settings/routes/yaml/"            ROUTES_UPLOAD            routes_file::upload;

    // The git repository of the site.
    GET    "admin/git/"                             GIT_READ                 git::browse;
    POST   "admin/git/sync/"                        GIT_SYNC                 git::sync;
    POST   "admin/git/push/"                        unauthenticated                 git::push;

    // Members and their labels.
    GET    "admin/members/"                         MEMBERS_BROWSE           members::browse;
    GET    "admin/members/{}/"                      MEMBERS_READ             members::read;
    GET    "admin/members/{}/signin_urls/"          MEMBERS_EXPORT           members::read_sign_in_url;
    POST   "admin/members/"                         MEMBERS_ADD              members::add;
    PUT    "admin/members/{}/"                      MEMBERS_EDIT             members::edit;
    DELETE "admin/members/{}/suppression/"          MEMBERS_EDIT             members::lift_suppression;
    PUT    "admin/members/bulk/"                    MEMBERS_EDIT             members::bulk::edit;
    DELETE "admin/members/{}/"                      MEMBERS_DELETE           members::delete;
    DELETE "admin/members/"                         MEMBERS_DELETE           members::bulk::delete;
    GET    "admin/labels/"                          LABELS_BROWSE            records::browse::<Label>;
    GET    "admin/labels/{}/"                       LABELS_BROWSE            records::read_by_id::<Label>;
    GET    "admin/labels/slug/{}/"                  LABELS_BROWSE            records::read_by_slug::<Label>;
    POST   "admin/labels/"                          LABELS_ADD               labels::add;
    PUT    "admin/labels/{}/"                       LABELS_EDIT              labels::edit;
    DELETE "admin/labels/{}/"                       LABELS_DELETE            labels::delete;

    // Snippets.
    GET    "admin/snippets/"                        SNIPPETS_BROWSE          snippets::browse;
    GET    "admin/snippets/{}/"                     SNIPPETS_BROWSE          snippets::read;
    POST   "admin/snippets/"                        SNIPPETS_ADD             snippets::add;
    PUT    "admin/snippets/{}/"                     SNIPPETS_EDIT            snippets::edit;
    DELETE "admin/snippets/{}/"                     SNIPPETS_DELETE          snippets::delete;

    // Posts as e-mails.
    GET    "admin/email_previews/posts/{}/"         EMAIL_PREVIEWS_READ      email_previews::read;
    POST   "admin/email_previews/posts/{}/"         EMAIL_PREVIEWS_SEND      email_previews::send_test;
    GET    "admin/emails/"                          EMAILS_BROWSE            emails::browse;
    GET    "admin/emails/{}/"                       EMAILS_BROWSE            emails::read;
    GET    "admin/emails/{}/batches/"               EMAILS_BROWSE            emails::batches;
    GET    "admin/emails/{}/recipient-failures/"    EMAILS_BROWSE            emails::recipient_failures;
    PUT    "admin/emails/{}/retry/"                 EMAILS_RETRY             emails::retry;

    // Notifications for staff.
    GET    "admin/notifications/"                   NOTIFICATIONS_BROWSE     notifications::browse;
    POST   "admin/notifications/"                   NOTIFICATIONS_ADD        notifications::add;
    DELETE "admin/notifications/{}/"                NOTIFICATIONS_DISMISS    notifications::dismiss;

    // Member events, member lists, and statistics.
    GET    "admin/members/events/"                  MEMBERS_EVENTS           member_events::browse;
    GET    "admin/members/stats/count/"             MEMBERS_STATS            stats::members;
    GET    "admin/members/stats/mrr/"               MEMBERS_STATS            stats::members_revenue;
    GET    "admin/members/upload/"                  MEMBERS_EXPORT           member_lists::export;
    POST   "admin/members/upload/"                  MEMBERS_ADD              member_lists::import;
    GET    "admin/stats/member_count/"              STATS_MEMBER_COUNT       stats::member_count;
    GET    "admin/stats/mrr/"                       STATS_BROWSE             stats::revenue;
    GET    "admin/stats/subscriptions/"             STATS_BROWSE             stats::subscriptions;
    GET    "admin/stats/subscriber-count/"          STATS_BROWSE             stats::subscribers;
    GET    "admin/stats/referrers/"                 STATS_BROWSE             stats::referrers;
    GET    "admin/stats/top-sources-growth/"        STATS_BROWSE             stats::sources;
    GET    "admin/stats/top-posts/"                 STATS_BROWSE             stats::uncollected;
    GET    "admin/stats/top-posts-views/"           STATS_BROWSE             stats::uncollected;
    GET    "admin/stats/top-content/"               STATS_BROWSE             stats::uncollected;
    GET    "admin/stats/newsletter-stats/"          STATS_BROWSE             stats::uncollected;
    GET    "admin/stats/newsletter-basic-stats/"    STATS_BROWSE             stats::uncollected;
    GET    "admin/stats/newsletter-click-stats/"    STATS_BROWSE             stats::uncollected;
    GET    "admin/stats/posts/{}/stats/"            STATS_BROWSE             stats::uncollected_of_post;
    GET    "admin/stats/posts/{}/top-referrers/"    STATS_BROWSE             stats::uncollected_of_post;
    GET    "admin/stats/posts/{}/growth/"           STATS_BROWSE             stats::growth;

    POST   "admin/stats/posts-member-counts/"       STATS_POSTS              stubs::post_member_counts;
    POST   "admin/stats/posts-visitor-counts/"      STATS_POSTS              stubs::post_visitor_counts;

    // Features of Ghost that this site does not have.
    GET    "admin/comments/"                        COMMENTS_BROWSE          stubs::comments;
    GET    "admin/comments/{}/"                     COMMENTS_BROWSE          stubs::comment;
    PUT    "admin/comments/{}/"                     COMMENTS_EDIT            stubs::comment;
    GET    "admin/comments/{}/replies/"             COMMENTS_BROWSE          stubs::replies;
    GET    "admin/comments/{}/reports/"             COMMENTS_BROWSE          stubs::comment;
    GET    "admin/comments/{}/likes/"               COMMENTS_BROWSE          stubs::comment;
    GET    "admin/comments/{}/dislikes/"            COMMENTS_BROWSE          stubs::comment;
    GET    "admin/comments/post/{}/"                COMMENTS_BROWSE          stubs::comments;
    GET    "admin/links/"                           LINKS_BROWSE             stubs::links;
    PUT    "admin/links/bulk/"                      LINKS_EDIT               stubs::edit_links;
    GET    "admin/feedback/{}/"                     FEEDBACK_BROWSE          stubs::feedback;
    GET    "admin/incoming_recommendations/"        INCOMING_RECOMMENDATIONS_BROWSE stubs::incoming_recommendations;
    GET    "admin/mentions/"                        MENTIONS_BROWSE          stubs::mentions;
    GET    "admin/automated_emails/"                AUTOMATED_EMAILS_BROWSE  stubs::automated_emails;
    GET    "admin/automated_emails/{}/"             AUTOMATED_EMAILS_BROWSE  stubs::automated_email;
    GET    "admin/automations/"                     AUTOMATIONS_BROWSE       stubs::automations;
    GET    "admin/automations/{}/"                  AUTOMATIONS_BROWSE       stubs::automation;
    GET    "admin/identities/"                      IDENTITIES_READ          stubs::identities;
    GET    "admin/members/metafields/{}/"           MEMBERS_METAFIELDS       stubs::metafields;
    GET    "admin/members/metafields/{}/{}/"        MEMBERS_METAFIELDS       stubs::metafield;
    GET    "admin/posts/{}/gift_links/"             GIFT_LINKS_BROWSE        stubs::gift_links;
    GET    "admin/pages/{}/gift_links/"             GIFT_LINKS_BROWSE        stubs::gift_links;
    GET    "admin/tiers/checkout_config/"           TIERS_BROWSE             stubs::checkout_configs;
    GET    "admin/tiers/{}/checkout_config/"        TIERS_READ               stubs::checkout_config;
    DELETE "admin/members/{}/sessions/"             MEMBERS_EDIT             stubs::end_member_sessions;
    POST   "admin/members/{}/subscriptions/"        MEMBERS_EDIT             stubs::subscription;
    PUT    "admin/members/{}/subscriptions/{}/"     MEMBERS_EDIT             stubs::subscription;
    GET    "admin/emails/{}/analytics/"             EMAILS_BROWSE            stubs::email_analytics;
    DELETE "admin/emails/analytics/"                EMAILS_BROWSE            stubs::cancel_email_analytics;
    GET    "admin/tinybird/token/"                  TINYBIRD_TOKEN           stubs::tinybird_token;
    POST   "admin/slack/test/"                      SLACK_TEST               stubs::test_slack;

    // Actions, and the whole content.
    GET    "admin/actions/"                         ACTIONS_BROWSE           actions::browse;
    GET    "admin/db/"                              DB_EXPORT                db::export;
    POST   "admin/db/"                              DB_IMPORT                db::import;
    POST   "admin/db/backup/"                       DB_EXPORT                db::refuse_backup;
    DELETE "admin/db/"                              EVERYTHING_DELETE_ALL_CONTENT db::delete_all;
}

#[cfg(test)]
mod tests {
    use std::collections::BTreeSet;

    use super::*;
    use crate::{
        api::router::Endpoint,
        domain::permission::{PERMISSIONS, Permission},
    };

    /// Prefixes of routes whose right is not named after the path, and that right.
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
        ("admin/comments/{}/", "comments: browse"),
        ("admin/comments/post/", "comments: browse"),
        ("admin/db/", "everything: delete all content"),
        ("admin/db/backup/", "db: export"),
        ("admin/email_previews/posts/", "email_previews: read"),
        ("admin/email_previews/posts/", "email_previews: send"),
        ("admin/emails/analytics/", "emails: browse"),
        ("admin/emails/{}/analytics/", "emails: browse"),
        ("admin/emails/{}/batches/", "emails: browse"),
        ("admin/emails/{}/recipient-failures/", "emails: browse"),
        ("admin/integrations/{}/api_key/", "integrations: keys"),
        ("admin/links/bulk/", "links: edit"),
        ("admin/members/bulk/", "members: edit"),
        ("admin/members/upload/", "members: add"),
        ("admin/members/upload/", "members: export"),
        ("admin/members/{}/signin_urls/", "members: export"),
        ("admin/members/{}/sessions/", "members: edit"),
        ("admin/members/{}/subscriptions/", "members: edit"),
        ("admin/members/{}/suppression/", "members: edit"),
        ("admin/newsletters/verifications/", "newsletters: edit"),
        ("admin/pages/{}/gift_links/", "gift_links: browse"),
        ("admin/posts/{}/gift_links/", "gift_links: browse"),
        ("admin/recommendations/check/", "recommendations: edit"),
        ("admin/search-index/", "search-index: browse"),
        ("admin/settings/members/email/", "settings: edit"),
        ("admin/settings/routes/yaml/", "routes: download"),
        ("admin/settings/routes/yaml/", "routes: upload"),
        ("admin/settings/stripe/connect/", "settings: edit"),
        ("admin/settings/verifications/", "settings: edit"),
        ("admin/stats/", "stats: browse"),
        ("admin/stats/posts-", "stats: count by post"),
        ("admin/tiers/checkout_config/", "tiers: browse"),
        ("admin/tiers/{}/checkout_config/", "tiers: read"),
        ("admin/users/password/", "users: edit self"),
        ("admin/webhooks/{}/deliveries/", "webhooks: edit"),
    ];

    /// Rights that no route requires as a whole: parts of a change require them, or its target.
    const RIGHTS_OF_PARTS: [&str; 13] = [
        "pages: publish",
        "posts: change authors",
        "posts: change visibility",
        "posts: publish",
        "posts: tag",
        "roles: browse assignable",
        "site: read",
        "users: assign roles",
        "users: change own role",
        "users: edit others",
        "users: password of others",
        "users: suspend",
        "users: tokens of others",
    ];

    fn name(permission: &Permission) -> String {
        format!("{}: {}", permission.resource, permission.act)
    }

    /// Returns every route of the Admin API that requires a right, with that right.
    fn routes_with_rights() -> impl Iterator<Item = (&'static Route, &'static Permission)> {
        ROUTES.iter().filter_map(|route| match route.endpoint {
            Endpoint::Admin(permission, _) => Some((route, permission)),
            _ => None,
        })
    }

    /// Returns whether the right is named after the route: the same resource, and one of the
    /// following words if there are any.
    fn is_named_after_route(route: &Route, permission: &Permission) -> bool {
        let lookups = ["{}", "slug", "email"];
        let mut words = route.path.trim_end_matches('/').split('/').skip(1);
        let resource = words.next();
        let words: Vec<&str> = words.filter(|word| !lookups.contains(word)).collect();
        let is_in_act = |word: &&str| permission.act.contains(*word);
        resource == Some(permission.resource) && (words.is_empty() || words.iter().any(is_in_act))
    }

    #[test]
    fn every_route_has_a_row_in_the_rights_table() {
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
    fn every_row_of_the_rights_table_has_a_route() {
        let of_routes: BTreeSet<String> = routes_with_rights()
            .map(|(_, permission)| name(permission))
            .collect();
        let without: BTreeSet<String> = PERMISSIONS
            .iter()
            .map(|permission| name(permission))
            .filter(|right| !of_routes.contains(right))
            .collect();
        assert_eq!(without, RIGHTS_OF_PARTS.map(str::to_owned).into());
    }
}
