//! Mails about authentication: codes, links for setting a password, and links for members.

use crate::{
    domain::{
        invite::Invite,
        link_token,
        mail::{Mail, MailBlock, SenderSite},
        member_link::LinkPurpose,
        secret::Secret,
        session::Code,
    },
    reader_texts::ReaderTexts,
};

/// The URLs of a site, for mails and the links in them.
#[derive(Clone, Debug, Default)]
pub struct MailSite {
    /// The title of the site.
    pub title: String,
    /// The site's public URL.
    pub url: String,
    /// The host name or IP address.
    pub host: String,
    /// The base URL of the admin app, with a slash at the end: `https://example.com/ghost/`.
    pub staff_url: String,
    /// The URL of the site's icon.
    pub icon: Option<String>,
    /// The site's accent colour.
    pub accent: Option<String>,
    /// The texts for readers, in the language of the site.
    pub texts: ReaderTexts,
}

impl MailSite {
    /// Returns the letterhead of all mails of the site.
    pub fn sender_site(&self) -> SenderSite<'_> {
        SenderSite {
            title: &self.title,
            url: &self.url,
            host: &self.host,
            icon: self.icon.as_deref(),
            accent: self.accent.as_deref(),
        }
    }

    /// Returns the mail with the code that completes a sign-in.
    pub fn sign_in_code(&self, to: &str, code: &Code) -> Mail {
        let purpose = format!("This is your code for signing in to {}:", self.title);
        let parts = [
            MailBlock::Text(&purpose),
            MailBlock::Code(code.digits()),
            MailBlock::Text(
                "It is valid once, for five minutes, in the browser in which you are signing in.",
            ),
            MailBlock::Text(
                "If you are not signing in now, someone else knows your password. Set a new one.",
            ),
        ];
        let subject = format!("Your code for signing in to {}", self.title);
        Mail::new(self.sender_site(), to, &subject, &parts)
    }

    /// Returns the mail with a link for setting a new password. `token` is as [`link_token::in_link`]
    /// returns it.
    pub fn password_reset(&self, to: &str, token: &str) -> Mail {
        let purpose = format!("Use this link to set a new password at {}:", self.title);
        let link = format!("{}reset/{token}/", self.staff_url);
        let parts = [
            MailBlock::Text(&purpose),
            MailBlock::Link("Set a new password", &link),
            MailBlock::Text("It is valid once, for a day. Using it signs you out everywhere."),
            MailBlock::Text(
                "If you did not request it, ignore this mail: your password stays unchanged.",
            ),
        ];
        let subject = format!("Set a new password at {}", self.title);
        Mail::new(self.sender_site(), to, &subject, &parts)
    }

    /// Returns the mail to a locked user, with a link for setting a new password.
    pub fn locked(&self, to: &str, token: &str) -> Mail {
        let purpose = format!(
            "For the security of {}, all staff users have to set a new password. Use this link:",
            self.title
        );
        let link = format!("{}reset/{token}/", self.staff_url);
        let parts = [
            MailBlock::Text(&purpose),
            MailBlock::Link("Set a new password", &link),
            MailBlock::Text("It is valid once, for a day."),
        ];
        let subject = format!("You have to set a new password at {}", self.title);
        Mail::new(self.sender_site(), to, &subject, &parts)
    }

    /// Returns the mail with a link for joining the staff.
    pub fn invitation(&self, invite: &Invite, inviter: &str, secret: &Secret) -> Mail {
        let purpose = format!(
            "{inviter} invites you to join {}. Your role: {}.",
            self.title,
            invite.role.name()
        );
        let token = link_token::in_link(invite.expires_at, &invite.email, secret.text());
        let link = format!("{}signup/{token}/", self.staff_url);
        let parts = [
            MailBlock::Text(&purpose),
            MailBlock::Link("Accept the invitation", &link),
            MailBlock::Text("The link is valid once, for a week."),
            MailBlock::Text("If you did not expect this mail, ignore it."),
        ];
        let subject = format!("{inviter} invites you to {}", self.title);
        Mail::new(self.sender_site(), &invite.email, &subject, &parts)
    }

    /// Returns the mail with a link that a reader requested, and with a code if the requesting page
    /// takes one.
    pub fn requested_link(
        &self,
        to: &str,
        purpose: LinkPurpose,
        link: &str,
        code: Option<&str>,
    ) -> Mail {
        let words = LinkWords::of(purpose);
        let filled = |english: &str| {
            let values = [("site", &*self.title), ("code", code.unwrap_or_default())];
            self.texts.filled(english, &values)
        };
        let subject = match (purpose, code) {
            (LinkPurpose::SignIn, Some(_)) => filled("Sign in to {site} with code {code}"),
            _ => filled(words.subject),
        };
        let introduction = filled(match code {
            Some(_) => words.with_code,
            None => words.with_link,
        });
        let mut parts = vec![MailBlock::Text(&introduction)];
        if let Some(code) = code {
            parts.extend([
                MailBlock::Code(code),
                MailBlock::Text(
                    self.texts
                        .text("It is valid once, for an hour. Or use the link:"),
                ),
            ]);
        }
        parts.extend([
            MailBlock::Link(self.texts.text(words.action), link),
            MailBlock::Text(self.texts.text(LINK_LIFETIME)),
            MailBlock::Text(self.texts.text(words.otherwise)),
        ]);
        Mail::new(self.sender_site(), to, &subject, &parts)
    }

    /// Returns the mail to a member with a sign-in link.
    pub fn member_link(&self, to: &str, purpose: LinkPurpose, link: &str) -> Mail {
        let (subject, introduction, action) = match purpose {
            // Staff cannot choose `UpdateEmail` (see `LinkPurpose::from_name`), so it needs no
            // words.
            LinkPurpose::SignIn | LinkPurpose::UpdateEmail => (
                "Your link for signing in to {site}",
                "Use this link to sign in to {site}:",
                "Sign in",
            ),
            LinkPurpose::SignUp => (
                "You are a member of {site}",
                "You are now a member of {site}. Use this link to sign in:",
                "Sign in",
            ),
            LinkPurpose::Subscribe => (
                "You are subscribed to {site}",
                "You were subscribed to {site}. Use this link to see your subscriptions:",
                "See your subscriptions",
            ),
        };
        let filled = |english| self.texts.filled(english, &[("site", &self.title)]);
        let introduction = filled(introduction);
        let parts = [
            MailBlock::Text(&introduction),
            MailBlock::Link(self.texts.text(action), link),
            MailBlock::Text(self.texts.text(LINK_LIFETIME)),
            MailBlock::Text(
                self.texts
                    .text("If you did not expect this mail, ignore it."),
            ),
        ];
        Mail::new(self.sender_site(), to, &filled(subject), &parts)
    }

    /// Returns the mail that notifies an administrator of an outdated API client.
    pub fn outdated_client(&self, to: &str, client: &str, required_version: &str) -> Mail {
        let purpose = format!(
            "{client} requested something that this version of the API does not have. It declares \
             version {required_version}."
        );
        let parts = [
            MailBlock::Text(&purpose),
            MailBlock::Text(
                "It may not work as expected. Check whether a newer version exists. You receive this mail at most once a \
                 day.",
            ),
        ];
        let subject = format!("A client of {} is too old", self.title);
        Mail::new(self.sender_site(), to, &subject, &parts)
    }
}

