//! Tests that a reader's search results are those of a site that contains only the posts and texts visible to the reader.
//!
//! Random sites are changed in random steps and searched as each kind of reader. For each reader, a second site contains only
//! the posts and parts of posts that are visible to this reader. Both must find the same posts in the same order, highlight the
//! same words, and refuse the same searches.

use std::{borrow::Cow, collections::BTreeMap, sync::Arc};

use galley::{
    clock::SystemClock,
    domain::{
        member::{Member, TierGrant},
        post::{Body, Post, PostKind, Status, Visibility},
        reading_member::ReadingMember,
        tag::Tag,
        user::User,
    },
    error::Kind,
    id::Id,
    render::{
        paywall::{self, PAYWALL, PublicForm},
        search_text,
    },
    search::{Indexer, PublicIndex, SearchIndex, Searcher},
    site::Site,
    store::memory::MemoryStore,
};
use galley_tests::{site_records, wait_until};
use jiff::Timestamp;
use proptest::{
    collection::vec,
    prelude::*,
    sample::{select, subsequence},
};

const SLUGS: [&str; 8] = ["a", "b", "c", "d", "e", "f", "g", "h"];

/// Words, some of which are prefixes or misspellings of others, or have the same stem in one of the languages.
const WORDS: [&str; 24] = [
    "harbour",
    "harbor",
    "harbours",
    "harbouring",
    "ferry",
    "ferries",
    "fairy",
    "storm",
    "storms",
    "stormy",
    "lantern",
    "lanterns",
    "lantren",
    "light",
    "lights",
    "lighthouse",
    "häuser",
    "haus",
    "hauser",
    "küste",
    "night",
    "nights",
    "nightly",
    "海",
];

/// Queries in addition to the words.
const QUERIES: [&str; 24] = [
    "harb",
    "har",
    "habour",
    "harbuor",
    "lanternn",
    "lihgt",
    "nigth",
    "ferrys",
    "stroms",
    "ha",
    "ni",
    "li",
    "storm night",
    "harbour ferry",
    "ferry -storm",
    "light -\"night storm\"",
    "\"harbour ferry\"",
    "\"storm night\"",
    "ada",
    "quay",
    "flooda",
    "flood",
    "-ferry",
    "",
];

/// Tags, two of which set the language.
const TAGS: [&str; 3] = ["#de", "#fr", "Quay"];
const TIERS: [&str; 2] = ["gold", "silver"];

/// The state of a post.
#[derive(Clone, Debug)]
struct PostState {
    kind: PostKind,
    status: Status,
    visibility: Visibility,
    tiers: Vec<&'static str>,
    tags: Vec<&'static str>,
    title: Vec<&'static str>,
    excerpt: Option<&'static str>,
    parts: Vec<Part>,
    /// The day of publication.
    day: i64,
}

/// A part of a body.
#[derive(Clone, Debug)]
enum Part {
    Words(Vec<&'static str>),
    Paywall,
    /// A block for some readers: whether anonymous readers see it, the segment of members, and the words.
    Gated(bool, &'static str, Vec<&'static str>),
    /// More words with a common prefix than a prefix search may match.
    Flood(u8),
}

#[derive(Clone, Debug)]
enum Step {
    Put(&'static str, PostState),
    Delete(&'static str),
    /// Waits until the index has all earlier steps.
    Wait,
}

fn words(
    count: impl Into<proptest::collection::SizeRange>,
) -> impl Strategy<Value = Vec<&'static str>> {
    vec(select(&WORDS[..]), count)
}

fn part() -> impl Strategy<Value = Part> {
    prop_oneof![
        6 => words(1..12).prop_map(Part::Words),
        2 => Just(Part::Paywall),
        2 => (
            any::<bool>(),
            select(&["", "status:free", "status:-free", "status:free,status:-free"][..]),
            words(1..6),
        )
            .prop_map(|(anonymous, members, words)| Part::Gated(anonymous, members, words)),
        1 => (0..3_u8).prop_map(Part::Flood),
    ]
}

fn post_state() -> impl Strategy<Value = PostState> {
    let status = prop_oneof![
        6 => Just(Status::Published),
        2 => Just(Status::Draft),
        1 => Just(Status::Scheduled),
        1 => Just(Status::Sent),
    ];
    let visibility = select(vec![
        Visibility::Public,
        Visibility::Public,
        Visibility::Members,
        Visibility::Paid,
        Visibility::Tiers,
    ]);
    let kind = prop_oneof![4 => Just(PostKind::Post), 1 => Just(PostKind::Page)];
    (
        (kind, status, visibility, subsequence(&TIERS[..], 0..=2)),
        (
            subsequence(&TAGS[..], 0..=2),
            words(1..3),
            prop::option::weighted(0.2, select(&WORDS[..])),
            vec(part(), 0..5),
            0..3_i64,
        ),
    )
        .prop_map(
            |((kind, status, visibility, tiers), (tags, title, excerpt, parts, day))| PostState {
                kind,
                status,
                visibility,
                tiers,
                tags,
                title,
                excerpt,
                parts,
                day,
            },
        )
}

fn steps() -> impl Strategy<Value = Vec<Step>> {
    let slug = || select(&SLUGS[..]);
    let step = prop_oneof![
        8 => (slug(), post_state()).prop_map(|(slug, state)| Step::Put(slug, state)),
        2 => slug().prop_map(Step::Delete),
        1 => Just(Step::Wait),
    ];
    vec(step, 4..40)
}

impl PostState {
    fn html(&self) -> String {
        let paragraph = |words: &[&str]| format!("<p>{}.</p>", words.join(" "));
        let parts = self.parts.iter().map(|part| match part {
            Part::Words(words) => paragraph(words),
            Part::Paywall => PAYWALL.to_owned(),
            Part::Gated(anonymous, members, words) => format!(
                "<!--kg-gated-block:begin nonMember:{anonymous} memberSegment:\"{members}\" -->{}<!--kg-gated-block:end-->",
                paragraph(words)
            ),
            Part::Flood(nth) => {
                let words = (0..210).map(|word| format!("flood{}{nth}{word:03}", ["a", "b"][word % 2]));
                let words: Vec<String> = words.collect();
                format!("<p>{}</p>", words.join(" "))
            }
        });
        parts.collect()
    }

