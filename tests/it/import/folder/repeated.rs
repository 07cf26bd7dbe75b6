//! Tests of repeated imports of a folder: changed documents, and posts that were edited meanwhile.

use galley_tests::bucket_server::{BucketServer, Misbehaviour};

use super::{super::destination::uploads_in, *};

#[test]
fn repeated_import_changes_nothing() {
    let migration = two_posts();
    migration.import();
    let revision = migration.revision();
    migration.clock.set(time("2025-07-01T00:00:00Z"));

    let report = migration.import();

    assert_eq!(count(&report, "posts"), (0, 0, 2));
    assert_eq!(migration.revision(), revision);
}

#[test]
fn changed_file_updates_only_its_post() {
    let migration = two_posts();
    migration.import();
    let before = migration.post("knots");
    migration.write(
        "ferry.md",
        "---\ntitle: The ferry\ndate: 2024-01-02\n---\nGone.\n",
    );
    // Rewriting a file without a change does not date its undated post.
    migration.write("knots.md", "---\ntitle: Knots\n---\nRope.\n");

    let report = migration.import();

    assert_eq!(count(&report, "posts"), (0, 1, 1));
    let ferry = migration.post("ferry");
    assert_eq!(&*ferry.title, "The ferry");
    assert_eq!(ferry.published_at, Some(time("2024-01-02T00:00:00Z")));
    assert_eq!(migration.html("ferry").trim(), "<p>Gone.</p>");
    assert_eq!(migration.post("knots"), before);
}

#[test]
fn edited_post_is_preserved_and_reported_if_its_file_changes() {
    let migration = two_posts();
    migration.import();
    let edited = Post {
        title: "Edited here".into(),
        ..migration.post("ferry")
    };
    migration
        .site
        .write(|transaction| {
            let (html, lexical) = transaction.body(edited.id)?;
            let body = galley::domain::post::Body::new(html.unwrap(), false, false);
            transaction.save_post(edited.clone(), body.with_lexical(lexical.unwrap()))
        })
        .unwrap();

    let unchanged_file = migration.import();
    migration.write(
        "ferry.md",
        "---\ntitle: Changed there\ndate: 2024-01-01\n---\nGone.\n",
    );
    let changed_file = migration.import();

    assert!(
        !lines(&unchanged_file.changed)
            .iter()
            .any(|line| line.contains("ferry"))
    );
    assert_eq!(count(&changed_file, "posts"), (0, 0, 2));
    assert!(lines(&changed_file.changed).contains(
        &"ferry.md: the file has changed, but so has the post \"ferry\"; the post stays as it is".to_owned()
    ));
    assert_eq!(&*migration.post("ferry").title, "Edited here");
}

#[test]
fn deleted_post_is_imported_again() {
    let migration = two_posts();
    migration.import();
    let ferry = migration.post("ferry").id;
    migration
        .site
        .write(|transaction| transaction.delete_post(ferry))
        .unwrap();

    assert_eq!(count(&migration.import(), "posts"), (1, 0, 1));
}

#[test]
fn scheduled_post_published_meanwhile_counts_as_unchanged() {
    let migration = Migration::of(&[("a.md", "---\ntitle: A\ndate: 2025-06-10\n---\nText.\n")]);
    migration.import();
    assert_eq!(migration.post("a").status, Status::Scheduled);
    migration.clock.set(time("2025-06-11T00:00:00Z"));
    let due = [migration.post("a").id];
    migration
        .site
        .write(|transaction| transaction.publish_due_posts(&due))
        .unwrap();

    migration.write("a.md", "---\ntitle: B\ndate: 2025-06-10\n---\nText.\n");

    assert_eq!(count(&migration.import(), "posts"), (0, 1, 0));
}

#[test]
fn taken_slugs_get_section_or_number_and_no_post_is_overwritten() {
    let first = two_posts();
    first.import();
    let existing = first.post("ferry");
    // Another project with documents of the same name.
    let other = first.folder.path().join("other");
    write(
        &other.join("ferry.md"),
        "---\ntitle: Another\ndate: 2020-01-01\n---\nText.\n",
    );
    write(
        &other.join("b/ferry.md"),
        "---\ntitle: Third\ndate: 2020-01-01\n---\nText.\n",
    );

    let report = first.try_import(&other).unwrap();

    assert_eq!(count(&report, "posts"), (2, 0, 0));
    assert_eq!(first.post("ferry"), existing);
    assert_eq!(&*first.post("ferry-2").title, "Another");
    assert_eq!(&*first.post("b-ferry").title, "Third");
    assert_eq!(
        lines(&report.changed),
        [
            "ferry.md: another document has the same slug, so this one gets a different slug: \"ferry\" becomes \"ferry-2\"",
            "b/ferry.md: another document has the same slug, so this one gets a different slug: \"ferry\" becomes \"b-ferry\"",
        ]
    );
    assert_eq!(
        count(&first.try_import(&other).unwrap(), "posts"),
        (0, 0, 2)
    );
}

#[test]
fn moved_project_is_recognised() {
    let migration = two_posts();
    migration.import();
    let elsewhere = migration.folder.path().join("elsewhere");
    fs::rename(migration.project(), &elsewhere).unwrap();

    let report = migration.try_import(&elsewhere).unwrap();

    assert_eq!(count(&report, "posts"), (0, 0, 2));
}

