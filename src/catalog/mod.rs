//! The read model: an immutable index of the whole site, replaced as a whole after each commit.
//!
//! It holds everything that the lists, filters and orders of readers and staff need, and no bodies of posts, which stay in
//! the store. Its parts are persistent maps: a copy costs nothing, and a change copies only the path to what changed. So a
//! transaction works on a copy of its own while readers go on with theirs. Nothing in here waits, and nothing in here writes.

pub mod arranged;
pub mod browse;
pub mod changes;
pub mod comparison;
mod counts;
pub mod emails;
pub mod fields;
pub mod filter;
mod keys;
pub mod members;
pub mod order;
pub mod posts;
pub mod recipients;
pub mod records;
pub mod relation;
pub mod sessions;
pub mod shown;
mod uses;
pub mod value;
pub mod webhooks;

use std::sync::Arc;

use changes::ChangeLog;
use emails::Emails;
use jiff::Timestamp;
pub use keys::{KeyHolder, KeyUse};
use members::MemberIndex;
use posts::PostIndex;
use records::Records;
use sessions::Sessions;
use webhooks::Webhooks;

use crate::{
    domain::{
        UNDATED,
        file_reference::FileReference,
        label::Label,
        newsletter::Newsletter,
        offer::Offer,
        post::{Post, PostKind, Visibility},
        recommendation::Recommendation,
        redirect::Redirects,
        role::Role,
        secret::Secret,
        setting::Settings,
        tag::Tag,
        tier::Tier,
        user::User,
    },
    id::Id,
};

/// A site as it was after one commit.
#[derive(Clone, Default)]
pub struct Catalog {
    /// Number of the commit that it shows.
    pub revision: u64,
    /// Number of the commit that last changed anything that readers may see. Sign-ins, mails on their way and the list of
    /// what was done are not of that kind, so they make no reader's answer stale.
    pub readers_revision: u64,
    /// When the site began; `None` in the store of a version that did not record it.
    pub began_at: Option<Timestamp>,
    /// What is said about the whole site.
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
    /// Other sites that are recommended.
    pub recommendations: Records<Recommendation>,
    /// Offers.
    pub offers: Records<Offer>,
    /// Members: nothing that readers are answered depends on them.
    pub members: MemberIndex,
    /// Posts that went out by mail or are on their way.
    pub emails: Emails,
    /// What the addresses that members get by mail are signed with.
    pub member_secret: Option<Secret>,
    /// Labels of members.
    pub labels: Records<Label>,
    /// Addresses that lead elsewhere.
    pub redirects: Arc<Redirects>,
    /// The widths in pixels that the active theme names for pictures, in ascending order.
    pub image_widths: Arc<[u32]>,
    /// Who is told what.
    pub webhooks: Webhooks,
    /// The number of what was done last.
    pub last_action: u64,
    /// The number of what a webhook is to be told last.
    pub last_webhook_delivery: u64,
    /// What readers see otherwise, as the change feed tells it.
    pub changes: ChangeLog,
    /// Who of the staff is signed in where.
    pub sessions: Sessions,
    keys: keys::Keys,
}

impl Catalog {
    /// Posts that readers see under this tag; pages do not count (Ghost 6.65, recorded).
    pub fn tag_post_count(&self, tag: Id) -> usize {
        self.posts
            .with_tag(PostKind::Post, tag)
            .map_or(0, |listing| listing.len())
    }

    /// Posts that readers see by this author; pages do not count.
    pub fn author_post_count(&self, author: Id) -> usize {
        self.posts
            .by_author(PostKind::Post, author)
            .map_or(0, |listing| listing.len())
    }

    /// The user with this e-mail address, in whatever case.
    pub fn user_by_email(&self, email: &str) -> Option<&Arc<User>> {
        let wanted = email.trim().to_lowercase();
        self.users.iter().find(|user| {
            let own = user.email.as_deref();
            own.is_some_and(|own| own.to_lowercase() == wanted)
        })
    }

    /// Whether what is published refers to the file at `path`, which is relative to `/content/`: posts and pages, tags,
    /// authors, newsletters, recommendations, redirects or the settings.
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

    /// Returns the tiers whose members may read `post`: the paid ones that were chosen for it, in the order of the choice,
    /// or else all that its visibility admits, as they were made. An archived tier keeps its members, so it is among them
    /// (Ghost 6.65, recorded).
    pub fn tiers_of_post(&self, post: &Post) -> Vec<&Tier> {
        let is_paid = |tier: &&Tier| tier.price.is_some();
        let all = || self.tiers.iter().map(AsRef::as_ref);
        let mut admitted: Vec<&Tier> = match post.visibility {
            Visibility::Tiers => {
                let chosen = self.tiers.all(&post.tiers).into_iter();
                return chosen.filter(is_paid).collect();
            }
            Visibility::Paid => all().filter(is_paid).collect(),
            Visibility::Public | Visibility::Members => all().collect(),
        };
        admitted.sort_by_key(|tier| tier.order_of_making());
        admitted
    }

    /// Returns when the site began.
    pub fn beginning(&self) -> Timestamp {
        self.began_at.unwrap_or(UNDATED)
    }

    /// The owner of the site, when it has one.
    pub fn owner(&self) -> Option<&Arc<User>> {
        self.users.iter().find(|user| user.role == Role::Owner)
    }
}
