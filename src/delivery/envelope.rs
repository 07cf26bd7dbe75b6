//! What is around a newsletter's letter: who it is from, where answers go, and how programs for mail end it.

use serde::{Deserialize, Serialize};
use serde_json::Value;

use super::letter;
use crate::{
    domain::{
        mail::{Letterhead, Mail, Sender, Subscription, one_line},
        newsletter::Newsletter,
        newsletter_design::DESIGN,
        setting::Settings,
    },
    render::mail::{Letter, Recipient},
};

/// What all mails of one letter have around them.
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
    /// What is around a letter of `newsletter` about `subject`, from the site with these settings.
    ///
    /// Answers go where the newsletter says: to its sender, to where members write to, or to an address of its own (Ghost
    /// 6.65, `sender_reply_to`).
    pub fn of(
        newsletter: &Newsletter,
        settings: &Settings,
        letterhead: Letterhead,
        subject: &str,
    ) -> Self {
        let reply_to = DESIGN.iter().find(|row| row.name == "sender_reply_to");
        let reply_to = reply_to.map(|row| newsletter.chosen(row));
        let reply_to = match reply_to.as_ref().and_then(Value::as_str) {
            None | Some("newsletter") => None,
            Some("support") => Some(settings.support_address(letterhead.host)),
            Some(address) => Some(address.to_owned()),
        };
        Self {
            from: Sender::of(letterhead),
            subject: one_line(subject).into(),
            reply_to: reply_to.map(Into::into),
            sender_name: one_line(&letter::sender_name(newsletter, letterhead.title)).into(),
            sender_address: newsletter.sender_email.clone(),
            list: list_name(newsletter, letterhead.host).into(),
        }
    }

    /// The mail to one recipient.
    pub fn mail(&self, letter: &Letter, recipient: &Recipient) -> Mail {
        Mail {
            from: self.from.clone(),
            to: recipient.email.into(),
            subject: self.subject.clone(),
            text: letter.text.filled(recipient).into(),
            html: letter.html.filled(recipient).into(),
            essence: self.subject.clone(),
            reply_to: self.reply_to.clone(),
            subscription: Some(Subscription {
                sender_name: self.sender_name.clone(),
                sender_address: self.sender_address.clone(),
                list: self.list.clone(),
                unsubscribe_url: recipient.unsubscribe_url.into(),
            }),
        }
    }
}

/// What no other list is called: the newsletter's slug below the site's host (RFC 2919, section 2). A slug in letters that
/// cannot stand there gives way to the newsletter's second identifier.
fn list_name(newsletter: &Newsletter, host: &str) -> String {
    let slug = &*newsletter.slug;
    let is_label = !slug.is_empty()
        && slug
            .bytes()
            .all(|byte| byte.is_ascii_alphanumeric() || byte == b'-');
    if is_label {
        format!("{slug}.{host}")
    } else {
        format!("{}.{host}", newsletter.uuid)
    }
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::*;

    const LETTERHEAD: Letterhead = Letterhead {
        title: "The Harbour",
        url: "https://harbour.example/",
        host: "harbour.example",
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
    fn answers_go_where_the_newsletter_says() {
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
    fn a_list_has_a_name_that_any_program_for_mail_can_read() {
        let name = |slug: &str| list_name(&Newsletter::new(slug, ""), LETTERHEAD.host);
        assert_eq!(name("tides"), "tides.harbour.example");
        assert!(name("潮").is_ascii());
    }
}
