//! Tests of replacing a theme: settings survive, and a killed process leaves one complete theme.

use std::{
    fs,
    path::Path,
    sync::{
        Arc,
        atomic::{AtomicBool, Ordering},
    },
    thread,
    time::Duration,
};

use galley::{
    admin,
    clock::SystemClock,
    domain::actor::Actor,
    site::Site,
    store::memory::MemoryStore,
    themes::{IncomingTheme, Themes},
    uploads::Uploads,
};
use galley_tests::{Request, TestSite, multipart::Form, owner, request::ADMIN};
use serde_json::{Value, json};

use super::{activate, archive_of, download, get, names, site, theme_with, upload};

fn package(custom: &Value) -> String {
    json!({"name": "tide", "version": "1.0.0", "config": {"custom": custom}}).to_string()
}

fn values(response: &Value) -> Vec<Value> {
    let settings = response["custom_theme_settings"].as_array().unwrap();
    settings
        .iter()
        .map(|setting| setting["value"].clone())
        .collect()
}

#[test]
fn theme_settings_are_preserved_while_valid() {
    let site = site();
    let first = package(&json!({
        "layout": {"type": "select", "options": ["Wide", "Narrow"], "default": "Wide"},
        "note": {"type": "text", "default": "Hello"},
        "cover": {"type": "image"},
    }));
    upload(&site, "tide.zip", &theme_with(&[("package.json", &first)]));
    activate(&site, "tide");
    let cover = format!("{}/content/images/a.png", site.base());
    let chosen = json!({"custom_theme_settings": [
        {"key": "layout", "value": "Narrow"}, {"key": "note", "value": null}, {"key": "cover", "value": cover},
    ]});
    let response = site.put_as(&owner(), "/custom_theme_settings/", &chosen);
    assert_eq!(
        values(&response),
        [json!("Narrow"), json!(null), json!(cover)]
    );

    let second = package(&json!({
        "note": {"type": "text", "default": "Hello"},
        "layout": {"type": "select", "options": ["Tall"], "default": "Tall"},
        "cover": {"type": "image"},
    }));
    upload(&site, "tide.zip", &theme_with(&[("package.json", &second)]));
    let response = site.get_as(&owner(), "/custom_theme_settings/");
    assert_eq!(
        values(&response),
        [json!(null), json!("Tall"), json!(cover)]
    );

    activate(&site, "source");
    let of_source = values(&site.get_as(&owner(), "/custom_theme_settings/"));
    assert!(of_source.contains(&json!("Journal")), "{of_source:?}");
    for of_tide in [json!("Narrow"), json!("Tall"), json!(cover)] {
        assert!(!of_source.contains(&of_tide), "{of_tide}");
    }
    let request = Request::new("DELETE", &format!("{ADMIN}/themes/tide/"));
    site.done(&owner(), request);
    upload(&site, "tide.zip", &theme_with(&[("package.json", &first)]));
    activate(&site, "tide");
    let response = site.get_as(&owner(), "/custom_theme_settings/");
    assert_eq!(
        values(&response),
        [json!("Narrow"), json!(null), json!(cover)]
    );
}

#[test]
fn images_are_served_in_the_widths_of_the_active_theme() {
    let folder = tempfile::tempdir().unwrap();
    let themes = Themes::of(&Uploads::in_data(&folder.path().join("data")));
    let site = Site::open(Box::new(MemoryStore::new()), Arc::new(SystemClock)).unwrap();
    let add = |width: u32| {
        let source = folder.path().join("tide");
        fs::create_dir_all(&source).unwrap();
        let package = json!({"config": {"image_sizes": {"s": {"width": width}}}}).to_string();
        for (path, content) in [
            ("index.hbs", ""),
            ("post.hbs", ""),
            ("package.json", &*package),
        ] {
            fs::write(source.join(path), content).unwrap();
        }
        let incoming = IncomingTheme::from_folder(&themes, &source).unwrap();
        admin::themes::add(&site, &Actor::Operator, &themes, "tide", &incoming, None).unwrap();
    };
    let widths = || site.current().catalog.image_widths.to_vec();
    add(300);
    assert_eq!(widths(), [160, 320, 600, 960, 1200, 2000]);
    admin::themes::activate(&site, &Actor::Operator, &themes, "tide").unwrap();
    assert_eq!(widths(), [300]);
    add(500);
    assert_eq!(widths(), [500]);
}

