//! Tests that a static build can mirror a site with the feed alone, through random changes.

use std::collections::BTreeMap;

use galley::domain::{
    post::{Post, PostKind, Status},
    tag::Tag,
    user::User,
};
use galley_tests::TestSite;
use proptest::prelude::*;
use serde_json::{Value, json};

use super::{ada, body, post, served_site, tag};

const SLUGS: [&str; 6] = ["one", "two", "three", "four", "five", "six"];
const TAGS: [&str; 3] = ["sea", "land", "sky"];

/// A step of a history: a change of the site, or a read of the feed.
#[derive(Clone, Debug)]
enum Step {
    /// Publishes a post or a page of any state, or adds it.
    Publish {
        which: usize,
        is_page: bool,
        tag: usize,
    },
    Unpublish(usize),
    Move {
        which: usize,
        slug: usize,
    },
    /// Swaps the slugs of two posts, in one transaction.
    Swap(usize, usize),
    Delete(usize),
    Rewrite(usize, u8),
    RenameTag(usize, u8),
    RenameAuthor(u8),
    Title(u8),
    TimeZone(bool),
    /// The mirror reads one page of at most `limit` changes. The site may change before the next page.
    Read {
        limit: usize,
    },
}

fn steps() -> impl Strategy<Value = Vec<Step>> {
    let which = 0..SLUGS.len();
    let step = prop_oneof![
        6 => (which.clone(), any::<bool>(), 0..TAGS.len())
            .prop_map(|(which, is_page, tag)| Step::Publish { which, is_page, tag }),
        2 => which.clone().prop_map(Step::Unpublish),
        4 => (which.clone(), which.clone()).prop_map(|(which, slug)| Step::Move { which, slug }),
        2 => (which.clone(), which.clone()).prop_map(|(one, other)| Step::Swap(one, other)),
        2 => which.clone().prop_map(Step::Delete),
        3 => (which, any::<u8>()).prop_map(|(which, text)| Step::Rewrite(which, text)),
        1 => (0..TAGS.len(), any::<u8>()).prop_map(|(tag, name)| Step::RenameTag(tag, name)),
        1 => any::<u8>().prop_map(Step::RenameAuthor),
        1 => any::<u8>().prop_map(Step::Title),
        1 => any::<bool>().prop_map(Step::TimeZone),
        5 => (1_usize..5).prop_map(|limit| Step::Read { limit }),
    ];
    prop::collection::vec(step, 1..60)
}

/// Performs a step, unless the state of the site does not allow it.
fn perform(app: &TestSite, step: &Step) {
    let site = app.site();
    let known = |which: usize| {
        let id = post(PostKind::Post, SLUGS[which], &[]).id;
        let snapshot = site.current();
        snapshot.catalog.posts.get(id).map(|post| Post::clone(post))
    };
    let save = |changed: Post, text: &str| {
        let outcome = site.write_once(|transaction| transaction.save_post(changed, body(text)));
        // A transaction with a slug in use is refused as a whole.
        let _ = outcome;
    };
    match *step {
        Step::Publish {
            which,
            is_page,
            tag,
        } => {
            let kind = if is_page {
                PostKind::Page
            } else {
                PostKind::Post
            };
            let fresh = post(kind, SLUGS[which], &[TAGS[tag]]);
            let slug = known(which).map_or(fresh.slug.clone(), |known| known.slug);
            save(Post { slug, ..fresh }, "published");
        }
        Step::Unpublish(which) => {
            if let Some(known) = known(which) {
                save(
                    Post {
                        status: Status::Draft,
                        ..known
                    },
                    "draft",
                );
            }
        }
        Step::Move { which, slug } => {
            if let Some(known) = known(which) {
                let slug = format!("{}-moved", SLUGS[slug]);
                save(
                    Post {
                        slug: slug.into(),
                        ..known
                    },
                    "published",
                );
            }
        }
        Step::Swap(one, other) => {
            if let (Some(first), Some(second)) = (known(one), known(other)) {
                let at = |post: &Post, slug: &str| Post {
                    slug: slug.into(),
                    ..post.clone()
                };
                let swapped = site.write(|transaction| {
                    transaction.save_post(at(&first, "between"), body("swapped"))?;
                    transaction.save_post(at(&second, &first.slug), body("swapped"))?;
                    transaction.save_post(at(&first, &second.slug), body("swapped"))
                });
                swapped.unwrap();
            }
        }
        Step::Delete(which) => {
            if let Some(known) = known(which) {
                site.write(|transaction| transaction.delete_post(known.id))
                    .unwrap();
            }
        }
        Step::Rewrite(which, text) => {
            if let Some(known) = known(which) {
                save(known, &format!("text {text}"));
            }
        }
        Step::RenameTag(which, name) => {
            let renamed = Tag {
                name: format!("Tag {name}").into(),
                slug: format!("{}-{}", TAGS[which], name % 3).into(),
                ..tag(TAGS[which])
            };
            site.write_once(|transaction| transaction.save(renamed))
                .unwrap();
        }
        Step::RenameAuthor(name) => {
            let renamed = User {
                name: format!("Ada {name}").into(),
                ..ada()
            };
            site.write_once(|transaction| transaction.save(renamed))
                .unwrap();
        }
        Step::Title(title) => {
            let values = [("title".to_owned(), json!(format!("Title {title}")))].into();
            site.write_once(|transaction| transaction.edit_settings(values))
                .unwrap();
        }
        Step::TimeZone(is_lisbon) => {
            let zone = if is_lisbon {
                "Europe/Lisbon"
            } else {
                "Asia/Tokyo"
            };
            let values = [("timezone".to_owned(), json!(zone))].into();
            site.write_once(|transaction| transaction.edit_settings(values))
                .unwrap();
        }
        Step::Read { .. } => {}
    }
}

