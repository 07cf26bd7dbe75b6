//! The server configuration that editors read (names as in Ghost 6.65).

use serde_json::json;

use super::{Reply, Request, members::avatar::MemberAvatars};
use crate::{
    api::{content::settings::labs, headers::API_VERSION_NUMBER},
    error::Result,
};

/// The URL of the script of the sign-up form for other sites; editors insert the version.
const SIGN_UP_FORM_URL: &str =
    "https://cdn.jsdelivr.net/ghost/signup-form@~{version}/umd/signup-form.min.js";

/// The version of that script that Ghost 6.65 names.
const SIGN_UP_FORM_VERSION: &str = "0.3";

/// `GET admin/config/`
pub fn read(request: &Request) -> Result<Reply> {
    let (options, live) = (request.options(), request.api.live());
    Ok(Reply::value(&json!({"config": {
        "version": API_VERSION_NUMBER,
        "environment": "production",
        "database": "redb",
        // The name of the mail transport; editors warn if it is empty.
        "mail": if live.has_mail_server { "SMTP" } else { "" },
        "useGravatar": options.member_avatars == MemberAvatars::Gravatar,
        "enableDeveloperExperiments": false,
        "stripeDirect": false,
        // Controls whether editors offer to send newsletters. Ghost sends them through Mailgun only,
        // Galley through its mail server.
        "mailgunIsConfigured": live.has_mail_server,
        "emailAnalytics": false,
        "labs": labs(&request.snapshot.catalog.settings),
        "clientExtensions": {},
        "hostSettings": {},
        "klipy": {"apiKey": null, "contentFilter": "off"},
        "signupForm": {"url": SIGN_UP_FORM_URL, "version": SIGN_UP_FORM_VERSION},
        "security": {"staffDeviceVerification": live.device_verification},
    }})))
}
