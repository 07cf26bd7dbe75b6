//! Tests of exported content folders: which files are copied, which are written from the store, and their paths.

use std::{
    fs,
    os::unix::fs::symlink,
    path::Path,
    sync::atomic::{AtomicBool, Ordering},
    thread,
};

use galley::{
    api::response::Body,
    domain::{
        origin::RecordOrigin,
        post::{Post, Status},
        tag::Tag,
        user::User,
    },
    export::ExportError,
    id::Id,
};

use super::{
    documents,
    publication::{NOW, Publication, assert_same, files_below},
};

const FILES: &[(&str, &str)] = &[
    (
        "site.toml",
        "# My site.\ntitle = \"Harbour\"\ntimezone = \"Europe/Amsterdam\"\ncodeinjection_head = \"<link href='/x/'>\"\n\
         [[navigation]]\nlabel = \"Home\"\nurl = \"/\"\n",
    ),
    ("authors/ada.md", "+++\nname = \"Ada\"\n+++\nWrites.\n"),
    ("tags/letters.yaml", "name: Letters\n"),
    (
        "posts/2025-01-05-night-ferry/index.md",
        "+++\ntitle = \"Night ferry\"\nauthors = [\"Ada\"]\ntags = [\"Letters\", \"Sea\"]\n+++\nText\nand *more*, see [tide](../tide.md).\n\n![](deck.png)\n",
    ),
    ("posts/2025-01-05-night-ferry/deck.png", "a picture"),
    (
        "posts/tide.md",
        "---\ntitle: Tide\ndate: 2025-01-06\nvisibility: members\n---\nOpen.\n\n<!--members-only-->\n\nClosed.\n",
    ),
    (
        "pages/about.html",
        "+++\ntitle = \"About\"\n+++\n<p>We</p>\n",
    ),
    ("drafts/later.md", "+++\ntitle = \"Later\"\n+++\n- a\n- b\n"),
    ("images/logo.png", "a logo"),
];

/// Returns the names of the entries of a folder, including hidden ones.
fn top(folder: &Path) -> Vec<String> {
    let entries = fs::read_dir(folder).unwrap();
    let mut names: Vec<String> = entries
        .map(|entry| entry.unwrap().file_name().into_string().unwrap())
        .collect();
    names.sort();
    names
}

/// Returns a tag with this slug.
fn tag(slug: &str) -> Tag {
    let id = Id::derive("test", slug);
    Tag::new(id, slug, "A tag", NOW.parse().unwrap())
}

#[test]
fn content_files_are_copied_verbatim() {
    let first = Publication::of_files(FILES);
    let folder = first.to_folder("export");
    for (path, text) in FILES {
        assert_eq!(
            fs::read_to_string(folder.join(path)).unwrap(),
            *text,
            "{path}"
        );
    }
    assert_same(
        &Publication::served_from(&folder).replies(),
        &first.replies(),
    );
}

#[test]
fn records_of_missing_files_are_written_from_the_store() {
    let first = Publication::of_files(FILES);
    for (path, _) in FILES.iter().filter(|(path, _)| !path.ends_with(".png")) {
        fs::remove_file(first.path_of("content").join(path)).unwrap();
    }
    let folder = first.to_folder("export");
    assert_eq!(
        fs::read_to_string(folder.join("posts/later.md")).unwrap(),
        "+++\ntitle = \"Later\"\nstatus = \"draft\"\nauthors = [\"ada\"]\n+++\n\n- a\n- b\n"
    );
    assert_same(
        &Publication::served_from(&folder).replies(),
        &first.replies(),
    );
}

#[test]
fn records_of_changed_files_are_written_from_the_store() {
    let first = Publication::of_files(FILES);
    let content = first.path_of("content");
    fs::write(content.join("posts/tide.md"), "not a post any more").unwrap();
    fs::write(content.join("tags/letters.yaml"), "name: Other letters\n").unwrap();
    let folder = first.to_folder("export");
    assert!(!folder.join("tags/letters.yaml").exists());
    assert_same(
        &Publication::served_from(&folder).replies(),
        &first.replies(),
    );
}

