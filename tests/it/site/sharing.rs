//! Tests of several sites over one store, as several processes have them: what one acknowledges, all see, and changes that
//! meet are made one after the other.

use std::{
    collections::{BTreeMap, BTreeSet},
    sync::{
        Arc, Mutex,
        atomic::{AtomicBool, AtomicU64, AtomicUsize, Ordering::SeqCst},
    },
    thread,
};

use galley::{
    clock::SystemClock,
    domain::{
        action::ActionEvent,
        actor::Actor,
        integration::Integration,
        member::Member,
        post::{Body, PostKind, Status},
        record::Subject,
        session::{Session, SessionState},
        staff_token::StaffToken,
        tag::Tag,
        user::User,
        webhook::Webhook,
    },
    error::{Error, Kind, Result},
    id::Id,
    site::{CommitTopic, Site, Transaction},
    store::{
        Store,
        memory::MemoryStore,
        redb::{DEFAULT_CACHE_BYTES, RedbStore},
    },
};
use proptest::prelude::*;
use serde_json::{Value, json};

use super::post;

/// A store that several sites are opened on.
type SharedStore = Arc<dyn Store>;

/// Makes each rule a test of both engines.
macro_rules! rules {
    ($($rule:ident)*) => {
        mod on_redb {
            $(#[test]
            fn $rule() {
                let folder = tempfile::tempdir().unwrap();
                super::$rule(&super::on_disk(folder.path()));
            })*
        }
        mod in_memory {
            $(#[test]
            fn $rule() {
                super::$rule(&super::in_memory());
            })*
        }
    };
}

rules! {
    a_new_site_is_completed_once
    an_acknowledged_change_is_seen_by_the_next_change_elsewhere
    readers_elsewhere_see_a_change_once_they_follow
    what_waits_for_changes_is_woken_by_those_of_others
    a_change_that_is_overtaken_runs_again_on_what_the_other_left
    a_change_that_is_always_overtaken_has_the_store_to_itself_in_the_end
    a_change_that_cannot_run_twice_runs_once
    a_refusal_that_follows_from_what_was_overtaken_is_not_final
    a_store_that_forgot_what_changed_is_read_again
    concurrent_changes_of_several_processes_are_linearizable
}

fn in_memory() -> SharedStore {
    Arc::new(MemoryStore::new())
}

fn on_disk(folder: &std::path::Path) -> SharedStore {
    Arc::new(RedbStore::open(folder.join("galley.redb"), DEFAULT_CACHE_BYTES).unwrap())
}

fn open(store: &SharedStore) -> Site {
    Site::open(Box::new(Arc::clone(store)), Arc::new(SystemClock)).unwrap()
}

fn tag(name: &str) -> Tag {
    Tag::new(
        Id::derive("tag", name),
        name,
        name,
        jiff::Timestamp::UNIX_EPOCH,
    )
}

fn add_tag(site: &Site, name: &str) {
    site.write(|change| change.save(tag(name))).unwrap();
}

fn tags(site: &Site) -> Vec<String> {
    super::tags(&site.current())
}

fn a_new_site_is_completed_once(store: &SharedStore) {
    let sites = thread::scope(|scope| {
        let opened = [(); 4].map(|()| scope.spawn(|| open(store)));
        opened.map(|site| site.join().unwrap())
    });
    let states = sites.map(|site| {
        site.follow().unwrap();
        state(&site)
    });
    assert!(states.iter().all(|state| *state == states[0]));
    assert_eq!(states[0]["tiers"].as_array().unwrap().len(), 2);
}

fn an_acknowledged_change_is_seen_by_the_next_change_elsewhere(store: &SharedStore) {
    let (one, other) = (open(store), open(store));
    add_tag(&one, "a");

    let found = other.write(|change| Ok(change.catalog().tags.by_slug("a").is_some()));

    assert!(found.unwrap());
    assert_eq!(tags(&other), ["a"]);
}