/// The sentence about the lifetime of links for readers.
const LINK_LIFETIME: &str = "The link is valid for a day, and for ten minutes after its first use.";

/// The English texts of the mail with a link that a reader requested.
struct LinkWords {
    subject: &'static str,
    /// The text above the code.
    with_code: &'static str,
    /// The text above the link, without a code.
    with_link: &'static str,
    action: &'static str,
    /// The text for a reader who did not request the link.
    otherwise: &'static str,
}

impl LinkWords {
    fn of(purpose: LinkPurpose) -> Self {
        match purpose {
            LinkPurpose::SignIn => Self {
                subject: "Your link for signing in to {site}",
                with_code: "Enter this code to sign in to {site}:",
                with_link: "Use this link to sign in to {site}:",
                action: "Sign in",
                otherwise: "If you are not signing in now, ignore this mail.",
            },
            LinkPurpose::SignUp => Self {
                subject: "Complete your sign-up to {site}",
                with_code: "Enter this code to become a member of {site}, and to sign in:",
                with_link: "Use this link to become a member of {site}, and to sign in:",
                action: "Become a member",
                otherwise: "If you did not request it, ignore this mail: you do not become a member.",
            },
            LinkPurpose::Subscribe => Self {
                subject: "Confirm your subscription to {site}",
                with_code: "Enter this code to subscribe to {site}:",
                with_link: "Use this link to subscribe to {site}:",
                action: "Subscribe",
                otherwise: "If you did not request it, ignore this mail: you are not subscribed.",
            },
            LinkPurpose::UpdateEmail => Self {
                subject: "Confirm your new address at {site}",
                with_code: "Enter this code to make this your address at {site}:",
                with_link: "Use this link to make this your address at {site}:",
                action: "Confirm the address",
                otherwise: "If you did not request it, ignore this mail: the address is not used.",
            },
        }
    }
}
