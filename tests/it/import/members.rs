//! Lists of members, in and out.

use std::{fs, ops::ControlFlow, sync::Arc};

use galley::{
    clock::ManualClock,
    domain::{
        member::{Member, Origin, Status, TierGrant},
        member_event::EventSource,
        newsletter::Newsletter,
        tier::{self, Price, Tier},
    },
    error::{Error, Kind},
    export,
    id::Id,
    import::{Count, Given, Note, Notes, Options, Progress, Report, import},
    site::Site,
    store::memory::MemoryStore,
};
use jiff::Timestamp;
use url::Url;

/// The list that the reference was given, with all that CSV can do (Ghost 6.65, recorded).
const RECORDED: &str = "\
email,name,note,subscribed_to_emails,complimentary_plan,stripe_customer_id,created_at,labels
ana@example.com,Ana Example,\"a note, with a comma\",true,,,2024-01-02T03:04:05.000Z,\"Early,Friends\"
ben@example.com,Ben,,false,,,,
carla@example.com,\"Carla \"\"C\"\" Quoted\",,true,,,2024-02-02T03:04:05.000Z,Friends
";

const NOW: &str = "2025-06-01T12:00:00Z";
const LATER: &str = "2025-06-02T12:00:00Z";

struct Silent;

impl Progress for Silent {
    fn advance(&self, _done: u64, _total: u64) {}
}

