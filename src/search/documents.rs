//! The versions of a post that readers see. Each different version is a document in the index.

use std::borrow::Cow;

use super::{
    analysis::{Analyzer, Word},
    postings::Field,
};
use crate::{
    catalog::Catalog,
    domain::{
        post::{Post, Visibility},
        reading_member::ReadingMember,
    },
    id::Id,
    render::{
        paywall::{self, PublicForm, Reader},
        search_text,
    },
};

/// The person who performs a search.
#[derive(Clone, Debug)]
pub enum Searcher {
    /// An anonymous reader.
    Anonymous,
    /// A member.
    Member(ReadingMember),
    /// A staff member, who sees drafts and the whole of each post.
    Staff,
}

/// The access levels of readers, from lowest to highest.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub enum AccessLevel {
    /// Anonymous readers.
    Anonymous,
    /// Members without paid access.
    Free,
    /// Members with paid access, regardless of their tiers.
    Paying,
    /// Staff.
    Staff,
}

impl AccessLevel {
    /// The number of levels.
    pub const COUNT: usize = Self::Staff as usize + 1;

    /// Returns the access level of a searcher.
    pub fn of(searcher: &Searcher) -> Self {
        match searcher {
            Searcher::Anonymous => Self::Anonymous,
            Searcher::Member(member) => match member.level() {
                Reader::Free => Self::Free,
                Reader::Paying => Self::Paying,
            },
            Searcher::Staff => Self::Staff,
        }
    }
}

/// A set of groups of readers. Each reader of a post belongs to one group, and the readers in a group see the same part of the
/// post.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, PartialOrd, Ord)]
pub struct Readers(u8);

impl Readers {
    /// Anonymous readers.
    pub const ANONYMOUS: Self = Self(1);
    /// Members without paid access.
    const FREE: Self = Self(1 << 1);
    /// Members with paid access and at least one of the post's tiers.
    const WITH_TIER: Self = Self(1 << 2);
    /// Members with paid access and none of the post's tiers.
    const WITHOUT_TIER: Self = Self(1 << 3);
    /// Staff.
    const STAFF: Self = Self(1 << 4);

    /// All groups, those that see most of a post first.
    const GROUPS: [Self; 5] = [
        Self::STAFF,
        Self::WITH_TIER,
        Self::WITHOUT_TIER,
        Self::FREE,
        Self::ANONYMOUS,
    ];

    /// Returns the group of a searcher for a post with these tiers.
    pub fn of(searcher: &Searcher, tiers: &[Id]) -> Self {
        match searcher {
            Searcher::Anonymous => Self::ANONYMOUS,
            Searcher::Staff => Self::STAFF,
            Searcher::Member(member) => match member.level() {
                Reader::Free => Self::FREE,
                Reader::Paying if member.has_one_of(tiers) => Self::WITH_TIER,
                Reader::Paying => Self::WITHOUT_TIER,
            },
        }
    }

    fn with(self, others: Self) -> Self {
        Self(self.0 | others.0)
    }

    /// Returns whether the set includes all of `others`.
    pub fn contains(self, others: Self) -> bool {
        self.0 & others.0 == others.0
    }

    /// Returns whether the set depends on the tiers of members.
    pub fn depend_on_tiers(self) -> bool {
        self.contains(Self::WITH_TIER) != self.contains(Self::WITHOUT_TIER)
    }

    /// Returns the lowest access level of the readers in the set.
    pub fn lowest_level(self) -> AccessLevel {
        if self.contains(Self::ANONYMOUS) {
            AccessLevel::Anonymous
        } else if self.contains(Self::FREE) {
            AccessLevel::Free
        } else if self.contains(Self::WITH_TIER) || self.contains(Self::WITHOUT_TIER) {
            AccessLevel::Paying
        } else {
            AccessLevel::Staff
        }
    }
}

/// A version of a post's text, with its readers.
#[derive(Debug)]
pub struct TextVersion {
    /// The text.
    pub text: String,
    /// The readers who see this version.
    pub readers: Readers,
}

/// Returns the versions of a post, given its body as HTML in stored form. Each reader sees at most one version.
pub fn versions(post: &Post, html: &str) -> Vec<TextVersion> {
    let mut versions: Vec<(Cow<str>, TextVersion)> = Vec::new();
    for readers in Readers::GROUPS {
        let Some(visible) = visible_part(post, html, readers) else {
            continue;
        };
        let mut known = versions.iter_mut();
        if let Some((_, version)) = known.find(|(known, _)| *known == visible) {
            version.readers = version.readers.with(readers);
            continue;
        }
        let text = search_text::from_html(&visible);
        // Different HTML may have the same text, for instance if only a button is gated.
        let mut known = versions.iter_mut();
        match known.find(|(_, version)| version.text == text) {
            Some((_, version)) => version.readers = version.readers.with(readers),
            None => versions.push((visible, TextVersion { text, readers })),
        }
    }
    versions.into_iter().map(|(_, version)| version).collect()
}

/// Returns the part of a body that a group of readers sees; `None` if they do not see the post.
fn visible_part<'h>(post: &Post, html: &'h str, group: Readers) -> Option<Cow<'h, str>> {
    if group == Readers::STAFF {
        return Some(Cow::Borrowed(html));
    }
    if !post.is_listed() {
        return None;
    }
    // The groups follow the rules of the Content API, so that a search finds exactly what its
    // reader can read there.
    let is_for_paying = matches!(post.visibility, Visibility::Paid | Visibility::Tiers);
    Some(match group {
        Readers::FREE => paywall::visible_to(html, Reader::Free, is_for_paying),
        Readers::WITH_TIER => paywall::visible_to(html, Reader::Paying, false),
        Readers::WITHOUT_TIER => {
            let is_cut = post.visibility == Visibility::Tiers;
            paywall::visible_to(html, Reader::Paying, is_cut)
        }
        _ => match paywall::public_form(html, post.is_gated()) {
            PublicForm::Whole => Cow::Borrowed(html),
            PublicForm::Part(part) => part,
            PublicForm::Nothing => Cow::Borrowed(""),
        },
    })
}

/// Returns the text of a post that a group of readers sees.
pub fn text_for(post: &Post, html: &str, group: Readers) -> String {
    let visible = visible_part(post, html, group);
    visible.map_or_else(String::new, |visible| search_text::from_html(&visible))
}

/// Returns the analyzer for the texts of a post: for the language in an internal tag, else for the language of the site.
pub fn analyzer_of(catalog: &Catalog, post: &Post, of_site: Analyzer) -> Analyzer {
    let tags = post.tags.iter().filter_map(|id| catalog.tags.get(*id));
    // Only the first tag that names a language counts.
    let mut internal = tags.filter(|tag| tag.internal);
    let named = internal.find_map(|tag| Analyzer::for_tag(&tag.name));
    named.unwrap_or(of_site)
}

/// Visits the words of the title, the tags, the authors and the custom excerpt.
pub fn each_word_outside_body(
    analyzer: Analyzer,
    catalog: &Catalog,
    post: &Post,
    mut visit: impl FnMut(Word, Field),
) {
    let mut add = |text: &str, field| analyzer.each_word(text, |word| visit(word, field));
    add(&post.title, Field::Title);
    // The excerpt of a gated post without a paywall is not public.
    if let Some(excerpt) = super::shown_excerpt::shown_excerpt(post) {
        add(excerpt, Field::Excerpt);
    }
    for tag in catalog.tags.all(&post.tags) {
        if !tag.internal {
            add(&tag.name, Field::Tag);
        }
    }
    for author in catalog.users.all(&post.authors) {
        add(&author.name, Field::Author);
    }
}
