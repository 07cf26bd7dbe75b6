//! Previews of a post as an email, and test emails (rules as recorded and observed with Ghost
//! 6.65).

use std::sync::Arc;

use jiff::Timestamp;
use url::Url;

use super::auth_mails::MailSite;
use crate::{
    delivery::{
        envelope::Envelope,
        post_message::{self, RenderContext},
    },
    domain::{
        email,
        member_link::account_url,
        newsletter::{DEFAULT_SLUG, Newsletter},
        post::Post,
    },
    error::{Error, Kind, Result},
    id::Id,
    render::{
        mail::{Recipient, RenderedMail},
        paywall::Reader,
    },
    site::{Site, SiteSnapshot},
};

/// Maximum number of recipients of a test email.
pub const TEST_RECIPIENTS_MAX: usize = 1;

/// Longest subject, in characters (Ghost 6.65, recorded: `email_subject`).
const SUBJECT_CHARACTERS_MAX: usize = 300;

/// Prefix of the subject of a test email, which distinguishes it from the newsletter (Ghost 6.65,
/// observed).
const TEST_MARK: &str = "[TEST]";

/// The requested preview.
#[derive(Debug, Default)]
pub struct PreviewRequest<'a> {
    /// The post or page.
    pub post: Option<Id>,
    /// The slug of the newsletter; by default the post's newsletter, or the first one.
    pub newsletter: Option<&'a str>,
    /// The segment of recipients: a filter that separates paying members from others.
    pub segment: Option<&'a str>,
}

/// The URLs of a site and its posts.
pub struct PreviewUrls<'a> {
    /// The site's public URL.
    pub site: &'a Url,
    /// Returns the URL of a post.
    pub post: &'a dyn Fn(&Post) -> String,
}

/// A post as an email to a sample recipient.
#[derive(Debug)]
pub struct Preview {
    /// The subject.
    pub subject: String,
    /// The HTML version.
    pub html: String,
    /// The plain-text version.
    pub plaintext: String,
}

/// Renders a post as an email.
///
/// # Errors
///
/// `NotFound` if there is no such post or newsletter, `Validation` for an unknown segment.
pub fn preview(
    site: &Site,
    requested: &PreviewRequest,
    public_urls: &PreviewUrls,
) -> Result<Preview> {
    let snapshot = site.current();
    let rendered = RenderedPost::of(&snapshot, site, requested, public_urls)?;
    let recipient = SampleRecipient::of(
        &snapshot,
        site.now(),
        public_urls,
        rendered.reader,
        ("", ""),
    );
    Ok(Preview {
        subject: rendered.post.email_subject().to_owned(),
        html: rendered.message.html.filled(&recipient.values()),
        plaintext: rendered.message.text.filled(&recipient.values()),
    })
}

/// Sends a post as a test email to these addresses, with the envelope of the newsletter. `subject`
/// defaults to the subject of the post.
///
/// # Errors
///
/// `Validation` if there is no address, too many, or an invalid one, and for a subject that is too
/// long; otherwise as [`preview`].
pub fn send_test(
    site: &Site,
    requested: &PreviewRequest,
    public_urls: &PreviewUrls,
    mail_site: &MailSite,
    addresses: &[&str],
    subject: Option<&str>,
) -> Result<()> {
    if addresses.is_empty() || addresses.len() > TEST_RECIPIENTS_MAX {
        return Err(Error::new(
            Kind::Validation,
            format!(
                "A test e-mail is sent to exactly one address; the request has {}.",
                addresses.len()
            ),
        ));
    }
    if let Some(address) = addresses.iter().find(|address| !email::is_address(address)) {
        return Err(Error::new(
            Kind::Validation,
            format!("\"{address}\" is not an e-mail address."),
        ));
    }
    let snapshot = site.current();
    // Rendered outside the transaction, which blocks other changes.
    let rendered = RenderedPost::of(&snapshot, site, requested, public_urls)?;
    let subject = subject.unwrap_or_else(|| rendered.post.email_subject());
    if subject.chars().count() > SUBJECT_CHARACTERS_MAX {
        return Err(Error::new(
            Kind::Validation,
            format!("The subject of a mail must have at most {SUBJECT_CHARACTERS_MAX} characters."),
        ));
    }
    let envelope = Envelope::of(
        &rendered.newsletter,
        &snapshot.catalog.settings,
        mail_site.sender_site(),
        &format!("{TEST_MARK} {subject}"),
    );
    site.write(|transaction| {
        for address in addresses {
            let member = snapshot.catalog.members.by_email(address);
            let name = member.and_then(|member| member.name.as_deref());
            let recipient = SampleRecipient::of(
                &snapshot,
                site.now(),
                public_urls,
                rendered.reader,
                (name.unwrap_or_default(), address),
            );
            transaction.send_mail(envelope.mail(&rendered.message, &recipient.values()))?;
        }
        Ok(())
    })
}

