//! Mail: what is written to somebody, as plain text and as HTML that says the same.
//!
//! One plain letter for all: paragraphs, a code or a link where there is one, and who writes. Everything that is put into
//! it is escaped. Programs that read no HTML get the text.

use std::fmt;

use serde::{Deserialize, Serialize};

use super::OptionalText;
use crate::render::html_escape::{push_attribute_value, push_text};

/// A letter to one person, ready to be sent.
#[derive(Clone, PartialEq, Serialize, Deserialize)]
pub struct Mail {
    /// Who writes, unless the operator says otherwise.
    pub from: Sender,
    /// The address that it goes to.
    pub to: Box<str>,
    /// What it is about, in one line.
    pub subject: Box<str>,
    /// The letter as plain text.
    pub text: Box<str>,
    /// The letter as an HTML document.
    pub html: Box<str>,
    /// What its reader must have of it, in one line: the code or the link, else the subject. It is told in the log where
    /// no mail can be sent, and nowhere else.
    pub essence: Box<str>,
    /// Where answers go, when not to who writes.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub reply_to: OptionalText,
    /// What it is to those who subscribed to it, if it is of a newsletter.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub subscription: Option<Subscription>,
}

/// What a mail of a newsletter has beside any other: a sender of its own, and the way out.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Subscription {
    /// What the sender is called, whatever the operator calls it.
    pub sender_name: Box<str>,
    /// The newsletter's own address: the mail is from there where the operator's mail may be, and answers go there.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub sender_address: OptionalText,
    /// The name of the newsletter among all lists there are: `tides.harbour.example` (RFC 2919).
    pub list: Box<str>,
    /// Where one request ends it, without a question (RFC 8058).
    pub unsubscribe_url: Box<str>,
}

/// Who a mail is from.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Sender {
    /// What is shown for the address.
    pub name: Box<str>,
    /// The address.
    pub address: Box<str>,
}

/// What stands on every letter of a site.
#[derive(Clone, Copy, Debug)]
pub struct Letterhead<'a> {
    /// What the site is called.
    pub title: &'a str,
    /// The site's public address.
    pub url: &'a str,
    /// The name or number of the site's host.
    pub host: &'a str,
}

/// A piece of a letter. Pieces are read in their order.
#[derive(Clone, Copy, Debug)]
pub enum Part<'a> {
    /// A paragraph.
    Text(&'a str),
    /// A code to be typed in.
    Code(&'a str),
    /// Something to do, and the absolute address where that is done.
    Link(&'a str, &'a str),
}

impl Mail {
    /// The letter with these parts to the person at the address `to`.
    ///
    /// Line breaks and other control characters do not get into the subject.
    pub fn new(letterhead: Letterhead, to: &str, subject: &str, parts: &[Part]) -> Self {
        let subject = one_line(subject);
        let essential = parts.iter().rev().find_map(|part| match part {
            Part::Code(text) | Part::Link(_, text) => Some(*text),
            Part::Text(_) => None,
        });
        Self {
            from: Sender::of(letterhead),
            to: to.into(),
            text: text(letterhead, parts).into(),
            html: html(letterhead, &subject, parts).into(),
            essence: one_line(essential.unwrap_or(&subject)).into(),
            subject: subject.into(),
            reply_to: None,
            subscription: None,
        }
    }
}

impl fmt::Debug for Mail {
    /// Shows who writes to whom about what. What stands in a letter may open an account, and does not get into logs.
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Mail")
            .field("from", &self.from)
            .field("to", &self.to)
            .field("subject", &self.subject)
            .finish_non_exhaustive()
    }
}

impl Sender {
    /// Who writes for a site unless somebody says otherwise: `noreply` at the site's host, under the site's name. A host
    /// that is a number has no mail: then it is this machine.
    pub fn of(letterhead: Letterhead) -> Self {
        let is_number = letterhead.host.starts_with('[')
            || letterhead
                .host
                .bytes()
                .all(|byte| byte.is_ascii_digit() || byte == b'.');
        let host = if is_number {
            "localhost"
        } else {
            letterhead.host
        };
        Self {
            name: one_line(letterhead.title).into(),
            address: format!("noreply@{host}").into(),
        }
    }
}

/// The text with a blank for each line break and other control character, as it may stand in a header field.
pub fn one_line(text: &str) -> String {
    let words = text.split(|character: char| character.is_control());
    words.collect::<Vec<_>>().join(" ").trim().to_owned()
}

fn text(letterhead: Letterhead, parts: &[Part]) -> String {
    let mut text = String::new();
    for part in parts {
        match part {
            Part::Text(paragraph) => text.push_str(paragraph),
            Part::Code(code) => text.push_str(code),
            Part::Link(label, url) => text.extend([label, ":\n", url]),
        }
        text.push_str("\n\n");
    }
    // What is so marked is left out of answers by programs for mail.
    text.push_str("-- \n");
    text.extend([letterhead.title, "\n", letterhead.url, "\n"]);
    text
}

