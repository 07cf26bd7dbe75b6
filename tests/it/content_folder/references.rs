//! Tests of documents' references to each other and to images.

use galley_tests::{
    folder::{Folder, post, post_with},
    reconciled_site::ReconciledSite,
};

use std::fs;

#[test]
fn images_next_to_documents_are_served() {
    let folder = Folder::with(&[
        (
            "posts/night-ferry/index.md",
            &post_with(
                "Night Ferry",
                "feature_image = \"boat.jpg\"",
                "![](boat.jpg) ![](sub/two%20boats.png) ![](/images/sea.png) <img src=\"boat.jpg\">",
            ),
        ),
        ("posts/night-ferry/boat.jpg", "jpg"),
        ("posts/night-ferry/sub/two boats.png", "png"),
        ("images/sea.png", "png"),
    ]);
    let site = ReconciledSite::from(&folder);
    let post = site.post("night-ferry");
    let images = "https://example.com/content/images";
    assert_eq!(
        post["feature_image"],
        format!("{images}/posts/night-ferry/boat.jpg")
    );
    let html = site.html("night-ferry");
    for path in [
        "posts/night-ferry/boat.jpg",
        "posts/night-ferry/sub/two%20boats.png",
        "sea.png",
    ] {
        assert!(html.contains(&format!("src=\"{images}/{path}\"")), "{html}");
    }
    assert_eq!(html.matches("posts/night-ferry/boat.jpg").count(), 2);
}

#[test]
fn link_to_another_file_resolves_to_its_url() {
    let folder = Folder::with(&[
        (
            "posts/a.md",
            &post(
                "A",
                "[b](b.md#end) [about](../pages/about.md) [tag](../tags/sea.toml)",
            ),
        ),
        (
            "posts/b.md",
            &post_with("B", "slug = \"second\"", "[a](./a.md?x=1)"),
        ),
        ("pages/about.md", &post("About", "")),
        ("tags/sea.toml", "name = \"Sea\"\n"),
    ]);
    let site = ReconciledSite::from(&folder);
    let html = site.html("a");
    assert!(
        html.contains("href=\"https://example.com/second/#end\""),
        "{html}"
    );
    assert!(
        html.contains("href=\"https://example.com/about/\""),
        "{html}"
    );
    assert!(
        html.contains("href=\"https://example.com/tag/sea/\""),
        "{html}"
    );
    assert!(
        site.html("second")
            .contains("href=\"https://example.com/a/?x=1\"")
    );
}

#[test]
fn changed_slug_updates_links_to_the_file() {
    let folder = Folder::with(&[
        ("posts/a.md", &post("A", "[b](b.md)")),
        ("posts/b.md", &post("B", "")),
    ]);
    let mut site = ReconciledSite::from(&folder);
    folder.write("posts/b.md", post_with("B", "slug = \"second\"", ""));
    let revision = site.revision();
    assert!(site.run_hinted(&["posts/b.md"]).is_empty());
    assert!(
        site.html("a")
            .contains("href=\"https://example.com/second/\"")
    );
    assert_eq!(site.revision(), revision + 1);
}

#[test]
fn dangling_link_is_reported_until_resolved() {
    let folder = Folder::with(&[("posts/a.md", &post("A", "see [b](b.md) and ![](x.png)"))]);
    let mut site = ReconciledSite::open(&folder);
    let problems = site.run();
    assert_eq!(problems.len(), 2, "{problems:?}");
    assert!(problems[0].contains("warning: link target not found: posts/b.md"));
    assert!(
        problems[0].contains("--> posts/a.md:6:5"),
        "{}",
        problems[0]
    );
    assert!(problems[1].contains("posts/x.png"));
    folder.write("posts/b.md", post("B", ""));
    folder.write("posts/x.png", "png");
    assert!(site.run().is_empty());
    assert!(site.problems().is_empty());
    assert!(site.html("a").contains("href=\"https://example.com/b/\""));
    folder.remove("posts/b.md");
    assert!(site.run()[0].contains("posts/b.md"));
}

#[test]
fn files_outside_the_folder_are_neither_linked_nor_read() {
    let folder = Folder::with(&[("posts/a.md", &post("A", "![](../../secret.png)"))]);
    fs::write(folder.top().join("secret.png"), "png").expect("a file next to the folder");
    let mut site = ReconciledSite::open(&folder);
    let problems = site.run();
    assert!(
        problems[0].contains("outside of the content folder"),
        "{problems:?}"
    );
    assert!(site.html("a").contains("src=\"../../secret.png\""));
}

#[test]
fn link_that_runs_code_is_removed_and_reported() {
    let folder = Folder::with(&[(
        "posts/a.md",
        &post(
            "A",
            "see [b](javascript:harm()) and <a href=\"javascript:own()\">c</a>",
        ),
    )]);
    let mut site = ReconciledSite::open(&folder);

    let problems = site.run();

    let [problem] = &problems[..] else {
        panic!("expected one problem, found {problems:?}");
    };
    assert!(
        problem.contains("warning: this URL runs code, so it is left out"),
        "{problem}"
    );
    assert!(problem.contains("--> posts/a.md:6:5"), "{problem}");
    let html = site.html("a");
    assert!(
        html.contains("see b and <a href=\"javascript:own()\">c</a>"),
        "{html}"
    );
}
