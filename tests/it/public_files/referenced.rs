//! Tests that files of the content folder are served while a published post refers to them.

use super::*;
use galley_tests::TestSite;

fn text(title: &str, front_matter: &str, body: &str) -> String {
    format!("---\ntitle: {title}\n{front_matter}\n---\n{body}\n")
}

fn status(app: &TestSite, path: &str) -> u16 {
    app.get(&format!("/content/{path}")).status
}

#[test]
fn file_is_served_while_a_published_post_refers_to_it() {
    let draft = text("Trip", "draft: true", "![](deck.jpg) [tides](tides.zip)");
    let published = draft.replace("true", "false");
    let app = TestSite::builder()
        .file("posts/trip/index.md", &draft)
        .file("posts/trip/deck.jpg", "deck")
        .file("posts/trip/tides.zip", "tides")
        .file("posts/trip/unused.jpg", "unused")
        .file(
            "posts/later/index.md",
            text("Later", "date: 2999-01-01", "![](later.jpg)"),
        )
        .file("posts/later/later.jpg", "later")
        .start();
    let paths = ["images/posts/trip/deck.jpg", "images/posts/trip/tides.zip"];
    for path in paths {
        assert_eq!(status(&app, path), 404, "{path}");
    }
    assert_eq!(status(&app, "images/posts/later/later.jpg"), 404);
    app.write_file("posts/trip/index.md", &published);
    wait_until("the files of what is published", || {
        paths.iter().all(|path| status(&app, path) == 200)
    });
    assert_eq!(status(&app, "images/posts/trip/unused.jpg"), 404);
    app.write_file(
        "posts/other.md",
        text("Other", "", "![](/posts/trip/deck.jpg)"),
    );
    wait_until("the other post", || app.slugs("posts/").len() == 2);
    app.delete_file("posts/trip/index.md");
    wait_until("the end of the post", || status(&app, paths[1]) == 404);
    assert_eq!(status(&app, paths[0]), 200, "another post refers to it");
}

#[test]
fn images_are_always_served_and_other_files_if_referenced() {
    let app = TestSite::builder()
        .file("images/a.PNG", PNG)
        .file("images/chart.pdf", "chart")
        .file("images/site.zip", "HIDDEN")
        .file("images/members.csv", "HIDDEN")
        .file("images/notes.txt", "HIDDEN")
        .file("images/linked.csv", "linked")
        .file("media/unused.mp3", "HIDDEN")
        .file("files/unused.pdf", "HIDDEN")
        .file("files/linked tides.zip", "linked")
        .file(
            "authors/ada.toml",
            "name = 'Ada'\nprofile_image = 'ada.jpg'\n",
        )
        .file("authors/ada.jpg", "ada")
        .file("tags/sea.toml", "name = 'Sea'\nfeature_image = 'sea.jpg'\n")
        .file("tags/sea.jpg", "sea")
        .file("site.toml", "title = 'Harbour'\nlogo = 'logo.png'\n")
        .file("logo.png", "logo")
        .file(
            "posts/a.md",
            text(
                "A",
                "",
                "[data](/images/linked.csv) [zip](</files/linked tides.zip>)",
            ),
        )
        .start();
    for (path, expected) in [
        ("images/a.PNG", 200),
        ("images/chart.pdf", 200),
        ("images/site.zip", 404),
        ("images/members.csv", 404),
        ("images/notes.txt", 404),
        ("images/linked.csv", 200),
        ("media/unused.mp3", 404),
        ("files/unused.pdf", 404),
        ("files/linked%20tides.zip", 200),
        ("images/authors/ada.jpg", 200),
        ("images/tags/sea.jpg", 200),
        ("images/logo.png", 200),
    ] {
        assert_eq!(status(&app, path), expected, "{path}");
    }
}

#[test]
fn documents_configuration_and_keys_are_not_served_even_if_linked() {
    let names = [
        "a.toml", "b.json", "c.key", "d.yaml", "e.pem", "f.sqlite", "g.html", "h.js",
    ];
    let mut builder = TestSite::builder();
    let mut links = String::new();
    for folder in ["images", "files", "posts/a"] {
        for name in names {
            builder = builder.file(&format!("{folder}/{name}"), "HIDDEN");
            links += &format!("[{name}](/{folder}/{name})\n");
        }
    }
    let app = builder.file("posts/b.md", text("B", "", &links)).start();
    for name in names {
        for folder in ["images", "files", "images/posts/a"] {
            let path = format!("{folder}/{name}");
            assert_eq!(status(&app, &path), 404, "{path}");
        }
    }
    let problems = app.content_problems();
    for path in ["images/a.toml", "files/b.json", "posts/a/c.key"] {
        let problem = format!("the link target {path} is of a kind that is not served");
        assert!(problems.contains(&problem), "{problem}: {problems:?}");
    }
}

#[test]
fn files_with_escaped_names_are_served() {
    let names = [
        "salt & rope.jpg",
        "ada's.jpg",
        "a (1).jpg",
        "søster.jpg",
        "50%25.jpg",
    ];
    let mut builder = TestSite::builder();
    let mut body = String::new();
    for name in names {
        builder = builder.file(&format!("posts/{}", name.replace("%25", "%")), "picture");
        body += &format!("![](<{name}>)\n");
    }
    let app = builder.file("posts/a.md", text("A", "", &body)).start();
    for name in names {
        let encoded = name.replace(' ', "%20").replace('ø', "%C3%B8");
        assert_eq!(
            status(&app, &format!("images/posts/{encoded}")),
            200,
            "{name}"
        );
    }
}

