//! Tests of image variants: rendered on demand, cached, and rendered again after changes.

use std::{collections::BTreeSet, fs, thread};

use galley_tests::TestSite;
use image::ImageFormat;

use super::{
    data_folder, files_below,
    sample_images::{dimensions, from_a_camera, moving, sample_image},
    served, upload_image,
};

const SIZE: &str = "/content/images/size";

/// Returns the copies in the data folder, each with its name, version and size.
fn copies(app: &TestSite) -> Vec<String> {
    files_below(&data_folder(app).join("images/size"))
}

#[test]
fn image_is_served_in_the_available_sizes_and_formats() {
    let app = TestSite::builder()
        .upload(
            "images/2021/05/a.png",
            sample_image(1200, 800, ImageFormat::Png),
        )
        .start();
    for (variant, kind, format, dimensions_of_it) in [
        ("w600", "image/png", ImageFormat::Png, (600, 400)),
        (
            "w600/format/webp",
            "image/webp",
            ImageFormat::WebP,
            (600, 400),
        ),
        (
            "w1000/format/jpeg",
            "image/jpeg",
            ImageFormat::Jpeg,
            (1000, 667),
        ),
        (
            "w1000/format/jpg",
            "image/jpeg",
            ImageFormat::Jpeg,
            (1000, 667),
        ),
        ("w256h256", "image/png", ImageFormat::Png, (256, 256)),
        (
            "w2000/format/webp",
            "image/webp",
            ImageFormat::WebP,
            (1200, 800),
        ),
    ] {
        let response = app.get(&format!("{SIZE}/{variant}/2021/05/a.png"));
        assert_eq!(response.status, 200, "{variant}");
        assert_eq!(response.header("content-type"), Some(kind), "{variant}");
        let cache_control = response.header("cache-control");
        assert_eq!(cache_control, Some("public, max-age=31536000"), "{variant}");
        assert_eq!(response.header("access-control-allow-origin"), Some("*"));
        assert_eq!(
            image::guess_format(&response.body).unwrap(),
            format,
            "{variant}"
        );
        assert_eq!(dimensions(&response.body), dimensions_of_it, "{variant}");
    }
}

#[test]
fn small_image_is_served_unchanged() {
    let small = sample_image(300, 200, ImageFormat::Jpeg);
    let moving = moving(30, 20, 2);
    let app = TestSite::builder()
        .upload("images/a.jpg", &small)
        .file("posts/trip/a.gif", &moving)
        .file(
            "posts/trip.md",
            "+++\ntitle = \"Trip\"\n+++\n![](trip/a.gif)\n",
        )
        .start();
    assert_eq!(served(&app, &format!("{SIZE}/w600/a.jpg")), small);
    assert_eq!(
        served(&app, &format!("{SIZE}/w600/posts/trip/a.gif")),
        moving
    );
}

#[test]
fn unavailable_variant_redirects_to_the_original() {
    let app = TestSite::builder()
        .upload("images/a.png", sample_image(700, 70, ImageFormat::Png))
        .upload("images/moving.gif", moving(700, 70, 2))
        .upload("images/a.svg", "<svg xmlns='http://www.w3.org/2000/svg'/>")
        .upload("images/words.png", "words")
        .start();
    for variant in [
        "w300/a.png",
        "w0600/a.png",
        "h600/a.png",
        "x/a.png",
        "w600/format/avif/a.png",
        "w600/format/svg/a.png",
        "w600/moving.gif",
        "w600/format/webp/moving.gif",
        "w600/a.svg",
        "w600/format/png/a.svg",
        "w600/words.png",
        "w600/nosuch.png",
    ] {
        // The second response uses the cached result.
        for _ in 0..2 {
            let response = app.get(&format!("{SIZE}/{variant}"));
            let name = variant.rsplit('/').next().unwrap();
            let location = format!("/content/images/{name}");
            assert_eq!(response.status, 302, "{variant}");
            assert_eq!(
                response.header("location"),
                Some(location.as_str()),
                "{variant}"
            );
        }
    }
    assert!(copies(&app).iter().all(|copy| copy.ends_with(".none")));
}

