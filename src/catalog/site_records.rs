//! All records of a site except the bodies of posts.

use std::{collections::BTreeMap, sync::Arc};

use jiff::Timestamp;

use crate::{
    catalog::{
        changes::ChangeLog, emails::Emails, file_edits::FileEdits, key_index, members::MemberIndex,
        posts::PostIndex, records::Records, sessions::Sessions, webhooks::Webhooks,
    },
    domain::{
        UNDATED,
        file_reference::FileReference,
        identity_key::IdentityKey,
        label::Label,
        member::email_key,
        newsletter::Newsletter,
        offer::Offer,
        post::{Post, PostKind, Status, Visibility},
        recommendation::Recommendation,
        redirect::Redirects,
        role::Role,
        routes::Routes,
        secret::Secret,
        setting::Settings,
        tag::Tag,
        tier::Tier,
        user::User,
    },
    id::Id,
};

/// The state of a site after a commit.
#[derive(Clone, Default)]
pub struct Catalog {
    /// The number of the commit.
    pub revision: u64,
    /// The number of the last commit that changed anything visible to readers. Sign-ins, mail in
    /// transit and the audit log are not visible, so they do not invalidate cached responses.
    pub readers_revision: u64,
    /// The time at which the site was created; `None` if the site was created by a version that did
    /// not record it.
    pub began_at: Option<Timestamp>,
    /// The settings of the site.
    pub settings: Arc<Settings>,
    /// Posts and pages.
    pub posts: PostIndex,
    /// Tags.
    pub tags: Records<Tag>,
    /// Staff users.
    pub users: Records<User>,
    /// Tiers.
    pub tiers: Records<Tier>,
    /// Newsletters.
    pub newsletters: Records<Newsletter>,
    /// Recommendations of other sites.
    pub recommendations: Records<Recommendation>,
    /// Offers.
    pub offers: Records<Offer>,
    /// Members: no response to readers depends on them.
    pub members: MemberIndex,
    /// Emails of posts.
    pub emails: Emails,
    /// The secret that signs the URLs that members get by mail.
    pub member_secret: Option<Secret>,
    /// The secret with which a Ghost site signed these URLs, if it was imported.
    pub ghost_member_secret: Option<Secret>,
    /// The key that signs identity tokens of members; created on first use.
    pub identity_key: Option<Arc<IdentityKey>>,
    /// Labels of members.
    pub labels: Records<Label>,
    /// Redirects.
    pub redirects: Arc<Redirects>,
    /// Routes: the pages of the site and the paths of records.
    pub routes: Arc<Routes>,
    /// The image widths in pixels that the active theme declares, in ascending order.
    pub image_widths: Arc<[u32]>,
    /// Webhooks and their subscriptions.
    pub webhooks: Webhooks,
    /// The number of the last action.
    pub last_action: u64,
    /// The number of the last webhook delivery.
    pub last_webhook_delivery: u64,
    /// The change feed.
    pub changes: ChangeLog,
    /// Pending edits of content files.
    pub file_edits: FileEdits,
    /// Sessions of staff users.
    pub sessions: Sessions,
    pub(super) keys: key_index::Keys,
}

impl Catalog {
    /// Returns the number of posts with this tag that readers see; pages do not count (Ghost 6.65,
    /// recorded).
    pub fn tag_post_count(&self, tag: Id) -> usize {
        self.posts
            .with_tag(PostKind::Post, tag)
            .map_or(0, |listing| listing.len())
    }

    /// Returns the number of posts by this author that readers see; pages do not count.
    pub fn author_post_count(&self, author: Id) -> usize {
        self.posts
            .by_author(PostKind::Post, author)
            .map_or(0, |listing| listing.len())
    }

    /// Returns the user with this email address, ignoring case.
    pub fn user_by_email(&self, email: &str) -> Option<&Arc<User>> {
        let key = email_key(email);
        self.users.iter().find(|user| {
            let own = user.email.as_deref();
            own.is_some_and(|own| email_key(own) == key)
        })
    }

    /// Returns whether published content refers to the file at `path`, which is relative to
    /// `/content/`: posts and pages, tags, authors, newsletters, recommendations, redirects or the
    /// settings.
    pub fn refers_to_file(&self, path: &str) -> bool {
        let file = FileReference::to(path);
        self.posts.refers_to_file(file)
            || self.settings.refers_to_file(file)
            || self.tags.refers_to_file(file)
            || self.users.refers_to_file(file)
            || self.newsletters.refers_to_file(file)
            || self.recommendations.refers_to_file(file)
            || self.redirects.refers_to_file(file)
    }

    /// Returns the tiers whose members may read `post`. With the visibility `tiers`, these are the
    /// chosen tiers that are paid, in the chosen order; otherwise all tiers that the visibility
    /// admits, by creation date. Archived tiers are included, since they may still have members
    /// (Ghost 6.65, recorded).
    pub fn tiers_of_post(&self, post: &Post) -> Vec<&Tier> {
        let is_paid = |tier: &&Tier| tier.price.is_some();
        let all = || self.tiers.iter().map(AsRef::as_ref);
        let mut admitted: Vec<&Tier> = match post.visibility {
            Visibility::Tiers => {
                // A tier that was deleted since is left out by `all`.
                let chosen = self.tiers.all(&post.tiers).into_iter();
                return chosen.filter(is_paid).collect();
            }
            Visibility::Paid => all().filter(is_paid).collect(),
            Visibility::Public | Visibility::Members => all().collect(),
        };
        // Some identifiers are derived from slugs, so they are not in the order of creation.
        admitted.sort_by_key(|tier| tier.creation_order());
        admitted
    }

    /// Returns the tier of a complimentary plan without a named tier: the oldest active paid tier.
    pub fn default_paid_tier(&self) -> Option<&Arc<Tier>> {
        let tiers = self.tiers.iter();
        tiers
            .filter(|tier| tier.active && tier.price.is_some())
            .min_by_key(|tier| tier.creation_order())
    }

    /// Returns the time at which the site was created, or [`UNDATED`] if it is unknown.
    pub fn beginning(&self) -> Timestamp {
        self.began_at.unwrap_or(UNDATED)
    }

    /// Returns the owner of the site, if it has one.
    pub fn owner(&self) -> Option<&Arc<User>> {
        self.users.iter().find(|user| user.role == Role::Owner)
    }

    /// Returns the number of records of each kind, by the plural name of the kind.
    pub fn counts(&self) -> BTreeMap<String, usize> {
        let count = |matches: &dyn Fn(&Post) -> bool| {
            self.posts.iter().filter(|post| matches(post)).count()
        };
        let of_posts =
            |status: Status| count(&|post| post.kind == PostKind::Post && post.status == status);
        BTreeMap::from([
            ("posts published".to_owned(), of_posts(Status::Published)),
            ("posts scheduled".to_owned(), of_posts(Status::Scheduled)),
            ("posts in draft".to_owned(), of_posts(Status::Draft)),
            (
                "pages".to_owned(),
                count(&|post| post.kind == PostKind::Page),
            ),
            ("tags".to_owned(), self.tags.len()),
            ("authors".to_owned(), self.users.len()),
            ("tiers".to_owned(), self.tiers.len()),
            ("newsletters".to_owned(), self.newsletters.len()),
            ("integrations".to_owned(), self.integrations().count()),
            ("webhooks".to_owned(), self.webhooks.iter().count()),
        ])
    }
}
