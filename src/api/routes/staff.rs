//! Sign-in, users, roles and invitations.

use super::{
    parameters::{LISTS, STAFF_RECORDS},
    route::{
        CREATED,
        Input::{Json, NoBody, Record, Single},
        NO_CONTENT, OK,
        Output::{Line, Nothing, Object, Page, Records},
        Route, delete, delete_unauthenticated, get, get_unauthenticated, page, post,
        post_unauthenticated, put, put_unauthenticated, record,
    },
    shape::Shape::{AnyObject, Text},
};
use crate::{
    api::admin::{invites, passwords, records, roles, sessions, set_up, staff_tokens, users},
    domain::{
        invite::{INVITES_ADD, INVITES_BROWSE, INVITES_DELETE, Invite},
        permission::{EVERYTHING_RESET_ALL_PASSWORDS, ROLES_BROWSE},
        setting::SETTINGS_EDIT,
        user::{
            USERS_BROWSE, USERS_DELETE_OTHERS, USERS_EDIT_SELF, USERS_OWN_TOKEN, USERS_READ,
            USERS_TRANSFER_OWNERSHIP, User,
        },
    },
    error::Kind,
};

/// The endpoints of this area, laid out as a table.
#[rustfmt::skip]
pub static ROUTES: &[Route] = &[
    // Sign-in: sessions, passwords, set-up, invitations.
    post_unauthenticated("admin/session/", sessions::add)
        .named("signIn", "Sign in: sets a cookie; an error if a code is required")
        .takes(Json(&[("username password", Text)]))
        .runs_long()
        .returns(CREATED, Nothing),
    delete_unauthenticated("admin/session/", sessions::delete)
        .named("signOut", "Sign out")
        .returns(NO_CONTENT, Nothing),
    put_unauthenticated("admin/session/verify/", sessions::verify)
        .named("verifySession", "Verify a session with the code sent by mail")
        .takes(Json(&[("token", Text)]))
        .runs_long()
        .returns(OK, Line),
    post_unauthenticated("admin/session/verify/", sessions::send_code)
        .named("sendCode", "Send another code")
        .takes(NoBody)
        .runs_long()
        .returns(OK, Line),
    put("admin/users/password/", &USERS_EDIT_SELF, passwords::change)
        .named("changePassword", "Change a password; the sessions of that user end")
        .takes(Single("password", &[("user_id newPassword ne2Password", Text)]))
        .fails(&[Kind::TooManyRequests])
        .runs_long()
        .returns(OK, Records("password", AnyObject)),
    post_unauthenticated("admin/authentication/password_reset/", passwords::send_reset)
        .named("sendPasswordReset", "Send a link to reset a password")
        .takes(Single("password_reset", &[("email", Text)]))
        .runs_long()
        .returns(OK, Records("password_reset", AnyObject)),
    put_unauthenticated("admin/authentication/password_reset/", passwords::reset)
        .named("resetPassword", "Reset a password with the token sent by mail")
        .takes(Single("password_reset", &[("token newPassword ne2Password", Text)]))
        .runs_long()
        .returns(OK, Records("password_reset", AnyObject)),
    post("admin/authentication/reset/", &EVERYTHING_RESET_ALL_PASSWORDS, passwords::reset_everything)
        .named("resetEverything", "End all sessions, regenerate all keys, and require new passwords of all users")
        .takes(NoBody)
        .runs_long()
        .returns(OK, Records("security_action", AnyObject)),
    post("admin/authentication/global_password_reset/", &EVERYTHING_RESET_ALL_PASSWORDS, passwords::reset_everything_silently)
        .named("resetEverythingSilently", "The same, without a response body")
        .takes(NoBody)
        .runs_long()
        .returns(NO_CONTENT, Nothing),
    get_unauthenticated("admin/authentication/setup/", set_up::read)
        .named("readSetup", "Read whether the site is set up")
        .returns(OK, Records("setup", AnyObject)),
    post_unauthenticated("admin/authentication/setup/", set_up::add)
        .named("addOwner", "Set up a new site with its owner and title")
        .takes(Record("setup", set_up::FIELDS))
        .runs_long()
        .returns(CREATED, record::<User>()),
    put("admin/authentication/setup/", &SETTINGS_EDIT, set_up::edit)
        .named("adminEditAuthenticationSetup", "Edit the set-up")
        .takes(Record("setup", set_up::FIELDS))
        .runs_long()
        .returns(OK, record::<User>()),
    get("admin/users/{id}/token/", &USERS_OWN_TOKEN, staff_tokens::read)
        .named("readStaffToken", "Read the requesting user's staff access token")
        .returns(OK, Object("apiKey")),
    put("admin/users/{id}/token/", &USERS_OWN_TOKEN, staff_tokens::refresh)
        .named("refreshStaffToken", "Regenerate the requesting user's staff access token")
        .takes(NoBody)
        .returns(OK, Object("apiKey")),
    // Users, roles, invites.
    get("admin/users/", &USERS_BROWSE, users::browse)
        .named("adminBrowseUsers", "Browse users")
        .query(&[LISTS, STAFF_RECORDS])
        .returns(OK, page::<User>()),
    get("admin/users/{id}/", &USERS_READ, users::read)
        .named("adminReadUsersById", "Read a user by ID")
        .query(&[STAFF_RECORDS])
        .returns(OK, record::<User>()),
    get("admin/users/slug/{slug}/", &USERS_READ, users::read_by_slug)
        .named("adminReadUsersSlug", "Read a user by slug")
        .query(&[STAFF_RECORDS])
        .returns(OK, record::<User>()),
    get("admin/users/email/{email}/", &USERS_READ, users::read_by_email)
        .named("readUserByEmail", "Read a user by e-mail address")
        .query(&[STAFF_RECORDS])
        .returns(OK, record::<User>()),
    put("admin/users/owner/", &USERS_TRANSFER_OWNERSHIP, users::transfer_ownership)
        .named("transferOwnership", "Transfer ownership to an administrator")
        .takes(Single("owner", &[("id", Text)]))
        .returns(OK, record::<User>()),
    put("admin/users/{id}/", &USERS_EDIT_SELF, users::edit)
        .named("adminEditUsersById", "Edit a user")
        .takes(Record("users", users::FIELDS))
        .returns(OK, record::<User>()),
    delete("admin/users/{id}/", &USERS_DELETE_OTHERS, users::delete)
        .named("deleteUser", "Delete a user; the posts go to the owner")
        .returns(NO_CONTENT, Nothing),
    get("admin/roles/", &ROLES_BROWSE, roles::browse)
        .named("adminBrowseRoles", "Browse roles")
        .query(&[LISTS])
        .returns(OK, Page("roles", AnyObject)),
    get("admin/invites/", &INVITES_BROWSE, records::browse::<Invite>)
        .named("adminBrowseInvites", "Browse invites")
        .query(&[LISTS])
        .returns(OK, page::<Invite>()),
    get("admin/invites/{id}/", &INVITES_BROWSE, records::read_by_id::<Invite>)
        .named("adminReadInvitesById", "Read an invite by ID")
        .returns(OK, record::<Invite>()),
    post("admin/invites/", &INVITES_ADD, invites::add)
        .named("adminAddInvites", "Add an invite")
        .takes(Record("invites", invites::FIELDS))
        .returns(CREATED, record::<Invite>()),
    delete("admin/invites/{id}/", &INVITES_DELETE, records::delete::<Invite>)
        .named("adminDeleteInvitesById", "Delete an invite")
        .returns(NO_CONTENT, Nothing),
    get_unauthenticated("admin/authentication/invitation/", invites::is_invited)
        .named("readInvitation", "Read whether an e-mail address is invited")
        .returns(OK, Records("invitation", AnyObject)),
    post_unauthenticated("admin/authentication/invitation/", invites::accept)
        .named("acceptInvitation", "Accept an invitation with the token sent by mail")
        .takes(Single("invitation", &[("token name email password", Text)]))
        .runs_long()
        .returns(OK, Records("invitation", AnyObject)),
];
