//! Files below `/content/`: beside the text, in the content folder, uploaded; and what is none of a reader's business.

use std::{fs, os::unix::fs::symlink, sync::Arc};

use galley::{
    api::files::FileRoots,
    catalog::Catalog,
    clock::SystemClock,
    domain::{
        post::{Body, Post, PostKind, Status},
        redirect::{Redirect, RedirectsFile},
        setting::Settings,
        user::User,
    },
    id::Id,
    images::{Copies, Memory},
    site::Site,
    store::{Table, redb::RedbStore},
};
use serde_json::json;
use uuid::Uuid;

use crate::{app::TestApp, http_client::wait_until};

const PNG: &str = "not quite a picture, but long enough for ranges";

fn site() -> TestApp {
    TestApp::builder()
        .file("images/a.png", PNG)
        .file("images/2025/01/night ferry.jpg", "spaced")
        .file("images/.hidden.png", "HIDDEN")
        .file("images/backup.png~", "HIDDEN")
        .file("media/song.mp3", "song")
        .file("files/paper.pdf", "paper")
        .file(
            "posts/trip/index.md",
            "---\ntitle: Trip HIDDEN\n---\n![The deck](deck.jpg) [The tides](tides.zip)",
        )
        .file("posts/trip/tides.zip", "tides")
        .file(
            "posts/audio.md",
            "---\ntitle: Audio\n---\n[A song](/media/song.mp3), [a paper](/files/paper.pdf)",
        )
        .file("posts/trip/deck.jpg", "deck")
        .file("posts/trip/notes.toml", "HIDDEN = 1\n")
        .file(
            "authors/ada.toml",
            "name = 'Ada'\nemail = 'HIDDEN@harbour.example'\n",
        )
        .file("site.toml", "title = 'HIDDEN'\n")
        .upload("images/2025/02/up.png", "uploaded")
        .upload("images/a.png", "the content folder comes first")
        .start()
}

#[test]
fn files_are_served_from_content_folder_and_uploads() {
    let app = site();
    for (path, body, kind) in [
        ("images/a.png", PNG, "image/png"),
        ("images/2025/01/night%20ferry.jpg", "spaced", "image/jpeg"),
        ("images/posts/trip/deck.jpg", "deck", "image/jpeg"),
        ("images/2025/02/up.png", "uploaded", "image/png"),
        ("media/song.mp3", "song", "audio/mpeg"),
        ("files/paper.pdf", "paper", "application/pdf"),
        ("images/posts/trip/tides.zip", "tides", "application/zip"),
    ] {
        let response = app.get(&format!("/content/{path}"));
        assert_eq!((response.status, response.text()), (200, body), "{path}");
        assert_eq!(response.header("content-type"), Some(kind), "{path}");
        assert_eq!(
            response.header("x-content-type-options"),
            Some("nosniff"),
            "{path}"
        );
    }
}

#[test]
fn uploads_are_cached_immutable_and_content_files_revalidated() {
    let app = site();
    let cache_control = |path: &str| {
        app.get(path)
            .header("cache-control")
            .map(str::to_owned)
            .unwrap()
    };
    assert_eq!(
        cache_control("/content/images/2025/02/up.png"),
        "public, max-age=31536000"
    );
    assert_eq!(cache_control("/content/images/a.png"), "public, max-age=0");
    assert_eq!(
        cache_control("/content/images/posts/trip/deck.jpg"),
        "public, max-age=0"
    );
}

