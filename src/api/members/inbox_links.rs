//! Links to the mailbox of a reader, for pages that say that a link was mailed (Ghost 6.65,
//! observed). Only addresses at the domains of known mail services get links: unlike Ghost, Galley does
//! not look up the mail service of other domains.

use percent_encoding::{AsciiSet, NON_ALPHANUMERIC, utf8_percent_encode};
use serde_json::{Value, json};
use url::form_urlencoded;

/// The characters that `encodeURIComponent` escapes.
const COMPONENT: &AsciiSet = &NON_ALPHANUMERIC
    .remove(b'-')
    .remove(b'_')
    .remove(b'.')
    .remove(b'!')
    .remove(b'~')
    .remove(b'*')
    .remove(b'\'')
    .remove(b'(')
    .remove(b')');

/// A mail service.
struct Provider {
    name: &'static str,
    domains: &'static [&'static str],
    /// Returns the URL for desktop browsers, for the addresses of the recipient and the sender.
    desktop: fn(&str, &str) -> String,
    android: Android,
}

/// The link that opens the mailbox on Android.
enum Android {
    /// An app, and the page that opens if the app is not installed.
    App(&'static str, &'static str),
    /// A page.
    Page(&'static str),
}

#[rustfmt::skip]
const PROVIDERS: &[Provider] = &[
    Provider {
        name: "gmail",
        domains: &["gmail.com", "googlemail.com", "google.com"],
        desktop: |recipient, sender| {
            let (recipient, sender) = (component(recipient), component(sender));
            format!("https://mail.google.com/mail/u/0/?authuser={recipient}#search/from%3A({sender})+in%3Aanywhere+newer_than%3A1h")
        },
        android: Android::App("com.google.android.gm", "https://mail.google.com/"),
    },
    Provider {
        name: "yahoo",
        domains: &["yahoo.com", "myyahoo.com", "yahoo.co.uk", "yahoo.fr", "yahoo.it", "ymail.com", "rocketmail.com"],
        desktop: |_, sender| format!("https://mail.yahoo.com/d/search/keyword=from:{}", component(sender)),
        android: Android::App("com.yahoo.mobile.client.android.mail", "https://mail.yahoo.com/"),
    },
    Provider {
        name: "outlook",
        domains: &["outlook.com", "live.com", "live.de", "hotmail.com", "hotmail.co.uk", "hotmail.de", "msn.com", "passport.com", "passport.net"],
        desktop: |recipient, _| format!("https://outlook.live.com/mail/?login_hint={}", parameter(recipient)),
        android: Android::App("com.microsoft.office.outlook", "https://outlook.live.com/"),
    },
    Provider {
        name: "proton",
        domains: &["proton.me", "pm.me", "protonmail.com", "protonmail.ch"],
        desktop: |_, sender| format!("https://mail.proton.me/u/0/all-mail#from={}", component(sender)),
        android: Android::App("ch.protonmail.android", "https://mail.proton.me/"),
    },
    Provider {
        name: "icloud",
        domains: &["icloud.com", "me.com", "mac.com"],
        desktop: |_, _| "https://www.icloud.com/mail".to_owned(),
        android: Android::Page("https://www.icloud.com/mail"),
    },
    Provider {
        name: "hey",
        domains: &["hey.com"],
        desktop: |_, _| "https://app.hey.com/topics/everything".to_owned(),
        android: Android::App("com.basecamp.hey", "https://app.hey.com/"),
    },
    Provider {
        name: "aol",
        domains: &["aol.com"],
        desktop: |_, sender| format!("https://mail.aol.com/d/search/keyword=from:{}", component(sender)),
        android: Android::App("com.aol.mobile.aolapp", "https://mail.aol.com/"),
    },
    Provider {
        name: "mailru",
        domains: &["mail.ru"],
        desktop: |_, sender| format!("https://e.mail.ru/search/?q_from={}", parameter(sender)),
        android: Android::App("ru.mail.mailapp", "https://e.mail.ru/"),
    },
    Provider {
        name: "feedbin",
        domains: &["feedb.in"],
        desktop: |_, _| "https://feedbin.com/".to_owned(),
        android: Android::Page("https://feedbin.com/"),
    },
];

/// Returns the links to the mailbox of `recipient`, where possible to the mails from `sender`; `None`
/// for an address at an unknown service.
pub fn of(recipient: &str, sender: &str) -> Option<Value> {
    let (_, domain) = recipient.rsplit_once('@')?;
    let domain = domain.to_lowercase();
    let mut providers = PROVIDERS.iter();
    let provider = providers.find(|provider| provider.domains.contains(&&*domain))?;
    // The flag 0x10000000 is Android's `FLAG_ACTIVITY_NEW_TASK`.
    let android = match provider.android {
        Android::App(package, page) => format!(
            "intent:#Intent;action=android.intent.action.MAIN;category=android.intent.category.LAUNCHER;\
             launchFlags=0x10000000;package={package};S.browser_fallback_url={};end",
            component(page)
        ),
        Android::Page(page) => page.to_owned(),
    };
    Some(json!({
        "android": android,
        "desktop": (provider.desktop)(recipient, sender),
        "provider": provider.name,
    }))
}

/// Escapes a text like `encodeURIComponent`.
fn component(text: &str) -> String {
    utf8_percent_encode(text, COMPONENT).to_string()
}

/// Escapes a text as the value of a parameter in a query.
fn parameter(text: &str) -> String {
    form_urlencoded::byte_serialize(text.as_bytes()).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn known_services_get_links() {
        let links = of("Ana.Lima+x@GMAIL.com", "noreply@example.com").unwrap();
        assert_eq!(
            links,
            json!({
                "android": "intent:#Intent;action=android.intent.action.MAIN;category=android.intent.category.LAUNCHER;launchFlags=0x10000000;package=com.google.android.gm;S.browser_fallback_url=https%3A%2F%2Fmail.google.com%2F;end",
                "desktop": "https://mail.google.com/mail/u/0/?authuser=Ana.Lima%2Bx%40GMAIL.com#search/from%3A(noreply%40example.com)+in%3Aanywhere+newer_than%3A1h",
                "provider": "gmail",
            })
        );
        let outlook = of("ben@hotmail.de", "noreply@example.com").unwrap();
        assert_eq!(
            outlook["desktop"],
            "https://outlook.live.com/mail/?login_hint=ben%40hotmail.de"
        );
        assert_eq!(of("ana@example.com", "noreply@example.com"), None);
        assert_eq!(of("ana@mail.gmail.com", "noreply@example.com"), None);
    }
}
