//! Tests that the indexes of posts equal a full scan after any changes.

use std::cmp::Reverse;

use galley::{
    api::{
        listing::{self, FilterRules},
        params::Paging,
    },
    catalog::{
        Catalog,
        browse::{Query, staff},
        fields::STAFF_POSTS,
        relation::Relations,
    },
    domain::{
        post::{Post, PostKind, Status},
        tag::Tag,
    },
    id::Id,
};
use jiff::Timestamp;
use proptest::{collection::vec, option, prelude::*, sample::select};
use uuid::Uuid;

/// Few distinct values, so that posts often share a second, tags or an identifier.
const IDS: u8 = 24;
const SECONDS: i64 = 6;
const TAGS: [&str; 3] = ["a", "b", "c"];

fn post_id(number: u8) -> Id {
    Id::derive("post", &number.to_string())
}

fn tag_id(name: &str) -> Id {
    Id::derive("tag", name)
}

fn post() -> impl Strategy<Value = Post> {
    let status = select(vec![
        Status::Draft,
        Status::Scheduled,
        Status::Published,
        Status::Sent,
    ]);
    let kind = select(vec![PostKind::Post, PostKind::Page]);
    let times = (option::of(0..SECONDS), 0..SECONDS);
    let tags = proptest::sample::subsequence(TAGS.to_vec(), 0..=TAGS.len());
    let authors = proptest::sample::subsequence(vec!["x", "y"], 1..=2);
    (0..IDS, kind, status, times, tags, authors).prop_map(
        |(number, kind, status, (published, updated), tags, authors)| {
            let second = |second: i64| Timestamp::from_second(1_700_000_000 + second).unwrap();
            let slug = format!("post-{number}");
            Post {
                slug: slug.as_str().into(),
                title: slug.as_str().into(),
                status,
                featured: number % 2 == 0,
                updated_at: second(updated),
                published_at: published.map(second),
                comment_id: slug.as_str().into(),
                tags: tags.into_iter().map(tag_id).collect(),
                authors: authors
                    .into_iter()
                    .map(|name| Id::derive("user", name))
                    .collect(),
                ..Post::draft(
                    post_id(number),
                    Uuid::from_u128(number.into()),
                    kind,
                    second(0),
                )
            }
        },
    )
}

/// A change of the posts: inserts or replaces a post, or removes one.
#[derive(Clone, Debug)]
enum Change {
    Put(Box<Post>),
    Remove(u8),
}

fn changes() -> impl Strategy<Value = Vec<Change>> {
    let change = prop_oneof![
        4 => post().prop_map(|post| Change::Put(Box::new(post))),
        1 => (0..IDS).prop_map(Change::Remove),
    ];
    vec(change, 0..60)
}

/// Returns the catalog after the changes and the posts that it should contain.
fn applied(changes: Vec<Change>) -> (Catalog, Vec<Post>) {
    let mut catalog = Catalog::default();
    for name in TAGS {
        catalog
            .tags
            .put(Tag::new(tag_id(name), name, name, Timestamp::UNIX_EPOCH));
    }
    let mut posts: Vec<Post> = Vec::new();
    for change in changes {
        let id = match &change {
            Change::Put(post) => post.id,
            Change::Remove(number) => post_id(*number),
        };
        posts.retain(|post| post.id != id);
        match change {
            Change::Put(post) => {
                posts.push(Post::clone(&post));
                catalog.posts.put(*post);
            }
            Change::Remove(_) => {
                catalog.posts.remove(id);
            }
        }
    }
    (catalog, posts)
}

/// Returns the expected order of the posts, computed independently of the program.
fn in_order(mut posts: Vec<&Post>) -> Vec<Id> {
    let stage = |post: &Post| match post.status {
        Status::Scheduled => 0,
        Status::Draft => 1,
        Status::Published | Status::Sent => 2,
    };
    posts.sort_by_key(|post| Reverse(post.id));
    posts.sort_by_key(|post| Reverse(post.updated_at));
    posts.sort_by_key(|post| Reverse(post.published_at.filter(|_| post.status != Status::Draft)));
    posts.sort_by_key(|post| stage(post));
    posts.iter().map(|post| post.id).collect()
}

fn query(catalog: &Catalog, filter: Option<&str>, page: usize, limit: usize) -> Query<Post> {
    let rules = FilterRules {
        relations: Relations::OfPosts,
        ..FilterRules::of_fields(&STAFF_POSTS)
    };
    let paging = Paging {
        filter: filter.map(str::to_owned),
        order: None,
        page,
        limit,
    };
    listing::query(catalog, Timestamp::UNIX_EPOCH, &paging, &rules).unwrap()
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(256))]

    #[test]
    fn index_pages_equal_those_of_a_full_scan(
        changes in changes(),
        page in 1..4_usize,
        limit in 1..9_usize,
        kind in select(vec![PostKind::Post, PostKind::Page]),
    ) {
        let (catalog, posts) = applied(changes);
        let all = in_order(posts.iter().filter(|post| post.kind == kind).collect());
        let found = staff::posts(&catalog, kind, &query(&catalog, None, page, limit));
        let expected: Vec<Id> = all.iter().copied().skip((page - 1) * limit).take(limit).collect();
        prop_assert_eq!(found.records.iter().map(|post| post.id).collect::<Vec<_>>(), expected);
        prop_assert_eq!(found.total, all.len());
    }

    #[test]
    fn index_filters_equal_those_of_a_full_scan(changes in changes()) {
        let (catalog, posts) = applied(changes);
        let has = |post: &Post, name: &str| post.tags.contains(&tag_id(name));
        type Fits<'f> = &'f dyn Fn(&Post) -> bool;
        let filters: [(&str, Fits); 6] = [
            ("status:draft", &|post| post.status == Status::Draft),
            ("status:-[published,sent]", &|post| !matches!(post.status, Status::Published | Status::Sent)),
            ("tag:a", &|post| has(post, "a")),
            ("tag:-a+featured:true", &|post| !has(post, "a") && post.featured),
            ("tags:a,status:scheduled", &|post| has(post, "a") || post.status == Status::Scheduled),
            ("published_at:null", &|post| post.published_at.is_none()),
        ];
        for (filter, fits) in filters {
            let of_kind = posts.iter().filter(|post| post.kind == PostKind::Post);
            let expected = in_order(of_kind.filter(|post| fits(post)).collect());
            let found = staff::posts(&catalog, PostKind::Post, &query(&catalog, Some(filter), 1, 100));
            prop_assert_eq!(found.records.iter().map(|post| post.id).collect::<Vec<_>>(), expected, "{}", filter);
        }
    }

    #[test]
    fn counts_and_secondary_indexes_stay_consistent(changes in changes()) {
        let (catalog, posts) = applied(changes);
        for name in TAGS {
            let tag = tag_id(name);
            let uses = posts.iter().filter(|post| post.tags.contains(&tag)).count();
            prop_assert_eq!(catalog.posts.uses_of_tag(tag), uses);
        }
        for name in ["x", "y"] {
            let author = Id::derive("user", name);
            let uses = posts.iter().filter(|post| post.authors.contains(&author)).count();
            prop_assert_eq!(catalog.posts.uses_of_author(author), uses);
        }
        for number in 0..IDS {
            let known = posts.iter().find(|post| post.id == post_id(number)).map(|post| post.id);
            let found = catalog.posts.by_uuid(Uuid::from_u128(number.into())).map(|post| post.id);
            prop_assert_eq!(found, known);
        }
    }
}