fn readers_elsewhere_see_a_change_once_they_follow(store: &SharedStore) {
    let (one, other) = (open(store), open(store));
    let body = || Body::new("<p>Text</p>".to_owned(), false, false);
    one.write(|change| change.save_post(post("letter", 1), body()))
        .unwrap();
    let before = other.current().catalog.readers_revision;

    other.follow().unwrap();

    let snapshot = other.current();
    let found = snapshot.catalog.posts.by_slug("letter").unwrap();
    let bodies = snapshot.bodies([found.id].into_iter()).unwrap();
    assert_eq!(bodies, [Some("<p>Text</p>".to_owned())]);
    assert!(snapshot.catalog.readers_revision > before);
}

fn what_waits_for_changes_is_woken_by_those_of_others(store: &SharedStore) {
    let (one, other) = (open(store), open(store));
    let woken = Arc::new(Mutex::new(BTreeSet::new()));
    for (topic, name) in [
        (CommitTopic::Changes, "changes"),
        (CommitTopic::Texts, "texts"),
        (CommitTopic::Mail, "mail"),
    ] {
        let woken = Arc::clone(&woken);
        other.on(topic, move || {
            woken.lock().unwrap().insert(name);
        });
    }
    other.record_changed_texts();
    one.write(|change| change.save_post(post("letter", 1), Body::default()))
        .unwrap();

    other.follow().unwrap();

    assert_eq!(*woken.lock().unwrap(), ["changes", "texts"].into());
    let texts = other.take_changed_texts();
    assert_eq!(texts, [Id::derive("post", "letter")].into());
}

fn a_change_that_is_overtaken_runs_again_on_what_the_other_left(store: &SharedStore) {
    let (one, other) = (open(store), open(store));
    let runs = AtomicUsize::new(0);

    let seen = one.write(|change| {
        if runs.fetch_add(1, SeqCst) == 0 {
            add_tag(&other, "theirs");
        }
        change.save(tag("ours"))?;
        Ok(change.catalog().tags.len())
    });

    assert_eq!((seen.unwrap(), runs.into_inner()), (2, 2));
    other.follow().unwrap();
    assert_eq!(tags(&one), ["ours", "theirs"]);
    assert_eq!(tags(&other), ["ours", "theirs"]);
}

fn a_change_that_is_always_overtaken_has_the_store_to_itself_in_the_end(store: &SharedStore) {
    let (one, other) = (open(store), open(store));
    let is_over = AtomicBool::new(false);
    let written = AtomicU64::new(0);
    thread::scope(|scope| {
        scope.spawn(|| {
            while !is_over.load(SeqCst) {
                let number = written.fetch_add(1, SeqCst);
                add_tag(&other, &format!("theirs-{}", number % 10));
                other
                    .write(|change| change.remove::<Tag>(Id::derive("tag", "theirs-0")))
                    .unwrap();
            }
        });
        one.write(|change| {
            // As long as the other site can write, it does so meanwhile.
            let before = written.load(SeqCst);
            for _ in 0..200 {
                if written.load(SeqCst) > before + 2 {
                    break;
                }
                thread::sleep(std::time::Duration::from_millis(1));
            }
            change.save(tag("ours"))
        })
        .unwrap();
        is_over.store(true, SeqCst);
    });
    assert!(tags(&one).contains(&"ours".to_owned()));
}

fn a_change_that_cannot_run_twice_runs_once(store: &SharedStore) {
    let (one, other) = (open(store), open(store));
    let once = String::from("ours");
    thread::scope(|scope| {
        let mut elsewhere = None;
        one.write_once(|change| {
            elsewhere = Some(scope.spawn(|| add_tag(&other, "theirs")));
            change.save(tag(&once))?;
            drop(once);
            Ok(())
        })
        .unwrap();
        elsewhere.unwrap().join().unwrap();
    });
    one.follow().unwrap();
    assert_eq!(tags(&one), ["ours", "theirs"]);
}

