//! The whole URL space of the API on one screen. Paths are relative to `/ghost/api/`; `{}` is a variable.

use http::Method;

use super::{
    admin::{
        self, config, db, integrations, invites, passwords, records, roles, sessions, set_up,
        staff_tokens, users,
    },
    content::{
        newsletters, offers, posts, recommendations, search_index, settings, tags_and_authors,
        tiers,
    },
    router::Route,
};
use crate::domain::{newsletter::Newsletter, permission, recommendation::Recommendation, tag::Tag};

const GET: Method = Method::GET;
const POST: Method = Method::POST;
const PUT: Method = Method::PUT;
const DELETE: Method = Method::DELETE;

/// Every endpoint there is.
pub static ROUTES: &[Route] = &[
    Route::content("content/posts/", posts::browse_posts),
    Route::content("content/posts/{}/", posts::read_post_by_id),
    Route::content("content/posts/slug/{}/", posts::read_post_by_slug),
    Route::content("content/pages/", posts::browse_pages),
    Route::content("content/pages/{}/", posts::read_page_by_id),
    Route::content("content/pages/slug/{}/", posts::read_page_by_slug),
    Route::content("content/authors/", tags_and_authors::browse_authors),
    Route::content("content/authors/{}/", tags_and_authors::read_author_by_id),
    Route::content(
        "content/authors/slug/{}/",
        tags_and_authors::read_author_by_slug,
    ),
    Route::content("content/tags/", tags_and_authors::browse_tags),
    Route::content("content/tags/{}/", tags_and_authors::read_tag_by_id),
    Route::content("content/tags/slug/{}/", tags_and_authors::read_tag_by_slug),
    Route::content("content/tiers/", tiers::browse),
    Route::content("content/settings/", settings::read),
    Route::content("content/newsletters/", newsletters::browse),
    Route::content("content/recommendations/", recommendations::browse),
    Route::content("content/offers/{}/", offers::read),
    Route::content("content/search-index/posts/", search_index::posts),
    Route::content("content/search-index/tags/", search_index::tags),
    Route::content("content/search-index/authors/", search_index::authors),
    //
    // The Admin API. The site and its settings.
    Route::open("admin/site/", admin::site::read),
    Route::admin(GET, "admin/config/", &permission::CONFIG_READ, config::read),
    Route::admin(
        GET,
        "admin/settings/",
        &permission::SETTINGS_BROWSE,
        admin::settings::browse,
    ),
    Route::admin(
        PUT,
        "admin/settings/",
        &permission::SETTINGS_EDIT,
        admin::settings::edit,
    ),
    Route::admin(
        DELETE,
        "admin/settings/stripe/connect/",
        &permission::SETTINGS_EDIT,
        admin::settings::disconnect_payments,
    ),
    //
    // Ways in: sessions, passwords, set-up, invitations.
    Route::entrance(POST, "admin/session/", sessions::add),
    Route::entrance(DELETE, "admin/session/", sessions::delete),
    Route::entrance(PUT, "admin/session/verify/", sessions::verify),
    Route::entrance(POST, "admin/session/verify/", sessions::send_code),
    Route::admin(
        PUT,
        "admin/users/password/",
        &permission::USERS_EDIT_SELF,
        passwords::change,
    ),
    Route::entrance(
        POST,
        "admin/authentication/password_reset/",
        passwords::send_reset,
    ),
    Route::entrance(
        PUT,
        "admin/authentication/password_reset/",
        passwords::reset,
    ),
    Route::admin(
        POST,
        "admin/authentication/reset/",
        &permission::EVERYTHING_RESET_ALL_PASSWORDS,
        passwords::reset_everything,
    ),
    Route::admin(
        POST,
        "admin/authentication/global_password_reset/",
        &permission::EVERYTHING_RESET_ALL_PASSWORDS,
        passwords::reset_everything_silently,
    ),
    Route::entrance(GET, "admin/authentication/setup/", set_up::read),
    Route::entrance(POST, "admin/authentication/setup/", set_up::add),
    Route::admin(
        PUT,
        "admin/authentication/setup/",
        &permission::SETTINGS_EDIT,
        set_up::edit,
    ),
    Route::admin(
        GET,
        "admin/users/{}/token/",
        &permission::USERS_OWN_TOKEN,
        staff_tokens::read,
    ),
    Route::admin(
        PUT,
        "admin/users/{}/token/",
        &permission::USERS_OWN_TOKEN,
        staff_tokens::refresh,
    ),
    //
    // Users, roles, invites.
    Route::admin(
        GET,
        "admin/users/",
        &permission::USERS_BROWSE,
        users::browse,
    ),
    Route::admin(GET, "admin/users/{}/", &permission::USERS_READ, users::read),
    Route::admin(
        GET,
        "admin/users/slug/{}/",
        &permission::USERS_READ,
        users::read_by_slug,
    ),
    Route::admin(
        GET,
        "admin/users/email/{}/",
        &permission::USERS_READ,
        users::read_by_email,
    ),
    Route::admin(
        PUT,
        "admin/users/owner/",
        &permission::USERS_TRANSFER_OWNERSHIP,
        users::transfer_ownership,
    ),
    Route::admin(
        PUT,
        "admin/users/{}/",
        &permission::USERS_EDIT_SELF,
        users::edit,
    ),
    Route::admin(
        DELETE,
        "admin/users/{}/",
        &permission::USERS_DELETE_OTHERS,
        users::delete,
    ),
    Route::admin(
        GET,
        "admin/roles/",
        &permission::ROLES_BROWSE,
        roles::browse,
    ),
    Route::admin(
        GET,
        "admin/invites/",
        &permission::INVITES_BROWSE,
        invites::browse,
    ),
    Route::admin(
        GET,
        "admin/invites/{}/",
        &permission::INVITES_BROWSE,
        invites::read,
    ),
    Route::admin(
        POST,
        "admin/invites/",
        &permission::INVITES_ADD,
        invites::add,
    ),
    Route::admin(
        DELETE,
        "admin/invites/{}/",
        &permission::INVITES_DELETE,
        invites::delete,
    ),
    Route::entrance(GET, "admin/authentication/invitation/", invites::is_invited),
    Route::entrance(POST, "admin/authentication/invitation/", invites::accept),
    //
    // Posts and pages: reading.
    Route::admin(
        GET,
        "admin/posts/",
        &permission::POSTS_BROWSE,
        admin::posts::browse_posts,
    ),
    Route::admin(
        GET,
        "admin/posts/{}/",
        &permission::POSTS_READ,
        admin::posts::read_post_by_id,
    ),
    Route::admin(
        GET,
        "admin/posts/slug/{}/",
        &permission::POSTS_READ,
        admin::posts::read_post_by_slug,
    ),
    Route::admin(
        GET,
        "admin/pages/",
        &permission::PAGES_BROWSE,
        admin::posts::browse_pages,
    ),
    Route::admin(
        GET,
        "admin/pages/{}/",
        &permission::PAGES_READ,
        admin::posts::read_page_by_id,
    ),
    Route::admin(
        GET,
        "admin/pages/slug/{}/",
        &permission::PAGES_READ,
        admin::posts::read_page_by_slug,
    ),
    //
    // Posts and pages: writing.
    Route::admin(
        POST,
        "admin/posts/",
        &permission::POSTS_ADD,
        admin::posts::add::post,
    ),
    Route::admin(
        PUT,
        "admin/posts/{}/",
        &permission::POSTS_EDIT,
        admin::posts::edit::post,
    ),
    Route::admin(
        DELETE,
        "admin/posts/{}/",
        &permission::POSTS_DELETE,
        admin::posts::delete::post,
    ),
    Route::admin(
        POST,
        "admin/posts/{}/copy/",
        &permission::POSTS_COPY,
        admin::posts::copy::post,
    ),
    Route::admin(
        POST,
        "admin/pages/",
        &permission::PAGES_ADD,
        admin::posts::add::page,
    ),
    Route::admin(
        PUT,
        "admin/pages/{}/",
        &permission::PAGES_EDIT,
        admin::posts::edit::page,
    ),
    Route::admin(
        DELETE,
        "admin/pages/{}/",
        &permission::PAGES_DELETE,
        admin::posts::delete::page,
    ),
    Route::admin(
        POST,
        "admin/pages/{}/copy/",
        &permission::PAGES_COPY,
        admin::posts::copy::page,
    ),
    Route::admin(
        GET,
        "admin/posts/export/",
        &permission::POSTS_BROWSE,
        admin::posts::export::posts,
    ),
    Route::admin(
        PUT,
        "admin/posts/bulk/",
        &permission::POSTS_BULK_EDIT,
        admin::posts::bulk::edit_posts,
    ),
    Route::admin(
        DELETE,
        "admin/posts/",
        &permission::POSTS_BULK_EDIT,
        admin::posts::bulk::delete_posts,
    ),
    Route::admin(
        PUT,
        "admin/pages/bulk/",
        &permission::PAGES_BULK_EDIT,
        admin::posts::bulk::edit_pages,
    ),
    Route::admin(
        DELETE,
        "admin/pages/",
        &permission::POSTS_BULK_EDIT,
        admin::posts::bulk::delete_pages,
    ),
    //
    // Tags.
    Route::admin(
        GET,
        "admin/tags/",
        &permission::TAGS_BROWSE,
        records::browse::<Tag>,
    ),
    Route::admin(
        GET,
        "admin/tags/{}/",
        &permission::TAGS_READ,
        records::read_by_id::<Tag>,
    ),
    Route::admin(
        GET,
        "admin/tags/slug/{}/",
        &permission::TAGS_READ,
        records::read_by_slug::<Tag>,
    ),
    Route::admin(POST, "admin/tags/", &permission::TAGS_ADD, admin::tags::add),
    Route::admin(
        PUT,
        "admin/tags/{}/",
        &permission::TAGS_EDIT,
        admin::tags::edit,
    ),
    Route::admin(
        DELETE,
        "admin/tags/{}/",
        &permission::TAGS_DELETE,
        admin::tags::delete,
    ),
    //
    // What editors ask for while somebody writes: free slugs, and what can be searched.
    Route::admin(
        GET,
        "admin/slugs/{}/{}/",
        &permission::SLUGS_GENERATE,
        admin::slugs::generate,
    ),
    Route::admin(
        GET,
        "admin/slugs/{}/{}/{}/",
        &permission::SLUGS_GENERATE,
        admin::slugs::generate,
    ),
    Route::admin(
        GET,
        "admin/search-index/posts/",
        &permission::SEARCH_INDEX_BROWSE,
        admin::search_index::posts,
    ),
    Route::admin(
        GET,
        "admin/search-index/pages/",
        &permission::SEARCH_INDEX_BROWSE,
        admin::search_index::pages,
    ),
    Route::admin(
        GET,
        "admin/search-index/tags/",
        &permission::SEARCH_INDEX_BROWSE,
        admin::search_index::tags,
    ),
    Route::admin(
        GET,
        "admin/search-index/users/",
        &permission::SEARCH_INDEX_BROWSE,
        admin::search_index::users,
    ),
    //
    // Integrations and their keys.
    Route::admin(
        GET,
        "admin/integrations/",
        &permission::INTEGRATIONS_BROWSE,
        integrations::browse,
    ),
    Route::admin(
        GET,
        "admin/integrations/{}/",
        &permission::INTEGRATIONS_READ,
        integrations::read,
    ),
    Route::admin(
        POST,
        "admin/integrations/",
        &permission::INTEGRATIONS_ADD,
        integrations::add,
    ),
    Route::admin(
        PUT,
        "admin/integrations/{}/",
        &permission::INTEGRATIONS_EDIT,
        integrations::edit,
    ),
    Route::admin(
        DELETE,
        "admin/integrations/{}/",
        &permission::INTEGRATIONS_DELETE,
        integrations::delete,
    ),
    Route::admin(
        POST,
        "admin/integrations/{}/api_key/{}/refresh/",
        &permission::INTEGRATIONS_KEYS,
        integrations::refresh_key,
    ),
    //
    // Tiers, newsletters, offers, recommendations.
    Route::admin(
        GET,
        "admin/newsletters/",
        &permission::NEWSLETTERS_BROWSE,
        records::browse::<Newsletter>,
    ),
    Route::admin(
        GET,
        "admin/newsletters/{}/",
        &permission::NEWSLETTERS_READ,
        records::read_by_id::<Newsletter>,
    ),
    Route::admin(
        POST,
        "admin/newsletters/",
        &permission::NEWSLETTERS_ADD,
        admin::newsletters::add,
    ),
    Route::admin(
        PUT,
        "admin/newsletters/{}/",
        &permission::NEWSLETTERS_EDIT,
        admin::newsletters::edit,
    ),
    Route::admin(
        PUT,
        "admin/newsletters/verifications/",
        &permission::NEWSLETTERS_EDIT,
        admin::newsletters::verify,
    ),
    Route::admin(
        GET,
        "admin/offers/",
        &permission::OFFERS_BROWSE,
        admin::offers::browse,
    ),
    Route::admin(
        GET,
        "admin/offers/{}/",
        &permission::OFFERS_READ,
        admin::offers::read,
    ),
    Route::admin(
        POST,
        "admin/offers/",
        &permission::OFFERS_ADD,
        admin::offers::add,
    ),
    Route::admin(
        PUT,
        "admin/offers/{}/",
        &permission::OFFERS_EDIT,
        admin::offers::edit,
    ),
    Route::admin(
        GET,
        "admin/recommendations/",
        &permission::RECOMMENDATIONS_BROWSE,
        records::browse::<Recommendation>,
    ),
    Route::admin(
        GET,
        "admin/recommendations/{}/",
        &permission::RECOMMENDATIONS_BROWSE,
        records::read_by_id::<Recommendation>,
    ),
    Route::admin(
        POST,
        "admin/recommendations/",
        &permission::RECOMMENDATIONS_EDIT,
        admin::recommendations::add,
    ),
    Route::admin(
        PUT,
        "admin/recommendations/{}/",
        &permission::RECOMMENDATIONS_EDIT,
        admin::recommendations::edit,
    ),
    Route::admin(
        DELETE,
        "admin/recommendations/{}/",
        &permission::RECOMMENDATIONS_EDIT,
        admin::recommendations::delete,
    ),
    Route::admin(
        GET,
        "admin/tiers/",
        &permission::TIERS_BROWSE,
        admin::tiers::browse,
    ),
    Route::admin(
        GET,
        "admin/tiers/{}/",
        &permission::TIERS_READ,
        admin::tiers::read,
    ),
    Route::admin(
        POST,
        "admin/tiers/",
        &permission::TIERS_ADD,
        admin::tiers::add,
    ),
    Route::admin(
        PUT,
        "admin/tiers/{}/",
        &permission::TIERS_EDIT,
        admin::tiers::edit,
    ),
    //
    // Actions, the whole content, and the rest.
    Route::admin(
        GET,
        "admin/actions/",
        &permission::ACTIONS_BROWSE,
        admin::actions::browse,
    ),
    Route::admin(GET, "admin/db/", &permission::DB_EXPORT, db::export),
    Route::admin(POST, "admin/db/", &permission::DB_IMPORT, db::import),
    Route::admin(
        DELETE,
        "admin/db/",
        &permission::EVERYTHING_DELETE_ALL_CONTENT,
        db::delete_all,
    ),
];
