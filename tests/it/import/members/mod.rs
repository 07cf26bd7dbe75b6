//! Tests of imports and exports of member lists.

mod forms;
mod identity;
mod plans;

use std::{fs, ops::ControlFlow, sync::Arc};

use galley::{
    clock::ManualClock,
    domain::{
        actor::Actor,
        member::{Member, MemberOrigin, Status, TierGrant},
        member_event::EventSource,
        newsletter::Newsletter,
        tier::{self, Price, Tier},
    },
    error::{Error, Kind},
    export,
    id::Id,
    import::{Count, ImportSource, Note, Notes, Options, Report, import},
    progress::{NoProgress, Progress},
    site::Site,
    store::memory::MemoryStore,
    uploads::Uploads,
};
use jiff::Timestamp;
use url::Url;

/// A list with quoted commas, quotes and empty cells, whose import into Ghost 6.65 was recorded.
const RECORDED: &str = "\
email,name,note,subscribed_to_emails,complimentary_plan,stripe_customer_id,created_at,labels
ana@example.com,Ana Example,\"a note, with a comma\",true,,,2024-01-02T03:04:05.000Z,\"Early,Friends\"
ben@example.com,Ben,,false,,,,
carla@example.com,\"Carla \"\"C\"\" Quoted\",,true,,,2024-02-02T03:04:05.000Z,Friends
";

const NOW: &str = "2025-06-01T12:00:00Z";
const LATER: &str = "2025-06-02T12:00:00Z";

/// A site that member lists are imported into.
struct Publication {
    site: Site,
    clock: Arc<ManualClock>,
}

impl Publication {
    fn new() -> Self {
        let clock = Arc::new(ManualClock::new(NOW.parse().unwrap()));
        let site = Site::open(Box::new(MemoryStore::new()), clock.clone()).unwrap();
        Self { site, clock }
    }

    fn try_import(&self, csv: impl AsRef<[u8]>) -> Result<Report, Error> {
        self.try_import_with(csv, &NoProgress)
    }

    fn try_import_with(
        &self,
        csv: impl AsRef<[u8]>,
        progress: &dyn Progress,
    ) -> Result<Report, Error> {
        let folder = tempfile::tempdir().unwrap();
        let list = folder.path().join("members.csv");
        fs::write(&list, csv).unwrap();
        let options = Options {
            site: Url::parse("https://harbour.example/").unwrap(),
            uploads: Uploads::in_data(folder.path()),
            dry_run: false,
            actor: Actor::Operator,
            history: false,
            content_files: Default::default(),
            email_auth_secret: None,
            announces_records: true,
        };
        import(&self.site, &ImportSource::at(&list)?, &options, progress)
    }

    fn import(&self, csv: impl AsRef<[u8]>) -> Report {
        self.try_import(csv).unwrap()
    }

    fn member(&self, email: &str) -> Member {
        let snapshot = self.site.current();
        let member = snapshot.catalog.members.by_email(email);
        let member = member.unwrap_or_else(|| panic!("there is no member {email}"));
        Member::clone(member)
    }

    fn change(&self, email: &str, change: impl FnOnce(&mut Member)) {
        let mut member = self.member(email);
        change(&mut member);
        self.site
            .write_once(|transaction| transaction.save_member(member))
            .unwrap();
    }

    fn labels(&self, email: &str) -> Vec<String> {
        let snapshot = self.site.current();
        let name = |id: &Id| snapshot.catalog.labels.get(*id).unwrap().name.to_string();
        self.member(email).labels.iter().map(name).collect()
    }

    fn tier(&self, slug: &str) -> Id {
        self.site.current().catalog.tiers.by_slug(slug).unwrap().id
    }

    fn add_tier(&self, slug: &str, name: &str) -> Id {
        let tier = Tier {
            price: Some(Price {
                currency: "eur".into(),
                monthly: 700,
                yearly: 7000,
            }),
            created_at: NOW.parse().unwrap(),
            ..Tier::new(slug, name)
        };
        let id = tier.id;
        self.site
            .write_once(|transaction| transaction.save(tier))
            .unwrap();
        id
    }

