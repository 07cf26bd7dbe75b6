//! Tests of stores with records whose names or addresses differ only in case, which earlier versions allowed.

mod command_line;
mod editing;
mod merging;

use std::{path::Path, sync::Arc};

use galley::{
    clock::SystemClock,
    domain::{
        label::Label, member::Member, newsletter::Newsletter, offer::Offer, snippet::Snippet,
        user::User,
    },
    id::Id,
    site::{CollectionRecord, EditableRecord, Site},
    store::{
        Table,
        redb::{DEFAULT_CACHE_BYTES, RedbStore},
    },
};
use jiff::Timestamp;
use serde::Serialize;
use serde_json::json;

/// The creation time of the first records, in seconds since 1970.
const BEGINNING: i64 = 1_600_000_000;

fn time(seconds: i64) -> Timestamp {
    Timestamp::from_second(seconds).unwrap()
}

/// Opens the site in `folder/data`, which is created if it does not exist.
fn open(folder: &Path) -> Site {
    let data = folder.join("data");
    std::fs::create_dir_all(&data).unwrap();
    let store = RedbStore::open(data.join("galley.redb"), DEFAULT_CACHE_BYTES).unwrap();
    Site::open(Box::new(store), Arc::new(SystemClock)).unwrap()
}

/// Adds members as an earlier version did, which compared addresses with case.
fn add_members(folder: &Path, members: &[Member]) {
    let site = open(folder);
    let written = site.write(|transaction| {
        members.iter().try_for_each(|member| {
            transaction.put(Table::Members, member.id.as_bytes(), member)?;
            transaction.put(Table::MemberEmails, member.email.as_bytes(), &member.id)
        })
    });
    written.unwrap();
}

/// Adds pairs of records of other kinds, whose names differ only in case.
fn add_records(folder: &Path) {
    let site = open(folder);
    for (slug, name) in [("news", "News"), ("news-2", "NEWS")] {
        add(&site, label(slug, slug), &label(slug, name));
        let newsletter = |name: &str| Newsletter::new(&format!("letter-{slug}"), name);
        add(&site, newsletter(slug), &newsletter(name));
        let offer = |code: &str, name: &str| offer(slug, code, name);
        add(&site, offer(slug, slug), &offer(name, name));
        let email = format!("{name}@example.com");
        let user = User::new(Id::derive("user", slug), slug, slug, time(BEGINNING));
        let known = User {
            email: Some(email.into()),
            ..user.clone()
        };
        add(&site, user, &known);
        let snippet = snippet(slug, name);
        let written = site.write(|transaction| snippet.clone().save(transaction));
        written.unwrap();
    }
}

/// Adds a record, then changes it to one that this version would refuse to add.
fn add<R: CollectionRecord + Serialize>(site: &Site, permitted: R, record: &R) {
    let written = site.write(|transaction| {
        transaction.save(permitted.clone())?;
        let table = <R as CollectionRecord>::TABLE.table();
        transaction.put(table, record.id().as_bytes(), record)
    });
    written.unwrap();
}

fn label(slug: &str, name: &str) -> Label {
    Label {
        id: Id::derive("label", slug),
        slug: slug.into(),
        name: name.into(),
        created_at: time(BEGINNING),
        updated_at: time(BEGINNING),
    }
}

fn offer(id: &str, code: &str, name: &str) -> Offer {
    let offer = json!({
        "id": Id::derive("offer", id), "name": name, "code": code, "kind": "percent", "cadence": "month", "amount": 10,
        "duration": "once", "active": true, "redemption_type": "signup", "tier": Id::derive("tier", "default-product"),
        "created_at": time(BEGINNING),
    });
    serde_json::from_value(offer).unwrap()
}

fn snippet(id: &str, name: &str) -> Snippet {
    Snippet {
        id: Id::derive("snippet", id),
        name: name.into(),
        mobiledoc: "{}".into(),
        lexical: None,
        created_at: time(BEGINNING),
        updated_at: time(BEGINNING),
    }
}

/// Returns a free member without newsletters, who signed up `seconds` after the first.
fn member(email: &str, seconds: i64) -> Member {
    Member::new(
        Id::derive("member", email),
        email,
        time(BEGINNING + seconds),
    )
}
