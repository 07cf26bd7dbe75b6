//! A mail in its wire format (RFC 5322).
//!
//! The library encodes all texts chosen by users, so that no line break in them can start another
//! header field.

use std::{str::FromStr, time::SystemTime};

use jiff::Timestamp;
use lettre::{
    Address, Message,
    message::{
        Mailbox, MultiPart,
        header::{HeaderName, HeaderValue},
    },
};
use url::Host;

use crate::domain::mail::{Mail, Subscription, one_line};

/// The sender of mail that the operator configured: `news@example.com` or `The Harbour
/// <news@example.com>`.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct SenderOption(Mailbox);

/// The text is not a valid sender.
#[derive(Debug, PartialEq, Eq, thiserror::Error)]
#[error("an address such as news@example.com or The Harbour <news@example.com>")]
pub struct SenderError;

impl SenderOption {
    /// Returns the domain of the address, in ASCII.
    pub fn domain(&self) -> String {
        ascii(self.0.email.domain())
    }
}

impl FromStr for SenderOption {
    type Err = SenderError;

    fn from_str(text: &str) -> Result<Self, SenderError> {
        text.parse().map(Self).map_err(|_| SenderError)
    }
}

/// The reason why a mail cannot be built.
#[derive(Debug, thiserror::Error)]
pub enum MessageError {
    /// An email address is invalid.
    #[error("{0} is not a valid email address: {1}")]
    Address(Box<str>, lettre::address::AddressError),
    /// The message is invalid in another way.
    #[error("the mail is invalid: {0}")]
    Content(#[from] lettre::error::Error),
}

/// Builds the message for a mail. The message is the same for every attempt: its Message-ID is
/// derived from `identifier`, whose characters must be valid in an address, and `date` is the time
/// of queueing.
///
/// The operator configures the sender. A newsletter still uses its sender name, and its sender
/// address if that is in the operator's domain: the operator's mail server may not be authorised
/// for other domains. In that case replies go to the newsletter's address.
///
/// # Errors
///
/// If an email address is invalid.
pub fn of(
    mail: &Mail,
    identifier: &str,
    date: Timestamp,
    operator: Option<&SenderOption>,
) -> Result<Message, MessageError> {
    let (sender, reply_to) = sender(mail, operator)?;
    // Always the same for one mail, so that mail programs recognise a repeated delivery.
    let identifier = format!("<{identifier}@{}>", ascii(sender.email.domain()));
    let mut message = Message::builder()
        .from(sender)
        .to(Mailbox::new(None, address(&mail.to)?))
        .subject(&*mail.subject)
        // The time of queueing: a repeated mail must be identical, so that mail programs show it
        // once.
        .date(SystemTime::from(date))
        .message_id(Some(identifier));
    if let Some(reply_to) = reply_to {
        message = message.reply_to(Mailbox::new(None, reply_to));
    }
    for (name, value) in kind_fields(mail.subscription.as_ref()) {
        let name = HeaderName::new_from_ascii_str(name);
        message = message.raw_header(HeaderValue::new(name, value));
    }
    Ok(message.multipart(MultiPart::alternative_plain_html(
        mail.text.to_string(),
        mail.html.to_string(),
    ))?)
}

/// Returns the sender of a mail and its reply address, if that differs, as in the header fields.
///
/// # Errors
///
/// If an email address is invalid.
pub fn origin(
    mail: &Mail,
    operator: Option<&SenderOption>,
) -> Result<(String, Option<String>), MessageError> {
    let (sender, reply_to) = sender(mail, operator)?;
    Ok((
        sender.to_string(),
        reply_to.map(|address| address.to_string()),
    ))
}

/// Returns the sender of a mail and its reply address, if that differs.
fn sender(
    mail: &Mail,
    operator: Option<&SenderOption>,
) -> Result<(Mailbox, Option<Address>), MessageError> {
    let usual = match operator {
        Some(SenderOption(usual)) => usual.clone(),
        None => Mailbox::new(None, address(&mail.from.address)?),
    };
    let subscription = mail.subscription.as_ref();
    let own_address = subscription.and_then(|own| own.sender_address.as_deref());
    let own_address = own_address.map(address).transpose()?;
    let own_name = subscription.map(|own| own.sender_name.to_string());
    let name = own_name
        .or(usual.name)
        .unwrap_or_else(|| mail.from.name.to_string());
    let (email, unused_address) = match own_address {
        // Mail servers refuse or flag mails with a domain other than the operator's (SPF, DMARC).
        Some(own) if operator.is_none() || is_of_same_domain(&own, &usual.email) => (own, None),
        other => (usual.email, other),
    };
    let reply_to = mail.reply_to.as_deref().map(address).transpose()?;
    // The library panics on control characters in a name.
    let name = one_line(&name);
    Ok((Mailbox::new(Some(name), email), reply_to.or(unused_address)))
}

fn is_of_same_domain(one: &Address, other: &Address) -> bool {
    one.domain().eq_ignore_ascii_case(other.domain())
}

/// Returns the header fields that indicate the kind of a mail to mail programs.
///
/// They suppress automatic replies to messages from programs and mailing lists (RFC 3834). A
/// newsletter is written by a person and is not marked as automatic. It is marked as bulk mail by
/// its list identifier, which current programs use, and by a field for older programs.
fn kind_fields(subscription: Option<&Subscription>) -> Vec<(&'static str, String)> {
    let Some(subscription) = subscription else {
        // Prevents automatic replies (RFC 3834).
        return vec![("Auto-Submitted", "auto-generated".to_owned())];
    };
    vec![
        ("Precedence", "bulk".to_owned()),
        ("List-Id", format!("<{}>", subscription.list)),
        // A single request unsubscribes, sent by the mail program (RFC 2369, RFC 8058).
        (
            "List-Unsubscribe",
            format!("<{}>", subscription.unsubscribe_url),
        ),
        (
            "List-Unsubscribe-Post",
            "List-Unsubscribe=One-Click".to_owned(),
        ),
    ]
}

fn address(text: &str) -> Result<Address, MessageError> {
    text.parse()
        .map_err(|error| MessageError::Address(text.into(), error))
}

/// Returns a domain in its ASCII form.
fn ascii(domain: &str) -> String {
    match Host::parse(domain) {
        Ok(host) => host.to_string(),
        // It is only a part of the message's identifier and need not resolve.
        Err(_) => "localhost".to_owned(),
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::domain::mail::{Sender, SenderSite};

    const LETTERHEAD: SenderSite = SenderSite {
        title: "The Harbour",
        url: "https://harbour.example/",
        host: "harbour.example",
        icon: None,
        accent: None,
    };

    /// Maximum length of a line of a message, in bytes, without its line break (RFC 5322, section
    /// 2.1.1).
    const LINE_BYTES_MAX: usize = 998;

    fn newsletter() -> Mail {
        Mail {
            subscription: Some(Subscription {
                sender_name: "Tides".into(),
                sender_address: Some("tides@harbour.example".into()),
                list: "tides.harbour.example".into(),
                unsubscribe_url: "https://harbour.example/unsubscribe/?uuid=a&key=b&newsletter=c"
                    .into(),
            }),
            ..Mail::new(LETTERHEAD, "ben@example.com", "High water", &[])
        }
    }

    fn formatted(mail: &Mail, operator: Option<&str>) -> String {
        let operator = operator.map(|text| text.parse::<SenderOption>().unwrap());
        let message = of(mail, "e1-m1", Timestamp::UNIX_EPOCH, operator.as_ref()).unwrap();
        String::from_utf8(message.formatted()).unwrap()
    }

    /// Returns the header fields of a message, each on one line.
    fn fields(message: &str) -> Vec<String> {
        let head = message.split("\r\n\r\n").next().unwrap();
        let unfolded = head.replace("\r\n ", " ").replace("\r\n\t", " ");
        unfolded.split("\r\n").map(str::to_owned).collect()
    }

    fn field(message: &str, name: &str) -> Option<String> {
        let start = format!("{name}: ");
        let fields = fields(message);
        let mut values = fields.iter().filter_map(|field| field.strip_prefix(&start));
        let value = values.next().map(str::to_owned);
        assert_eq!(values.next(), None, "{name} twice");
        value
    }

    #[test]
    fn a_newsletter_has_list_and_one_click_unsubscribe_headers() {
        let message = formatted(&newsletter(), None);
        for (name, value) in [
            ("From", "Tides <tides@harbour.example>"),
            ("Message-ID", "<e1-m1@harbour.example>"),
            ("List-Id", "<tides.harbour.example>"),
            (
                "List-Unsubscribe",
                "<https://harbour.example/unsubscribe/?uuid=a&key=b&newsletter=c>",
            ),
            ("List-Unsubscribe-Post", "List-Unsubscribe=One-Click"),
            ("Precedence", "bulk"),
        ] {
            assert_eq!(field(&message, name).as_deref(), Some(value), "{message}");
        }
        for name in ["Auto-Submitted", "Reply-To"] {
            assert_eq!(field(&message, name), None, "{message}");
        }
    }

    #[test]
    fn configured_sender_replaces_other_domains_and_the_original_gets_replies() {
        let parts = |operator, mail: &Mail| {
            let message = formatted(mail, operator);
            (
                field(&message, "From").unwrap(),
                field(&message, "Reply-To"),
            )
        };
        let own = newsletter();
        let of_operator = "Tides <post@mail.example>".to_owned();
        let reply_to = Some("tides@harbour.example".to_owned());
        assert_eq!(
            parts(Some("Post <post@mail.example>"), &own),
            (of_operator.clone(), reply_to)
        );
        let of_newsletter = "Tides <tides@harbour.example>".to_owned();
        assert_eq!(
            parts(Some("post@HARBOUR.example"), &own),
            (of_newsletter, None)
        );
        let elsewhere = Mail {
            reply_to: Some("ana@example.com".into()),
            ..own
        };
        assert_eq!(
            parts(Some("post@mail.example"), &elsewhere),
            (of_operator, Some("ana@example.com".to_owned()))
        );
    }

    #[test]
    fn texts_cannot_inject_header_fields_and_lines_are_wrapped() {
        let long = format!("{}é", "wörd ".repeat(400));
        for text in [
            "a\r\nBcc: eve@example.com",
            "a\nBcc: eve@example.com\n\nbody",
            "\"quoted\" <eve@example.com>, \\",
            "=?utf-8?Q?a=0D=0ABcc:_eve@example.com?=",
            "\u{0}\u{85}\u{2028}Bcc: eve@example.com",
            &long,
        ] {
            let mut mail = newsletter();
            mail.from = Sender {
                name: text.into(),
                ..mail.from
            };
            mail.subject = text.into();
            mail.text = "x".repeat(5000).into();
            mail.html = "é".repeat(5000).into();
            let subscription = mail.subscription.as_mut().unwrap();
            subscription.sender_name = text.into();
            for mail in [
                mail.clone(),
                Mail {
                    subscription: None,
                    ..mail
                },
            ] {
                let message = formatted(&mail, None);
                let names: Vec<String> = fields(&message)
                    .iter()
                    .map(|field| field.split(':').next().unwrap().to_owned())
                    .collect();
                assert!(!names.contains(&"Bcc".to_owned()), "{message}");
                assert!(
                    message
                        .split("\r\n")
                        .all(|line| line.len() <= LINE_BYTES_MAX && !line.contains(['\r', '\n'])),
                    "{message}"
                );
            }
        }
    }

    #[test]
    fn addresses_with_line_breaks_are_rejected() {
        for address in ["a@example.com\r\nBcc: eve@example.com", "a", ""] {
            let mut mail = newsletter();
            mail.reply_to = Some(address.into());
            assert!(of(&mail, "a", Timestamp::UNIX_EPOCH, None).is_err());
            mail.reply_to = None;
            mail.to = address.into();
            assert!(of(&mail, "a", Timestamp::UNIX_EPOCH, None).is_err());
        }
    }
}
