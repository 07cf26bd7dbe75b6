//! The message templates of an email. They are rendered once for each kind of reader and stored, so that
//! all recipients get the same content, regardless of how long sending takes and how often it is
//! interrupted.

use jiff::Timestamp;
use lettre::Message;
use serde::{Deserialize, Serialize};

use super::{PublicUrls, subscription::SubscriptionTexts};
use crate::{
    delivery::{
        envelope::Envelope,
        mail::{
            SenderOption,
            message::{self, MessageError},
        },
        post_message::{self, RenderContext},
    },
    domain::{
        mail::{Mail, SenderSite},
        member::{Member, Status},
        member_link::{MemberLinks, account_url, unsubscribe_key},
        newsletter::Newsletter,
        post::{Post, Visibility},
        post_email::PostEmail,
    },
    error::Result,
    id::Id,
    render::{
        mail::{Recipient, RenderedMail, Template},
        paywall::Reader,
    },
    site::SiteSnapshot,
};

/// Maximum length of a message, HTML and text together, in bytes: mail servers accept only a few times
/// as much, and mail programs show much less.
pub const MESSAGE_BYTES_MAX: usize = 8 << 20;

/// The stored message templates of an email.
#[derive(Serialize, Deserialize)]
pub struct StoredTemplates {
    envelope: Envelope,
    newsletter: Newsletter,
    /// If the post is for certain tiers: the tiers whose members may read all of it.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    tiers: Option<Vec<Id>>,
    paying: RenderedMessage,
    /// The version for members who do not pay, if it differs.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    free: Option<RenderedMessage>,
}

#[derive(PartialEq, Serialize, Deserialize)]
struct RenderedMessage {
    html: String,
    text: String,
}

/// The message templates of an email, ready to be filled with the values of recipients.
pub struct MessageTemplates {
    envelope: Envelope,
    newsletter: Newsletter,
    tiers: Option<Vec<Id>>,
    paying: RenderedMail,
    free: Option<RenderedMail>,
}

/// The values of a recipient that the message contains or depends on.
pub struct RecipientValues {
    identifier: String,
    date: Timestamp,
    reader: Reader,
    name: String,
    email: String,
    uuid: String,
    subscription: SubscriptionTexts,
    created_at: String,
    unsubscribe_url: String,
    account_url: String,
    key: String,
}

impl StoredTemplates {
    /// Renders a post for the subscribers of a newsletter.
    ///
    /// # Errors
    ///
    /// If the store cannot be read.
    pub fn of(
        snapshot: &SiteSnapshot,
        post: &Post,
        newsletter: &Newsletter,
        public_urls: &dyn PublicUrls,
        now: Timestamp,
    ) -> Result<Self> {
        let settings = &snapshot.catalog.settings;
        let site = public_urls.site(settings);
        let surroundings = RenderContext {
            site: &site,
            post_url: &public_urls.post(&snapshot.catalog, post),
            now,
        };
        let templates = |reader| -> Result<RenderedMessage> {
            let message = post_message::of_post(snapshot, post, newsletter, reader, &surroundings)?;
            Ok(RenderedMessage {
                html: message.html.written().to_owned(),
                text: message.text.written().to_owned(),
            })
        };
        let paying = templates(Reader::Paying)?;
        let free = templates(Reader::Free)?;
        let title = settings.text("title").unwrap_or_default();
        let sender_site = SenderSite {
            title: &title,
            url: site.as_str(),
            host: site.host_str().unwrap_or_default(),
            ..SenderSite::default()
        };
        Ok(Self {
            envelope: Envelope::of(newsletter, settings, sender_site, post.email_subject()),
            newsletter: newsletter.clone(),
            tiers: (post.visibility == Visibility::Tiers).then(|| post.tiers.clone()),
            // Most posts have no paywall, and a message can have megabytes, so an equal version is not
            // stored.
            free: (free != paying).then_some(free),
            paying,
        })
    }

    /// Returns the length of the longest message, in bytes.
    pub fn bytes(&self) -> usize {
        let templates = [Some(&self.paying), self.free.as_ref()]
            .into_iter()
            .flatten();
        let lengths = templates.map(|template| template.html.len() + template.text.len());
        lengths.max().unwrap_or_default()
    }

