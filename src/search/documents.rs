//! What of a post its readers see: each different version is a document of the index.

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
    render::{
        paywall::{self, PublicForm, Reader},
        search_text,
    },
};

/// For whom a search is.
#[derive(Clone, Debug)]
pub enum Audience {
    /// Readers who are not signed in.
    Anonymous,
    /// A member.
    Member(ReadingMember),
    /// Staff, who see drafts and all of each post.
    Staff,
}

/// A set of readers, each with a level of access and whether they may read all of the post.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Readers(u8);

impl Readers {
    /// Staff.
    pub const STAFF: Self = Self(1);
    /// Readers who are not signed in.
    pub const ANONYMOUS: Self = Self(2);

    /// The members with this access.
    fn members(level: Reader, may_read: bool) -> Self {
        let place = match (level, may_read) {
            (Reader::Free, false) => 2,
            (Reader::Free, true) => 3,
            (Reader::Paying, false) => 4,
            (Reader::Paying, true) => 5,
        };
        Self(1 << place)
    }

    /// Returns those that a search is for, who read a post.
    pub fn of(audience: &Audience, post: &Post) -> Self {
        match audience {
            Audience::Anonymous => Self::ANONYMOUS,
            Audience::Member(member) => Self::members(member.level(), member.may_read(post)),
            Audience::Staff => Self::STAFF,
        }
    }

    fn with(self, others: Self) -> Self {
        Self(self.0 | others.0)
    }

    /// Returns whether these are among the set.
    pub fn include(self, others: Self) -> bool {
        self.0 & others.0 == others.0
    }
}

/// A version of a post's text, and who sees it.
#[derive(Debug)]
pub struct TextVersion {
    /// The text.
    pub text: String,
    /// Its readers.
    pub readers: Readers,
}

/// Returns the versions of a post with this body, which is HTML in stored form.
pub fn versions(post: &Post, html: &str) -> Vec<TextVersion> {
    let mut versions = vec![TextVersion {
        text: search_text::from_html(html),
        readers: Readers::STAFF,
    }];
    if !post.is_listed() {
        return versions;
    }
    let mut add = |readers: Readers, visible: &str| {
        let is_whole = visible.len() == html.len();
        let text = if is_whole {
            None
        } else {
            Some(search_text::from_html(visible))
        };
        let same = versions.iter().position(|known| match &text {
            None => known.readers.include(Readers::STAFF),
            Some(text) => known.text == *text,
        });
        match (same, text) {
            (Some(place), _) => versions[place].readers = versions[place].readers.with(readers),
            (None, text) => versions.push(TextVersion {
                text: text.unwrap_or_default(),
                readers,
            }),
        }
    };
    match paywall::public_form(html, post.is_closed()) {
        PublicForm::Whole => add(Readers::ANONYMOUS, html),
        PublicForm::Part(part) => add(Readers::ANONYMOUS, &part),
        PublicForm::Nothing => add(Readers::ANONYMOUS, ""),
    }
    for level in [Reader::Free, Reader::Paying] {
        for may_read in possible_access(post, level) {
            let visible = paywall::visible_to(html, level, !may_read);
            add(Readers::members(level, *may_read), &visible);
        }
    }
    versions
}

/// Returns whether members of this level may read all of a post; both for posts of some tiers.
fn possible_access(post: &Post, level: Reader) -> &'static [bool] {
    match (post.visibility, level) {
        (Visibility::Public | Visibility::Members, _) | (Visibility::Paid, Reader::Paying) => {
            &[true]
        }
        (Visibility::Paid | Visibility::Tiers, Reader::Free) => &[false],
        (Visibility::Tiers, Reader::Paying) => &[true, false],
    }
}

/// Returns the version that these readers see.
pub fn text_for(post: &Post, html: &str, readers: Readers) -> String {
    let mut versions = versions(post, html).into_iter();
    let seen = versions.find(|version| version.readers.include(readers));
    seen.map(|version| version.text).unwrap_or_default()
}

/// Returns the analyzer for the texts of a post: that of the language that an internal tag names, or the site's.
pub fn analyzer_of(catalog: &Catalog, post: &Post, of_site: Analyzer) -> Analyzer {
    let tags = post.tags.iter().filter_map(|id| catalog.tags.get(*id));
    let mut internal = tags.filter(|tag| tag.internal);
    let named = internal.find_map(|tag| Analyzer::for_tag(&tag.name));
    named.unwrap_or(of_site)
}

/// Visits the words of title, tags, authors and custom excerpt.
pub fn each_word_beside_body(
    analyzer: Analyzer,
    catalog: &Catalog,
    post: &Post,
    mut visit: impl FnMut(Word, Field),
) {
    let mut add = |text: &str, field| analyzer.each_word(text, |word| visit(word, field));
    add(&post.title, Field::Title);
    // A gated post without a paywall shows no excerpt.
    if let Some(excerpt) = super::shown_excerpt(post) {
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
