//! Tests that images need at most `images.memory_mb` in addition to the memory of a server without them, in both uses of a
//! decoder: an upload, and the request of a resized image in the content folder.

use std::{fs, path::Path};

use galley_tests::{Request, TestSite, Who, multipart::Form, request::ADMIN};
use image::ImageFormat;
use rustix::process::{Resource, Rlimit, prlimit};

use super::{
    bombs::{Bomb, all, deep_png},
    sample_images::sample_image,
};

/// The memory of all images, in bytes.
const IMAGES: u64 = 64 << 20;

/// Additional memory of a request, in bytes: its body, the threads, and memory that the allocator has not returned yet.
const SLACK: u64 = 48 << 20;

/// The longest time for an image, in seconds: the program is not optimised, and other tests run concurrently.
const SECONDS: u64 = 30;

/// A server in another process, with these files in `images/` of its content folder.
fn start(folder: &Path, files: &[(String, &[u8])]) -> TestSite {
    let images = folder.join("content/images");
    fs::create_dir_all(&images).unwrap();
    for (name, content) in files {
        fs::write(images.join(name), content).unwrap();
    }
    let memory = format!("[images]\nmemory_mb = {}\n", IMAGES >> 20);
    fs::write(folder.join("galley.toml"), memory).unwrap();
    let site = TestSite::start_process(folder, false);
    limit(&site);
    site
}

/// An image that takes more must not take all of the machine's memory.
fn limit(site: &TestSite) {
    let most = status(site, "VmSize") + (1 << 30);
    let limit = Rlimit {
        current: Some(most),
        maximum: Some(most),
    };
    prlimit(Some(site.process().pid()), Resource::As, limit).unwrap();
}

/// A number of bytes in the status of the process.
fn status(site: &TestSite, name: &str) -> u64 {
    let status = format!("/proc/{}/status", site.process().pid());
    let status = fs::read_to_string(status).unwrap();
    let line = status.lines().find(|line| line.starts_with(name)).unwrap();
    let kilobytes = line.split_whitespace().nth(1).unwrap();
    kilobytes.parse::<u64>().unwrap() << 10
}

/// Returns the processor time that the process has taken, in seconds: other programs on the machine do not change it.
fn processor_seconds(site: &TestSite) -> u64 {
    let stat = fs::read_to_string(format!("/proc/{}/stat", site.process().pid())).unwrap();
    let (_, fields) = stat.rsplit_once(')').unwrap();
    let times = fields.split_whitespace().skip(11).take(2);
    times
        .map(|ticks| ticks.parse::<u64>().unwrap())
        .sum::<u64>()
        / 100
}

/// Sends a request. The response has one of these statuses, and the process takes no more memory meanwhile than images
/// may, and not much processor time; otherwise returns the fault.
fn send(site: &TestSite, ask: &Request, statuses: &[u16]) -> Result<(), String> {
    // The most memory so far is forgotten.
    fs::write(format!("/proc/{}/clear_refs", site.process().pid()), "5").unwrap();
    let before = status(site, "VmRSS");
    let begin = processor_seconds(site);
    let response = site.try_ask_as(&Who::Integration, ask);
    let response = response.ok_or("the server ended")?;
    let taken = status(site, "VmHWM").saturating_sub(before);
    if taken > IMAGES + SLACK {
        return Err(format!("it took {} MB", taken >> 20));
    }
    let seconds = processor_seconds(site) - begin;
    if seconds > SECONDS {
        return Err(format!("it took {seconds} s of processor time"));
    }
    if !statuses.contains(&response.status) {
        let body = String::from_utf8_lossy(&response.body[..response.body.len().min(300)]);
        return Err(format!("{}: {body}", response.status));
    }
    Ok(())
}

fn upload(name: &str, bomb: &Bomb) -> Request {
    let form = Form::default().file("file", name, bomb.kind(), &bomb.content);
    Request::new("POST", &format!("{ADMIN}/images/upload/")).form(form)
}

/// The request of an image in the content folder: resized, or cleaned.
fn request(name: &str, size: &str) -> Request {
    let target = match name.rsplit_once('.') {
        Some((_, "svg" | "svgz")) => format!("/content/images/{name}"),
        _ => format!("/content/images/size/{size}/{name}"),
    };
    Request::new("GET", &target)
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
    let mut site = start(folder.path(), &files);
    let mut problems = Vec::new();
    for (name, bomb) in &named {
        let uploaded: &[u16] = if bomb.is_refused {
            &[400, 415, 422]
        } else {
            &[201]
        };
        // The original is served instead of an image that is refused or animated.
        let requested: &[u16] = match bomb.extension {
            "svg" | "svgz" => &[404],
            "gif" => &[302],
            _ if bomb.is_refused => &[302],
            _ => &[200],
        };
        for (way, ask, statuses) in [
            ("uploaded", upload(name, bomb), uploaded),
            ("requested", request(name, "w600"), requested),
        ] {
            if let Err(problem) = send(&site, &ask, statuses) {
                let (part, extension) = (bomb.part, bomb.extension);
                problems.push(format!("{part} of .{extension}, {way}: {problem}"));
                site.start_again(folder.path());
                limit(&site);
            }
        }
    }
    assert!(problems.is_empty(), "{problems:#?}");
}

#[test]
fn largest_images_that_are_accepted_take_the_memory_that_was_reserved() {
    let folder = tempfile::tempdir().unwrap();
    let images = [
        ("a.jpg", sample_image(4400, 2900, ImageFormat::Jpeg)),
        ("a.png", sample_image(4400, 2900, ImageFormat::Png)),
        ("deep.png", deep_png(1900, 1900)),
        ("a.webp", sample_image(1200, 1000, ImageFormat::WebP)),
        ("a.gif", sample_image(2500, 2200, ImageFormat::Gif)),
    ];
    let files: Vec<(String, &[u8])> = images
        .iter()
        .map(|(name, content)| ((*name).to_owned(), &content[..]))
        .collect();
    let site = start(folder.path(), &files);
    for (name, _) in &images {
        for size in ["w600", "w2000", "w1000/format/webp"] {
            let sent = send(&site, &request(name, size), &[200]);
            assert_eq!(sent, Ok(()), "{name} {size}");
        }
    }
}
