//! Tests of imports of invalid documents, images and folders, and of dry runs.

use super::*;
use galley::progress::NoProgress;

#[test]
fn unreadable_file_is_left_out_and_the_rest_is_imported() {
    let migration = Migration::of(&[
        ("a.md", "---\ntitle: [A\n---\nText.\n"),
        ("b.md", "---\ntitle: B\nno end\n"),
        (
            "c.md",
            "---\ntitle: C\ndate: 2024-01-01\ndrft: true\nfeatured: maybe\n---\nText.\n",
        ),
    ]);
    fs::write(
        migration.project().join("d.md"),
        b"---\ntitle: Ren\xe9\n---\n",
    )
    .unwrap();

    let report = migration.import();

    assert_eq!(migration.slugs(PostKind::Post), ["c"]);
    let left_out = lines(&report.left_out);
    assert_eq!(left_out.len(), 3);
    assert!(left_out[0].starts_with("a.md:"), "{left_out:?}");
    assert_eq!(left_out[1], "b.md:1: the front matter is not closed");
    assert_eq!(
        left_out[2],
        "d.md:2: the file is not UTF-8: byte 0xE9 is invalid"
    );
    assert_eq!(
        lines(&report.changed),
        [
            "c.md:4: the key `drft` is unknown",
            "c.md:5: `featured` must be true or false, not text",
        ]
    );
}

#[test]
fn too_long_texts_are_truncated() {
    let long = "é".repeat(400);
    let migration = Migration::of(&[(
        "a.md",
        &format!("---\ntitle: {long}\ndescription: {long}\ndate: 2024-01-01\n---\nText.\n"),
    )]);

    let report = migration.import();

    let post = migration.post("a");
    assert_eq!(post.title.chars().count(), 255);
    assert_eq!(post.custom_excerpt.unwrap().chars().count(), 300);
    assert_eq!(
        lines(&report.changed),
        [
            "a.md:2: `title` has 400 characters, but may have 255: it is truncated here; the file has the whole text",
            "a.md:3: `description` has 400 characters, but may have 300: it is truncated here; the file has the whole text",
        ]
    );
}

#[test]
fn missing_images_are_reported_and_existing_ones_not_replaced() {
    let migration = Migration::of(&[
        (
            "a.md",
            "---\ntitle: A\ndate: 2024-01-01\nfeature_image: deck.jpg\n---\n![gone](gone.png) ![out](../../out.png)\n\n\
             ![away](https://other.example/x.png) [paper](paper.pdf) [code](run.sh) ![data](data:image/png;base64,AA)\n",
        ),
        ("deck.jpg", "ours"),
        ("paper.pdf", "paper"),
        ("run.sh", "rm"),
    ]);
    write(&migration.data().join("images/deck.jpg"), "theirs");

    let report = migration.import();

    assert_eq!(
        migration.post("a").feature_image.as_deref(),
        Some("__GHOST_URL__/content/images/deck-2.jpg")
    );
    assert_eq!(migration.uploaded("images/deck.jpg"), "theirs");
    assert_eq!(migration.uploaded("images/deck-2.jpg"), "ours");
    assert_eq!(migration.uploaded("files/paper.pdf"), "paper");
    assert!(!migration.data().join("files/run.sh").exists());
    let html = migration.html("a");
    assert!(
        html.contains("__GHOST_URL__/content/files/paper.pdf"),
        "{html}"
    );
    assert!(html.contains("https://other.example/x.png"), "{html}");
    assert_eq!(
        lines(&report.changed),
        [
            "a.md:6: link target not found: gone.png",
            "a.md:6: the link target is outside of the content folder",
            "a.md:8: link target has errors: run.sh",
        ]
    );
    assert_eq!(count(&migration.import(), "posts"), (0, 0, 1));
}

#[test]
fn dry_run_copies_nothing() {
    let migration = two_posts();
    let given = ImportSource::at(&migration.project()).unwrap();

    let report = import(
        &migration.site,
        &given,
        &migration.options(true),
        &NoProgress,
    )
    .unwrap();

    assert_eq!(count(&report, "posts"), (2, 0, 0));
    assert_eq!(count(&report, "files"), (1, 0, 0));
    assert_eq!(fs::read_dir(migration.data()).unwrap().count(), 0);
    assert_eq!(migration.slugs(PostKind::Post), [""; 0]);
}