    fn post(&self, slug: &str) -> Post {
        let id = |kind: &str, names: &[&str]| -> Vec<Id> {
            names.iter().map(|name| Id::derive(kind, name)).collect()
        };
        Post {
            kind: self.kind,
            status: self.status,
            visibility: self.visibility,
            tiers: id("tier", &self.tiers),
            tags: id("tag", &self.tags),
            title: self.title.join(" ").into(),
            custom_excerpt: self.excerpt.map(Into::into),
            published_at: Some(Timestamp::from_second(self.day * 86_400).unwrap()),
            ..site_records::post(slug, 0)
        }
    }
}

/// A site in memory with its search index.
struct SearchedSite {
    site: Arc<Site>,
    index: Arc<SearchIndex>,
    _indexer: Indexer,
}

impl SearchedSite {
    fn new() -> Self {
        let site = Site::open(Box::new(MemoryStore::new()), Arc::new(SystemClock)).unwrap();
        let site = Arc::new(site);
        site.write(|transaction| {
            for name in TAGS {
                let tag = Tag::new(
                    Id::derive("tag", name),
                    &slug_of(name),
                    name,
                    Timestamp::UNIX_EPOCH,
                );
                transaction.save(tag)?;
            }
            let ada = Id::derive("user", "ada");
            transaction.save(User::new(ada, "ada", "Ada", Timestamp::UNIX_EPOCH))
        })
        .unwrap();
        let index = Arc::<SearchIndex>::default();
        let indexer = Indexer::start(Arc::clone(&site), Arc::clone(&index)).unwrap();
        Self {
            site,
            index,
            _indexer: indexer,
        }
    }

    /// Saves a post with this body, and the excerpt that all readers see.
    fn put(&self, post: Post, html: &str, public_excerpt: Option<&str>) {
        let html = (!html.is_empty()).then(|| html.to_owned());
        let body = || Body {
            html: html.clone(),
            public_excerpt: public_excerpt.map(Into::into),
            ..Body::default()
        };
        self.site
            .write(|transaction| transaction.save_post_of_file(post.clone(), body()))
            .unwrap();
    }

    fn delete(&self, slug: &str) {
        let id = Id::derive("post", slug);
        self.site
            .write(|transaction| transaction.delete_post_of_file(id))
            .unwrap();
    }

    /// Waits until the index has all changes: sets the title of a draft, and waits until staff find it.
    fn wait(&self, word: &str) {
        let draft = Post {
            status: Status::Draft,
            title: word.into(),
            ..site_records::post("last", 0)
        };
        self.put(draft, "", None);
        wait_until("the index has all changes", || {
            let snapshot = self.site.current();
            let found = self.index.search(&snapshot, word, None, &Searcher::Staff);
            found.is_ok_and(|found| found.posts.iter().any(|post| *post.title == *word))
        });
    }

