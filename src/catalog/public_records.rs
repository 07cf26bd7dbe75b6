//! The records that readers see, as the change feed reports them.
//!
//! The rules are those of the lists of the Content API: a record is shown if it is in one of them.

use jiff::Timestamp;

use super::Catalog;
use crate::{
    domain::{
        change::{ChangedRecord, Resource},
        newsletter::Newsletter,
        post::{Post, PostKind},
        recommendation::Recommendation,
        record::Slugged,
        tag::Tag,
        tier::Tier,
        user::User,
    },
    id::Id,
};

/// A record that readers see.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct PublicRecord<'a> {
    /// The kind and the identifier.
    pub subject: ChangedRecord,
    /// The slug of the record, if it has one.
    pub slug: Option<&'a str>,
    /// True if the record has a page on the site.
    pub has_page: bool,
    /// Time of the last change; `None` for tags and authors, where it is private.
    pub updated_at: Option<Timestamp>,
}

impl Catalog {
    /// Returns the record if readers see it.
    pub fn shown(&self, subject: ChangedRecord) -> Option<PublicRecord<'_>> {
        let ChangedRecord { resource, id } = subject;
        match resource {
            Resource::Posts => self.posts.get(id).and_then(|post| posts(post)),
            Resource::Pages => self.posts.get(id).and_then(|page| pages(page)),
            Resource::Tags => self.tags.get(id).and_then(|tag| self.shown_tag(tag)),
            Resource::Authors => self.users.get(id).and_then(|user| self.shown_author(user)),
            Resource::Tiers => self.tiers.get(id).and_then(|tier| shown_tier(tier)),
            Resource::Newsletters => {
                let newsletter = self.newsletters.get(id);
                newsletter.and_then(|newsletter| shown_newsletter(newsletter))
            }
            Resource::Recommendations => {
                let recommendation = self.recommendations.get(id);
                recommendation.map(|recommendation| shown_recommendation(recommendation))
            }
            Resource::Settings => (subject == ChangedRecord::SETTINGS).then_some(SETTINGS),
        }
    }

    /// Returns all records of a kind that readers see, from this identifier on, by ascending
    /// identifier.
    pub fn all_public(
        &self,
        resource: Resource,
        from: Id,
    ) -> Box<dyn Iterator<Item = PublicRecord<'_>> + '_> {
        match resource {
            Resource::Posts => Box::new(self.posts.from(from).filter_map(|post| posts(post))),
            Resource::Pages => Box::new(self.posts.from(from).filter_map(|page| pages(page))),
            Resource::Tags => Box::new(self.tags.from(from).filter_map(|tag| self.shown_tag(tag))),
            Resource::Authors => {
                let authors = self.users.from(from);
                Box::new(authors.filter_map(|user| self.shown_author(user)))
            }
            Resource::Tiers => Box::new(self.tiers.from(from).filter_map(|tier| shown_tier(tier))),
            Resource::Newsletters => {
                let newsletters = self.newsletters.from(from);
                Box::new(newsletters.filter_map(|newsletter| shown_newsletter(newsletter)))
            }
            Resource::Recommendations => {
                let recommendations = self.recommendations.from(from);
                Box::new(recommendations.map(|recommendation| shown_recommendation(recommendation)))
            }
            // The settings have the smallest identifier, so every other start is behind them.
            Resource::Settings => Box::new((from == Id::MIN).then_some(SETTINGS).into_iter()),
        }
    }

    /// Returns whether readers see a record of this kind with this slug. Posts and pages share one
    /// namespace of slugs.
    pub fn is_slug_public(&self, resource: Resource, slug: &str) -> bool {
        match resource {
            Resource::Posts | Resource::Pages => {
                let found = self.posts.by_slug(slug);
                found.is_some_and(|post| post.is_listed())
            }
            Resource::Tags => {
                let found = self.tags.by_slug(slug);
                found.is_some_and(|tag| self.shown_tag(tag).is_some())
            }
            Resource::Authors => {
                let found = self.users.by_slug(slug);
                found.is_some_and(|user| self.shown_author(user).is_some())
            }
            Resource::Tiers => {
                let found = self.tiers.by_slug(slug);
                found.is_some_and(|tier| shown_tier(tier).is_some())
            }
            Resource::Newsletters => {
                let found = self.newsletters.by_slug(slug);
                found.is_some_and(|newsletter| shown_newsletter(newsletter).is_some())
            }
            Resource::Recommendations | Resource::Settings => false,
        }
    }

    fn shown_tag<'a>(&self, tag: &'a Tag) -> Option<PublicRecord<'a>> {
        // The Content API lists only tags and authors with posts (Ghost 6.65, recorded). Internal
        // tags have no page.
        (self.tag_post_count(tag.id) > 0).then(|| shown(Resource::Tags, tag, !tag.internal, None))
    }

    fn shown_author<'a>(&self, user: &'a User) -> Option<PublicRecord<'a>> {
        (self.author_post_count(user.id) > 0).then(|| shown(Resource::Authors, user, true, None))
    }
}

const SETTINGS: PublicRecord<'static> = PublicRecord {
    subject: ChangedRecord::SETTINGS,
    slug: None,
    has_page: false,
    updated_at: None,
};

fn posts(post: &Post) -> Option<PublicRecord<'_>> {
    shown_post(post, PostKind::Post, Resource::Posts)
}

fn pages(page: &Post) -> Option<PublicRecord<'_>> {
    shown_post(page, PostKind::Page, Resource::Pages)
}

fn shown_post(post: &Post, kind: PostKind, resource: Resource) -> Option<PublicRecord<'_>> {
    (post.kind == kind && post.is_listed()).then_some(PublicRecord {
        subject: ChangedRecord {
            resource,
            id: post.id,
        },
        slug: Some(&post.slug),
        has_page: true,
        updated_at: Some(post.updated_at),
    })
}

fn shown_tier(tier: &Tier) -> Option<PublicRecord<'_>> {
    (tier.active && tier.public).then(|| {
        let changed = tier.updated_at.unwrap_or(tier.created_at);
        shown(Resource::Tiers, tier, false, Some(changed))
    })
}

fn shown_newsletter(newsletter: &Newsletter) -> Option<PublicRecord<'_>> {
    newsletter.active.then(|| {
        let changed = Some(newsletter.updated_at);
        shown(Resource::Newsletters, newsletter, false, changed)
    })
}

/// Returns a recommendation without a slug, since its slug in the catalog is its URL.
fn shown_recommendation(recommendation: &Recommendation) -> PublicRecord<'_> {
    let changed = Some(recommendation.updated_at);
    PublicRecord {
        slug: None,
        ..shown(Resource::Recommendations, recommendation, false, changed)
    }
}

fn shown<R: Slugged>(
    resource: Resource,
    record: &R,
    has_page: bool,
    updated_at: Option<Timestamp>,
) -> PublicRecord<'_> {
    PublicRecord {
        subject: ChangedRecord {
            resource,
            id: record.id(),
        },
        slug: Some(record.slug()),
        has_page,
        updated_at,
    }
}