#[test]
fn files_outside_the_folders_and_hidden_files_are_not_served() {
    let app = site();
    for path in [
        "/content/images//etc/passwd",
        "/content/images/%2fetc/passwd",
        "/content/images/%00a.png",
        "/content/images/.hidden.png",
        "/content/images/backup.png~",
        "/content/images/site.toml",
        "/content/images/posts/trip/index.md",
        "/content/images/posts/trip/notes.toml",
        "/content/images/authors/ada.toml",
        "/content/images/",
        "/content/images",
        "/content/images/2025",
        "/content/posts/trip/deck.jpg",
        "/content/site.toml",
        "/content/media/a.png",
        "/content/images/nosuch.png",
    ] {
        let response = app.get(path);
        assert_eq!(response.status, 404, "{path}");
        assert!(!response.text().contains("HIDDEN"), "{path}");
    }
    // Ghost 6.65, recorded.
    for path in [
        "/content/images/../site.toml",
        "/content/images/../../data/galley.redb",
        "/content/images/%2e%2e/site.toml",
        "/content/images/..%2fsite.toml",
        "/content/images/%2e%2e%2f%2e%2e%2fetc/passwd",
        "/content/images/..%5csite.toml",
    ] {
        assert_eq!(app.get(path).status, 403, "{path}");
    }
    assert_eq!(app.get("/content/images/%E0%A4%A.png").status, 400);
}

#[test]
fn store_inside_the_content_folder_is_not_served() {
    let content = tempfile::tempdir().unwrap();
    let data = content.path().join("galley-data");
    fs::create_dir(&data).unwrap();
    for name in ["galley.redb", "galley.lock"] {
        fs::write(data.join(name), "HIDDEN").unwrap();
    }
    fs::write(content.path().join("deck.jpg"), "deck").unwrap();
    let inside = FileRoots {
        content: Some(content.path().to_owned()),
        data,
    };
    let copies = Copies::new(&inside.data, Arc::new(Memory::new(0)));
    let mut catalog = Catalog::default();
    let logo = json!("/content/images/deck.jpg /content/images/galley-data/galley.lock");
    catalog.settings = Arc::new(Settings::default().with("logo", logo));
    for path in ["galley-data/galley.redb", "galley-data/galley.lock"] {
        let response = inside.respond(&format!("images/{path}"), "", &catalog, &[], &copies);
        assert_eq!(response.status, 404, "{path}");
    }
    let response = inside.respond("images/deck.jpg", "", &catalog, &[], &copies);
    assert_eq!(response.status, 200);
}

#[test]
fn symbolic_link_is_followed_only_to_served_files() {
    let outside = tempfile::tempdir().unwrap();
    fs::write(outside.path().join("secret.png"), "HIDDEN").unwrap();
    let app = site();
    let images = app.content_folder().join("images");
    symlink(outside.path(), images.join("outside")).unwrap();
    symlink(
        outside.path().join("secret.png"),
        images.join("outside.png"),
    )
    .unwrap();
    symlink("../authors/ada.toml", images.join("author.png")).unwrap();
    symlink(".hidden.png", images.join("hidden.png")).unwrap();
    symlink("../posts/trip", images.join("trip")).unwrap();
    for path in [
        "outside/secret.png",
        "outside.png",
        "author.png",
        "hidden.png",
        "trip/index.md",
    ] {
        assert_eq!(
            app.get(&format!("/content/images/{path}")).status,
            404,
            "{path}"
        );
    }
    assert_eq!(app.get("/content/images/trip/deck.jpg").text(), "deck");
}

