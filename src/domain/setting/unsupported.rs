//! Settings of Ghost that are not supported, because Galley does not have their features: payments,
//! bulk mail services, analytics, and services that Ghost integrates (names, groups and types as in
//! Ghost 6.65). Clients read them as off or empty. A client that sets one is ignored, as for every
//! protected setting.

use serde_json::Value;

/// An unsupported setting.
pub struct UnsupportedSetting {
    /// Its name.
    pub key: &'static str,
    /// Its group in Ghost.
    pub group: &'static str,
    /// The served value, as JSON text.
    pub value: &'static str,
}

impl UnsupportedSetting {
    /// Returns the value in the form of exports: text unchanged, other values as JSON text, and
    /// `None` for null.
    pub fn text(&self) -> Option<String> {
        match serde_json::from_str(self.value) {
            Ok(Value::Null) | Err(_) => None,
            Ok(Value::String(text)) => Some(text),
            Ok(value) => Some(value.to_string()),
        }
    }

    /// Returns whether Ghost includes the setting in exports: it is neither secret nor derived.
    pub fn is_exported(&self) -> bool {
        !matches!(
            self.key,
            "stripe_secret_key"
                | "stripe_publishable_key"
                | "stripe_connect_publishable_key"
                | "stripe_connect_secret_key"
                | "stripe_connect_account_id"
                | "all_blocked_email_domains"
                | "email_verification_required"
                | "web_analytics_enabled"
                | "web_analytics_configured"
                | "firstpromoter_account"
                | "social_web_enabled"
        )
    }
}

const fn absent(group: &'static str, key: &'static str, value: &'static str) -> UnsupportedSetting {
    UnsupportedSetting { key, group, value }
}

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
    absent("portal", "portal_signup_gift_promotion", "false"),
    absent("portal", "portal_account_gift_promotion", "false"),
    absent("donations", "donations_currency", "\"USD\""),
    absent("donations", "donations_suggested_amount", "500"),
    // Member attribution and blocked addresses.
    absent("members", "members_track_sources", "false"),
    absent("members", "blocked_email_domains", "\"[]\""),
    absent("members", "all_blocked_email_domains", "\"[]\""),
    // Mail: the operator configures the server, and recipients are not tracked.
    absent("email", "mailgun_domain", "null"),
    absent("email", "mailgun_api_key", "null"),
    absent("email", "mailgun_base_url", "null"),
    absent("email", "email_track_opens", "false"),
    absent("email", "email_track_clicks", "false"),
    absent("email", "email_verification_required", "false"),
    // Visitor analytics.
    absent("analytics", "web_analytics", "false"),
    absent("analytics", "web_analytics_enabled", "false"),
    absent("analytics", "web_analytics_configured", "false"),
    // Access of AI agents, and their payments.
    absent("site", "llms_enabled", "false"),
    absent("site", "machine_payments_enabled", "false"),
    absent("site", "machine_payments_currency", "null"),
    absent("site", "machine_payments_amount", "100"),
    absent("site", "machine_payments_stripe_profile_id", "null"),
    // Services that Ghost integrates.
    absent("firstpromoter", "firstpromoter", "false"),
    absent("firstpromoter", "firstpromoter_id", "null"),
    absent("firstpromoter", "firstpromoter_account", "null"),
    absent("slack", "slack_url", "\"\""),
    absent("slack", "slack_username", "\"\""),
    absent("transistor", "transistor", "false"),
    absent("transistor", "transistor_portal_enabled", "false"),
    absent("social_web", "social_web", "false"),
    absent("social_web", "social_web_enabled", "false"),
    absent("explore", "explore_ping", "false"),
    absent("explore", "explore_ping_growth", "false"),
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