#[test]
fn exported_folder_is_valid_and_serves_the_same_responses() {
    let first = Publication::imported("tests/it/export/corpus.json".as_ref());
    let folder = first.to_folder("export");
    let second = Publication::served_from(&folder);
    assert_same(&second.replies(), &first.replies());
    let messages: Vec<String> = second.problems().iter().map(ToString::to_string).collect();
    assert_eq!(messages, Vec::<String>::new());
}

#[test]
fn unpublished_records_are_exported() {
    let first = Publication::empty();
    let author = User::new(
        Id::derive("user", "ada"),
        "ada",
        "Ada",
        NOW.parse().unwrap(),
    );
    let date = |text: &str| Some(text.parse().unwrap());
    let posts = [
        ("a-draft", Status::Draft, None),
        ("a-dated-draft", Status::Draft, date("2020-01-01T00:00:00Z")),
        ("in-time", Status::Scheduled, date("2030-01-01T00:00:00Z")),
        ("by-mail", Status::Sent, date("2021-01-01T00:00:00Z")),
        ("early", Status::Published, date("2031-01-01T00:00:00Z")),
    ];
    first
        .site
        .write(|transaction| {
            transaction.save(author.clone())?;
            for (slug, status, published_at) in posts {
                let post = Post {
                    status,
                    published_at,
                    ..documents::post(slug, slug, author.id)
                };
                transaction.save_post(post, Default::default())?;
            }
            Ok(())
        })
        .unwrap();
    let second = Publication::served_from(&first.to_folder("export"));
    let of = |publication: &Publication| -> Vec<Post> {
        let snapshot = publication.site.current();
        let posts = snapshot.catalog.posts.iter();
        posts
            .map(|post| Post {
                origin: RecordOrigin::Store,
                ..Post::clone(post)
            })
            .collect()
    };
    assert_eq!(of(&second), of(&first));
}

#[test]
fn slugs_that_are_invalid_file_names_are_in_front_matter() {
    let first = Publication::empty();
    let long = "x".repeat(191);
    let slugs = [
        "index",
        "readme",
        "_index",
        "con",
        "2025-01-05-ferry",
        "a--b-",
        "-",
        "ghost",
        &long,
    ];
    let saved = slugs.map(tag);
    first
        .site
        .write_once(|transaction| saved.into_iter().try_for_each(|tag| transaction.save(tag)))
        .unwrap();
    let second = Publication::served_from(&first.to_folder("export"));
    let snapshot = second.site.current();
    for slug in slugs {
        let found = snapshot.catalog.tags.by_slug(slug);
        assert_eq!(found.map(|tag| tag.id), Some(tag(slug).id), "{slug}");
    }
}

#[test]
fn images_and_files_are_exported_and_served_from_the_folder() {
    let links = "+++\ntitle = \"Links\"\n+++\n[A song](/content/media/song.mp3), [a paper](/content/files/paper.pdf)\n";
    let first = Publication::of_files(&[FILES, &[("posts/links.md", links)]].concat());
    for (path, text) in [
        ("images/2024/01/uploaded.png", "uploaded"),
        ("images/logo.png", "hidden by that of the content folder"),
        ("media/song.mp3", "a song"),
        ("files/paper.pdf", "a paper"),
        ("files/unlinked.pdf", "another paper"),
        ("files/data.json", "{}"),
        ("galley.redb", "not to be copied"),
    ] {
        first.upload(path, text);
    }
    let folder = first.path_of("export");
    let report = first.write_folder(&folder, false).unwrap();
    assert_eq!(
        report.remarks,
        [
            "the file files/data.json: files of this kind are not served from a content folder",
            "the file files/unlinked.pdf: it is served from a content folder only if published content refers to it",
        ]
    );
    for path in ["files/data.json", "files/unlinked.pdf"] {
        assert!(folder.join(path).exists(), "{path}");
    }
    let second = Publication::served_from(&folder);
    for path in [
        "images/2024/01/uploaded.png",
        "images/logo.png",
        "media/song.mp3",
        "files/paper.pdf",
        "images/posts/2025-01-05-night-ferry/deck.png",
    ] {
        let length = |publication: &Publication| match publication
            .response(&format!("/content/{path}"))
            .body
        {
            Body::File { range, .. } => range.end,
            other => panic!("{path} gets {other:?}"),
        };
        assert_eq!(length(&second), length(&first), "{path}");
    }
    assert!(!folder.join("galley.redb").exists());
}

