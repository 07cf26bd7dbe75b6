//! What editors are told of the server (Ghost 6.65, recorded).

use serde_json::json;

use super::{Reply, Request};
use crate::{api::headers::API_VERSION_NUMBER, error::Result};

/// `GET admin/config/`
pub fn read(request: &Request) -> Result<Reply> {
    Ok(Reply::value(&json!({"config": {
        "version": API_VERSION_NUMBER,
        "environment": "production",
        "database": "redb",
        "useGravatar": false,
        "enableDeveloperExperiments": false,
        "stripeDirect": false,
        "mailgunIsConfigured": false,
        "emailAnalytics": false,
        "labs": {},
        "hostSettings": {},
        "security": {"staffDeviceVerification": request.options().device_verification},
    }})))
}