    fn revision(&self) -> u64 {
        self.site.current().catalog.revision
    }

    fn export(&self) -> String {
        let mut csv = Vec::new();
        let catalog = &self.site.current().catalog;
        let members = catalog.members.iter().map(AsRef::as_ref);
        export::members::write(catalog, members, &mut csv).unwrap();
        String::from_utf8(csv).unwrap()
    }
}

fn added(added: usize) -> Option<Count> {
    Some(Count {
        added,
        ..Count::default()
    })
}

fn count(report: &Report) -> Option<Count> {
    report.counts.get("members").copied()
}

/// Returns the notes as `subject: text`.
fn lines(notes: &Notes) -> Vec<String> {
    let line = |note: &Note| format!("{}: {}", note.subject, note.text);
    notes.notes.iter().map(line).collect()
}

fn time(text: &str) -> Timestamp {
    text.parse().unwrap()
}

#[test]
fn member_list_is_imported_as_in_ghost() {
    let publication = Publication::new();

    let report = publication.import(RECORDED);

    assert_eq!(count(&report), added(3));
    assert!(report.changed.is_empty() && report.left_out.is_empty());
    let ana = publication.member("ana@example.com");
    assert_eq!(ana.name.as_deref(), Some("Ana Example"));
    assert_eq!(ana.note.as_deref(), Some("a note, with a comma"));
    assert_eq!(ana.created_at, time("2024-01-02T03:04:05Z"));
    assert_eq!(ana.updated_at, time(NOW));
    assert_eq!(ana.status(), Status::Free);
    assert!(ana.is_subscribed());
    assert_eq!(publication.labels("ana@example.com"), ["Early", "Friends"]);
    let ben = publication.member("ben@example.com");
    assert!(!ben.is_subscribed());
    assert_eq!((ben.note.as_deref(), ben.created_at), (None, time(NOW)));
    let carla = publication.member("carla@example.com");
    assert_eq!(carla.name.as_deref(), Some("Carla \"C\" Quoted"));
    assert_eq!(publication.labels("carla@example.com"), ["Friends"]);
}

#[test]
fn repeated_import_changes_nothing() {
    let publication = Publication::new();
    publication.import(RECORDED);
    let revision = publication.revision();
    publication.clock.set(time(LATER));

    let report = publication.import(RECORDED);

    assert_eq!(count(&report).unwrap().unchanged, 3);
    assert_eq!(publication.revision(), revision);
}

#[test]
fn new_members_get_the_default_newsletters() {
    let publication = Publication::new();
    let newsletter = |slug: &str| Newsletter::new(slug, slug);
    publication
        .site
        .write(|transaction| {
            transaction.save(Newsletter {
                sort_order: 1,
                ..newsletter("weekly")
            })?;
            transaction.save(Newsletter {
                subscribe_on_signup: false,
                ..newsletter("on-demand")
            })?;
            transaction.save(Newsletter {
                visibility: "paid".into(),
                ..newsletter("for-payers")
            })?;
            transaction.save(Newsletter {
                active: false,
                ..newsletter("ended")
            })
        })
        .unwrap();

    publication.import("email,subscribed_to_emails\nana@example.com,\n");

    let expected = ["default-newsletter", "weekly"].map(|slug| Id::derive("newsletter", slug));
    assert_eq!(publication.member("ana@example.com").newsletters, expected);
}

#[test]
fn invalid_label_is_left_out_and_the_member_imported() {
    let publication = Publication::new();
    let long = "l".repeat(192);

    let report = publication.import(format!("email,labels\nana@example.com,\"Early,{long}\"\n"));

    assert_eq!(
        lines(&report.changed),
        [
            "line 2: a label is left out: The name of a label has 1 to 191 characters; this one has 192."
        ]
    );
    assert_eq!(publication.labels("ana@example.com"), ["Early"]);
}

