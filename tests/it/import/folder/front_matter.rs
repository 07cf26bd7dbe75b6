//! Tests of the front matter of imported documents: aliases, drafts, authors.

use galley::domain::user::User;

use super::*;

fn aliases(post: &Post) -> Vec<&str> {
    post.aliases.iter().map(AsRef::as_ref).collect()
}

#[test]
fn aliases_are_imported_and_preserved_on_repeated_import() {
    let migration = Migration::of(&[
        ("hugo.toml", ""),
        (
            "content/posts/ferry.md",
            "---\ntitle: Ferry\ndate: 2024-01-01\naliases: [/old/ferry/, boat]\nurl: /boats/night-ferry.html\n---\nText.\n",
        ),
        (
            "content/posts/knots.md",
            "---\ntitle: Knots\ndate: 2024-01-01\naliases: [/night-ferry/, /old/ferry/]\n---\nText.\n",
        ),
    ]);

    let report = migration.import();

    let post = migration.post("night-ferry");
    assert_eq!(
        aliases(&post),
        ["/boats/night-ferry.html", "/old/ferry", "/posts/boat"]
    );
    assert_eq!(
        lines(&report.changed),
        [
            "content/posts/knots.md: the old path /night-ferry is also a path of \"night-ferry\"",
            "content/posts/knots.md: the old path /old/ferry is also a path of \"night-ferry\"",
        ]
    );
    let snapshot = migration.site.current();
    let led_to = |path: &str| snapshot.catalog.posts.by_alias(path).map(|post| post.id);
    assert_eq!(led_to("/posts/boat"), Some(post.id));
    assert_eq!(led_to("/night-ferry"), None);
    assert!(led_to("/old/ferry").is_some());
    assert_eq!(count(&migration.import(), "posts"), (0, 0, 2));
    assert_eq!(aliases(&migration.post("night-ferry")).len(), 3);
}

#[test]
fn documents_that_the_generator_does_not_build_are_left_out_or_drafts() {
    let migration = Migration::of(&[
        ("hugo.toml", ""),
        (
            "content/posts/part.md",
            "---\ntitle: Part\nheadless: true\n---\nText.\n",
        ),
        (
            "content/posts/gone.md",
            "---\ntitle: Gone\ndate: 2024-01-01\nexpiryDate: 2025-05-01\n---\nText.\n",
        ),
        (
            "content/posts/stays.md",
            "---\ntitle: Stays\ndate: 2024-01-01\nexpiryDate: 2099-05-01\n---\nText.\n",
        ),
    ]);

    let report = migration.import();

    assert_eq!(
        lines(&report.left_out),
        ["content/posts/part.md:3: its generator builds no page for it because of `headless`"]
    );
    assert_eq!(migration.slugs(PostKind::Post), ["gone", "stays"]);
    assert_eq!(migration.post("gone").status, Status::Draft);
    assert_eq!(migration.post("stays").status, Status::Published);
    assert_eq!(
        lines(&report.changed),
        [
            "content/posts/gone.md:4: it has expired, so it is a draft here",
            "content/posts/stays.md:4: it does not expire here: it stays published after this date",
        ]
    );
}

#[test]
fn unknown_author_is_created_by_name() {
    let migration = Migration::of(&[
        (
            "a.md",
            "---\ntitle: A\ndate: 2024-01-01\nauthors:\n  - {name: Jane Doe, email: jane@example.com}\n  - 'Joe @joe'\n---\nText.\n",
        ),
        (
            "b.md",
            "---\ntitle: B\ndate: 2024-01-01\nauthor: ada@example.com\n---\nText.\n",
        ),
        (
            "c.md",
            "---\ntitle: C\ndate: 2024-01-01\nauthor: zoe@example.com\n---\nText.\n",
        ),
    ]);
    let ada = User {
        email: Some("ada@example.com".into()),
        ..User::new(Id::derive("user", "ada"), "ada", "Ada", time(NOW))
    };
    migration
        .site
        .write_once(|transaction| transaction.save(ada))
        .unwrap();

    let report = migration.import();

    assert_eq!(migration.authors("a"), ["Jane Doe", "Joe @joe"]);
    assert_eq!(migration.authors("b"), ["Ada"]);
    assert_eq!(migration.authors("c"), ["zoe"]);
    assert_eq!(
        lines(&report.changed),
        [
            "a.md:5: the author \"jane@example.com\" does not exist; \"Jane Doe\" is created",
            "c.md:4: the author \"zoe@example.com\" does not exist; \"zoe\" is created",
        ]
    );
    assert_eq!(count(&migration.import(), "posts"), (0, 0, 3));
}