#[test]
fn documents_stores_and_backups_under_other_names_are_not_served() {
    let app = site();
    let content = app.content_folder();
    let images = content.join("images");
    fs::hard_link(content.join("site.toml"), images.join("linked.png")).unwrap();
    fs::write(content.join("token"), "HIDDEN without a line").unwrap();
    fs::hard_link(content.join("token"), images.join("token.mp4")).unwrap();
    for (name, bytes) in [
        ("copied.jpg", &b"---\ntitle: HIDDEN\n---\n"[..]),
        ("package.pdf", b"{\n  \"HIDDEN\": 1\n}"),
        ("key.woff2", b"-----BEGIN PRIVATE KEY-----\nHIDDEN\n"),
        ("backup.png", b"PK\x03\x04\x14\0\0\0HIDDEN"),
        ("store.webm", b"redb\x1a\n\xa9\r\nHIDDEN"),
        ("song.svg", b"title = 'HIDDEN'\n"),
        ("font.png", b"wOF2HIDDEN"),
    ] {
        fs::write(images.join(name), bytes).unwrap();
    }
    for name in [
        "linked.png",
        "token.mp4",
        "copied.jpg",
        "package.pdf",
        "key.woff2",
        "backup.png",
        "store.webm",
        "song.svg",
        "font.png",
    ] {
        // The second time it is known.
        for _ in 0..2 {
            let response = app.get(&format!("/content/images/{name}"));
            assert_eq!(response.status, 404, "{name}");
        }
    }
    let picture = b"\x89PNG\r\n\x1a\n\0\0\0\rIHDR";
    fs::write(content.join("deck.bin"), picture).unwrap();
    fs::hard_link(content.join("deck.bin"), images.join("picture.jpg")).unwrap();
    assert_eq!(app.get("/content/images/picture.jpg").status, 200);
    // Another version of the file has another verdict.
    fs::remove_file(images.join("copied.jpg")).unwrap();
    fs::write(images.join("copied.jpg"), picture).unwrap();
    assert_eq!(app.get("/content/images/copied.jpg").status, 200);
    fs::write(images.join("copied.jpg"), "title: HIDDEN\nmore\n").unwrap();
    assert_eq!(app.get("/content/images/copied.jpg").status, 404);
}

#[test]
fn size_variants_redirect_to_their_original() {
    let app = site();
    for path in [
        "size/w600/a.png",
        "size/w256h256/a.png",
        "size/w600/format/webp/a.png",
    ] {
        let response = app.get(&format!("/content/images/{path}"));
        assert_eq!(response.status, 302, "{path}");
        assert_eq!(
            response.header("location"),
            Some("/content/images/a.png"),
            "{path}"
        );
    }
    let app = TestApp::builder()
        .file("images/a.png", PNG)
        .url("https://harbour.example/notes")
        .start();
    let response = app.get("/notes/content/images/size/w600/a.png");
    assert_eq!(
        response.header("location"),
        Some("/notes/content/images/a.png")
    );
    assert_eq!(app.get("/notes/content/images/a.png").status, 200);
}

#[test]
fn size_variant_never_redirects_to_another_site() {
    let app = site();
    for path in [
        "size/w600//other.example/a.png",
        "size/w600/%0d%0aset-cookie:a=b",
        "size/w600/",
    ] {
        let response = app.get(&format!("/content/images/{path}"));
        let location = response.header("location").unwrap_or("/content/images/");
        assert!(
            location.starts_with("/content/images/"),
            "{path}: {location}"
        );
        assert_eq!(response.header("set-cookie"), None, "{path}");
    }
}

#[test]
fn matching_file_validator_gets_304() {
    let app = site();
    let path = "/content/images/a.png";
    let tag = app.get(path).header("etag").unwrap().to_owned();
    let ask = |headers: &str| app.ask("GET", path, headers, "");
    let known = ask(&format!("if-none-match: {tag}\r\n"));
    assert_eq!((known.status, known.body.as_slice()), (304, &b""[..]));
    assert_eq!(ask("if-none-match: \"other\"\r\n").status, 200);
    app.write_file("images/a.png", "changed");
    let changed = ask(&format!("if-none-match: {tag}\r\n"));
    assert_eq!((changed.status, changed.text()), (200, "changed"));
}

#[test]
fn range_of_a_file_is_served() {
    let app = site();
    let path = "/content/images/a.png";
    let length = PNG.len();
    for (range, status, body, content_range) in [
        ("bytes=0-2", 206, "not", format!("bytes 0-2/{length}")),
        (
            "bytes=-6",
            206,
            "ranges",
            format!("bytes {}-{}/{length}", length - 6, length - 1),
        ),
        ("bytes=1000-", 416, "", format!("bytes */{length}")),
    ] {
        let response = app.ask("GET", path, &format!("range: {range}\r\n"), "");
        assert_eq!(
            (response.status, response.text()),
            (status, body),
            "{range}"
        );
        assert_eq!(
            response.header("content-range"),
            Some(content_range.as_str()),
            "{range}"
        );
    }
    assert_eq!(app.get(path).header("accept-ranges"), Some("bytes"));
}