#[test]
fn folder_that_is_not_empty_is_rejected() {
    let site = Publication::of_files(FILES);
    let folder = site.path_of("export");
    fs::create_dir(&folder).unwrap();
    fs::write(folder.join("README.md"), "mine").unwrap();
    let refused = site.write_folder(&folder, false);
    assert!(
        matches!(refused, Err(ExportError::NotEmpty(_))),
        "{refused:?}"
    );
    assert_eq!(top(&folder), ["README.md"]);
}

#[test]
fn force_replaces_only_content_folders() {
    let site = Publication::of_files(FILES);
    let folder = site.path_of("export");
    for path in [
        "README.md",
        ".git/config",
        "posts/old.md",
        "site.yaml",
        "images/old.png",
    ] {
        let path = folder.join(path);
        fs::create_dir_all(path.parent().unwrap()).unwrap();
        fs::write(path, "title: old").unwrap();
    }
    site.write_folder(&folder, true).unwrap();
    assert_eq!(
        top(&folder),
        [
            ".git",
            "README.md",
            "authors",
            "drafts",
            "images",
            "newsletters",
            "pages",
            "posts",
            "site.toml",
            "tags",
            "tiers"
        ]
    );
    assert!(!folder.join("posts/old.md").exists() && !folder.join("images/old.png").exists());
    assert_same(
        &Publication::served_from(&folder).replies(),
        &site.replies(),
    );
}

#[test]
fn symbolic_links_in_the_target_are_replaced_without_changing_their_targets() {
    let site = Publication::of_files(FILES);
    let (folder, outside) = (site.path_of("export"), site.path_of("outside"));
    fs::create_dir(&folder).unwrap();
    fs::create_dir(&outside).unwrap();
    fs::write(outside.join("old.md"), "old").unwrap();
    symlink("../outside", folder.join("posts")).unwrap();
    symlink(&outside, folder.join("images")).unwrap();
    symlink("../outside/old.md", folder.join("site.toml")).unwrap();
    symlink("../missing", folder.join("tags")).unwrap();
    site.write_folder(&folder, true).unwrap();
    assert_eq!(top(&outside), ["old.md"]);
    assert_eq!(fs::read_to_string(outside.join("old.md")).unwrap(), "old");
    assert!(!site.path_of("missing").exists());
    assert!(!folder.join("posts").is_symlink());
}

#[test]
fn export_is_confined_to_the_target_even_if_names_are_swapped_for_links() {
    const ROUNDS: usize = 20;
    const SWAPS_MAX: usize = 10_000_000;
    let site = Publication::of_files(FILES);
    let (folder, outside) = (site.path_of("export"), site.path_of("outside"));
    fs::create_dir(&folder).unwrap();
    fs::create_dir_all(outside.join("posts")).unwrap();
    fs::write(outside.join("posts/old.md"), "old").unwrap();
    let staging = folder.join(format!(".export.{}.tmp", std::process::id()));
    let is_done = AtomicBool::new(false);
    thread::scope(|scope| {
        scope.spawn(|| {
            for _ in 0..SWAPS_MAX {
                if is_done.load(Ordering::Relaxed) {
                    break;
                }
                let aside = folder.join("aside");
                if fs::rename(&staging, &aside).is_ok() {
                    let _ = symlink(&outside, &staging);
                    thread::yield_now();
                    let _ = fs::remove_file(&staging);
                    let _ = fs::remove_dir_all(&aside);
                }
            }
        });
        for _ in 0..ROUNDS {
            // The export may succeed or fail, depending on timing.
            let _ = site.write_folder(&folder, true);
        }
        is_done.store(true, Ordering::Relaxed);
    });
    assert_eq!(top(&outside), ["posts"]);
    assert_eq!(top(&outside.join("posts")), ["old.md"]);
}

#[test]
fn export_accepts_an_empty_folder() {
    let site = Publication::of_files(FILES);
    let folder = site.path_of("export");
    fs::create_dir(&folder).unwrap();
    site.write_folder(&folder, false).unwrap();
    assert_same(
        &Publication::served_from(&folder).replies(),
        &site.replies(),
    );
}

