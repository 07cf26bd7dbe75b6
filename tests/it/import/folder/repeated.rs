//! Tests of repeated imports of a folder: changed documents, and posts that were edited meanwhile.

use super::*;

#[test]
fn repeated_import_changes_nothing() {
    let moved = two_posts();
    moved.import();
    let revision = moved.revision();
    moved.clock.set(time("2025-07-01T00:00:00Z"));

    let report = moved.import();

    assert_eq!(count(&report, "posts"), (0, 0, 2));
    assert_eq!(moved.revision(), revision);
}

#[test]
fn changed_file_updates_only_its_post() {
    let moved = two_posts();
    moved.import();
    let before = moved.post("knots");
    moved.write(
        "ferry.md",
        "---\ntitle: The ferry\ndate: 2024-01-02\n---\nGone.\n",
    );
    // Not even an undated post moves when its file is only touched.
    moved.write("knots.md", "---\ntitle: Knots\n---\nRope.\n");

    let report = moved.import();

    assert_eq!(count(&report, "posts"), (0, 1, 1));
    let ferry = moved.post("ferry");
    assert_eq!(&*ferry.title, "The ferry");
    assert_eq!(ferry.published_at, Some(time("2024-01-02T00:00:00Z")));
    assert_eq!(moved.html("ferry").trim(), "<p>Gone.</p>");
    assert_eq!(moved.post("knots"), before);
}

#[test]
fn edited_post_is_preserved_and_reported_if_its_file_changes() {
    let moved = two_posts();
    moved.import();
    let edited = Post {
        title: "Edited here".into(),
        ..moved.post("ferry")
    };
    moved
        .site
        .write(|change| {
            let (html, lexical) = change.body(edited.id)?;
            let body = galley::domain::post::Body::new(html.unwrap(), false, false);
            change.save_post(edited.clone(), body.with_lexical(lexical.unwrap()))
        })
        .unwrap();

    let unchanged_file = moved.import();
    moved.write(
        "ferry.md",
        "---\ntitle: Changed there\ndate: 2024-01-01\n---\nGone.\n",
    );
    let changed_file = moved.import();

    assert!(
        !lines(&unchanged_file.changed)
            .iter()
            .any(|line| line.contains("ferry"))
    );
    assert_eq!(count(&changed_file, "posts"), (0, 0, 2));
    assert!(lines(&changed_file.changed).contains(
        &"ferry.md: the file has changed, but so has the post \"ferry\"; the post stays as it is".to_owned()
    ));
    assert_eq!(&*moved.post("ferry").title, "Edited here");
}

#[test]
fn deleted_post_is_imported_again() {
    let moved = two_posts();
    moved.import();
    let ferry = moved.post("ferry").id;
    moved
        .site
        .write(|change| change.delete_post(ferry))
        .unwrap();

    assert_eq!(count(&moved.import(), "posts"), (1, 0, 1));
}

#[test]
fn scheduled_post_published_meanwhile_counts_as_unchanged() {
    let moved = Move::of(&[("a.md", "---\ntitle: A\ndate: 2025-06-10\n---\nText.\n")]);
    moved.import();
    assert_eq!(moved.post("a").status, Status::Scheduled);
    moved.clock.set(time("2025-06-11T00:00:00Z"));
    let due = [moved.post("a").id];
    moved
        .site
        .write(|change| change.publish_those_due(&due))
        .unwrap();

    moved.write("a.md", "---\ntitle: B\ndate: 2025-06-10\n---\nText.\n");

    assert_eq!(count(&moved.import(), "posts"), (0, 1, 0));
}

#[test]
fn taken_slugs_get_section_or_number_and_no_post_is_overwritten() {
    let first = two_posts();
    first.import();
    let theirs = first.post("ferry");
    // Another project with a text of the same name.
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
    assert_eq!(first.post("ferry"), theirs);
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
    let moved = two_posts();
    moved.import();
    let elsewhere = moved.folder.path().join("elsewhere");
    fs::rename(moved.project(), &elsewhere).unwrap();

    let report = moved.try_import(&elsewhere).unwrap();

    assert_eq!(count(&report, "posts"), (0, 0, 2));
}

/// Documents that name their authors and dates in all forms.
fn of_many_authors() -> Move {
    let heads = [
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
    let texts: Vec<(String, String)> = heads
        .iter()
        .enumerate()
        .map(|(number, head)| {
            let text = format!("---\ntitle: Text {number}\n{head}\n---\nText.\n");
            (format!("text-{number:02}.md"), text)
        })
        .collect();
    let files: Vec<(&str, &str)> = texts
        .iter()
        .map(|(path, text)| (&**path, &**text))
        .collect();
    Move::of_posts(&files)
}

#[test]
fn repeated_import_keeps_default_author_and_date() {
    let moved = of_many_authors();
    let first = moved.import();
    let added = count(&first, "posts").0;
    assert_eq!(added, 21);
    let authors: Vec<_> = (0..added)
        .map(|number| moved.authors(&format!("text-{number:02}")))
        .collect();
    let revision = moved.revision();

    // In the same second, and later.
    for now in [NOW, NOW, "2025-07-01T00:00:00Z"] {
        moved.clock.set(time(now));
        let again = moved.import();
        assert_eq!(count(&again, "posts"), (0, 0, added));
        assert_eq!(count(&again, "users"), (0, 0, 0));
        assert_eq!(moved.revision(), revision);
    }

    moved.write(
        "text-03.md",
        "---\ntitle: Text 3\nauthors: [bo]\n---\nOther.\n",
    );
    assert_eq!(count(&moved.import(), "posts"), (0, 1, added - 1));
    assert_eq!(count(&moved.import(), "posts"), (0, 0, added));
    for (number, authors) in authors
        .iter()
        .enumerate()
        .filter(|(number, _)| *number != 3)
    {
        assert_eq!(
            moved.authors(&format!("text-{number:02}")),
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
    let moved = two_posts();
    moved.import();
    assert_eq!(moved.authors("knots"), ["Author"]);
    // Another import in the same second brings authors with earlier names, and one with an earlier date.
    let other = moved.folder.path().join("other");
    write(
        &other.join("a.md"),
        "---\ntitle: A\nauthor: Aaa\ndate: 2020-01-01\n---\nText.\n",
    );
    moved.try_import(&other).unwrap();
    let site = &moved.site;
    site.write(|change| {
        let id = Id::derive("user", "first");
        change.save(galley::domain::user::User {
            role: galley::domain::role::Role::Owner,
            ..galley::domain::user::User::new(id, "first", "First", time("1990-01-01T00:00:00Z"))
        })
    })
    .unwrap();

    assert_eq!(count(&moved.import(), "posts"), (0, 0, 2));
    assert_eq!(moved.authors("knots"), ["Author"]);
    // A text that is new is by the owner.
    moved.write("new.md", "---\ntitle: New\ndate: 2024-01-01\n---\nText.\n");
    assert_eq!(count(&moved.import(), "posts"), (1, 0, 2));
    assert_eq!(moved.authors("new"), ["First"]);
    assert_eq!(count(&moved.import(), "posts"), (0, 0, 3));
}