/// Creates documents with every form of authors, tags and dates in front matter.
fn documents_of_many_authors() -> Migration {
    let headers = [
        "author: Ada Tide",
        "author: ada-tide",
        "authors: [Zed, Bo]",
        "authors: [bo, Ada Tide]",
        "author: {name: Cy Sail}",
        "author: {name: Cy Sail, slug: zed}",
        "author: {name: Dee, slug: dee}",
        "author: {slug: eve}",
        "author: {name: Fay, email: fay@example.com}",
        "author: {email: gus@example.com}",
        "author: hal@example.com",
        "authors: [{name: Aaa, slug: aaa}, Zoë, Zoe]",
        "author: Author",
        "author: \"\"",
        "authors: []",
        "tags: [Sea, sea, C, C++]",
        "date: 2024-01-02T03:04:05+02:00",
        "date: 2024-01-02 03:04:05",
        "lastmod: 2024-05-06",
        "draft: true",
        "date: 2030-01-01",
    ];
    let documents: Vec<(String, String)> = headers
        .iter()
        .enumerate()
        .map(|(number, head)| {
            let text = format!("---\ntitle: Text {number}\n{head}\n---\nText.\n");
            (format!("text-{number:02}.md"), text)
        })
        .collect();
    let files: Vec<(&str, &str)> = documents
        .iter()
        .map(|(path, text)| (&**path, &**text))
        .collect();
    Migration::of_posts(&files)
}

#[test]
fn repeated_import_keeps_default_author_and_date() {
    let migration = documents_of_many_authors();
    let first = migration.import();
    let added = count(&first, "posts").0;
    assert_eq!(added, 21);
    let authors: Vec<_> = (0..added)
        .map(|number| migration.authors(&format!("text-{number:02}")))
        .collect();
    let revision = migration.revision();

    // Repeat within the same second, and a month later.
    for now in [NOW, NOW, "2025-07-01T00:00:00Z"] {
        migration.clock.set(time(now));
        let again = migration.import();
        assert_eq!(count(&again, "posts"), (0, 0, added));
        assert_eq!(count(&again, "users"), (0, 0, 0));
        assert_eq!(migration.revision(), revision);
    }

    migration.write(
        "text-03.md",
        "---\ntitle: Text 3\nauthors: [bo]\n---\nOther.\n",
    );
    assert_eq!(count(&migration.import(), "posts"), (0, 1, added - 1));
    assert_eq!(count(&migration.import(), "posts"), (0, 0, added));
    for (number, authors) in authors
        .iter()
        .enumerate()
        .filter(|(number, _)| *number != 3)
    {
        assert_eq!(
            migration.authors(&format!("text-{number:02}")),
            *authors,
            "{number}"
        );
    }
    assert_eq!(authors[5], ["Zed"]);
    assert_eq!(authors[6], ["Dee"]);
    assert_eq!(authors[7], ["eve"]);
    assert_eq!(authors[8], ["Fay"]);
}

#[test]
fn default_author_is_preserved_when_earlier_users_are_added() {
    let migration = two_posts();
    migration.import();
    assert_eq!(migration.authors("knots"), ["Author"]);
    // Within the same second, another import adds an author whose name sorts first, and a user with an earlier date is added.
    let other = migration.folder.path().join("other");
    write(
        &other.join("a.md"),
        "---\ntitle: A\nauthor: Aaa\ndate: 2020-01-01\n---\nText.\n",
    );
    migration.try_import(&other).unwrap();
    let site = &migration.site;
    site.write(|transaction| {
        let id = Id::derive("user", "first");
        transaction.save(galley::domain::user::User {
            role: galley::domain::role::Role::Owner,
            ..galley::domain::user::User::new(id, "first", "First", time("1990-01-01T00:00:00Z"))
        })
    })
    .unwrap();

    assert_eq!(count(&migration.import(), "posts"), (0, 0, 2));
    assert_eq!(migration.authors("knots"), ["Author"]);
    // A new document is by the owner.
    migration.write("new.md", "---\ntitle: New\ndate: 2024-01-01\n---\nText.\n");
    assert_eq!(count(&migration.import(), "posts"), (1, 0, 2));
    assert_eq!(migration.authors("new"), ["First"]);
    assert_eq!(count(&migration.import(), "posts"), (0, 0, 3));
}

#[test]
fn unavailable_bucket_ends_the_import() {
    let files = [("ferry.md", "![](deck.png)\n"), ("deck.png", "a deck")];
    let migration = Migration::of_posts(&files);
    let bucket = BucketServer::start();
    let uploads = uploads_in(&bucket, &migration.data());
    bucket.misbehave("GET", "deck", Misbehaviour::Status(503));
    let options = Options {
        uploads,
        ..migration.options(false)
    };
    let source = ImportSource::at(&migration.project()).unwrap();
    let error = import(&migration.site, &source, &options, &NoProgress).unwrap_err();
    assert_eq!(error.kind(), Kind::Internal, "{error}");
    assert_eq!(migration.slugs(PostKind::Post), [""; 0]);
}
