//! Tests that a server needs at most `images.memory_mb` more memory for images, in both uses of a decoder: an upload, and a
//! request for a resized image of the content folder.

use std::{fs, path::Path};

use galley_tests::{Request, TestSite, Who, multipart::Form, request::ADMIN};
use image::ImageFormat;
use rustix::process::{Resource, Rlimit, prlimit};

use super::{
    bombs::{Bomb, all, deep_png},
    sample_images::sample_image,
};

/// The memory limit for all images, in bytes.
const IMAGES: u64 = 64 << 20;

/// The permitted additional memory of a request, in bytes: body, threads, and memory that the allocator has not released yet.
const SLACK: u64 = 48 << 20;

/// The maximum processor time for an image, in seconds. The program is not optimised, and other tests run concurrently.
const SECONDS: u64 = 30;

/// Starts a server in another process, with these files in `images/` of its content folder.
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

/// Limits the address space of the process, so that a failing test does not exhaust the machine's memory.
fn limit(site: &TestSite) {
    let most = status(site, "VmSize") + (1 << 30);
    let limit = Rlimit {
        current: Some(most),
        maximum: Some(most),
    };
    prlimit(Some(site.process().pid()), Resource::As, limit).unwrap();
}

/// Returns a memory size in the status of the process, in bytes.
fn status(site: &TestSite, name: &str) -> u64 {
    let status = format!("/proc/{}/status", site.process().pid());
    let status = fs::read_to_string(status).unwrap();
    let line = status.lines().find(|line| line.starts_with(name)).unwrap();
    let kilobytes = line.split_whitespace().nth(1).unwrap();
    kilobytes.parse::<u64>().unwrap() << 10
}

/// Returns the processor time of the process, in seconds, which is independent of other programs on the machine.
fn processor_seconds(site: &TestSite) -> u64 {
    let stat = fs::read_to_string(format!("/proc/{}/stat", site.process().pid())).unwrap();
    let (_, fields) = stat.rsplit_once(')').unwrap();
    let times = fields.split_whitespace().skip(11).take(2);
    times
        .map(|ticks| ticks.parse::<u64>().unwrap())
        .sum::<u64>()
        / 100
}

/// Sends a request. Returns an error unless the response has one of these statuses and the process stays within the limits of
/// memory and processor time.
fn send(site: &TestSite, request: &Request, statuses: &[u16]) -> Result<(), String> {
    // Resets the peak memory of the process.
    fs::write(format!("/proc/{}/clear_refs", site.process().pid()), "5").unwrap();
    let before = status(site, "VmRSS");
    let begin = processor_seconds(site);
    let response = site.try_ask_as(&Who::Integration, request);
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

/// Returns a request for an image of the content folder: resized, or sanitised if it is an SVG image.
fn request(name: &str, size: &str) -> Request {
    let target = match name.rsplit_once('.') {
        Some((_, "svg" | "svgz")) => format!("/content/images/{name}"),
        _ => format!("/content/images/size/{size}/{name}"),
    };
    Request::new("GET", &target)
}

#[test]
fn no_part_of_an_image_exceeds_the_memory_limit() {
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
        // Requests for a refused or animated image are redirected to the original.
        let requested: &[u16] = match bomb.extension {
            "svg" | "svgz" => &[404],
            "gif" => &[302],
            _ if bomb.is_refused => &[302],
            _ => &[200],
        };
        for (use_case, request, statuses) in [
            ("uploaded", upload(name, bomb), uploaded),
            ("requested", request(name, "w600"), requested),
        ] {
            if let Err(problem) = send(&site, &request, statuses) {
                let (part, extension) = (bomb.part, bomb.extension);
                problems.push(format!("{part} of .{extension}, {use_case}: {problem}"));
                site.start_again(folder.path());
                limit(&site);
            }
        }
    }
    assert!(problems.is_empty(), "{problems:#?}");
}

#[test]
fn largest_accepted_images_stay_within_their_reserved_memory() {
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