#[test]
fn content_folder_can_be_replaced_by_its_export() {
    let site = Publication::of_files(FILES);
    let before = files_below(&site.path_of("content"));
    site.write_folder(&site.path_of("content"), true).unwrap();
    let after = files_below(&site.path_of("content"));
    for (path, bytes) in before {
        assert_eq!(after.get(&path), Some(&bytes), "{path}");
    }
}

#[test]
fn export_inside_the_content_folder_does_not_include_itself() {
    let site = Publication::of_files(FILES);
    let folder = site.path_of("content/backup");
    site.write_folder(&folder, false).unwrap();
    assert!(!folder.join("backup").exists());
    assert_same(
        &Publication::served_from(&folder).replies(),
        &site.replies(),
    );
}

#[test]
fn export_to_a_file_is_rejected() {
    let site = Publication::of_files(FILES);
    site.upload("images/a.png", "uploaded");
    let refused = site.write_folder(&site.data().join("images/a.png"), true);
    assert!(
        matches!(refused, Err(ExportError::NotAFolder(_))),
        "{refused:?}"
    );
    assert_eq!(
        fs::read_to_string(site.data().join("images/a.png")).unwrap(),
        "uploaded"
    );
}

#[test]
fn failed_export_leaves_the_target_unchanged() {
    let site = Publication::of_files(FILES);
    let folder = site.path_of("export");
    fs::create_dir(&folder).unwrap();
    fs::write(folder.join("site.toml"), "title = \"old\"").unwrap();
    // `images/logo.png` is a folder in the data folder and a file in the content folder, so only one can be written.
    site.upload("images/logo.png/x.png", "a picture");
    let failed = site.write_folder(&folder, true);
    assert!(
        matches!(failed, Err(ExportError::Write { .. })),
        "{failed:?}"
    );
    assert_eq!(top(&folder), ["site.toml"]);
    assert_eq!(
        fs::read_to_string(folder.join("site.toml")).unwrap(),
        "title = \"old\""
    );
}

#[test]
fn unsupported_values_are_reported_and_the_rest_is_exported() {
    let first = Publication::empty();
    let author = User {
        email: Some("root@localhost".into()),
        bio: Some("Keeps the lamp.".into()),
        ..User::new(
            Id::derive("user", "keeper"),
            "keeper",
            "Keeper",
            NOW.parse().unwrap(),
        )
    };
    first
        .site
        .write_once(|transaction| transaction.save(author))
        .unwrap();
    let folder = first.path_of("export");
    let report = first.write_folder(&folder, false).unwrap();
    assert_eq!(
        report.remarks,
        ["author \"keeper\": `email` is left out: `email` is not a valid e-mail address"]
    );
    let second = Publication::served_from(&folder);
    let snapshot = second.site.current();
    let keeper = snapshot.catalog.users.by_slug("keeper").unwrap();
    assert_eq!(keeper.bio.as_deref(), Some("Keeps the lamp."));
}

#[test]
fn too_long_file_name_is_truncated_and_reported() {
    let first = Publication::empty();
    let long = Tag {
        name: "x".repeat(200).into(),
        description: Some("Stored.".into()),
        ..tag("long")
    };
    first
        .site
        .write_once(|transaction| transaction.save(long))
        .unwrap();
    let folder = first.path_of("export");
    let report = first.write_folder(&folder, false).unwrap();
    assert_eq!(
        report.remarks,
        ["tag \"long\": `name` is truncated: `name` has 200 characters, but may have 191"]
    );
    let second = Publication::served_from(&folder);
    let snapshot = second.site.current();
    let tag = snapshot.catalog.tags.by_slug("long").unwrap();
    assert_eq!(
        (tag.name.len(), tag.description.as_deref()),
        (191, Some("Stored."))
    );
}

#[test]
fn export_is_deterministic() {
    let site = Publication::imported("tests/it/export/corpus.json".as_ref());
    let first = files_below(&site.to_folder("first"));
    let second = files_below(&site.to_folder("second"));
    assert!(first == second);
    let served = Publication::served_from(&site.path_of("first"));
    assert!(files_below(&served.to_folder("third")) == first);
}
