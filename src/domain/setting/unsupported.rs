//! Settings of Ghost whose features Galley does not support: payments, bulk mail services,
//! analytics, and services that Ghost integrates (names, groups and types as in Ghost 6.65).
//! Clients read them as off or empty. Enabling such a setting is rejected with a reason, so that
//! the admin app reports an error instead of silently resetting a switch; changes of settings that
//! Ghost protects are ignored.

use serde_json::Value;

/// An unsupported setting.
pub struct UnsupportedSetting {
    /// Its name.
    pub key: &'static str,
    /// Its group in Ghost.
    pub group: &'static str,
    /// The served value, as JSON text.
    pub value: &'static str,
    /// The reason why the setting cannot be changed; `None` for a setting that no client of Ghost
    /// sets.
    pub reason: Option<&'static str>,
}

impl UnsupportedSetting {
    /// Returns the served value.
    pub fn json(&self) -> Value {
        // A test checks that all values are valid JSON.
        serde_json::from_str(self.value).unwrap_or_default()
    }

    /// Returns the value in the form of exports: text unchanged, other values as JSON text, and
    /// `None` for null.
    pub fn text(&self) -> Option<String> {
        match self.json() {
            Value::Null => None,
            Value::String(text) => Some(text),
            value => Some(value.to_string()),
        }
    }

    /// Returns whether Ghost includes the setting in exports. Secret and derived settings are not
    /// included.
    pub fn is_exported(&self) -> bool {
        !matches!(
            self.key,
            "stripe_secret_key"
                | "stripe_publishable_key"
                | "stripe_connect_publishable_key"
                | "stripe_connect_secret_key"
                | "stripe_connect_account_id"
                | "email_verification_required"
                | "web_analytics_enabled"
                | "web_analytics_configured"
                | "firstpromoter_account"
                | "social_web_enabled"
        )
    }

    /// Returns whether the Content API also serves the setting.
    pub fn is_public(&self) -> bool {
        self.key == "firstpromoter_account"
            || self.key.starts_with("transistor_portal_")
            || self.key.ends_with("_gift_promotion")
    }
}

const fn absent(group: &'static str, key: &'static str, value: &'static str) -> UnsupportedSetting {
    UnsupportedSetting {
        key,
        group,
        value,
        reason: None,
    }
}

const fn refused(
    reason: &'static str,
    group: &'static str,
    key: &'static str,
    value: &'static str,
) -> UnsupportedSetting {
    UnsupportedSetting {
        reason: Some(reason),
        ..absent(group, key, value)
    }
}

const NO_PAYMENTS: &str = "Galley takes no payments.";
const NO_BULK_SERVICE: &str =
    "Galley sends mail through the mail server that the operator configures.";
const NO_MAIL_TRACKING: &str = "Galley does not track who opens mails or follows their links.";
const NO_ANALYTICS: &str = "Galley has no visitor analytics.";
const NO_AGENTS: &str = "Galley takes no payments of AI agents.";
const NO_FIRSTPROMOTER: &str = "Galley does not work with FirstPromoter.";
const NO_SLACK: &str = "Galley sends no messages to Slack. A webhook can do that.";
const NO_TRANSISTOR: &str = "Galley does not work with Transistor.";
const NO_SOCIAL_WEB: &str = "Galley is not part of the social web (ActivityPub).";
const NO_EXPLORE: &str = "Galley sends nothing to Ghost Explore.";

const NO_AUTOMATIONS: &str = "Galley has no automations.";

/// Experimental features of editors (the setting `labs`) that work with Galley.
pub const LABS: &[&str] = &["editorExcerpt", "navigationIcons", "superEditors"];

/// Experimental features that cannot be enabled, with the reason.
pub const UNSUPPORTED_LABS: &[(&str, &str)] = &[
    ("additionalPaymentMethods", NO_PAYMENTS),
    ("automations", NO_AUTOMATIONS),
];