#[test]
fn posts_of_the_api_reference_files_too() {
    let app = TestSite::builder()
        .file("files/tides.zip", "tides")
        .file("plans/deck.jpg", "deck")
        .start();
    let html = r#"<a href="__GHOST_URL__/content/files/tides.zip">Tides</a><img src="__GHOST_URL__/content/images/size/w600/plans/deck.jpg">"#;
    let paths = ["files/tides.zip", "images/plans/deck.jpg"];
    let save = |status: Status| {
        app.site()
            .write(|transaction| {
                let author = Id::derive("user", "ada");
                transaction.save(User::new(author, "ada", "Ada", transaction.now()))?;
                let id = Id::derive("post", "written");
                let post = Post {
                    title: "Written".into(),
                    slug: "written".into(),
                    status,
                    published_at: Some(transaction.now()),
                    authors: vec![author],
                    ..Post::draft(id, Uuid::nil(), PostKind::Post, transaction.now())
                };
                let body = Body {
                    html: Some(html.to_owned()),
                    ..Body::default()
                };
                transaction.save_post(post, body)
            })
            .unwrap();
    };
    for (state, expected) in [
        (Status::Draft, 404),
        (Status::Published, 200),
        (Status::Draft, 404),
        (Status::Sent, 200),
    ] {
        save(state);
        for path in paths {
            assert_eq!(status(&app, path), expected, "{path}, {state:?}");
        }
    }
}

#[test]
fn files_of_a_scheduled_post_are_served_after_publication() {
    let app = TestSite::builder()
        .file(
            "posts/a.md",
            text("A", "date: 2999-01-01", "[tides](tides.zip)"),
        )
        .file("posts/tides.zip", "tides")
        .start();
    assert_eq!(status(&app, "images/posts/tides.zip"), 404);
    app.site()
        .write(|transaction| {
            let post = transaction.catalog().posts.iter().next().unwrap();
            let due = Post {
                published_at: Some(transaction.now()),
                ..Post::clone(post)
            };
            let id = due.id;
            transaction.update_post(due)?;
            transaction.publish_due_posts(&[id])
        })
        .unwrap();
    assert_eq!(status(&app, "images/posts/tides.zip"), 200);
}

#[test]
fn references_of_posts_of_earlier_versions_are_added_when_the_site_is_opened() {
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("galley.redb");
    let open = || {
        Site::open(
            Box::new(RedbStore::open(&path, 0).unwrap()),
            Arc::new(SystemClock),
        )
        .unwrap()
    };
    let site = open();
    let id = Id::derive("post", "a");
    site.write(|transaction| {
        let author = Id::derive("user", "ada");
        transaction.save(User::new(author, "ada", "Ada", transaction.now()))?;
        let post = Post {
            title: "A".into(),
            slug: "a".into(),
            status: Status::Published,
            published_at: Some(transaction.now()),
            authors: vec![author],
            ..Post::draft(id, Uuid::nil(), PostKind::Post, transaction.now())
        };
        let html = Some(r#"<a href="__GHOST_URL__/content/files/tides.zip">"#.to_owned());
        transaction.save_post(
            post,
            Body {
                html,
                ..Body::default()
            },
        )?;
        // Removes the references, as in a record of an earlier version.
        let post = transaction.catalog().posts.get(id).unwrap();
        let earlier = Post {
            files: Box::default(),
            document_of_file: None,
            ..Post::clone(post)
        };
        transaction.update_post(earlier)?;
        transaction.delete(Table::Meta, b"file_references");
        Ok(())
    })
    .unwrap();
    assert!(!site.current().catalog.refers_to_file("files/tides.zip"));
    drop(site);
    for start in ["first", "second"] {
        assert!(
            open().current().catalog.refers_to_file("files/tides.zip"),
            "{start}"
        );
    }
}

#[test]
fn target_of_a_redirect_counts_as_referenced() {
    let app = TestSite::builder()
        .file("files/tides.zip", "tides")
        .file("files/other.zip", "other")
        .start();
    assert_eq!(status(&app, "files/tides.zip"), 404);

    let redirect = |to: &str| Redirect {
        from: "^/tides/".to_owned(),
        to: to.to_owned(),
        permanent: false,
    };
    let lead_to = |to: &str| {
        let file = RedirectsFile {
            text: String::new(),
            redirects: vec![redirect(to)],
        };
        app.site()
            .write(|transaction| transaction.save_redirects(&file))
            .unwrap();
    };
    lead_to("/content/files/tides.zip");
    let response = app.get("/tides/");
    assert_eq!(
        response.header("location"),
        Some("/content/files/tides.zip")
    );
    assert_eq!(status(&app, "files/tides.zip"), 200);
    assert_eq!(status(&app, "files/other.zip"), 404);

    lead_to("/elsewhere/");
    assert_eq!(status(&app, "files/tides.zip"), 404);
}
