//! Transactional mail, as plain text and equivalent HTML.
//!
//! All mails share a simple template: the site's icon, paragraphs, a code or a link in the site's
//! accent colour, and the site as the sender. All values are escaped. Mail programs that do not
//! display HTML use the plain text.

use std::fmt;

use serde::{Deserialize, Serialize};

use super::OptionalText;
use crate::render::{
    html_escape::{push_attribute, push_attribute_value, push_text},
    mail::ButtonColors,
};

/// A mail to one person, ready to be sent.
#[derive(Clone, PartialEq, Serialize, Deserialize)]
pub struct Mail {
    /// The sender, unless the operator configures another one.
    pub from: Sender,
    /// The recipient's address.
    pub to: Box<str>,
    /// The subject, in one line.
    pub subject: Box<str>,
    /// The body as plain text.
    pub text: Box<str>,
    /// The body as an HTML document.
    pub html: Box<str>,
    /// The part that the reader needs, in one line: the code or the link, or else the subject. It
    /// is logged only if no mail can be sent.
    pub essence: Box<str>,
    /// The reply-to address, if it differs from the sender.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub reply_to: OptionalText,
    /// The text that is logged instead of a subject that contains a code.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub subject_in_log: OptionalText,
    /// The subscription, for a mail of a newsletter.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub subscription: Option<Subscription>,
}

/// The parts of a mail that depend on the newsletter: the sender, and the list headers for
/// unsubscribing.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Subscription {
    /// The sender's name; takes precedence over the operator's.
    pub sender_name: Box<str>,
    /// The address of the newsletter. It is the reply-to address, and also the sender if it is in
    /// the operator's mail domain.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub sender_address: OptionalText,
    /// The list identifier of the newsletter: `tides.harbour.example` (RFC 2919).
    pub list: Box<str>,
    /// The URL where one POST request unsubscribes without confirmation (RFC 8058).
    pub unsubscribe_url: Box<str>,
}

/// The sender of a mail.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Sender {
    /// The display name.
    pub name: Box<str>,
    /// The e-mail address.
    pub address: Box<str>,
}

/// The appearance of the site in its mails.
#[derive(Clone, Copy, Debug, Default)]
pub struct SenderSite<'a> {
    /// The title of the site.
    pub title: &'a str,
    /// The site's public URL.
    pub url: &'a str,
    /// The site's host: a name or an IP address.
    pub host: &'a str,
    /// The URL of the site's icon.
    pub icon: Option<&'a str>,
    /// The site's accent colour.
    pub accent: Option<&'a str>,
}

/// A block of a mail. Blocks appear in the given order.
#[derive(Clone, Copy, Debug)]
pub enum MailBlock<'a> {
    /// A paragraph.
    Text(&'a str),
    /// A code to type in.
    Code(&'a str),
    /// A button: its label and its absolute URL.
    Link(&'a str, &'a str),
}

impl Mail {
    /// Returns a mail with `blocks` to the address `to`.
    ///
    /// Line breaks and other control characters are removed from the subject.
    pub fn new(sender_site: SenderSite, to: &str, subject: &str, blocks: &[MailBlock]) -> Self {
        let subject = one_line(subject);
        // The last one: in a mail with a code and a link, the link follows and needs no open page.
        let essential = blocks.iter().rev().find_map(|block| match block {
            MailBlock::Code(text) | MailBlock::Link(_, text) => Some(*text),
            MailBlock::Text(_) => None,
        });
        let mut codes = blocks.iter().filter_map(|block| match block {
            MailBlock::Code(code) => Some(*code),
            MailBlock::Text(_) | MailBlock::Link(..) => None,
        });
        let code = codes.find(|code| subject.contains(code));
        let subject_in_log = code.map(|code| subject.replace(code, "…").into());
        Self {
            from: Sender::of(sender_site),
            to: to.into(),
            text: text(sender_site, blocks).into(),
            html: html(sender_site, &subject, blocks).into(),
            essence: one_line(essential.unwrap_or(&subject)).into(),
            subject: subject.into(),
            reply_to: None,
            subject_in_log,
            subscription: None,
        }
    }

    /// Returns the subject for the log, which contains no code.
    pub fn subject_in_log(&self) -> &str {
        self.subject_in_log.as_deref().unwrap_or(&self.subject)
    }
}

impl fmt::Debug for Mail {
    /// Shows only sender, recipient and subject. The body may contain a sign-in secret, which must
    /// not appear in logs.
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Mail")
            .field("from", &self.from)
            .field("to", &self.to)
            .field("subject", &self.subject_in_log())
            .finish_non_exhaustive()
    }
}

