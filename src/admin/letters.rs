//! What is written to those who come in: codes, links to set a password, and links for members.

use crate::domain::{
    invite::Invite,
    mail::{Letterhead, Mail, Part},
    member_link::LinkPurpose,
    password_reset::ResetToken,
    secret::Secret,
    session::Code,
};

/// Where a site is, for letters and the links in them.
#[derive(Clone, Debug)]
pub struct Place {
    /// What the site is called.
    pub title: String,
    /// The site's public address.
    pub url: String,
    /// The name or number of its host.
    pub host: String,
    /// Below which address the staff works, with a slash at the end: `https://example.com/ghost/`.
    pub staff_url: String,
}

impl Place {
    /// What stands on every letter from here.
    pub fn letterhead(&self) -> Letterhead<'_> {
        Letterhead {
            title: &self.title,
            url: &self.url,
            host: &self.host,
        }
    }

    /// The letter with the code that completes a sign-in.
    pub fn sign_in_code(&self, to: &str, code: &Code) -> Mail {
        let purpose = format!("This is your code for signing in to {}:", self.title);
        let parts = [
            Part::Text(&purpose),
            Part::Code(code.digits()),
            Part::Text(
                "It counts once, for five minutes, in the browser that you are signing in with.",
            ),
            Part::Text(
                "If you are not signing in at this moment, somebody knows your password. Set another one.",
            ),
        ];
        let subject = format!("Your code for signing in to {}", self.title);
        Mail::new(self.letterhead(), to, &subject, &parts)
    }

    /// The letter with the link with which a new password is set.
    pub fn password_reset(&self, to: &str, token: &ResetToken) -> Mail {
        let purpose = format!("With this link you set a new password at {}:", self.title);
        let link = format!("{}reset/{}/", self.staff_url, token.text());
        let parts = [
            Part::Text(&purpose),
            Part::Link("Set a new password", &link),
            Part::Text(
                "It counts once, and for a day. You are signed out everywhere when you use it.",
            ),
            Part::Text(
                "If you did not ask for it, there is nothing to do: your password stays as it is.",
            ),
        ];
        let subject = format!("Set a new password at {}", self.title);
        Mail::new(self.letterhead(), to, &subject, &parts)
    }

    /// The letter to who has to set a new password, with the link for it.
    pub fn locked(&self, to: &str, token: &ResetToken) -> Mail {
        let purpose = format!(
            "For the safety of {}, everybody who works there has to set a new password. With this link you do so:",
            self.title
        );
        let link = format!("{}reset/{}/", self.staff_url, token.text());
        let parts = [
            Part::Text(&purpose),
            Part::Link("Set a new password", &link),
            Part::Text("It counts once, and for a day."),
        ];
        let subject = format!("You have to set a new password at {}", self.title);
        Mail::new(self.letterhead(), to, &subject, &parts)
    }

    /// The letter with the link with which somebody joins the staff.
    pub fn invitation(&self, invite: &Invite, inviter: &str, secret: &Secret) -> Mail {
        let purpose = format!(
            "{inviter} invites you to work on {}. You will be: {}.",
            self.title,
            invite.role.name()
        );
        let link = format!("{}signup/{}/", self.staff_url, secret.text());
        let parts = [
            Part::Text(&purpose),
            Part::Link("Accept the invitation", &link),
            Part::Text("The link is good for a week, and counts once."),
            Part::Text("If you do not know what this is about, there is nothing to do."),
        ];
        let subject = format!("{inviter} invites you to {}", self.title);
        Mail::new(self.letterhead(), &invite.email, &subject, &parts)
    }

    /// The letter to a member with a link to come in.
    pub fn member_link(&self, to: &str, purpose: LinkPurpose, link: &str) -> Mail {
        let title = &self.title;
        let (subject, does, action) = match purpose {
            LinkPurpose::SignIn => (
                format!("Your link for signing in to {title}"),
                format!("With this link you sign in to {title}:"),
                "Sign in",
            ),
            LinkPurpose::SignUp => (
                format!("You are a member of {title}"),
                format!("You were made a member of {title}. With this link you come in:"),
                "Come in",
            ),
            LinkPurpose::Subscribe => (
                format!("You get mail from {title}"),
                format!("You were put down for mail from {title}. With this link you see it:"),
                "See what you get",
            ),
        };
        let parts = [
            Part::Text(&does),
            Part::Link(action, link),
            Part::Text("The link is good for a day."),
            Part::Text("If you do not know what this is about, there is nothing to do."),
        ];
        Mail::new(self.letterhead(), to, &subject, &parts)
    }

    /// The letter that tells an administrator that a client of the API is too old.
    pub fn outdated_client(&self, to: &str, client: &str, wanted: &str) -> Mail {
        let purpose = format!(
            "{client} asked for something that this version of the API does not have. It says that it is made for \
             version {wanted}."
        );
        let parts = [
            Part::Text(&purpose),
            Part::Text(
                "It may not work as it should. See whether there is a newer version of it. You are told this once a day \
                 at most.",
            ),
        ];
        let subject = format!("A client of {} is too old", self.title);
        Mail::new(self.letterhead(), to, &subject, &parts)
    }
}
