//! What editors are told of the server (names as in Ghost 6.65).

use serde_json::json;

use super::{Reply, Request, members::picture::MemberPictures};
use crate::{api::headers::API_VERSION_NUMBER, error::Result};

/// `GET admin/config/`
pub fn read(request: &Request) -> Result<Reply> {
    let options = request.options();
    Ok(Reply::value(&json!({"config": {
        "version": API_VERSION_NUMBER,
        "environment": "production",
        "database": "redb",
        // How mails go out; editors warn when they go nowhere.
        "mail": if options.has_mail_server { "SMTP" } else { "" },
        "useGravatar": options.member_pictures == MemberPictures::Gravatar,
        "enableDeveloperExperiments": false,
        "stripeDirect": false,
        "mailgunIsConfigured": false,
        "emailAnalytics": false,
        "labs": {},
        "clientExtensions": {},
        "hostSettings": {},
        "tenor": {"googleApiKey": null, "contentFilter": "off"},
        "security": {"staffDeviceVerification": options.device_verification},
    }})))
}