fn html(letterhead: Letterhead, subject: &str, parts: &[Part]) -> String {
    let mut html = String::from(
        "<!DOCTYPE html>\n<html>\n<head>\n<meta charset=\"utf-8\">\n\
         <meta name=\"viewport\" content=\"width=device-width\">\n<title>",
    );
    push_text(&mut html, subject);
    html.push_str(
        "</title>\n</head>\n<body style=\"margin: 0; padding: 32px 16px; background: #ffffff\">\n\
         <div style=\"max-width: 520px; margin: 0 auto; font: 16px/1.5 sans-serif; color: #15171a\">\n",
    );
    for part in parts {
        push_part(&mut html, *part);
    }
    html.push_str("<p style=\"margin-top: 32px; font-size: 13px; color: #626d79\">");
    push_link(
        &mut html,
        "color: #626d79",
        letterhead.title,
        letterhead.url,
    );
    html.push_str("</p>\n</div>\n</body>\n</html>\n");
    html
}

fn push_part(html: &mut String, part: Part) {
    match part {
        Part::Text(paragraph) => {
            html.push_str("<p>");
            push_text(html, paragraph);
        }
        Part::Code(code) => {
            html.push_str("<p style=\"font-size: 32px; letter-spacing: 4px\">");
            push_text(html, code);
        }
        Part::Link(label, url) => {
            html.push_str("<p>");
            let button = "display: inline-block; padding: 8px 20px; border-radius: 5px; \
                          background: #15171a; color: #ffffff; text-decoration: none";
            push_link(html, button, label, url);
            // For those whose program shows no buttons, and those who look where a link leads.
            html.push_str("</p>\n<p style=\"font-size: 13px; word-break: break-all\">");
            push_text(html, url);
        }
    }
    html.push_str("</p>\n");
}

fn push_link(html: &mut String, style: &str, label: &str, url: &str) {
    html.extend(["<a style=\"", style, "\" href=\""]);
    push_attribute_value(html, url);
    html.push_str("\">");
    push_text(html, label);
    html.push_str("</a>");
}

#[cfg(test)]
mod tests {
    use super::*;

    const LETTERHEAD: Letterhead = Letterhead {
        title: "Ropes & <Sails>",
        url: "https://harbour.example/blog/",
        host: "harbour.example",
    };

    #[test]
    fn a_letter_says_the_same_in_text_and_html_and_escapes_what_it_is_given() {
        let parts = [
            Part::Text("Ana <ana@example.com> invites you."),
            Part::Link("Accept", "https://harbour.example/?a=1&b=\"2\""),
        ];
        let mail = Mail::new(LETTERHEAD, "ben@example.com", "Come <in>", &parts);

        assert_eq!(
            &*mail.text,
            "Ana <ana@example.com> invites you.\n\nAccept:\nhttps://harbour.example/?a=1&b=\"2\"\n\n\
             -- \nRopes & <Sails>\nhttps://harbour.example/blog/\n"
        );
        for part in [
            "<title>Come &lt;in&gt;</title>",
            "<p>Ana &lt;ana@example.com&gt; invites you.</p>",
            "href=\"https://harbour.example/?a=1&amp;b=&quot;2&quot;\">Accept</a>",
            ">Ropes &amp; &lt;Sails&gt;</a>",
        ] {
            assert!(mail.html.contains(part), "{part}: {}", mail.html);
        }
        assert_eq!(&*mail.essence, "https://harbour.example/?a=1&b=\"2\"");
    }

    #[test]
    fn the_essence_of_a_letter_is_its_code_and_of_one_without_its_subject() {
        let parts = [Part::Text("Type this:"), Part::Code("123456")];
        let mail = Mail::new(LETTERHEAD, "ben@example.com", "Sign in", &parts);
        assert_eq!(&*mail.essence, "123456");
        assert!(mail.text.contains("\n\n123456\n\n"), "{}", mail.text);

        let mail = Mail::new(LETTERHEAD, "ben@example.com", "News", &[]);
        assert_eq!(&*mail.essence, "News");
    }

    #[test]
    fn a_subject_and_a_name_are_one_line() {
        let letterhead = Letterhead {
            title: "A\r\nBcc: all@example.com",
            ..LETTERHEAD
        };
        let mail = Mail::new(letterhead, "ben@example.com", "B\nc\u{7}", &[]);
        assert_eq!(&*mail.subject, "B c");
        assert_eq!(&*mail.from.name, "A  Bcc: all@example.com");
    }

    #[test]
    fn mail_comes_from_the_sites_host_and_from_this_machine_when_that_is_a_number() {
        for (host, address) in [
            ("harbour.example", "noreply@harbour.example"),
            ("127.0.0.1", "noreply@localhost"),
            ("[::1]", "noreply@localhost"),
            ("", "noreply@localhost"),
        ] {
            let mail = Mail::new(Letterhead { host, ..LETTERHEAD }, "b@example.com", "S", &[]);
            assert_eq!(&*mail.from.address, address);
        }
    }

    #[test]
    fn what_opens_an_account_is_not_shown_for_debugging() {
        let mail = Mail::new(LETTERHEAD, "b@example.com", "S", &[Part::Code("123456")]);
        assert!(!format!("{mail:?}").contains("123456"));
    }
}