fn a_refusal_that_follows_from_what_was_overtaken_is_not_final(store: &SharedStore) {
    let (one, other) = (open(store), open(store));
    let runs = AtomicUsize::new(0);

    // It takes a name that is free when it begins, and taken when it is committed.
    let refused = one.write(|change| {
        if change.catalog().tags.by_slug("a").is_some() {
            return Err(Error::new(Kind::Validation, "taken"));
        }
        if runs.fetch_add(1, SeqCst) == 0 {
            add_tag(&other, "a");
        }
        change.save(tag("a"))
    });

    assert_eq!(refused.unwrap_err().kind(), Kind::Validation);
    assert_eq!(tags(&one), ["a"]);
}

fn a_store_that_forgot_what_changed_is_read_again(store: &SharedStore) {
    let (one, other) = (open(store), open(store));
    other.record_changed_texts();
    one.write(|change| {
        change.save_post(post("letter", 1), Body::default())?;
        (0..1000).try_for_each(|number| change.save(tag(&number.to_string())))
    })
    .unwrap();

    other.follow().unwrap();

    assert_eq!(state(&other), state(&one));
    assert!(
        other
            .take_changed_texts()
            .contains(&Id::derive("post", "letter"))
    );
}

/// A read or a write of a record, in the history of a test.
#[derive(Clone, Debug)]
struct Operation {
    record: usize,
    /// Ticks of a clock that all share.
    began: u64,
    ended: u64,
    /// The value that was found.
    found: String,
    /// The value that was written; `None` for a read.
    written: Option<String>,
}

const PROCESSES: usize = 3;
const RECORDS: usize = 4;
const WRITES: usize = 40;

fn value(tag: Option<&Arc<Tag>>) -> String {
    let description = tag.and_then(|tag| tag.description.as_deref());
    description.unwrap_or_default().to_owned()
}

fn write_value(change: &mut Transaction, record: usize, written: &str) -> Result<String> {
    let name = format!("record-{record}");
    let found = value(change.catalog().tags.by_slug(&name));
    change.save(Tag {
        description: Some(written.into()),
        ..tag(&name)
    })?;
    Ok(found)
}

fn concurrent_changes_of_several_processes_are_linearizable(store: &SharedStore) {
    let clock = AtomicU64::new(0);
    let history: Mutex<Vec<Operation>> = Mutex::default();
    let sites: Vec<Site> = (0..PROCESSES).map(|_| open(store)).collect();
    let writers = AtomicUsize::new(PROCESSES * 2);
    let note = |operation: Operation| history.lock().unwrap().push(operation);
    thread::scope(|scope| {
        for (process, site) in sites.iter().enumerate() {
            for writer in 0..2 {
                let (clock, note, writers) = (&clock, &note, &writers);
                scope.spawn(move || {
                    for number in 0..WRITES {
                        let record = (number * 7 + process + writer) % RECORDS;
                        let written = format!("{process}.{writer}.{number}");
                        let began = clock.fetch_add(1, SeqCst);
                        let found = match number % 10 {
                            9 => site.write_once(|change| write_value(change, record, &written)),
                            _ => site.write(|change| write_value(change, record, &written)),
                        };
                        note(Operation {
                            record,
                            began,
                            ended: clock.fetch_add(1, SeqCst),
                            found: found.unwrap(),
                            written: Some(written),
                        });
                    }
                    writers.fetch_sub(1, SeqCst);
                });
            }
            let (clock, note, writers) = (&clock, &note, &writers);
            scope.spawn(move || {
                while writers.load(SeqCst) > 0 {
                    let began = clock.fetch_add(1, SeqCst);
                    site.follow().unwrap();
                    let snapshot = Arc::clone(&site.current());
                    let ended = clock.fetch_add(1, SeqCst);
                    for record in 0..RECORDS {
                        let tags = &snapshot.catalog.tags;
                        note(Operation {
                            record,
                            began,
                            ended,
                            found: value(tags.by_slug(&format!("record-{record}"))),
                            written: None,
                        });
                    }
                }
            });
        }
    });
    let history = history.into_inner().unwrap();
    for record in 0..RECORDS {
        let of_record = history
            .iter()
            .filter(|operation| operation.record == record);
        let of_record: Vec<&Operation> = of_record.collect();
        if let Err(why) = check_history(&of_record) {
            let lines: Vec<String> = of_record.iter().map(|line| format!("{line:?}")).collect();
            panic!("{why}\n{}", lines.join("\n"));
        }
    }
    let states = sites.iter().map(|site| {
        site.follow().unwrap();
        state(site)
    });
    let states: Vec<_> = states.collect();
    assert!(states.iter().all(|known| *known == state(&open(store))));
}