#[test]
fn one_invalid_theme_setting_rejects_all() {
    let site = site();
    let package = package(&json!({
        "shown": {"type": "boolean", "default": true}, "tone": {"type": "color", "default": "#ffffff"},
    }));
    upload(
        &site,
        "tide.zip",
        &theme_with(&[("package.json", &package)]),
    );
    activate(&site, "tide");
    for wrong in [
        json!({"key": "tone", "value": "red"}),
        json!({"key": "shown", "value": "true"}),
        json!({"key": "none", "value": 1}),
        json!({"value": 1}),
    ] {
        let sent = json!({"custom_theme_settings": [{"key": "shown", "value": false}, wrong]});
        let request = Request::new("PUT", &format!("{ADMIN}/custom_theme_settings/")).json(&sent);
        assert_eq!(site.ask_as(&owner(), &request).status, 422, "{sent}");
    }
    let response = site.get_as(&owner(), "/custom_theme_settings/");
    assert_eq!(values(&response), [json!(true), json!("#ffffff")]);
}

#[test]
fn theme_download_is_deterministic() {
    let site = site();
    let archive = theme_with(&[("assets/a.css", "a"), ("package.json", "{}")]);
    upload(&site, "one.zip", &archive);
    let first = download(&site, "one");
    upload(&site, "two.zip", &first);
    assert_eq!(download(&site, "two"), first);
    assert_eq!(download(&site, "source"), download(&site, "source"));
}

#[test]
fn rejected_theme_keeps_the_installed_one() {
    let site = site();
    upload(&site, "tide.zip", &theme_with(&[("assets/a.css", "old")]));
    activate(&site, "tide");
    let broken = archive_of(&[("index.hbs", "{{"), ("assets/a.css", "new")]);
    assert_eq!(upload(&site, "tide.zip", &broken).status, 422);
    assert_eq!(get(&site, "/assets/a.css").text(), "old");
    assert_eq!(names(&site), ["casper", "source", "tide"]);
}

/// Returns the archive of a theme whose files all contain `mark`.
fn marked(mark: &str) -> Vec<u8> {
    let paths: Vec<String> = (0..50)
        .map(|number| format!("assets/{number}.css"))
        .collect();
    let files: Vec<(&str, &str)> = paths.iter().map(|path| (path.as_str(), mark)).collect();
    theme_with(&files)
}

fn marks(themes: &Path) -> Vec<String> {
    let entries = fs::read_dir(themes.join("tide/assets")).unwrap();
    entries
        .map(|entry| fs::read_to_string(entry.unwrap().path()).unwrap())
        .collect()
}

#[test]
fn kill_during_replacement_leaves_one_complete_theme() {
    let folder = tempfile::tempdir().unwrap();
    let mut site = TestSite::start_process(folder.path(), false);
    for (round, mark) in ["one", "two", "three", "four"].into_iter().enumerate() {
        upload(&site, "tide.zip", &marked(mark));
        let is_over = AtomicBool::new(false);
        thread::scope(|scope| {
            scope.spawn(|| {
                for number in 0.. {
                    if is_over.load(Ordering::Relaxed) {
                        break;
                    }
                    let archive = marked(["five", "six"][number % 2]);
                    let form =
                        Form::default().file("file", "tide.zip", "application/zip", &archive);
                    let request =
                        Request::new("POST", &format!("{ADMIN}/themes/upload/")).form(form);
                    site.try_ask_as(&owner(), &request);
                }
            });
            thread::sleep(Duration::from_millis(40 + 30 * round as u64));
            site.process().kill();
            is_over.store(true, Ordering::Relaxed);
        });
        site.start_again(folder.path());
        let themes = themes_folder(folder.path());
        let marks = marks(&themes);
        assert_eq!(marks.len(), 50);
        assert!(marks.iter().all(|mark| *mark == marks[0]), "{marks:?}");
        let remaining: Vec<_> = fs::read_dir(&themes)
            .unwrap()
            .map(|entry| entry.unwrap().file_name())
            .collect();
        assert_eq!(remaining, ["tide"]);
    }
}

/// Returns the themes folder of the process.
fn themes_folder(folder: &Path) -> std::path::PathBuf {
    let of_data = |data: &str| folder.join(data).join("themes");
    ["data", "galley-data", "."]
        .map(of_data)
        .into_iter()
        .find(|path| path.is_dir())
        .unwrap()
}
