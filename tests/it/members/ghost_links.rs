//! Tests of the links in mails that Ghost sent, once Ghost's secret is imported.

use galley::{
    domain::{actor::Actor, secret::Secret},
    import::{ImportSource, Options, Report, import},
    progress::NoProgress,
    uploads::Uploads,
};

use super::*;

/// A value of Ghost's setting `members_email_auth_secret`.
const SECRET: &str = "9b1f0c7e5d3a48c29b1f0c7e5d3a48c29b1f0c7e5d3a48c29b1f0c7e5d3a48c29b1f0c7e5d3a48c29b1f0c7e5d3a48c29b1f0c7e5d3a48c29b1f0c7e5d3a48c2";

const UUID: &str = "7d3b0a52-6c1e-4f0e-9a55-0d8f3c2b1a90";

/// The HMAC of [`UUID`] with [`SECRET`] as in Ghost's `settings-helpers.js`, computed with Python's `hmac`.
const KEY: &str = "b5120d2775f3be955a03e51a030bca3099b347fe7efb1b5b133d27f269f76985";

const LIST: &str = "email,uuid\nana@example.com,7d3b0a52-6c1e-4f0e-9a55-0d8f3c2b1a90\n";

fn query(more: &str) -> String {
    format!("?uuid={UUID}&key={KEY}{more}")
}

impl MemberSite {
    fn import(&self, list: &str, secret: Option<&str>) -> Report {
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join("members.csv");
        std::fs::write(&path, list).unwrap();
        let options = Options {
            site: "https://example.com/".parse().unwrap(),
            uploads: Uploads::in_data(folder.path()),
            dry_run: false,
            actor: Actor::Operator,
            history: false,
            content_files: Default::default(),
            email_auth_secret: secret.and_then(Secret::imported),
            announces_records: true,
        };
        let source = ImportSource::at(&path).unwrap();
        import(self.site(), &source, &options, &NoProgress).unwrap()
    }

    fn post(&self, target: &str) -> HttpResponse {
        let request = Request::new("POST", target)
            .header("content-type", "application/x-www-form-urlencoded")
            .bytes("List-Unsubscribe=One-Click");
        self.send(&Browser::default(), request)
    }

    fn newsletters(&self) -> Vec<String> {
        let member = self.member("ana@example.com").unwrap();
        let newsletters = member["newsletters"].as_array().unwrap();
        newsletters.iter().map(|one| text(&one["name"])).collect()
    }
}

#[test]
fn unsubscribe_links_of_ghost_work_once_its_secret_is_imported() {
    let site = MemberSite::new();
    site.import(LIST, None);
    let before = site.newsletters();
    assert_eq!(before.len(), 2);
    assert_eq!(
        site.post(&format!("/unsubscribe/{}", query(""))).status,
        404
    );
    let page = format!("api/member/newsletters/{}", query(""));
    assert_eq!(site.get(&Browser::default(), &page).status, 401);

    let report = site.import(LIST, Some(SECRET));
    assert_eq!(report.counts["secrets"].added, 1);
    assert_eq!(report.counts["members"].unchanged, 1);
    let report = site.import(LIST, Some(SECRET));
    assert_eq!(report.counts["secrets"].unchanged, 1);

    let tides = site.member("ana@example.com").unwrap()["newsletters"][1].clone();
    let shown = site.get(&Browser::default(), &page);
    assert_eq!(shown.json()["newsletters"].as_array().unwrap().len(), 2);
    let all = site.get_as(&owner(), "/newsletters/?limit=all");
    let all = all["newsletters"].as_array().unwrap();
    let uuid = all.iter().find(|one| one["id"] == tides["id"]).unwrap()["uuid"].clone();
    let one = format!(
        "/unsubscribe/{}",
        query(&format!("&newsletter={}", text(&uuid)))
    );
    assert_eq!(site.post(&one).status, 200);
    assert_eq!(site.newsletters(), [&*before[0]]);
    assert_eq!(
        site.post(&format!("/unsubscribe/{}", query(""))).status,
        200
    );
    assert!(site.newsletters().is_empty());
}

#[test]
fn links_about_comments_and_updates_keep_the_newsletters() {
    let site = MemberSite::new();
    site.import(LIST, Some(SECRET));
    for parameter in ["comments", "updatesandannouncements"] {
        let target = format!("/unsubscribe/{}", query(&format!("&{parameter}=1")));
        for method in ["GET", "POST"] {
            let response = site.send(&Browser::default(), Request::new(method, &target));
            assert_eq!(response.status, 200);
            assert!(response.text().contains("sends no mails of this kind"));
            assert!(!response.text().contains("<form"), "{}", response.text());
        }
    }
    assert_eq!(site.newsletters().len(), 2);
}

#[test]
fn key_of_ghost_needs_the_imported_secret_and_a_member() {
    let site = MemberSite::new();
    site.import(LIST, Some("another secret"));
    assert_eq!(
        site.post(&format!("/unsubscribe/{}", query(""))).status,
        404
    );
    site.import(LIST, Some(SECRET));
    let other = query("").replace("7d3b", "7d3c");
    assert_eq!(site.post(&format!("/unsubscribe/{other}")).status, 404);
    assert_eq!(site.newsletters().len(), 2);
    // Links of this site still work.
    let own = text(&site.member("ana@example.com").unwrap()["unsubscribe_url"]);
    assert!(!own.contains(KEY));
    let (_, own) = own.split_once("/unsubscribe/").unwrap();
    assert_eq!(site.post(&format!("/unsubscribe/{own}")).status, 200);
    assert!(site.newsletters().is_empty());
}

#[test]
fn existing_member_keeps_its_uuid() {
    let site = MemberSite::new();
    site.add_member("ana@example.com");
    let uuid = site.member("ana@example.com").unwrap()["uuid"].clone();
    let report = site.import(LIST, None);
    assert_eq!(site.member("ana@example.com").unwrap()["uuid"], uuid);
    assert!(
        report.changed.notes[0]
            .text
            .contains("keeps the uuid of this site")
    );

    let twice = format!("{LIST}ben@example.com,{UUID}\ncleo@example.com,{UUID}\n");
    site.import(&twice, None);
    assert_eq!(site.member("ben@example.com").unwrap()["uuid"], UUID);
    assert_ne!(site.member("cleo@example.com").unwrap()["uuid"], UUID);
}