/// Returns why there is no order of these operations on one record in which each finds what the one before it wrote, and which
/// agrees with when they began and ended. Every write has a value of its own, so the values found give the order of the writes.
fn check_history(operations: &[&Operation]) -> std::result::Result<(), String> {
    let writes = operations
        .iter()
        .filter(|operation| operation.written.is_some());
    let mut after: BTreeMap<&str, &Operation> = BTreeMap::new();
    for write in writes.clone() {
        if after.insert(&write.found, write).is_some() {
            return Err(format!("two writes found {:?}", write.found));
        }
    }
    // The position of each value, 0 for that before all writes, and when it was begun to be written, and seen for certain.
    let mut order: Vec<&Operation> = Vec::new();
    let mut positions = BTreeMap::from([("", 0)]);
    let mut last = "";
    while let Some(write) = after.get(last) {
        order.push(write);
        last = write.written.as_deref().unwrap_or_default();
        positions.insert(last, order.len());
    }
    if order.len() != writes.count() {
        return Err(format!("a write after {last:?} is lost"));
    }
    let mut ended_until = Vec::new();
    let mut latest_begin = 0;
    for write in &order {
        if write.ended < latest_begin {
            return Err(format!("{write:?} ended before an earlier one began"));
        }
        latest_begin = latest_begin.max(write.began);
        ended_until.push(write.ended);
    }
    for read in operations
        .iter()
        .filter(|operation| operation.written.is_none())
    {
        let position = *positions
            .get(read.found.as_str())
            .ok_or("a value of no write")?;
        if position > 0 && order[position - 1].began > read.ended {
            return Err(format!("{read:?} found what was written later"));
        }
        if ended_until
            .get(position)
            .is_some_and(|ended| *ended < read.began)
        {
            return Err(format!("{read:?} missed an acknowledged write"));
        }
    }
    Ok(())
}

/// Everything that a site has in memory, by the name of its part.
fn state(site: &Site) -> BTreeMap<&'static str, Value> {
    fn all<R: serde::Serialize>(records: impl Iterator<Item = R>) -> Value {
        records.map(|record| json!(record)).collect()
    }
    let snapshot = site.current();
    let catalog = &snapshot.catalog;
    let posts = &catalog.posts;
    let kinds = [PostKind::Post, PostKind::Page];
    let ids = |posts: &mut dyn Iterator<Item = &Arc<galley::domain::post::Post>>| -> Value {
        posts.map(|post| json!(post.id)).collect()
    };
    let listed = kinds.map(|kind| ids(&mut posts.listed(kind).iter()));
    let with_tag = catalog.tags.iter().map(|tag| {
        posts
            .with_tag(PostKind::Post, tag.id)
            .map(|listing| ids(&mut listing.iter()))
    });
    let sessions = catalog
        .users
        .iter()
        .flat_map(|user| catalog.sessions.of(user.id));
    let mut sessions: Vec<Value> = sessions.map(|session| json!(session)).collect();
    sessions.sort_by_key(Value::to_string);
    BTreeMap::from([
        ("revision", json!(catalog.revision)),
        ("began at", json!(catalog.began_at)),
        ("settings", json!(catalog.settings.set_values())),
        (
            "settings of the file",
            json!(catalog.settings.keys_of_file()),
        ),
        ("posts", all(posts.iter().map(AsRef::as_ref))),
        ("listed", json!(listed)),
        ("with tag", all(with_tag)),
        ("scheduled", ids(&mut posts.scheduled())),
        ("tags", all(catalog.tags.iter().map(AsRef::as_ref))),
        ("users", all(catalog.users.iter().map(AsRef::as_ref))),
        ("tiers", all(catalog.tiers.iter().map(AsRef::as_ref))),
        (
            "newsletters",
            all(catalog.newsletters.iter().map(AsRef::as_ref)),
        ),
        (
            "recommendations",
            all(catalog.recommendations.iter().map(AsRef::as_ref)),
        ),
        ("offers", all(catalog.offers.iter().map(AsRef::as_ref))),
        ("labels", all(catalog.labels.iter().map(AsRef::as_ref))),
        ("members", all(catalog.members.listed().map(AsRef::as_ref))),
        ("emails", all(catalog.emails.iter().map(AsRef::as_ref))),
        (
            "member secret",
            json!(catalog.member_secret.as_ref().map(|secret| secret.text())),
        ),
        ("image widths", json!(&*catalog.image_widths)),
        (
            "integrations",
            all(catalog.integrations().map(AsRef::as_ref)),
        ),
        (
            "staff tokens",
            all(catalog.staff_tokens().map(AsRef::as_ref)),
        ),
        ("webhooks", all(catalog.webhooks.iter().map(AsRef::as_ref))),
        ("sessions", json!(sessions)),
        ("last action", json!(catalog.last_action)),
        ("last delivery", json!(catalog.last_webhook_delivery)),
        ("changes", all(catalog.changes.since(0).map(AsRef::as_ref))),
        (
            "changes are complete since",
            json!(catalog.changes.complete_since()),
        ),
        ("file edits", json!(catalog.file_edits.count())),
    ])
}

