//! Tests that images take no more memory than `images.memory_mb` and what a server takes anyway, by both ways to a decoder:
//! an upload, and the request of a resized image in the content folder.

use std::{fs, path::Path, time::Instant};

use image::ImageFormat;
use rustix::process::{Pid, Resource, Rlimit, prlimit};

use super::{
    bombs::{Bomb, all, deep_png},
    pictures::picture,
};
use crate::{
    http_client::HttpResponse,
    multipart::Form,
    staffed_site::{ADMIN, Ask, StaffedSite, Who},
};

/// The memory of all images, in bytes.
const IMAGES: u64 = 64 << 20;

/// Memory that a request takes besides, in bytes: its body, the threads, and what the allocator has not returned yet.
const SLACK: u64 = 48 << 20;

/// Longest time for an image, in seconds: of a program that is not optimised, among other tests.
const SECONDS: u64 = 30;

/// A server in another process, with these files in `images/` of its content folder.
fn start(folder: &Path, files: &[(String, &[u8])]) -> StaffedSite {
    let images = folder.join("content/images");
    fs::create_dir_all(&images).unwrap();
    for (name, content) in files {
        fs::write(images.join(name), content).unwrap();
    }
    let memory = format!("[images]\nmemory_mb = {}\n", IMAGES >> 20);
    fs::write(folder.join("galley.toml"), memory).unwrap();
    let site = StaffedSite::start_process(folder, false);
    // An image that takes more must not take all of the machine's memory.
    let id = Pid::from_raw(i32::try_from(site.process().id()).unwrap());
    let most = status(&site, "VmSize") + (1 << 30);
    let limit = Rlimit {
        current: Some(most),
        maximum: Some(most),
    };
    prlimit(id, Resource::As, limit).unwrap();
    site
}

/// A number of bytes in the status of the process.
fn status(site: &StaffedSite, name: &str) -> u64 {
    let status = format!("/proc/{}/status", site.process().id());
    let status = fs::read_to_string(status).unwrap();
    let line = status.lines().find(|line| line.starts_with(name)).unwrap();
    let kilobytes = line.split_whitespace().nth(1).unwrap();
    kilobytes.parse::<u64>().unwrap() << 10
}

/// Checks that the process takes no more memory meanwhile than images may, and not much time.
fn within_bounds<T>(site: &StaffedSite, what: &str, request: impl FnOnce() -> T) -> T {
    // The most memory is forgotten.
    fs::write(format!("/proc/{}/clear_refs", site.process().id()), "5").unwrap();
    let before = status(site, "VmRSS");
    let begin = Instant::now();
    let response = request();
    assert!(site.process().is_running(), "{what}");
    let taken = status(site, "VmHWM").saturating_sub(before);
    assert!(taken < IMAGES + SLACK, "{what}: {} MB", taken >> 20);
    assert!(
        begin.elapsed().as_secs() < SECONDS,
        "{what}: {:?}",
        begin.elapsed()
    );
    response
}

fn upload(site: &StaffedSite, name: &str, kind: &str, content: &[u8]) -> HttpResponse {
    let form = Form::default().file("file", name, kind, content);
    let ask = Ask::new("POST", &format!("{ADMIN}/images/upload/"));
    site.send(&Who::Integration, &ask.form(form))
}

fn resized(site: &StaffedSite, name: &str, size: &str) -> HttpResponse {
    let target = format!("/content/images/size/{size}/{name}");
    site.send(&Who::Anonymous, &Ask::new("GET", &target))
}

#[test]
fn no_part_of_an_image_takes_more_memory_than_images_may() {
    let folder = tempfile::tempdir().unwrap();
    let bombs = all();
    let named: Vec<(String, &Bomb)> = bombs
        .iter()
        .enumerate()
        .map(|(number, bomb)| (format!("{number}.{}", bomb.extension), bomb))
        .collect();
    let files: Vec<(String, &[u8])> = named
        .iter()
        .map(|(name, bomb)| (name.clone(), &bomb.content[..]))
        .collect();
    let site = start(folder.path(), &files);
    for (name, bomb) in &named {
        let what = format!("{} of .{}", bomb.part, bomb.extension);
        let response = within_bounds(&site, &what, || {
            upload(&site, name, bomb.kind(), &bomb.content)
        });
        if bomb.is_refused {
            let is_clear = matches!(response.status, 400 | 415 | 422);
            assert!(is_clear, "{what}: {} {}", response.status, response.text());
        } else {
            assert_eq!(response.status, 201, "{what}: {}", response.text());
        }
        if matches!(bomb.extension, "svg" | "svgz") {
            let target = format!("/content/images/{name}");
            let ask = Ask::new("GET", &target);
            let response = within_bounds(&site, &what, || site.send(&Who::Anonymous, &ask));
            assert_eq!(response.status, 404, "{what}: {}", response.text());
            continue;
        }
        let response = within_bounds(&site, &what, || resized(&site, name, "w600"));
        // The original is served instead of an image that is refused or animated.
        let is_still = !bomb.is_refused && bomb.extension != "gif";
        let expected = if is_still { 200 } else { 302 };
        assert_eq!(response.status, expected, "{what}");
    }
}

#[test]
fn largest_images_that_are_accepted_take_the_memory_that_was_reserved() {
    let folder = tempfile::tempdir().unwrap();
    let images = [
        ("a.jpg", picture(4400, 2900, ImageFormat::Jpeg)),
        ("a.png", picture(4400, 2900, ImageFormat::Png)),
        ("deep.png", deep_png(2100, 2100)),
        ("a.webp", picture(2100, 2000, ImageFormat::WebP)),
        ("a.gif", picture(2500, 2200, ImageFormat::Gif)),
    ];
    let files: Vec<(String, &[u8])> = images
        .iter()
        .map(|(name, content)| ((*name).to_owned(), &content[..]))
        .collect();
    let site = start(folder.path(), &files);
    for (name, _) in &images {
        for size in ["w600", "w2000", "w1000/format/webp", "w1000/format/png"] {
            let what = format!("{name} {size}");
            let response = within_bounds(&site, &what, || resized(&site, name, size));
            assert_eq!(response.status, 200, "{what}");
        }
    }
}
