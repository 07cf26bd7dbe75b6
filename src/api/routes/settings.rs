//! The site and its settings.

use super::{
    parameters::LISTS,
    route::{
        Input::{Fields, Json, NoBody},
        NO_CONTENT, OK,
        Output::{Nothing, Page, Records, Schema},
        Route, delete, get, open, post, put,
    },
    shape::Shape::{Any, List, Open, Ref, Text},
};
use crate::{
    api::admin::{config, settings, site},
    domain::{
        permission::CONFIG_READ,
        setting::{SETTINGS_BROWSE, SETTINGS_EDIT},
    },
};

/// The endpoints of this area, laid out as a table.
#[rustfmt::skip]
pub static ROUTES: &[Route] = &[
    open("admin/site/", site::read)
        .named("readSite", "Read the public description of the site")
        .returns(OK, Schema("Site")),
    get("admin/config/", &CONFIG_READ, config::read)
        .named("readConfig", "Read the configuration of the server")
        .query(&[LISTS])
        .returns(OK, Schema("Config")),
    get("admin/settings/", &SETTINGS_BROWSE, settings::browse)
        .named("adminBrowseSettings", "Browse settings")
        .query(&[LISTS])
        .returns(OK, Page("settings", Ref("StaffSetting"))),
    put("admin/settings/", &SETTINGS_EDIT, settings::edit)
        .named("editSettings", "Edit settings: all that are sent, or none")
        .takes(Json(&[("settings", List(&Open(&[("key", Text), ("value", Any)])))]))
        .returns(OK, Records("settings", Ref("StaffSetting"))),
    post("admin/settings/members/email/", &SETTINGS_EDIT, settings::edit_members_email)
        .named("editMembersEmail", "Set the support address of members")
        .takes(Fields(settings::MEMBERS_EMAIL_FIELDS))
        .returns(NO_CONTENT, Nothing),
    post("admin/settings/access_code/regenerate/", &SETTINGS_EDIT, settings::regenerate_password)
        .named("regenerateAccessCode", "Replace the password of a private site by a random one")
        .takes(NoBody)
        .returns(OK, Page("settings", Ref("StaffSetting"))),
    put("admin/settings/verifications/", &SETTINGS_EDIT, settings::verify)
        .named("verifySetting", "Confirm an address with a token; none needs confirmation")
        .takes(Json(&[("token", Text)]))
        .returns(OK, Records("settings", Ref("StaffSetting"))),
    delete("admin/settings/stripe/connect/", &SETTINGS_EDIT, settings::disconnect_payments)
        .named("disconnectPayments", "Disconnect the payment provider")
        .returns(NO_CONTENT, Nothing),
];