/// A change of one of a few records.
#[derive(Clone, Debug)]
enum Step {
    SaveTag(u8, u8),
    RemoveTag(u8),
    SavePost(u8, u8),
    DeletePost(u8),
    SaveUser(u8, u8),
    RemoveUser(u8),
    SignIn(u8),
    SignOut(u8),
    AddToken(u8),
    DeleteToken(u8),
    SetTitle(u8),
    SaveMember(u8, u8),
    DeleteMember(u8),
    AddLabel(u8),
    AddIntegration(u8),
    DeleteIntegration(u8),
    AddWebhook(u8),
    SetImageWidths(u8),
    RecordAction,
}

fn step() -> impl Strategy<Value = Step> {
    let few = || 0..4u8;
    prop_oneof![
        (few(), few()).prop_map(|(which, how)| Step::SaveTag(which, how)),
        few().prop_map(Step::RemoveTag),
        (few(), few()).prop_map(|(which, how)| Step::SavePost(which, how)),
        few().prop_map(Step::DeletePost),
        (few(), few()).prop_map(|(which, how)| Step::SaveUser(which, how)),
        few().prop_map(Step::RemoveUser),
        few().prop_map(Step::SignIn),
        few().prop_map(Step::SignOut),
        few().prop_map(Step::AddToken),
        few().prop_map(Step::DeleteToken),
        few().prop_map(Step::SetTitle),
        (few(), few()).prop_map(|(which, how)| Step::SaveMember(which, how)),
        few().prop_map(Step::DeleteMember),
        few().prop_map(Step::AddLabel),
        few().prop_map(Step::AddIntegration),
        few().prop_map(Step::DeleteIntegration),
        few().prop_map(Step::AddWebhook),
        few().prop_map(Step::SetImageWidths),
        Just(Step::RecordAction),
    ]
}

