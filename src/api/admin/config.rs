//! The server configuration that editors read (names as in Ghost 6.65).

use serde_json::{Map, Value, json};

use super::{Reply, Request, members::avatar::MemberAvatars};
use crate::{
    api::headers::API_VERSION_NUMBER,
    domain::setting::{LABS, Settings},
    error::Result,
};

/// The URL of the script of the sign-up form for other sites; editors insert the version.
const SIGN_UP_FORM_URL: &str =
    "https://cdn.jsdelivr.net/ghost/signup-form@~{version}/umd/signup-form.min.js";

/// The version of that script that Ghost 6.65 names.
const SIGN_UP_FORM_VERSION: &str = "0.3";

/// `GET admin/config/`
pub fn read(request: &Request) -> Result<Reply> {
    let options = request.options();
    Ok(Reply::value(&json!({"config": {
        "version": API_VERSION_NUMBER,
        "environment": "production",
        "database": "redb",
        // The mail transport; editors warn if it is empty.
        "mail": if options.has_mail_server { "SMTP" } else { "" },
        "useGravatar": options.member_avatars == MemberAvatars::Gravatar,
        "enableDeveloperExperiments": false,
        "stripeDirect": false,
        // Whether editors offer to send newsletters. Ghost sends them by Mailgun only, Galley by its
        // mail server.
        "mailgunIsConfigured": options.has_mail_server,
        "emailAnalytics": false,
        "labs": labs(&request.snapshot.catalog.settings),
        "clientExtensions": {},
        "hostSettings": {},
        "klipy": {"apiKey": null, "contentFilter": "off"},
        "signupForm": {"url": SIGN_UP_FORM_URL, "version": SIGN_UP_FORM_VERSION},
        "security": {"staffDeviceVerification": options.device_verification},
    }})))
}

/// Returns the experimental features that are switched on, and whether the site has members.
fn labs(settings: &Settings) -> Map<String, Value> {
    let stored: Value =
        serde_json::from_str(&settings.text("labs").unwrap_or_default()).unwrap_or_default();
    let is_on = |feature: &&&str| stored[**feature] == true;
    let features = LABS.iter().filter(is_on);
    let mut labs: Map<String, Value> = features
        .map(|feature| ((*feature).to_owned(), true.into()))
        .collect();
    let has_members = settings.text("members_signup_access").as_deref() != Some("none");
    labs.insert("members".to_owned(), has_members.into());
    labs
}