    /// Returns the results of a search: the posts with the highlights in their titles and in their texts from `shown`, or the
    /// error.
    fn found(
        &self,
        query: &str,
        kind: Option<PostKind>,
        searcher: &Searcher,
        shown: &BTreeMap<String, String>,
    ) -> Result<Vec<FoundPost>, (Kind, String)> {
        let snapshot = self.site.current();
        let found = self
            .index
            .search(&snapshot, query, kind, searcher)
            .map_err(|error| (error.kind(), error.to_string()))?;
        let posts = found.posts.iter().map(|post| {
            let highlighter = found.highlighter(&snapshot.catalog, post);
            let text = shown.get(&*post.slug).map_or("", String::as_str);
            let title = highlighter.whole(&post.title);
            (post.slug.to_string(), title, highlighter.part(text))
        });
        Ok(posts.collect())
    }
}

/// The slug of a result, with the highlights in its title and in its text.
type FoundPost = (String, Option<String>, Option<String>);

fn slug_of(name: &str) -> String {
    name.replace('#', "hash-").to_lowercase()
}

fn member(pays: bool, tiers: &[&str]) -> Searcher {
    let tiers = tiers.iter().map(|tier| TierGrant {
        tier: Id::derive("tier", tier),
        expires_at: None,
    });
    let now = Timestamp::UNIX_EPOCH;
    let member = Member {
        pays,
        tiers: tiers.collect(),
        ..Member::new(Id::derive("member", "ana"), "ana@example.com", now)
    };
    Searcher::Member(ReadingMember::new(Arc::new(member), now))
}

fn readers() -> Vec<Searcher> {
    vec![
        Searcher::Anonymous,
        member(false, &[]),
        member(true, &[]),
        member(false, &["gold"]),
        member(false, &["silver"]),
        member(true, &["gold", "silver"]),
        Searcher::Staff,
    ]
}

/// Returns the part of a body that is visible to a reader, as a complete body; `None` if the post is invisible to the reader.
fn seen(post: &Post, html: &str, searcher: &Searcher) -> Option<String> {
    if matches!(searcher, Searcher::Staff) {
        return Some(html.to_owned());
    }
    if !post.is_listed() {
        return None;
    }
    let (visible, is_cut) = match searcher {
        Searcher::Member(member) => {
            let is_cut = !member.may_read(post);
            (paywall::visible_to(html, member.level(), is_cut), is_cut)
        }
        _ => match paywall::public_form(html, post.is_gated()) {
            PublicForm::Whole => (Cow::Borrowed(html), false),
            PublicForm::Part(part) => (part, post.is_gated()),
            PublicForm::Nothing => return Some(String::new()),
        },
    };
    let has_paywall = html.contains(PAYWALL);
    Some(match (is_cut, has_paywall) {
        (true, true) => format!("{visible}{PAYWALL}"),
        (true, false) => String::new(),
        (false, _) => visible.into_owned(),
    })
}

/// The content of the index for static sites: posts, word forms with their terms, and terms with their documents.
type StaticIndex = (
    Vec<Id>,
    Vec<(String, String)>,
    Vec<(String, Vec<(u32, f32, u32)>)>,
);

/// Returns the content of the index for static sites.
fn public_index(site: &Site) -> StaticIndex {
    let index = PublicIndex::of(&site.current()).unwrap();
    let forms = index.forms();
    let forms: Vec<_> = forms
        .map(|(form, term)| (form.to_owned(), term.to_owned()))
        .collect();
    let documents = forms.iter().map(|(_, term)| {
        let mut documents = Vec::new();
        index.each_document(term, |number, relevance, title_words| {
            documents.push((number, relevance, title_words));
        });
        (term.clone(), documents)
    });
    let documents = documents.collect();
    (
        index.posts().map(|post| post.id).collect(),
        forms,
        documents,
    )
}

/// Compares, for each reader, the results on a site with those on a site of only the posts and texts visible to the reader.
fn assert_results_depend_on_visible_text_only(
    searched: &SearchedSite,
    posts: &BTreeMap<&str, PostState>,
    last: &str,
) {
    for searcher in readers() {
        let alone = SearchedSite::new();
        let mut shown = BTreeMap::new();
        for (slug, state) in posts {
            let (post, html) = (state.post(slug), state.html());
            if let Some(seen) = seen(&post, &html, &searcher) {
                let excerpt = Body::new(html, post.is_gated(), false).public_excerpt;
                alone.put(post, &seen, excerpt.as_deref());
                shown.insert((*slug).to_owned(), search_text::from_html(&seen));
            }
        }
        alone.wait(last);
        if matches!(searcher, Searcher::Anonymous) {
            assert_eq!(public_index(&searched.site), public_index(&alone.site));
        }
        let kinds = [None, Some(PostKind::Post)].into_iter().cycle();
        for (query, kind) in WORDS.into_iter().chain(QUERIES).zip(kinds) {
            assert_eq!(
                searched.found(query, kind, &searcher, &shown),
                alone.found(query, kind, &searcher, &shown),
                "{query:?} of {searcher:?}"
            );
        }
    }
}

proptest! {
    #![proptest_config(ProptestConfig { cases: 24, failure_persistence: None, ..ProptestConfig::default() })]

    #[test]
    fn search_results_depend_only_on_text_visible_to_the_reader(steps in steps()) {
        let searched = SearchedSite::new();
        let mut posts: BTreeMap<&str, PostState> = BTreeMap::new();
        for (nth, step) in steps.into_iter().enumerate() {
            match step {
                Step::Put(slug, state) => {
                    let (post, html) = (state.post(slug), state.html());
                    let excerpt = Body::new(html.clone(), post.is_gated(), false).public_excerpt;
                    searched.put(post, &html, excerpt.as_deref());
                    posts.insert(slug, state);
                }
                Step::Delete(slug) => {
                    searched.delete(slug);
                    posts.remove(slug);
                }
                Step::Wait => searched.wait(&format!("wait{nth}")),
            }
        }
        searched.wait("waited");
        assert_results_depend_on_visible_text_only(&searched, &posts, "waited");
    }
}