/// A publication to which lists of members come.
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
        self.try_import_with(csv, &Silent)
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
            data: folder.path().to_owned(),
            dry_run: false,
            actor: galley::domain::actor::Actor::Operator,
        };
        import(&self.site, &Given::at(&list)?, &options, progress)
    }

    fn import(&self, csv: impl AsRef<[u8]>) -> Report {
        self.try_import(csv).unwrap()
    }

    fn member(&self, email: &str) -> Member {
        let edition = self.site.current();
        let found = edition.catalog.members.by_email(email);
        let found = found.unwrap_or_else(|| panic!("{email} is no member"));
        Member::clone(found)
    }

    fn change(&self, email: &str, change: impl FnOnce(&mut Member)) {
        let mut member = self.member(email);
        change(&mut member);
        self.site
            .write(|transaction| transaction.save_member(member))
            .unwrap();
    }

    fn labels(&self, email: &str) -> Vec<String> {
        let edition = self.site.current();
        let name = |id: &Id| edition.catalog.labels.get(*id).unwrap().name.to_string();
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
        self.site.write(|change| change.save(tier)).unwrap();
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

/// The notes as `subject: text`.
fn lines(notes: &Notes) -> Vec<String> {
    let line = |note: &Note| format!("{}: {}", note.subject, note.text);
    notes.notes.iter().map(line).collect()
}

fn time(text: &str) -> Timestamp {
    text.parse().unwrap()
}

#[test]
fn a_list_of_ghosts_comes_in_as_ghost_takes_it() {
    let publication = Publication::new();

    let report = publication.import(RECORDED);

    assert_eq!(count(&report), added(3));
    assert!(report.changed.is_empty() && report.left_out.is_empty());
    let ana = publication.member("ana@example.com");
    assert_eq!(ana.name.as_deref(), Some("Ana Example"));
    assert_eq!(ana.note.as_deref(), Some("a note, with a comma"));
    assert_eq!(ana.created_at, time("2024-01-02T03:04:05Z"));
    assert_eq!(ana.updated_at, time(NOW));
    assert_eq!(ana.status, Status::Free);
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
fn doing_it_again_changes_nothing() {
    let publication = Publication::new();
    publication.import(RECORDED);
    let revision = publication.revision();
    publication.clock.set(time(LATER));

    let report = publication.import(RECORDED);

    assert_eq!(count(&report).unwrap().unchanged, 3);
    assert_eq!(publication.revision(), revision);
}

#[test]
fn rows_that_cannot_be_taken_are_told_and_the_rest_comes_in() {
    let publication = Publication::new();
    let long_name = "n".repeat(192);

    let report = publication.import(format!(
        "email,name,deleted_at\n\
         not-an-address,Somebody\n\
         dora@example.com,Dora\n\
         Dora@Example.com,Dora again\n\
         ,Nobody\n\
         \n\
         ,,\n\
         ed@example.com,\"on two\nlines\"\n\
         gus@example.com,,2024-01-01\n\
         hal@example.com,{long_name}\n\
         ida@example.com\n"
    ));

    assert_eq!(
        lines(&report.left_out),
        [
            "line 2: \"not-an-address\" is no e-mail address.",
            "line 4: Dora@Example.com stands in line 3 already",
            "line 5: it has no e-mail address",
            "line 10: gus@example.com was deleted (2024-01-01)",
            "line 11: The name of a member has at most 191 characters; this one has 192.",
        ]
    );
    assert_eq!(count(&report), added(3));
    let name = |email: &str| publication.member(email).name;
    assert_eq!(name("dora@example.com").as_deref(), Some("Dora"));
    assert_eq!(name("ed@example.com").as_deref(), Some("on two\nlines"));
    assert_eq!(name("ida@example.com"), None);
}

#[test]
fn a_row_with_more_cells_than_columns_is_not_taken() {
    let publication = Publication::new();

    let report =
        publication.import("email,name\nana@example.com,Example, Ana\nben@example.com,Ben,,\n");

    assert_eq!(
        lines(&report.left_out),
        [
            "line 2: it has 3 cells, but there are 2 columns; a cell with a comma in it needs quotation marks"
        ]
    );
    assert_eq!(count(&report), added(1));
}

#[test]
fn a_member_who_is_there_is_added_to_and_never_emptied() {
    let publication = Publication::new();
    publication.import(RECORDED);
    publication.clock.set(time(LATER));

    let report = publication.import(
        "email,name,note,created_at,labels,stripe_customer_id\n\
         ANA@example.com,,,2020-01-01,\"Friends,Fresh\",cus_1\n\
         ben@example.com,Benjamin,wrote a letter,,,\n\
         carla@example.com,,,,,\n",
    );

    let counted = count(&report).unwrap();
    assert_eq!((counted.updated, counted.unchanged), (2, 1));
    let ana = publication.member("ana@example.com");
    assert_eq!(&*ana.email, "ana@example.com");
    assert_eq!(ana.name.as_deref(), Some("Ana Example"));
    assert_eq!(ana.note.as_deref(), Some("a note, with a comma"));
    assert_eq!(ana.created_at, time("2024-01-02T03:04:05Z"));
    assert_eq!(ana.updated_at, time(LATER));
    assert_eq!(ana.stripe_customer_id.as_deref(), Some("cus_1"));
    assert_eq!(
        publication.labels("ana@example.com"),
        ["Early", "Friends", "Fresh"]
    );
    let ben = publication.member("ben@example.com");
    assert_eq!(ben.name.as_deref(), Some("Benjamin"));
    assert_eq!(ben.note.as_deref(), Some("wrote a letter"));
    let carla = publication.member("carla@example.com");
    assert_eq!(carla.updated_at, time(NOW));
}

#[test]
fn who_has_unsubscribed_stays_so_and_who_refuses_is_unsubscribed() {
    let publication = Publication::new();
    publication.import("email\nana@example.com\nben@example.com\n");
    publication.change("ana@example.com", |ana| ana.newsletters.clear());

    let report = publication.import(
        "email,subscribed_to_emails\nana@example.com,true\nben@example.com,No\ncleo@example.com,perhaps\n",
    );

    assert_eq!(
        lines(&report.changed),
        [
            "line 2: ana@example.com has unsubscribed here and stays so",
            "line 4: \"perhaps\" in subscribed_to_emails is neither true nor false; nobody is subscribed by it",
        ]
    );
    for email in ["ana@example.com", "ben@example.com", "cleo@example.com"] {
        assert!(!publication.member(email).is_subscribed(), "{email}");
    }
}

#[test]
fn new_members_get_the_newsletters_that_are_for_them() {
    let publication = Publication::new();
    let newsletter = |slug: &str| Newsletter::new(slug, slug);
    publication
        .site
        .write(|change| {
            change.save(Newsletter {
                sort_order: 1,
                ..newsletter("weekly")
            })?;
            change.save(Newsletter {
                subscribe_on_signup: false,
                ..newsletter("on-demand")
            })?;
            change.save(Newsletter {
                visibility: "paid".into(),
                ..newsletter("for-payers")
            })?;
            change.save(Newsletter {
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
fn complimentary_plans_give_the_tiers_that_the_list_names() {
    let publication = Publication::new();
    let gold = publication.add_tier("gold", "Gold, with post");
    let crew = publication.add_tier("crew", "Crew");
    let usual = publication.tier(tier::DEFAULT_PAID_SLUG);

    let report = publication.import(
        "email,complimentary_plan,tiers,import_tier\n\
         a@example.com,true,,\n\
         b@example.com,TRUE,\"Gold, with post\",\n\
         c@example.com,true,\"crew,Gold, with post\",crew\n\
         d@example.com,true,\"Crew,Galley\",\n\
         e@example.com,true,Platinum,\n\
         f@example.com,false,Crew,\n\
         g@example.com,,Crew,\n",
    );

    let tiers = |email: &str| -> Vec<Id> {
        let member = publication.member(email);
        let expected = match member.tiers.is_empty() {
            true => Status::Free,
            false => Status::Comped,
        };
        assert_eq!(member.status, expected, "{email}");
        member.tiers.iter().map(|grant| grant.tier).collect()
    };
    assert_eq!(tiers("a@example.com"), [usual]);
    assert_eq!(tiers("b@example.com"), [gold]);
    assert_eq!(tiers("c@example.com"), [crew]);
    assert_eq!(tiers("d@example.com"), [crew, usual]);
    assert_eq!(tiers("e@example.com"), []);
    assert_eq!(tiers("f@example.com"), []);
    assert_eq!(tiers("g@example.com"), []);
    assert_eq!(
        lines(&report.changed),
        ["line 6: e@example.com is given no tier: there is no paid tier called \"Platinum\""]
    );
}

#[test]
fn a_plan_is_neither_taken_away_nor_given_to_who_pays() {
    let publication = Publication::new();
    let until = time("2030-01-01T00:00:00Z");
    let grant = TierGrant {
        tier: publication.tier(tier::DEFAULT_PAID_SLUG),
        expires_at: Some(until),
    };
    publication.import("email\nana@example.com\nben@example.com\n");
    publication.change("ana@example.com", |ana| {
        ana.status = Status::Comped;
        ana.tiers = vec![grant];
    });
    publication.change("ben@example.com", |ben| ben.status = Status::Paid);

    publication.import("email,complimentary_plan\nana@example.com,true\nben@example.com,true\n");
    publication.import("email,complimentary_plan\nana@example.com,false\nben@example.com,\n");

    let ana = publication.member("ana@example.com");
    assert_eq!((ana.status, ana.tiers), (Status::Comped, vec![grant]));
    let ben = publication.member("ben@example.com");
    assert_eq!((ben.status, ben.tiers), (Status::Paid, vec![]));
}

#[test]
fn headers_and_cells_are_read_as_spreadsheets_write_them() {
    let forms = [
        "\u{feff}Email,Full Name,Subscribed To Emails,Created at\r\nana@example.com,Ana,FALSE,2024-03-01\r\n",
        "EMAIL ADDRESS;name;subscribed_to_emails;created_at\n ana@example.com ;Ana;false;2024-03-01 00:00\n",
        "name\te-mail\tsubscribed\tcreated-at\nAna\tana@example.com\t0\t1 Mar 2024",
    ];
    for form in forms {
        let publication = Publication::new();

        let report = publication.import(form);

        assert_eq!(count(&report), added(1), "{form}");
        assert!(report.changed.is_empty() && report.left_out.is_empty());
        let ana = publication.member("ana@example.com");
        assert_eq!(ana.name.as_deref(), Some("Ana"), "{form}");
        assert!(!ana.is_subscribed(), "{form}");
        assert_eq!(ana.created_at, time("2024-03-01T00:00:00Z"), "{form}");
    }
}

#[test]
fn what_members_have_no_field_for_is_told_once() {
    let publication = Publication::new();

    let report = publication.import(
        "email,Expertise,created_at,labels\nana@example.com,Knots,soon,\"Early, ,Early\"\n",
    );

    assert_eq!(
        lines(&report.left_out),
        ["column \"Expertise\": members have no field of this name"]
    );
    assert_eq!(
        lines(&report.changed),
        ["line 2: \"soon\" in created_at is no date"]
    );
    assert_eq!(publication.labels("ana@example.com"), ["Early"]);
}

#[test]
fn a_label_that_cannot_be_is_left_out_and_the_member_comes_in() {
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
fn what_is_no_list_of_members_is_refused_and_changes_nothing() {
    let unclosed = format!(
        "email,name\nana@example.com,\"Ana\n{}",
        "b@c.de,B\n".repeat(100_000)
    );
    let cases: [(&[u8], &str); 6] = [
        (
            b"\xef\xbb\xbf\n\n,,\n",
            "has no column \"email\". Its first line is empty.",
        ),
        (
            b"name,age\nAna,3\n",
            "has no column \"email\". Its first line is: name, age.",
        ),
        (b"Just some words.", "Its first line is: Just some words.."),
        (
            b"email,name\na@example.com,A\nb@example.com,Ren\xe9\n",
            "Line 3 of the list is not UTF-8. Save the list as \"CSV UTF-8\".",
        ),
        (b"\xff\xfee\0m\0a\0i\0l\0", "is not UTF-8"),
        (
            unclosed.as_bytes(),
            "The row that begins in line 2 of the list does not end within 262144 bytes.",
        ),
    ];
    for (csv, expected) in cases {
        let publication = Publication::new();
        let before = publication.revision();

        let error = publication.try_import(csv).unwrap_err();

        assert_eq!(error.kind(), Kind::Validation, "{expected}");
        assert!(error.to_string().contains(expected), "{error}");
        assert_eq!(publication.revision(), before);
    }
}

#[test]
fn a_list_may_not_name_labels_without_end() {
    const LABELS_MAX: usize = 5000;
    let publication = Publication::new();
    let mut csv = "email,labels\n".to_owned();
    for row in 0..=LABELS_MAX / 10 {
        let labels: Vec<String> = (0..10).map(|place| format!("{row}-{place}")).collect();
        csv += &format!("m{row}@example.com,\"{}\"\n", labels.join(","));
    }

    let error = publication.try_import(csv).unwrap_err();

    assert!(
        error.to_string().contains("more than 5000 labels"),
        "{error}"
    );
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
fn the_list_that_goes_out_has_ghosts_columns_and_forms() {
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
        "id,email,name,note,subscribed_to_emails,complimentary_plan,stripe_customer_id,created_at,deleted_at,labels,tiers\r\n\
         63b0000000000000000000a1,'+ana@example.com,'=SUM(1),'-5,true,,,2024-01-01T00:00:00.000Z,,'@home,\r\n\
         63b0000000000000000000a2,ben@example.com,\"Ben \"\"B\"\"\",\"one,\ntwo\",false,true,cus_9,2024-01-02T03:04:05.000Z,,\"Early,Friends\",Gold\r\n"
    );
}

#[test]
fn a_list_that_goes_elsewhere_is_the_same_when_it_comes_out_there() {
    let here = Publication::new();
    here.import(RECORDED);
    here.import(
        "email,name,note,labels,complimentary_plan\n\
         dora@example.com, =1+1 ,\"'=quoted\r\nline\",\"-x,Friends\",true\n\
         =ed@example.com,=1+1,'t Hart,,\n",
    );
    let elsewhere = Publication::new();

    let report = elsewhere.import(here.export());

    assert!(report.changed.is_empty() && report.left_out.is_empty());
    assert_eq!(elsewhere.export(), here.export());
    assert_eq!(
        elsewhere.member("=ed@example.com").name.as_deref(),
        Some("=1+1")
    );
    let again = elsewhere.import(here.export());
    assert_eq!(count(&again).unwrap().unchanged, 5);
}

#[test]
fn an_identifier_that_is_somebody_elses_is_not_taken_over() {
    let publication = Publication::new();
    publication.import("id,email\n63b0000000000000000000a1,ana@example.com\n");

    publication.import("id,email\n63b0000000000000000000a1,ben@example.com\nx,cleo@example.com\n");

    let ana = publication.member("ana@example.com");
    assert_eq!(ana.id.to_string(), "63b0000000000000000000a1");
    assert_ne!(publication.member("ben@example.com").id, ana.id);
    publication.member("cleo@example.com");
}

#[test]
fn a_label_that_was_deleted_is_on_nobody() {
    let publication = Publication::new();
    publication.import(RECORDED);
    let friends = publication
        .site
        .write(|change| {
            let id = change.label_called("Friends").unwrap().id;
            change.remove::<galley::domain::label::Label>(id)?;
            change.add_label("Friends")
        })
        .unwrap();

    assert!(publication.export().contains(",,Early,\r\n"));
    assert!(
        !publication
            .member("ana@example.com")
            .labels
            .contains(&friends.id)
    );
}

#[test]
fn two_spellings_of_an_address_are_two_members_where_a_list_has_identifiers_for_them() {
    let publication = Publication::new();
    let list = "id,email,name\n\
                63b0000000000000000000a1,ana@example.com,Ana\n\
                63b0000000000000000000a2,ANA@example.com,Anabel\n";
    let report = publication.import(list);
    assert_eq!(count(&report).unwrap().added, 2);
    let again = publication.import(list);
    assert_eq!(count(&again).unwrap().unchanged, 2);

    publication.import("email,note\nAna@Example.com,somebody\nANA@example.com,the second\n");

    let note = |email: &str| publication.member(email).note;
    assert_eq!(note("ana@example.com").as_deref(), Some("somebody"));
    assert_eq!(note("ANA@example.com").as_deref(), Some("the second"));
}

#[test]
fn what_happens_to_members_by_a_list_is_noted_once() {
    let publication = Publication::new();
    let happened = || {
        let mut names = Vec::new();
        let edition = publication.site.current();
        let visited = edition.visit_member_events(|event| {
            assert_eq!(event.source, EventSource::Import);
            names.push(event.happening.name());
            ControlFlow::Continue(())
        });
        visited.unwrap();
        names.len()
    };
    publication.import("email\nana@example.com\n");
    let first = happened();
    assert_eq!(first, 1, "signed up");

    publication.import("email\nana@example.com\n");
    publication.import("email,name\nana@example.com,Ana\n");

    assert_eq!(happened(), first);
    assert_eq!(
        publication.member("ana@example.com").origin,
        Some(Origin::Import)
    );
}
