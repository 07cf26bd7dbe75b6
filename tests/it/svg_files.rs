//! Tests that all SVG images below `/content/` are sanitised before they are served.

use galley_tests::TestSite;

const SVG: &str = "<svg xmlns=\"http://www.w3.org/2000/svg\" width=\"9\" onload=\"harm()\"><script>harm()</script>\
    <style>@import '//harm.example/a.css'; rect { background: image-set('//harm.example/a.png' 1x) }</style>\
    <a href=\"javascript:harm()\"><circle r=\"5\"/></a></svg>";

#[test]
fn svg_images_are_served_sanitised_from_every_folder() {
    let app = TestSite::builder()
        .file("images/a.svg", SVG)
        .file("posts/trip/b.svg", SVG)
        .file("files/c.SVG", SVG)
        .file("images/broken.svg", "<svg")
        .file(
            "posts/trip/index.md",
            "---\ntitle: Trip\n---\n![](b.svg) ![](/files/c.SVG)",
        )
        // Imported files are stored like uploads.
        .upload("images/2025/d.svg", SVG)
        .start();
    for path in [
        "images/a.svg",
        "images/posts/trip/b.svg",
        "files/c.SVG",
        "images/2025/d.svg",
    ] {
        // The second response uses the cached copy.
        for _ in 0..2 {
            let response = app.get(&format!("/content/{path}"));
            assert_eq!(response.status, 200, "{path}");
            assert_eq!(
                response.header("content-type"),
                Some("image/svg+xml"),
                "{path}"
            );
            let text = response.text();
            assert!(
                text.contains("<circle") && text.contains("width=\"9\""),
                "{text}"
            );
            for harm in ["harm()", "javascript", "onload", "@import", "image-set"] {
                assert!(!text.contains(harm), "{path}: {harm} in {text}");
            }
        }
    }
    assert_eq!(app.get("/content/images/broken.svg").status, 404);
}

#[test]
fn changed_svg_image_is_sanitised_again() {
    let app = TestSite::builder().file("images/a.svg", SVG).start();
    assert!(app.get("/content/images/a.svg").text().contains("circle"));

    app.write_file("images/a.svg", SVG.replace("circle", "ellipse"));

    let text = app.get("/content/images/a.svg").text().to_owned();
    assert!(
        text.contains("ellipse") && !text.contains("harm()"),
        "{text}"
    );
}
