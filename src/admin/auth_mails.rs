//! Mails about authentication: codes, links for setting a password, and links for members.

use crate::domain::{
    invite::Invite,
    link_token,
    mail::{Mail, Part, SenderSite},
    member_link::LinkPurpose,
    secret::Secret,
    session::Code,
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
            Part::Text(&purpose),
            Part::Code(code.digits()),
            Part::Text(
                "It is valid once, for five minutes, in the browser in which you are signing in.",
            ),
            Part::Text(
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
            Part::Text(&purpose),
            Part::Link("Set a new password", &link),
            Part::Text("It is valid once, for a day. Using it signs you out everywhere."),
            Part::Text(
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
            Part::Text(&purpose),
            Part::Link("Set a new password", &link),
            Part::Text("It is valid once, for a day."),
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
            Part::Text(&purpose),
            Part::Link("Accept the invitation", &link),
            Part::Text("The link is valid once, for a week."),
            Part::Text("If you did not expect this mail, ignore it."),
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
        let title = &self.title;
        let (subject, does, action, otherwise) = match purpose {
            LinkPurpose::SignIn => (
                match code {
                    Some(code) => format!("Sign in to {title} with code {code}"),
                    None => format!("Your link for signing in to {title}"),
                },
                format!("sign in to {title}"),
                "Sign in",
                "If you are not signing in now, ignore this mail.",
            ),
            LinkPurpose::SignUp => (
                format!("Complete your sign-up to {title}"),
                format!("become a member of {title}, and to sign in"),
                "Become a member",
                "If you did not request it, ignore this mail: you do not become a member.",
            ),
            LinkPurpose::Subscribe => (
                format!("Confirm your subscription to {title}"),
                format!("subscribe to {title}"),
                "Subscribe",
                "If you did not request it, ignore this mail: you are not subscribed.",
            ),
            LinkPurpose::UpdateEmail => (
                format!("Confirm your new address at {title}"),
                format!("make this your address at {title}"),
                "Confirm the address",
                "If you did not request it, ignore this mail: the address is not used.",
            ),
        };
        let introduction = match code {
            Some(_) => format!("Enter this code to {does}:"),
            None => format!("Use this link to {does}:"),
        };
        let mut parts = vec![Part::Text(&introduction)];
        if let Some(code) = code {
            parts.extend([
                Part::Code(code),
                Part::Text("It is valid once, for an hour. Or use the link:"),
            ]);
        }
        parts.extend([
            Part::Link(action, link),
            Part::Text("The link is valid for a day, and for ten minutes after its first use."),
            Part::Text(otherwise),
        ]);
        Mail::new(self.sender_site(), to, &subject, &parts)
    }

    /// Returns the mail to a member with a sign-in link.
    pub fn member_link(&self, to: &str, purpose: LinkPurpose, link: &str) -> Mail {
        let title = &self.title;
        let (subject, does, action) = match purpose {
            LinkPurpose::SignIn | LinkPurpose::UpdateEmail => (
                format!("Your link for signing in to {title}"),
                format!("Use this link to sign in to {title}:"),
                "Sign in",
            ),
            LinkPurpose::SignUp => (
                format!("You are a member of {title}"),
                format!("You are now a member of {title}. Use this link to sign in:"),
                "Sign in",
            ),
            LinkPurpose::Subscribe => (
                format!("You are subscribed to {title}"),
                format!("You were subscribed to {title}. Use this link to see your subscriptions:"),
                "See your subscriptions",
            ),
        };
        let parts = [
            Part::Text(&does),
            Part::Link(action, link),
            Part::Text("The link is valid for a day, and for ten minutes after its first use."),
            Part::Text("If you did not expect this mail, ignore it."),
        ];
        Mail::new(self.sender_site(), to, &subject, &parts)
    }

    /// Returns the mail that notifies an administrator of an outdated API client.
    pub fn outdated_client(&self, to: &str, client: &str, required_version: &str) -> Mail {
        let purpose = format!(
            "{client} requested something that this version of the API does not have. It declares \
             version {required_version}."
        );
        let parts = [
            Part::Text(&purpose),
            Part::Text(
                "It may not work as expected. Check whether a newer version exists. You receive this mail at most once a \
                 day.",
            ),
        ];
        let subject = format!("A client of {} is too old", self.title);
        Mail::new(self.sender_site(), to, &subject, &parts)
    }
}
