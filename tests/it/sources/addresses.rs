//! Tests of URLs in content files: links and images.

use galley::content_files::{
    Layout,
    assets::{AssetTarget, resolve},
};

const FILES: [&str; 9] = [
    "site.toml",
    "images/sea.png",
    "images/a b.png",
    "images/50%.png",
    "images/50%25.png",
    "posts/night-ferry/index.md",
    "posts/night-ferry/photo.jpg",
    "posts/other.md",
    "pages/about.md",
];

fn from_ferry(url: &str) -> AssetTarget {
    resolve(
        &Layout::default(),
        "posts/night-ferry/index.md",
        url,
        |path| FILES.contains(&path),
    )
}

fn asset(path: &str, suffix: &str) -> AssetTarget {
    AssetTarget::Asset {
        path: path.to_owned(),
        suffix: suffix.to_owned(),
    }
}

fn content(path: &str, suffix: &str) -> AssetTarget {
    AssetTarget::Content {
        path: path.to_owned(),
        suffix: suffix.to_owned(),
    }
}

#[test]
fn images_resolve_relative_to_the_document_and_to_the_root() {
    for url in [
        "photo.jpg",
        "./photo.jpg",
        "../night-ferry/photo.jpg",
        "/posts/night-ferry/photo.jpg",
        ".//photo.jpg",
    ] {
        assert_eq!(
            from_ferry(url),
            asset("posts/night-ferry/photo.jpg", ""),
            "{url}"
        );
    }
    for url in ["../../images/sea.png", "/images/sea.png", "images/sea.png"] {
        assert_eq!(from_ferry(url), asset("images/sea.png", ""), "{url}");
    }
}

#[test]
fn other_documents_resolve_by_file_or_folder() {
    for url in ["../other.md", "/posts/other.md", "posts/other.md"] {
        assert_eq!(from_ferry(url), content("posts/other.md", ""), "{url}");
    }
    for url in [
        "night-ferry/index.md",
        "night-ferry",
        "night-ferry/",
        "./night-ferry/",
    ] {
        let resolved = resolve(&Layout::default(), "posts/other.md", url, |path| {
            FILES.contains(&path)
        });
        assert_eq!(resolved, content("posts/night-ferry/index.md", ""), "{url}");
    }
}

#[test]
fn query_and_fragment_are_preserved() {
    assert_eq!(
        from_ferry("photo.jpg?v=2#top"),
        asset("posts/night-ferry/photo.jpg", "?v=2#top")
    );
    assert_eq!(
        from_ferry("../other.md#part"),
        content("posts/other.md", "#part")
    );
}

#[test]
fn percent_encoding_is_decoded_unless_a_file_has_that_name() {
    assert_eq!(from_ferry("/images/a%20b.png"), asset("images/a b.png", ""));
    assert_eq!(from_ferry("/images/a b.png"), asset("images/a b.png", ""));
    assert_eq!(from_ferry("/images/50%.png"), asset("images/50%.png", ""));
    assert_eq!(
        from_ferry("/images/50%25.png"),
        asset("images/50%25.png", "")
    );
}

#[test]
fn urls_of_pages_and_other_sites_are_unchanged() {
    for url in [
        "https://example.com/photo.jpg",
        "//example.com/photo.jpg",
        "mailto:ada@example.com",
        "data:image/png;base64,AAAA",
        "#top",
        "?page=2",
        "",
        "/about/",
        "../about/",
        "/content/images/2024/01/gone.png",
        "/",
    ] {
        assert_eq!(from_ferry(url), AssetTarget::Unchanged, "{url}");
    }
}

#[test]
fn nonexistent_file_is_missing() {
    assert_eq!(
        from_ferry("gone.jpg"),
        AssetTarget::Missing {
            path: "posts/night-ferry/gone.jpg".to_owned()
        }
    );
    assert_eq!(
        from_ferry("/images/gone.jpg"),
        AssetTarget::Missing {
            path: "images/gone.jpg".to_owned()
        }
    );
    assert_eq!(
        from_ferry("../gone.md#x"),
        AssetTarget::Missing {
            path: "posts/gone.md".to_owned()
        }
    );
    assert_eq!(
        from_ferry("Photo.jpg"),
        AssetTarget::Missing {
            path: "posts/night-ferry/Photo.jpg".to_owned()
        }
    );
}

#[test]
fn links_cannot_leave_the_folder() {
    for url in [
        "../../../etc/passwd",
        "/../etc/passwd",
        "..%2f..%2f..%2fetc/passwd",
        "%2e%2e/%2e%2e/../x.png",
    ] {
        assert_eq!(from_ferry(url), AssetTarget::Outside, "{url}");
    }
}