    /// Returns the sender of the messages and the reply address, if that differs.
    ///
    /// # Errors
    ///
    /// If an email address is invalid.
    pub fn origin(
        &self,
        operator: Option<&SenderOption>,
    ) -> Result<(String, Option<String>), MessageError> {
        let empty = || RenderedMessage {
            html: String::new(),
            text: String::new(),
        };
        // The sender does not depend on the recipient or the content, which may be long.
        let blank = self.envelope.mail(&empty().ready(), &Recipient::default());
        message::origin(&blank, operator)
    }

    /// Returns the templates ready to be filled with the values of recipients.
    pub fn ready(self) -> MessageTemplates {
        MessageTemplates {
            envelope: self.envelope,
            newsletter: self.newsletter,
            tiers: self.tiers,
            paying: self.paying.ready(),
            free: self.free.map(RenderedMessage::ready),
        }
    }
}

impl RenderedMessage {
    fn ready(self) -> RenderedMail {
        RenderedMail {
            html: Template::of_html(self.html),
            text: Template::of_text(self.text),
        }
    }
}

impl MessageTemplates {
    /// Returns the values for a member in `snapshot` at `now`. The identifier of the mail to a member is
    /// always the same, so that a repeated mail is recognised.
    pub fn recipient_values(
        &self,
        snapshot: &SiteSnapshot,
        email: &PostEmail,
        member: &Member,
        public_urls: &dyn PublicUrls,
        now: Timestamp,
    ) -> RecipientValues {
        // Without expired tiers, which the scheduler may not have removed yet.
        let member = &*member.at(now);
        let settings = &snapshot.catalog.settings;
        let site = public_urls.site(settings);
        let secret = snapshot.catalog.member_secret.as_ref();
        let base = site.as_str().trim_end_matches('/');
        let links = secret.map(|secret| MemberLinks { base, secret });
        let key = secret.map(|secret| unsubscribe_key(secret, member.uuid).to_hexadecimal());
        let since = member.created_at.to_zoned(settings.time_zone());
        let unsubscribe_url = links.map(|links| links.unsubscribe_from(member, &self.newsletter));
        RecipientValues {
            identifier: format!("{}.{}", email.id, member.id),
            // Not the time of sending, so that a repeated mail is identical.
            date: email.created_at,
            reader: self.reader(member),
            name: member.name.as_deref().unwrap_or_default().to_owned(),
            email: member.email.to_string(),
            uuid: member.uuid.to_string(),
            subscription: SubscriptionTexts::of(member, settings),
            created_at: settings.reader_texts().long_date(since.date()),
            unsubscribe_url: unsubscribe_url.unwrap_or_default(),
            account_url: account_url(base),
            key: key.unwrap_or_default(),
        }
    }

    /// Returns the kind of reader that a member is. A post for certain tiers is complete for members
    /// with one of them.
    fn reader(&self, member: &Member) -> Reader {
        let mut tiers_had = member.tiers.iter().map(|grant| grant.tier);
        let may_read = match &self.tiers {
            Some(tiers) => tiers_had.any(|tier| tiers.contains(&tier)),
            None => member.status() != Status::Free,
        };
        if may_read {
            Reader::Paying
        } else {
            Reader::Free
        }
    }

    /// Returns the message to one recipient.
    ///
    /// # Errors
    ///
    /// If the recipient's address is invalid.
    pub fn message(
        &self,
        recipient_values: &RecipientValues,
        operator: Option<&SenderOption>,
    ) -> Result<Message, MessageError> {
        let message = match (recipient_values.reader, &self.free) {
            (Reader::Free, Some(free)) => free,
            _ => &self.paying,
        };
        let mail: Mail = self.envelope.mail(message, &recipient_values.values());
        message::of(
            &mail,
            &recipient_values.identifier,
            recipient_values.date,
            operator,
        )
    }
}

impl RecipientValues {
    fn values(&self) -> Recipient<'_> {
        Recipient {
            name: &self.name,
            email: &self.email,
            uuid: &self.uuid,
            status: &self.subscription.status,
            status_text: &self.subscription.end,
            created_at: &self.created_at,
            unsubscribe_url: &self.unsubscribe_url,
            manage_account_url: &self.account_url,
            key: &self.key,
            unique_id: &self.identifier,
        }
    }
}