impl Sender {
    /// Returns the default sender of a site: `noreply` at the site's host, with the site's title as
    /// the name. If the host is an IP address, the domain is `localhost`.
    pub fn of(sender_site: SenderSite) -> Self {
        // An IPv6 address is in brackets in a URL.
        let is_number = sender_site.host.starts_with('[')
            || sender_site
                .host
                .bytes()
                .all(|byte| byte.is_ascii_digit() || byte == b'.');
        let host = if is_number {
            "localhost"
        } else {
            sender_site.host
        };
        Self {
            name: one_line(sender_site.title).into(),
            address: format!("noreply@{host}").into(),
        }
    }
}

/// Returns the text on one line, for a header field: line breaks and other control characters are
/// replaced by spaces.
pub fn one_line(text: &str) -> String {
    let words = text.split(|character: char| character.is_control());
    words.collect::<Vec<_>>().join(" ").trim().to_owned()
}

fn text(sender_site: SenderSite, blocks: &[MailBlock]) -> String {
    let mut text = String::new();
    for block in blocks {
        match block {
            MailBlock::Text(paragraph) => text.push_str(paragraph),
            MailBlock::Code(code) => text.push_str(code),
            MailBlock::Link(label, url) => text.extend([label, ":\n", url]),
        }
        text.push_str("\n\n");
    }
    // Mail programs omit a signature after this marker from replies.
    text.push_str("-- \n");
    text.extend([sender_site.title, "\n", sender_site.url, "\n"]);
    text
}

fn html(sender_site: SenderSite, subject: &str, blocks: &[MailBlock]) -> String {
    let mut html = String::from(
        "<!DOCTYPE html>\n<html>\n<head>\n<meta charset=\"utf-8\">\n\
         <meta name=\"viewport\" content=\"width=device-width\">\n<title>",
    );
    push_text(&mut html, subject);
    html.push_str(
        "</title>\n</head>\n<body style=\"margin: 0; padding: 32px 16px; background: #ffffff\">\n\
         <div style=\"max-width: 520px; margin: 0 auto; color: #15171a; overflow-wrap: break-word; \
         font: 16px/1.5 -apple-system, BlinkMacSystemFont, 'Segoe UI', Roboto, Helvetica, Arial, sans-serif\">\n",
    );
    if let Some(icon) = sender_site.icon {
        html.push_str("<p style=\"margin: 0 0 24px\"><img");
        push_attribute(&mut html, "src", icon);
        push_attribute(&mut html, "alt", sender_site.title);
        html.push_str(" width=\"44\" height=\"44\" style=\"border: 0; border-radius: 3px\"></p>\n");
    }
    // Styles are attributes of each element, because many mail programs drop style sheets.
    let button = button_style(ButtonColors::of_accent(sender_site.accent));
    for block in blocks {
        push_block(&mut html, *block, &button);
    }
    html.push_str("<p style=\"margin-top: 32px; font-size: 13px; color: #626d79\">");
    push_link(
        &mut html,
        "color: #626d79",
        sender_site.title,
        sender_site.url,
    );
    html.push_str("</p>\n</div>\n</body>\n</html>\n");
    html
}

fn button_style(colors: ButtonColors) -> String {
    let ButtonColors { fill, text } = colors;
    format!(
        "display: inline-block; padding: 9px 22px; border-radius: 5px; background: {fill}; \
         border: 1px solid {fill}; color: {text}; text-decoration: none"
    )
}