#[test]
fn variant_is_rendered_once_and_cached() {
    let app = TestSite::builder()
        .upload("images/a.jpg", sample_image(2400, 1600, ImageFormat::Jpeg))
        .start();
    let entity_tag = || {
        let response = app.get(&format!("{SIZE}/w600/a.jpg"));
        assert_eq!(response.status, 200);
        response.header("etag").unwrap().to_owned()
    };
    let tags: BTreeSet<String> = thread::scope(|scope| {
        let requests: Vec<_> = (0..6).map(|_| scope.spawn(entity_tag)).collect();
        requests
            .into_iter()
            .map(|request| request.join().unwrap())
            .collect()
    });
    assert_eq!(tags.len(), 1, "{tags:?}");
    assert_eq!(copies(&app).len(), 1);
    let tag = tags.first().unwrap();
    let path = format!("{SIZE}/w600/a.jpg");
    let known = app.send("GET", &path, &format!("if-none-match: {tag}\r\n"), "");
    assert_eq!(known.status, 304);
    let part = app.send("GET", &path, "range: bytes=0-1\r\n", "");
    assert_eq!((part.status, &part.body[..]), (206, &[0xFF, 0xD8][..]));
    let head = app.send("HEAD", &path, "", "");
    assert_eq!((head.status, head.body.len()), (200, 0));
}

#[test]
fn variants_of_a_content_image_follow_its_changes() {
    let app = TestSite::builder()
        .file(
            "posts/trip/deck.png",
            sample_image(900, 300, ImageFormat::Png),
        )
        .file(
            "posts/trip.md",
            "+++\ntitle = \"Trip\"\n+++\n![](trip/deck.png)\n",
        )
        .start();
    let path = format!("{SIZE}/w600/posts/trip/deck.png");
    let response = app.get(&path);
    assert_eq!(response.header("cache-control"), Some("public, max-age=0"));
    assert_eq!(dimensions(&response.body), (600, 200));
    let before = copies(&app);
    app.write_file(
        "posts/trip/deck.png",
        sample_image(900, 900, ImageFormat::Png),
    );
    assert_eq!(dimensions(&served(&app, &path)), (600, 600));
    let after = copies(&app);
    assert_eq!(after.len(), 1);
    assert_ne!(after, before);
    app.delete_file("posts/trip/deck.png");
    assert_eq!(app.get(&path).status, 302);
}

#[test]
fn variants_are_upright_and_without_metadata() {
    let app = TestSite::builder()
        .file("images/a.jpg", from_a_camera(1600, 1200))
        .start();
    let copy = served(&app, &format!("{SIZE}/w600/a.jpg"));
    assert_eq!(dimensions(&copy), (600, 800));
    assert!(memchr::memmem::find(&copy, b"24.9384").is_none());
}

#[test]
fn upload_is_served_in_other_sizes() {
    let app = TestSite::builder().start();
    let sent = sample_image(2500, 100, ImageFormat::Jpeg);
    let path = upload_image(&app, "a.jpg", "image/jpeg", &sent);
    let below = path.strip_prefix("/content/images/").unwrap();
    let copy = served(&app, &format!("{SIZE}/w1000/{below}"));
    assert_eq!(dimensions(&copy), (1000, 40));
}

#[test]
fn image_without_memory_for_resizing_is_served_unchanged() {
    let app = TestSite::builder()
        .option("images.memory_mb", "32")
        .upload("images/a.png", sample_image(4000, 3000, ImageFormat::Png))
        .start();
    assert_eq!(app.get(&format!("{SIZE}/w600/a.png")).status, 302);
    assert!(copies(&app).is_empty());
}

#[test]
fn damaged_cached_variant_can_be_deleted_and_is_rendered_again() {
    let app = TestSite::builder()
        .upload("images/a.png", sample_image(900, 300, ImageFormat::Png))
        .start();
    let path = format!("{SIZE}/w600/a.png");
    let made = served(&app, &path);
    fs::remove_dir_all(data_folder(&app).join("images/size")).unwrap();
    assert_eq!(served(&app, &path), made);
}