#[test]
fn files_allow_only_get_and_head() {
    let app = site();
    let path = "/content/images/a.png";
    let head = app.ask("HEAD", path, "", "");
    assert_eq!((head.status, head.body.as_slice()), (200, &b""[..]));
    assert_eq!(
        head.header("content-length"),
        Some(PNG.len().to_string().as_str())
    );
    for method in ["POST", "PUT", "DELETE"] {
        assert_eq!(app.ask(method, path, "", "").status, 404, "{method}");
    }
}

fn text(title: &str, front_matter: &str, body: &str) -> String {
    format!("---\ntitle: {title}\n{front_matter}\n---\n{body}\n")
}

fn status(app: &TestApp, path: &str) -> u16 {
    app.get(&format!("/content/{path}")).status
}

#[test]
fn file_is_served_while_a_published_post_refers_to_it() {
    let draft = text("Trip", "draft: true", "![](deck.jpg) [tides](tides.zip)");
    let published = draft.replace("true", "false");
    let app = TestApp::builder()
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
    let app = TestApp::builder()
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
    let mut builder = TestApp::builder();
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
        let problem = format!("this leads to {path}, and files of this kind are not served");
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
    let mut builder = TestApp::builder();
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
    let app = TestApp::builder()
        .file("files/tides.zip", "tides")
        .file("plans/deck.jpg", "deck")
        .start();
    let html = r#"<a href="__GHOST_URL__/content/files/tides.zip">Tides</a><img src="__GHOST_URL__/content/images/size/w600/plans/deck.jpg">"#;
    let paths = ["files/tides.zip", "images/plans/deck.jpg"];
    let save = |status: Status| {
        app.site()
            .write(|change| {
                let author = Id::derive("user", "ada");
                change.save(User::new(author, "ada", "Ada", change.now()))?;
                let id = Id::derive("post", "written");
                let post = Post {
                    title: "Written".into(),
                    slug: "written".into(),
                    status,
                    published_at: Some(change.now()),
                    authors: vec![author],
                    ..Post::draft(id, Uuid::nil(), PostKind::Post, change.now())
                };
                let body = Body {
                    html: Some(html.to_owned()),
                    ..Body::default()
                };
                change.save_post(post, body)
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
    let app = TestApp::builder()
        .file(
            "posts/a.md",
            text("A", "date: 2999-01-01", "[tides](tides.zip)"),
        )
        .file("posts/tides.zip", "tides")
        .start();
    assert_eq!(status(&app, "images/posts/tides.zip"), 404);
    app.site()
        .write(|change| {
            let post = change.catalog().posts.iter().next().unwrap();
            let due = Post {
                published_at: Some(change.now()),
                ..Post::clone(post)
            };
            let id = due.id;
            change.update_post(due)?;
            change.publish_those_due(&[id])
        })
        .unwrap();
    assert_eq!(status(&app, "images/posts/tides.zip"), 200);
}

#[test]
fn references_of_posts_of_earlier_versions_are_found_at_opening() {
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
    site.write(|change| {
        let author = Id::derive("user", "ada");
        change.save(User::new(author, "ada", "Ada", change.now()))?;
        let post = Post {
            title: "A".into(),
            slug: "a".into(),
            status: Status::Published,
            published_at: Some(change.now()),
            authors: vec![author],
            ..Post::draft(id, Uuid::nil(), PostKind::Post, change.now())
        };
        let html = Some(r#"<a href="__GHOST_URL__/content/files/tides.zip">"#.to_owned());
        change.save_post(
            post,
            Body {
                html,
                ..Body::default()
            },
        )?;
        // As an earlier program wrote it.
        let post = change.catalog().posts.get(id).unwrap();
        let earlier = Post {
            files: Box::default(),
            ..Post::clone(post)
        };
        change.update_post(earlier)?;
        change.delete(Table::Meta, b"file_references")
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
    let app = TestApp::builder()
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