/// The state of a mirror: each record as the API serves it, and the pages that a static build has written.
#[derive(Debug, Default, PartialEq)]
struct Copy {
    records: BTreeMap<(String, String), Value>,
    pages: BTreeMap<String, (String, String)>,
}

/// A copy that follows the feed, and its position in the feed.
#[derive(Default)]
struct Mirror {
    copy: Copy,
    since: String,
    /// The records of an incomplete listing so far.
    listed: Option<Copy>,
}

impl Mirror {
    /// Reads one page of the feed. Returns whether there are more.
    fn read(&mut self, app: &TestSite, limit: usize) -> bool {
        let since = if self.since.is_empty() {
            "0"
        } else {
            &self.since
        };
        let is_continued = self.listed.is_some() && since.contains('.');
        let response = app.json(&format!("changes/?since={since}&limit={limit}"));
        let meta = &response["meta"];
        if meta["reset"] == true && !is_continued {
            self.listed = Some(Copy::default());
        }
        if meta["reset"] == false
            && let Some(listed) = self.listed.take()
        {
            self.copy = listed;
        }
        let copy = self.listed.as_mut().unwrap_or(&mut self.copy);
        for entry in response["changes"].as_array().unwrap() {
            copy.apply(app, entry);
        }
        match meta["next"].as_str() {
            Some(next) => next.clone_into(&mut self.since),
            None => {
                self.since = meta["revision"].to_string();
                if let Some(listed) = self.listed.take() {
                    self.copy = listed;
                }
            }
        }
        !meta["next"].is_null()
    }
}

impl Copy {
    fn apply(&mut self, app: &TestSite, entry: &Value) {
        let text = |value: &Value| value.as_str().unwrap_or_default().to_owned();
        let key = (text(&entry["resource"]), text(&entry["id"]));
        let pages_before = entry["previous"].as_array().unwrap().iter();
        for previous in pages_before {
            self.pages.remove(&text(&previous["url"]));
        }
        let url = text(&entry["url"]);
        let record = if entry["change"] == "removed" {
            None
        } else {
            fetch(app, &key.0, &key.1)
        };
        match record {
            None => {
                self.records.remove(&key);
                self.pages.remove(&url);
            }
            Some(record) => {
                self.records.insert(key.clone(), record);
                if !url.is_empty() {
                    self.pages.insert(url, key);
                }
            }
        }
    }

    /// Returns a copy of everything that the API serves.
    fn of(app: &TestSite) -> Self {
        let mut copy = Self::default();
        for resource in [
            "posts",
            "pages",
            "tags",
            "authors",
            "tiers",
            "newsletters",
            "recommendations",
        ] {
            let list = app.json(&format!("{resource}/?limit=100"));
            for record in list[resource].as_array().unwrap() {
                let key = (
                    resource.to_owned(),
                    record["id"].as_str().unwrap().to_owned(),
                );
                if let Some(url) = record["url"]
                    .as_str()
                    .filter(|_| resource != "recommendations")
                {
                    copy.pages.insert(url.to_owned(), key.clone());
                }
                copy.records.insert(key, record.clone());
            }
        }
        let settings = ("settings".to_owned(), String::new());
        copy.records
            .insert(settings, app.json("settings/")["settings"].clone());
        copy
    }
}

/// Returns a record as the API serves it; `None` if it is no longer served.
fn fetch(app: &TestSite, resource: &str, id: &str) -> Option<Value> {
    match resource {
        "settings" => Some(app.json("settings/")["settings"].clone()),
        "posts" | "pages" | "tags" | "authors" => {
            let response = app.content(&format!("{resource}/{id}/"));
            (response.status == 200).then(|| response.json()[resource][0].clone())
        }
        _ => {
            let list = app.json(&format!("{resource}/?limit=100"));
            let records = list[resource].as_array().unwrap().clone();
            records.into_iter().find(|record| record["id"] == id)
        }
    }
}

proptest! {
    #![proptest_config(ProptestConfig { cases: 12, failure_persistence: None, ..ProptestConfig::default() })]

    #[test]
    fn mirror_of_the_feed_equals_a_full_scan(steps in steps()) {
        let app = served_site();
        for name in TAGS {
            app.site().write(|transaction| transaction.save(tag(name))).unwrap();
        }
        let mut mirror = Mirror::default();
        for step in steps {
            perform(&app, &step);
            if let Step::Read { limit } = step {
                mirror.read(&app, limit);
            }
        }
        while mirror.read(&app, 3) {}
        prop_assert_eq!(mirror.copy, Copy::of(&app));
    }
}
