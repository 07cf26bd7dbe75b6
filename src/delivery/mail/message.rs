//! A mail as it goes over the wire (RFC 5322).

use std::{str::FromStr, time::SystemTime};

use lettre::{
    Address, Message,
    message::{
        Mailbox, MultiPart,
        header::{HeaderName, HeaderValue},
    },
};

use crate::domain::delivery::Delivery;

/// Who mail is from, as the operator says it: `news@example.com` or `The Harbour <news@example.com>`.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct SenderOption(Mailbox);

/// The text names no sender.
#[derive(Debug, PartialEq, Eq, thiserror::Error)]
#[error("an address such as news@example.com or The Harbour <news@example.com>")]
pub struct SenderError;

impl FromStr for SenderOption {
    type Err = SenderError;

    fn from_str(text: &str) -> Result<Self, SenderError> {
        text.parse().map(Self).map_err(|_| SenderError)
    }
}

/// Why a mail cannot be written.
#[derive(Debug, thiserror::Error)]
pub enum MessageError {
    /// An address is none.
    #[error("the address {0} is none: {1}")]
    Address(Box<str>, lettre::address::AddressError),
    /// The rest does not make a mail.
    #[error("the mail cannot be written: {0}")]
    Content(#[from] lettre::error::Error),
}

/// The message that delivers a mail. It is the same at every attempt.
///
/// # Errors
///
/// When an address is none.
pub fn of(delivery: &Delivery, from: Option<&SenderOption>) -> Result<Message, MessageError> {
    let mail = &delivery.mail;
    let sender = match from {
        Some(SenderOption(sender)) => Mailbox {
            name: sender
                .name
                .clone()
                .or_else(|| Some(mail.from.name.to_string())),
            email: sender.email.clone(),
        },
        None => Mailbox::new(
            Some(mail.from.name.to_string()),
            address(&mail.from.address)?,
        ),
    };
    let identifier = format!("<{}@{}>", delivery.id, sender.email.domain());
    let message = Message::builder()
        .from(sender)
        .to(Mailbox::new(None, address(&mail.to)?))
        .subject(&*mail.subject)
        .date(SystemTime::from(delivery.queued_at))
        .message_id(Some(identifier))
        // Programs that answer for people who are away do not answer this (RFC 3834).
        .raw_header(HeaderValue::new(
            HeaderName::new_from_ascii_str("Auto-Submitted"),
            "auto-generated".to_owned(),
        ))
        .multipart(MultiPart::alternative_plain_html(
            mail.text.to_string(),
            mail.html.to_string(),
        ))?;
    Ok(message)
}

fn address(text: &str) -> Result<Address, MessageError> {
    text.parse()
        .map_err(|error| MessageError::Address(text.into(), error))
}