fn push_block(html: &mut String, block: MailBlock, button: &str) {
    match block {
        MailBlock::Text(paragraph) => {
            html.push_str("<p>");
            push_text(html, paragraph);
        }
        MailBlock::Code(code) => {
            html.push_str(
                "<p style=\"padding: 16px; border-radius: 8px; background: #f4f5f6; text-align: center; \
                 font-size: 24px; font-weight: 600; line-height: 1; letter-spacing: 5px\">",
            );
            push_text(html, code);
        }
        MailBlock::Link(label, url) => {
            html.push_str("<p>");
            push_link(html, button, label, url);
            // The URL as text, for mail programs that do not show buttons, and for readers who
            // check the target of a link.
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

    const LETTERHEAD: SenderSite = SenderSite {
        title: "Ropes & <Sails>",
        url: "https://harbour.example/blog/",
        host: "harbour.example",
        icon: None,
        accent: None,
    };

    #[test]
    fn mail_says_the_same_in_text_and_html_and_escapes_values() {
        let blocks = [
            MailBlock::Text("Ana <ana@example.com> invites you."),
            MailBlock::Link("Accept", "https://harbour.example/?a=1&b=\"2\""),
        ];
        let mail = Mail::new(LETTERHEAD, "ben@example.com", "Come <in>", &blocks);

        assert_eq!(
            &*mail.text,
            "Ana <ana@example.com> invites you.\n\nAccept:\nhttps://harbour.example/?a=1&b=\"2\"\n\n\
             -- \nRopes & <Sails>\nhttps://harbour.example/blog/\n"
        );
        for block in [
            "<title>Come &lt;in&gt;</title>",
            "<p>Ana &lt;ana@example.com&gt; invites you.</p>",
            "href=\"https://harbour.example/?a=1&amp;b=&quot;2&quot;\">Accept</a>",
            ">Ropes &amp; &lt;Sails&gt;</a>",
        ] {
            assert!(mail.html.contains(block), "{block}: {}", mail.html);
        }
        assert_eq!(&*mail.essence, "https://harbour.example/?a=1&b=\"2\"");
    }

    #[test]
    fn essence_is_the_code_or_else_the_subject() {
        let blocks = [MailBlock::Text("Type this:"), MailBlock::Code("123456")];
        let mail = Mail::new(LETTERHEAD, "ben@example.com", "Sign in", &blocks);
        assert_eq!(&*mail.essence, "123456");
        assert!(mail.text.contains("\n\n123456\n\n"), "{}", mail.text);

        let mail = Mail::new(LETTERHEAD, "ben@example.com", "News", &[]);
        assert_eq!(&*mail.essence, "News");
    }

    #[test]
    fn subject_and_name_are_one_line() {
        let sender_site = SenderSite {
            title: "A\r\nBcc: all@example.com",
            ..LETTERHEAD
        };
        let mail = Mail::new(sender_site, "ben@example.com", "B\nc\u{7}", &[]);
        assert_eq!(&*mail.subject, "B c");
        assert_eq!(&*mail.from.name, "A  Bcc: all@example.com");
    }

    #[test]
    fn sender_is_at_the_sites_host_or_localhost_for_an_ip_address() {
        for (host, address) in [
            ("harbour.example", "noreply@harbour.example"),
            ("127.0.0.1", "noreply@localhost"),
            ("[::1]", "noreply@localhost"),
            ("", "noreply@localhost"),
        ] {
            let mail = Mail::new(SenderSite { host, ..LETTERHEAD }, "b@example.com", "S", &[]);
            assert_eq!(&*mail.from.address, address);
        }
    }

    #[test]
    fn log_shows_no_sign_in_code() {
        let blocks = [MailBlock::Code("123456")];
        let mail = Mail::new(LETTERHEAD, "b@example.com", "Your code is 123456", &blocks);
        assert_eq!(mail.subject_in_log(), "Your code is …");
        assert!(!format!("{mail:?}").contains("123456"));
    }

    #[test]
    fn mail_has_the_icon_and_the_accent_colour_of_the_site() {
        let sender_site = SenderSite {
            icon: Some("https://harbour.example/icon.png?a=1&b=2"),
            accent: Some("#ffee00"),
            ..LETTERHEAD
        };
        let blocks = [MailBlock::Link("Accept", "https://harbour.example/")];
        let html = Mail::new(sender_site, "b@example.com", "S", &blocks).html;
        let icon =
            "<img src=\"https://harbour.example/icon.png?a=1&amp;b=2\" alt=\"Ropes &amp; <Sails>\"";
        assert!(html.contains(icon), "{html}");
        // Text on a light colour is dark.
        let colors = "background: #ffee00; border: 1px solid #ffee00; color: #15171a";
        assert!(html.contains(colors), "{html}");
        let invalid = SenderSite {
            accent: Some("red; x: url(y)"),
            ..LETTERHEAD
        };
        let html = Mail::new(invalid, "b@example.com", "S", &blocks).html;
        assert!(!html.contains("<img") && !html.contains("url("), "{html}");
        assert!(html.contains("background: #15212a"), "{html}");
    }
}