fn take(step: &Step, change: &mut Transaction) -> Result<()> {
    let id = |kind: &str, which: u8| Id::derive(kind, &which.to_string());
    let now = change.now();
    let session_of = |which: u8| galley::domain::secret::Digest::of(&format!("session {which}"));
    match step {
        Step::SaveTag(which, how) => change.save(Tag {
            name: format!("{which}/{how}").into(),
            ..tag(&which.to_string())
        }),
        Step::RemoveTag(which) => change.remove::<Tag>(id("tag", *which)),
        Step::SavePost(which, how) => {
            let saved = galley::domain::post::Post {
                status: match how {
                    0 => Status::Draft,
                    1 => Status::Scheduled,
                    _ => Status::Published,
                },
                tags: vec![id("tag", *how)],
                authors: vec![id("user", *how)],
                ..post(&which.to_string(), i64::from(*how))
            };
            change.save_post(saved, Body::new(format!("<p>{how}</p>"), false, false))
        }
        Step::DeletePost(which) => change.delete_post(id("post", *which)),
        Step::SaveUser(which, how) => {
            let name = which.to_string();
            let user = User::new(id("user", *which), &name, &name, now);
            change.save(User {
                bio: Some(how.to_string().into()),
                ..user
            })
        }
        Step::RemoveUser(which) => change.remove::<User>(id("user", *which)),
        Step::SignIn(which) if change.catalog().users.get(id("user", *which)).is_some() => change
            .save_session(Session {
                id: id("session", *which),
                digest: session_of(*which),
                user: id("user", *which),
                state: SessionState::SignedIn,
                verified: true,
                origin: "https://example.com".into(),
                user_agent: None,
                created_at: now,
                last_used_at: now,
                code: None,
            }),
        Step::SignIn(_) => Ok(()),
        Step::SignOut(which) => change.end_session(&session_of(*which)),
        Step::AddToken(which) => {
            change.save_staff_token(StaffToken::generate(id("user", *which), now).unwrap())
        }
        Step::DeleteToken(which) => change.delete_staff_token(id("user", *which)),
        Step::SetTitle(how) => {
            change.edit_settings([("title".to_owned(), json!(how.to_string()))].into())
        }
        Step::SaveMember(which, how) => {
            let address = format!("{which}@example.com");
            change.save_member(Member {
                name: Some(how.to_string().into()),
                ..Member::new(id("member", *which), &address, now)
            })
        }
        Step::DeleteMember(which) => change.delete_member(id("member", *which)),
        Step::AddLabel(which) => match change.label_called(&which.to_string()) {
            Some(_) => Ok(()),
            None => change.add_label(&which.to_string()).map(drop),
        },
        Step::AddIntegration(which) => {
            let name = which.to_string();
            let new = Integration::generate(&name, now).unwrap();
            change
                .save_integration(Integration {
                    id: id("integration", *which),
                    ..new
                })
                .map(drop)
        }
        Step::DeleteIntegration(which) => change.delete_integration(id("integration", *which)),
        Step::AddWebhook(which) => change.save_webhook(Webhook {
            id: id("webhook", *which),
            event: "post.published".into(),
            target_url: "https://example.com".into(),
            name: None,
            secret: None,
            api_version: "v6".into(),
            integration: id("integration", *which),
            last_triggered_at: None,
            last_triggered_status: None,
            last_triggered_error: None,
            created_at: now,
            updated_at: now,
        }),
        Step::SetImageWidths(how) => change.set_image_widths(&[u32::from(*how) + 100]),
        Step::RecordAction => change.record_action(
            &Actor::Operator,
            ActionEvent::Edited,
            Subject::whole_content(),
        ),
    }
}

proptest! {
    #![proptest_config(ProptestConfig { cases: 60, failure_persistence: None, ..Default::default() })]

    /// However two sites take turns, and whenever they follow each other, they have what a site has that is opened then.
    #[test]
    fn sites_that_follow_each_other_are_as_if_just_opened(
        turns in prop::collection::vec((0..2usize, prop::collection::vec(step(), 1..4), any::<bool>()), 1..24),
    ) {
        let store = in_memory();
        let sites = [open(&store), open(&store)];
        for (which, steps, follows) in &turns {
            // A step may be refused; then its transaction leaves nothing.
            let _ = sites[*which].write(|change| steps.iter().try_for_each(|step| take(step, change)));
            if *follows {
                let other = &sites[1 - which];
                other.follow().unwrap();
                prop_assert_eq!(state(other), state(&open(&store)));
            }
        }
        for site in &sites {
            site.follow().unwrap();
            prop_assert_eq!(state(site), state(&open(&store)));
        }
    }
}