/// All unsupported settings.
pub static UNSUPPORTED: &[UnsupportedSetting] = &[
    // Payments.
    absent("members", "stripe_secret_key", "null"),
    absent("members", "stripe_publishable_key", "null"),
    absent("members", "stripe_plans", "\"[]\""),
    absent("members", "stripe_connect_publishable_key", "null"),
    absent("members", "stripe_connect_secret_key", "null"),
    absent("members", "stripe_connect_livemode", "null"),
    absent("members", "stripe_connect_display_name", "null"),
    absent("members", "stripe_connect_account_id", "null"),
    absent("members", "members_monthly_price_id", "null"),
    absent("members", "members_yearly_price_id", "null"),
    refused(
        NO_PAYMENTS,
        "portal",
        "portal_signup_gift_promotion",
        "false",
    ),
    refused(
        NO_PAYMENTS,
        "portal",
        "portal_account_gift_promotion",
        "false",
    ),
    refused(NO_PAYMENTS, "donations", "donations_currency", "\"USD\""),
    refused(
        NO_PAYMENTS,
        "donations",
        "donations_suggested_amount",
        "500",
    ),
    // Mail: the operator configures the server, and recipients are not tracked.
    refused(NO_BULK_SERVICE, "email", "mailgun_domain", "null"),
    refused(NO_BULK_SERVICE, "email", "mailgun_api_key", "null"),
    refused(NO_BULK_SERVICE, "email", "mailgun_base_url", "null"),
    refused(NO_MAIL_TRACKING, "email", "email_track_opens", "false"),
    refused(NO_MAIL_TRACKING, "email", "email_track_clicks", "false"),
    absent("email", "email_verification_required", "false"),
    // Visitor analytics.
    refused(NO_ANALYTICS, "analytics", "web_analytics", "false"),
    absent("analytics", "web_analytics_enabled", "false"),
    absent("analytics", "web_analytics_configured", "false"),
    // Payments of AI agents.
    refused(NO_AGENTS, "site", "machine_payments_enabled", "false"),
    refused(NO_AGENTS, "site", "machine_payments_currency", "null"),
    refused(NO_AGENTS, "site", "machine_payments_amount", "100"),
    refused(
        NO_AGENTS,
        "site",
        "machine_payments_stripe_profile_id",
        "null",
    ),
    // Services that Ghost integrates.
    refused(NO_FIRSTPROMOTER, "firstpromoter", "firstpromoter", "false"),
    refused(
        NO_FIRSTPROMOTER,
        "firstpromoter",
        "firstpromoter_id",
        "null",
    ),
    absent("firstpromoter", "firstpromoter_account", "null"),
    refused(NO_SLACK, "slack", "slack_url", "\"\""),
    refused(NO_SLACK, "slack", "slack_username", "\"\""),
    refused(NO_TRANSISTOR, "transistor", "transistor", "false"),
    refused(
        NO_TRANSISTOR,
        "transistor",
        "transistor_portal_enabled",
        "false",
    ),
    refused(
        NO_TRANSISTOR,
        "transistor",
        "transistor_portal_heading",
        "\"Podcasts\"",
    ),
    refused(
        NO_TRANSISTOR,
        "transistor",
        "transistor_portal_description",
        "\"Access your private podcast feed\"",
    ),
    refused(
        NO_TRANSISTOR,
        "transistor",
        "transistor_portal_button_text",
        "\"View\"",
    ),
    refused(
        NO_TRANSISTOR,
        "transistor",
        "transistor_portal_url_template",
        "\"https://partner.transistor.fm/ghost/{memberUuid}\"",
    ),
    refused(NO_SOCIAL_WEB, "social_web", "social_web", "false"),
    absent("social_web", "social_web_enabled", "false"),
    refused(NO_EXPLORE, "explore", "explore_ping", "false"),
    refused(NO_EXPLORE, "explore", "explore_ping_growth", "false"),
];

#[cfg(test)]
mod tests {
    use super::*;
    use crate::domain::setting::SETTINGS;

    #[test]
    fn unsupported_settings_are_json_and_in_no_other_table() {
        for setting in UNSUPPORTED {
            assert!(
                serde_json::from_str::<serde_json::Value>(setting.value).is_ok(),
                "{}",
                setting.key
            );
            let is_supported = SETTINGS
                .iter()
                .any(|supported| supported.key == setting.key);
            assert!(!is_supported, "{}", setting.key);
        }
    }
}