/// A rendered message with its post and newsletter.
struct RenderedPost {
    post: Arc<Post>,
    newsletter: Arc<Newsletter>,
    reader: Reader,
    message: RenderedMail,
}

impl RenderedPost {
    fn of(
        snapshot: &SiteSnapshot,
        site: &Site,
        requested: &PreviewRequest,
        public_urls: &PreviewUrls,
    ) -> Result<Self> {
        let posts = &snapshot.catalog.posts;
        let post = requested.post.and_then(|id| posts.get(id)).cloned();
        let post = post.ok_or_else(|| Error::not_found("post"))?;
        let newsletter = newsletter(snapshot, &post, requested.newsletter)?;
        let reader = match requested.segment {
            None => Reader::Paying,
            Some(segment) => Reader::from_filter(segment).ok_or_else(|| {
                Error::new(
                    Kind::Validation,
                    format!("\"{segment}\" is not a segment; use status:free or status:-free."),
                )
            })?,
        };
        let context = RenderContext {
            site: public_urls.site,
            post_url: &(public_urls.post)(&post),
            now: site.now(),
        };
        let message = post_message::of_post(snapshot, &post, &newsletter, reader, &context)?;
        Ok(Self {
            post,
            newsletter,
            reader,
            message,
        })
    }
}

/// Returns the named newsletter, the post's newsletter, or the first active one.
fn newsletter(snapshot: &SiteSnapshot, post: &Post, slug: Option<&str>) -> Result<Arc<Newsletter>> {
    let newsletters = &snapshot.catalog.newsletters;
    if let Some(slug) = slug {
        let named = newsletters.with_slug(slug).next().cloned();
        return named.ok_or_else(|| Error::not_found("newsletter"));
    }
    let own = post.newsletter.and_then(|id| newsletters.get(id));
    let first = newsletters
        .iter()
        .filter(|newsletter| newsletter.active)
        // The order in which Ghost 6.65 lists newsletters (recorded).
        .min_by_key(|newsletter| (newsletter.sort_order, newsletter.created_at, newsletter.id));
    // A site may have archived all newsletters; its posts can still be previewed.
    Ok(own.or(first).cloned().unwrap_or_else(|| {
        let title = snapshot.catalog.settings.text("title").unwrap_or_default();
        Arc::new(Newsletter::new(DEFAULT_SLUG, &title))
    }))
}

/// A sample recipient, for values that depend on the recipient.
struct SampleRecipient {
    name: String,
    email: String,
    status: String,
    created_at: String,
    unsubscribe_url: String,
    account_url: String,
}

impl SampleRecipient {
    fn of(
        snapshot: &SiteSnapshot,
        now: Timestamp,
        public_urls: &PreviewUrls,
        reader: Reader,
        (name, email): (&str, &str),
    ) -> Self {
        let or = |text: &str, example: &str| match text {
            "" => example.to_owned(),
            text => text.to_owned(),
        };
        let settings = &snapshot.catalog.settings;
        let today = now.to_zoned(settings.time_zone());
        let base = public_urls.site.as_str().trim_end_matches('/');
        let status = match reader {
            Reader::Paying => "paid",
            _ => "free",
        };
        Self {
            name: or(name, "Jamie Example"),
            email: or(email, "jamie@example.com"),
            created_at: settings.reader_texts().long_date(today.date()),
            status: settings.reader_texts().text(status).to_owned(),
            unsubscribe_url: format!("{base}/unsubscribe/?preview=1"),
            account_url: account_url(base),
        }
    }

    fn values(&self) -> Recipient<'_> {
        Recipient {
            name: &self.name,
            email: &self.email,
            uuid: "00000000-0000-4000-8000-000000000000",
            status: &self.status,
            status_text: "",
            created_at: &self.created_at,
            unsubscribe_url: &self.unsubscribe_url,
            manage_account_url: &self.account_url,
            key: "",
            unique_id: "preview",
        }
    }
}