#[test]
fn implied_tags_become_permanent_for_imported_posts() {
    let migration = two_posts();
    let sea = Tag {
        implied: true,
        ..Tag::new(Id::derive("tag", "sea"), "sea", "The Sea", time(NOW))
    };
    migration
        .site
        .write_once(|transaction| transaction.save(sea))
        .unwrap();

    migration.import();

    let snapshot = migration.site.current();
    let sea = snapshot.catalog.tags.by_slug("sea").unwrap();
    assert!(!sea.implied);
    assert_eq!(migration.post("ferry").tags, [sea.id]);
    assert_eq!(snapshot.catalog.tags.len(), 1);
}

#[test]
fn bodies_are_lexical_documents() {
    let migration = Migration::of(&[(
        "a.md",
        "---\ntitle: A\ndate: 2024-01-01\n---\nOne *two* [three](https://harbour.example/x/).\n\n```lexical\n{\"no\": \"node\"}\n```\n",
    )]);

    let report = migration.import();

    assert!(is_clean(&report), "{report:?}");
    let snapshot = migration.site.current();
    let lexical = snapshot.lexical(migration.post("a").id).unwrap().unwrap();
    let document: serde_json::Value = serde_json::from_str(&lexical).unwrap();
    let nodes = document["root"]["children"].as_array().unwrap();
    assert_eq!(nodes[0]["type"], "paragraph");
    assert_eq!(nodes[1]["type"], "codeblock");
    assert!(lexical.contains("__GHOST_URL__/x/"), "{lexical}");
    assert!(migration.html("a").contains("href=\"__GHOST_URL__/x/\""));
}

#[test]
fn empty_or_missing_folder_is_rejected() {
    let migration = Migration::of(&[("picture.png", "x"), ("README.md", "# About\n")]);

    let nothing = migration.try_import(&migration.project()).unwrap_err();
    let missing = migration
        .try_import(Path::new("nowhere/at/all"))
        .unwrap_err();

    assert_eq!(nothing.kind(), Kind::Validation);
    assert!(
        nothing
            .to_string()
            .contains("contains no documents to import"),
        "{nothing}"
    );
    assert_eq!(missing.kind(), Kind::NotFound);
}

#[test]
fn document_without_an_author_gets_the_first_user() {
    let migration = two_posts();
    let user = |name: &str, day: &str| {
        let slug = name.to_lowercase();
        galley::domain::user::User::new(Id::derive("user", &slug), &slug, name, time(day))
    };
    migration
        .site
        .write(|transaction| {
            transaction.save(user("Ada", "2021-01-01T00:00:00Z"))?;
            transaction.save(user("Zoe", "2020-01-01T00:00:00Z"))
        })
        .unwrap();

    let report = migration.import();

    assert_eq!(migration.authors("ferry"), ["Zoe"]);
    assert_eq!(count(&report, "users"), (0, 0, 0));
}

#[test]
fn git_history_supplies_missing_dates_on_request() {
    let migration = Migration::of(&[
        ("hugo.toml", ""),
        (
            "content/posts/ferry.md",
            "---\ntitle: Ferry\n---\nWe left.\n",
        ),
        (
            "content/posts/fog.md",
            "---\ntitle: Fog\ndate: 2020-01-01\n---\nFog.\n",
        ),
    ]);
    let git = |arguments: &[&str]| {
        let mut command = std::process::Command::new("git");
        command.arg("-C").arg(migration.project()).args(arguments);
        for role in ["AUTHOR", "COMMITTER"] {
            command.env(format!("GIT_{role}_NAME"), "Ada");
            command.env(format!("GIT_{role}_EMAIL"), "ada@example.com");
            command.env(format!("GIT_{role}_DATE"), "2024-05-01T10:00:00Z");
        }
        assert!(command.output().unwrap().status.success(), "{arguments:?}");
    };
    let options = Options {
        history: true,
        ..migration.options(false)
    };
    let given = ImportSource::at(&migration.project()).unwrap();
    let failure = import(&migration.site, &given, &options, &NoProgress).unwrap_err();
    assert!(failure.message().starts_with("The history of"), "{failure}");

    git(&["init", "--quiet"]);
    git(&["add", "."]);
    git(&["commit", "--quiet", "-m", "Begin"]);
    let report = import(&migration.site, &given, &options, &NoProgress).unwrap();

    assert!(is_clean(&report), "{:?}", lines(&report.changed));
    let written = |slug: &str| migration.post(slug).published_at;
    assert_eq!(written("ferry"), Some(time("2024-05-01T10:00:00Z")));
    assert_eq!(written("fog"), Some(time("2020-01-01T00:00:00Z")));
}