#[test]
fn progress_reaches_the_end() {
    use std::sync::Mutex;
    struct Seen(Mutex<Vec<(u64, u64)>>);
    impl Progress for Seen {
        fn advance(&self, done: u64, total: u64) {
            self.0.lock().unwrap().push((done, total));
        }
    }
    let publication = Publication::new();
    let rows: String = (0..2500)
        .map(|row| format!("m{row}@example.com\n"))
        .collect();
    let csv = format!("email\n{rows}");
    let total = csv.len() as u64;
    let seen = Seen(Mutex::default());

    publication.try_import_with(&csv, &seen).unwrap();

    let seen = seen.0.into_inner().unwrap();
    assert_eq!(seen.len(), 3);
    assert!(seen.is_sorted());
    assert_eq!(seen.last(), Some(&(total, total)));
}

#[test]
fn exported_list_has_ghosts_columns_and_formats() {
    let publication = Publication::new();
    publication.add_tier("gold", "Gold");
    publication.import(
        "id,email,name,note,subscribed_to_emails,complimentary_plan,stripe_customer_id,created_at,labels,tiers\n\
         63b0000000000000000000a2,ben@example.com,\"Ben \"\"B\"\"\",\"one,\ntwo\",false,true,cus_9,2024-01-02T03:04:05.678Z,\"Early,Friends\",Gold\n\
         63b0000000000000000000a1,+ana@example.com,=SUM(1),-5,,,,2023-12-31T23:00:00-01:00,@home,\n",
    );

    let csv = publication.export();

    assert_eq!(
        csv,
        "id,email,name,note,subscribed_to_emails,complimentary_plan,stripe_customer_id,created_at,deleted_at,labels,tiers,newsletters\r\n\
         63b0000000000000000000a1,'+ana@example.com,'=SUM(1),'-5,true,,,2024-01-01T00:00:00.000Z,,'@home,,Galley\r\n\
         63b0000000000000000000a2,ben@example.com,\"Ben \"\"B\"\"\",\"one,\ntwo\",false,true,cus_9,2024-01-02T03:04:05.000Z,,\"Early,Friends\",Gold,\r\n"
    );
}

#[test]
fn export_reports_fields_that_a_list_cannot_represent() {
    let publication = Publication::new();
    publication.add_tier("gold", "Gold");
    let remarks = || {
        let catalog = &publication.site.current().catalog;
        export::members::remarks(catalog, catalog.members.iter().map(AsRef::as_ref))
    };
    publication.import(RECORDED);
    assert_eq!(remarks(), Vec::<String>::new());

    publication.change("ana@example.com", |ana| ana.pays = true);
    let tier = publication.tier("gold");
    publication.change("ben@example.com", |ben| {
        let expires_at = Some(LATER.parse().unwrap());
        ben.tiers.push(TierGrant { tier, expires_at });
    });
    publication
        .site
        .write(|transaction| transaction.add_label("Early, late"))
        .unwrap();
    publication.add_tier("gold-2", "Gold");

    assert_eq!(
        remarks(),
        [
            "label \"Early, late\": an import reads it as several labels, because of the comma",
            "tier \"Gold\": several have this name; an import uses the first",
            "members who pay for a tier: 1; they have no tier after an import",
            "members with a tier that expires: 1; it does not expire after an import",
        ]
    );
}

#[test]
fn member_list_round_trips_between_sites() {
    let source = Publication::new();
    source.import(RECORDED);
    source.import(
        "email,name,note,labels,complimentary_plan\n\
         dora@example.com, =1+1 ,\"'=quoted\r\nline\",\"-x,Friends\",true\n\
         =ed@example.com,=1+1,'t Hart,,\n",
    );
    let target = Publication::new();

    let report = target.import(source.export());

    assert!(report.changed.is_empty() && report.left_out.is_empty());
    assert_eq!(target.export(), source.export());
    assert_eq!(
        target.member("=ed@example.com").name.as_deref(),
        Some("=1+1")
    );
    let again = target.import(source.export());
    assert_eq!(count(&again).unwrap().unchanged, 5);
}
