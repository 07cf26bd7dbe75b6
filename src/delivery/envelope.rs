//! The envelope of a newsletter message: its sender, its reply address, and how mail programs
//! unsubscribe from it.

use serde::{Deserialize, Serialize};
use serde_json::Value;

use super::post_message;
use crate::{
    domain::{
        mail::{Mail, Sender, SenderSite, Subscription, one_line},
        newsletter::Newsletter,
        setting::Settings,
    },
    render::mail::{Recipient, RenderedMail},
};

/// The data that all messages of one newsletter issue share, except their content.
#[derive(Clone, Debug, Serialize, Deserialize)]
pub struct Envelope {
    from: Sender,
    subject: Box<str>,
    reply_to: Option<Box<str>>,
    sender_name: Box<str>,
    sender_address: Option<Box<str>>,
    list: Box<str>,
}

impl Envelope {
    /// Returns the envelope of a message of `newsletter` with this subject, from the site with
    /// these settings.
    ///
    /// Replies go where the newsletter specifies: to its sender, to the support address, or to a
    /// separate address (Ghost 6.65, `sender_reply_to`).
    pub fn of(
        newsletter: &Newsletter,
        settings: &Settings,
        sender_site: SenderSite,
        subject: &str,
    ) -> Self {
        let reply_to = newsletter.chosen("sender_reply_to");
        let reply_to = match reply_to.as_ref().and_then(Value::as_str) {
            None | Some("newsletter") => None,
            Some("support") => Some(settings.support_address(sender_site.host)),
            Some(address) => Some(address.to_owned()),
        };
        Self {
            from: Sender::of(sender_site),
            subject: one_line(subject).into(),
            reply_to: reply_to.map(Into::into),
            sender_name: one_line(&post_message::sender_name(newsletter, sender_site.title)).into(),
            sender_address: newsletter.sender_email.clone(),
            list: list_name(newsletter, sender_site.host).into(),
        }
    }

    /// Returns the mail to one recipient.
    pub fn mail(&self, message: &RenderedMail, recipient: &Recipient) -> Mail {
        Mail {
            from: self.from.clone(),
            to: recipient.email.into(),
            subject: self.subject.clone(),
            text: message.text.filled(recipient).into(),
            html: message.html.filled(recipient).into(),
            essence: self.subject.clone(),
            reply_to: self.reply_to.clone(),
            subject_in_log: None,
            subscription: Some(Subscription {
                sender_name: self.sender_name.clone(),
                sender_address: self.sender_address.clone(),
                list: self.list.clone(),
                unsubscribe_url: recipient.unsubscribe_url.into(),
            }),
        }
    }
}

/// Returns a unique list identifier: the newsletter's slug as a subdomain of the site's host (RFC
/// 2919, section 2). A slug with characters that are not allowed there is replaced by the
/// newsletter's UUID.
fn list_name(newsletter: &Newsletter, host: &str) -> String {
    let slug = &*newsletter.slug;
    let is_label = !slug.is_empty()
        && slug
            .bytes()
            .all(|byte| byte.is_ascii_alphanumeric() || byte == b'-');
    if is_label {
        format!("{slug}.{host}")
    } else {
        // A slug with other characters is invalid in a list identifier.
        format!("{}.{host}", newsletter.uuid)
    }
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::*;

    const LETTERHEAD: SenderSite = SenderSite {
        title: "The Harbour",
        url: "https://harbour.example/",
        host: "harbour.example",
        icon: None,
        accent: None,
    };

    fn reply_to(chosen: &str, support: &str) -> Option<Box<str>> {
        let mut newsletter = Newsletter::new("tides", "Tides");
        newsletter
            .design
            .insert("sender_reply_to".into(), json!(chosen));
        let settings =
            Settings::new([("members_support_address".to_owned(), json!(support))].into());
        Envelope::of(&newsletter, &settings, LETTERHEAD, "S").reply_to
    }

    #[test]
    fn reply_address_follows_the_newsletter() {
        assert_eq!(reply_to("newsletter", "help"), None);
        assert_eq!(
            reply_to("support", "help").as_deref(),
            Some("help@harbour.example")
        );
        assert_eq!(
            reply_to("support", "help@desk.example").as_deref(),
            Some("help@desk.example")
        );
        assert_eq!(
            reply_to("ana@example.com", "help").as_deref(),
            Some("ana@example.com")
        );
    }

    #[test]
    fn list_identifier_has_only_valid_characters() {
        let name = |slug: &str| list_name(&Newsletter::new(slug, ""), LETTERHEAD.host);
        assert_eq!(name("tides"), "tides.harbour.example");
        assert!(name("潮").is_ascii());
    }
}
