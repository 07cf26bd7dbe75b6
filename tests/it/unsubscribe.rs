//! Tests of unsubscribing by the one-click request of a mail client, and on the page.

use std::ops::Deref;

use data_encoding::BASE64;
use fancy_regex::Regex;
use galley::{
    api::{Options, request},
    domain::{
        member::{Member, TierGrant},
        member_link::MemberLinks,
        newsletter::Newsletter,
    },
    id::Id,
};
use galley_tests::{
    Request, TestSite, Who,
    api_reader::{ApiReader, bytes_of, head},
    clocked_site::ClockedSite,
    http_client::HttpResponse,
    multipart::Form,
    owner,
    staff::text,
};
use http::Method;
use jiff::SignedDuration;
use serde_json::{Value, json};
use sha2::{Digest, Sha256};

/// The body that mail clients send (RFC 8058).
const ONE_CLICK: &str = "List-Unsubscribe=One-Click";

/// A site with two newsletters, and a member who gets both.
struct SubscribedSite {
    site: TestSite,
    member: String,
    /// The path and query of the URL that unsubscribes from all newsletters.
    all: String,
}

impl Deref for SubscribedSite {
    type Target = TestSite;

    fn deref(&self) -> &TestSite {
        &self.site
    }
}

impl SubscribedSite {
    fn new() -> Self {
        let site = TestSite::builder().without_content().staffed().start();
        for name in ["Tides & Winds", "Harbour"] {
            site.add("newsletters", json!({"name": name}));
        }
        let mut site = Self {
            site,
            member: String::new(),
            all: String::new(),
        };
        let newsletters =
            ["Tides & Winds", "Harbour"].map(|name| json!({"id": site.newsletter(name)["id"]}));
        let ana = json!({"members": [{"email": "ana@example.com", "newsletters": newsletters}]});
        let ana = site.post_as(&owner(), "/members/", &ana)["members"][0].clone();
        site.member = text(&ana["id"]);
        site.all = text(&ana["unsubscribe_url"]).replace(&site.base(), "");
        site
    }

    fn newsletter(&self, name: &str) -> Value {
        let all = self.site.get_as(&owner(), "/newsletters/?limit=all");
        let all = all["newsletters"].as_array().unwrap();
        let found = all.iter().find(|newsletter| newsletter["name"] == name);
        found.unwrap().clone()
    }

    /// Returns the path and query of the URL that unsubscribes from one newsletter.
    fn one(&self, name: &str) -> String {
        format!(
            "{}&newsletter={}",
            self.all,
            text(&self.newsletter(name)["uuid"])
        )
    }

    /// Returns the names of the newsletters that the member is subscribed to.
    fn subscriptions(&self) -> Vec<String> {
        let shown = self
            .site
            .get_as(&owner(), &format!("/members/{}/", self.member));
        let newsletters = shown["members"][0]["newsletters"]
            .as_array()
            .unwrap()
            .clone();
        newsletters
            .iter()
            .map(|newsletter| text(&newsletter["name"]))
            .collect()
    }

    fn send(&self, method: &str, target: &str, body: &str) -> HttpResponse {
        let request = Request::new(method, target);
        let request = match body {
            "" => request,
            body => request
                .header("content-type", "application/x-www-form-urlencoded")
                .bytes(body),
        };
        self.site.ask_as(&Who::Anonymous, &request)
    }

    /// Returns the newsletter events of the member, newest first: the source, and whether it is a subscription.
    fn events(&self) -> Vec<(String, bool)> {
        let filter = format!("type:newsletter_event%2Bdata.member_id:'{}'", self.member);
        let events = self
            .site
            .get_as(&owner(), &format!("/members/events/?filter={filter}"));
        let events = events["events"].as_array().unwrap().clone();
        let events = events.iter().map(|event| &event["data"]);
        events
            .map(|data| (text(&data["source"]), data["subscribed"] == true))
            .collect()
    }
}

/// Returns the forms of a page: the URL and the fields of each.
fn forms(page: &str) -> Vec<(Option<String>, String)> {
    let unescaped = |text: &str| text.replace("&amp;", "&");
    let form = Regex::new(r#"(?s)<form method="post"(?: action="([^"]*)")?>(.*?)</form>"#).unwrap();
    let field = Regex::new(r#"name="([^"]*)" value="([^"]*)""#).unwrap();
    form.captures_iter(page)
        .map(|form| {
            let form = form.unwrap();
            let fields = field.captures_iter(form.get(2).unwrap().as_str());
            let fields: Vec<String> = fields
                .map(|pair| pair.unwrap())
                .map(|pair| format!("{}={}", &pair[1], pair[2].replace(',', "%2C")))
                .collect();
            (
                form.get(1).map(|action| unescaped(action.as_str())),
                fields.join("&"),
            )
        })
        .collect()
}

#[test]
fn one_click_request_unsubscribes_from_one_newsletter() {
    let site = SubscribedSite::new();
    let target = site.one("Tides & Winds");

    for _ in 0..2 {
        let response = site.send("POST", &target, ONE_CLICK);
        assert_eq!(response.status, 200, "{}", response.text());
        assert_eq!(site.subscriptions(), ["Harbour"]);
    }

    assert_eq!(site.events()[0], ("member".to_owned(), false));
    assert_eq!(site.events().len(), 3);
}

#[test]
fn one_click_request_is_accepted_with_any_body() {
    let bodies: [(&str, &[u8]); 4] = [
        (
            "multipart/form-data; boundary=b",
            b"--b\r\nContent-Disposition: form-data; name=\"List-Unsubscribe\"\r\n\r\nOne-Click\r\n--b--\r\n",
        ),
        ("text/plain", ONE_CLICK.as_bytes()),
        ("", b""),
        ("application/octet-stream", b"\xff\xfe%zz&&="),
    ];
    let site = SubscribedSite::new();
    for (kind, body) in bodies {
        let member =
            json!({"members": [{"newsletters": [{"id": site.newsletter("Harbour")["id"]}]}]});
        site.put_as(&owner(), &format!("/members/{}/", site.member), &member);
        let request = Request::new("POST", &site.all)
            .header("content-type", kind)
            .bytes(body);
        assert_eq!(site.ask_as(&Who::Anonymous, &request).status, 200, "{kind}");
        assert!(site.subscriptions().is_empty(), "{kind}");
    }
}

#[test]
fn get_of_the_unsubscribe_url_changes_nothing_and_its_page_runs_no_script() {
    let site = SubscribedSite::new();
    let target = site.one("Tides & Winds");

    for method in ["GET", "HEAD"] {
        let response = site.send(method, &target, "");
        assert_eq!(response.status, 200);
        assert_eq!(site.subscriptions().len(), 2, "{method}");
    }
    let without_slash = target.replace("/unsubscribe/", "/unsubscribe");
    assert_eq!(site.send("GET", &without_slash, "").status, 200);

    let page = site.send("GET", &target, "");
    assert_eq!(page.header("referrer-policy"), Some("no-referrer"));
    assert!(page.header("cache-control").unwrap().contains("no-store"));
    assert!(
        page.text().contains("“Tides &amp; Winds”"),
        "{}",
        page.text()
    );
    assert_eq!(forms(page.text()), [(None, String::new())]);
    // Mail scanners open links in browsers, so the form must be submitted by a click, not by a script.
    assert!(!page.text().contains("<script"), "{}", page.text());
    let policy = page.header("content-security-policy").unwrap();
    let style = Regex::new("(?s)<style>(.*?)</style>").unwrap();
    let style = style.captures(page.text()).unwrap().unwrap();
    let hash = BASE64.encode(&Sha256::digest(&style[1]));
    let allowed = format!("style-src 'sha256-{hash}';");
    assert!(policy.contains(&allowed), "{policy}");
    assert!(policy.starts_with("default-src 'none';"), "{policy}");
}

#[test]
fn resubscribe_and_unsubscribe_from_all_work() {
    let site = SubscribedSite::new();
    let target = site.one("Tides & Winds");

    let page = site.send("POST", &target, ONE_CLICK);
    assert!(
        page.text().contains("You still get: Harbour."),
        "{}",
        page.text()
    );
    assert!(!page.text().contains("<script"), "{}", page.text());
    let [(None, again), (Some(all), nothing)] = &forms(page.text())[..] else {
        panic!("{}", page.text());
    };

    let page = site.send("POST", &target, again);
    assert_eq!(page.status, 200, "{}", page.text());
    assert_eq!(site.subscriptions().len(), 2);
    assert_eq!(forms(page.text()).len(), 1);

    assert_eq!(site.all, format!("/unsubscribe/{all}"));
    let page = site.send("POST", &site.all, nothing);
    assert_eq!(site.subscriptions(), [""; 0]);
    let [(None, again)] = &forms(page.text())[..] else {
        panic!("{}", page.text());
    };
    site.send("POST", &site.all, again);
    assert_eq!(site.subscriptions().len(), 2);
    let sources: Vec<String> = site
        .events()
        .into_iter()
        .map(|(source, _)| source)
        .collect();
    assert_eq!(sources[..6], ["member"; 6]);
}

#[test]
fn resubscribe_restores_only_former_newsletters() {
    let site = SubscribedSite::new();
    let page = site.send("POST", &site.one("Tides & Winds"), ONE_CLICK);
    let (_, again) = forms(page.text()).swap_remove(0);
    let (_, proof) = again.split_once("&proof=").unwrap();
    let paid = text(&site.newsletter("Harbour")["uuid"]);

    for body in [
        format!("again={paid}&proof={proof}"),
        format!("again={paid}"),
        format!("again={paid}&proof=x"),
    ] {
        assert_eq!(site.send("POST", &site.all, &body).status, 404, "{body}");
    }
    assert_eq!(site.subscriptions(), ["Harbour"]);

    let put_away = json!({"newsletters": [{"status": "archived"}]});
    let id = text(&site.newsletter("Tides & Winds")["id"]);
    site.put_as(&owner(), &format!("/newsletters/{id}/"), &put_away);
    let page = site.send("POST", &site.all, &again);
    assert_eq!(page.status, 200, "{}", page.text());
    assert_eq!(site.subscriptions(), ["Harbour"]);
}

#[test]
fn toggling_is_rate_limited_but_unsubscribing_still_works() {
    let site = SubscribedSite::new();
    let target = site.one("Harbour");
    let page = site.send("POST", &target, ONE_CLICK);
    let (_, again) = forms(page.text()).swap_remove(0);

    let statuses: Vec<u16> = (0..21)
        .map(|_| site.send("POST", &target, &again).status)
        .collect();

    assert_eq!(statuses[..20], [200; 20]);
    assert_eq!(statuses[20], 429);
    assert_eq!(site.send("POST", &target, ONE_CLICK).status, 200);
    assert_eq!(site.subscriptions(), ["Tides & Winds"]);
}

#[test]
fn invalid_unsubscribe_url_does_not_reveal_members() {
    let site = SubscribedSite::new();
    let (start, key) = site.all.split_once("&key=").unwrap();
    let uuid = start.split_once("uuid=").unwrap().1.to_owned();
    let wrong_key = "0".repeat(64);
    let unknown = "4b1f4a53-6a6e-4a3e-9a64-6c2f3a1f0000";

    let page = |query: &str, status| {
        for method in ["GET", "POST"] {
            let response = site.send(method, &format!("/unsubscribe/{query}"), "");
            assert_eq!(response.status, status, "{method} {query}");
            let kind = response.header("content-type").unwrap();
            assert!(kind.starts_with("text/html"), "{kind}");
        }
        site.send("GET", &format!("/unsubscribe/{query}"), "")
            .text()
            .to_owned()
    };
    let of_member = page(&format!("?uuid={uuid}&key={wrong_key}"), 404);
    assert_eq!(
        page(&format!("?uuid={unknown}&key={wrong_key}"), 404),
        of_member
    );
    assert_eq!(page(&format!("?uuid={unknown}&key={key}"), 404), of_member);
    assert_eq!(
        page(&format!("?uuid={uuid}&key={}", &key[1..]), 404),
        of_member
    );
    assert_eq!(page(&format!("?uuid=x&key={key}"), 404), of_member);
    page("", 400);
    page(&format!("?uuid={uuid}"), 400);
    page("?uuid=%FF&key=%", 400);
    let gone = page(&format!("?uuid={uuid}&key={key}&newsletter={unknown}"), 404);
    assert!(gone.contains("Unsubscribe from all"), "{gone}");
    assert_eq!(site.send("DELETE", &site.all, "").status, 404);
    assert_eq!(site.subscriptions().len(), 2);
}

#[test]
fn deleted_member_gets_a_page_that_says_so() {
    let site = SubscribedSite::new();
    let target = site.one("Harbour");
    let delete = Request::new(
        "DELETE",
        &format!("/ghost/api/admin/members/{}/", site.member),
    );
    site.done(&owner(), delete);

    let page = site.send("POST", &target, ONE_CLICK);

    assert_eq!(page.status, 200, "{}", page.text());
    assert!(page.text().contains("You no longer get"), "{}", page.text());
    assert!(forms(page.text()).is_empty());
}

#[test]
fn preview_of_the_unsubscribe_page_changes_nothing() {
    let site = SubscribedSite::new();
    for method in ["GET", "POST"] {
        let target = format!("{}&preview=1", site.all);
        let page = site.send(method, &target, "");
        assert_eq!(page.status, 200);
        assert!(page.text().contains("<button disabled>"), "{}", page.text());
        assert!(!page.text().contains("<script"), "{}", page.text());
    }
    assert_eq!(site.subscriptions().len(), 2);
}

#[test]
fn unsubscribe_url_cannot_be_redirected() {
    let site = SubscribedSite::new();
    let rules = r#"[{"from": "^/(unsub|gone)", "to": "/elsewhere"}]"#;
    let form = Form::default().file(
        "redirects",
        "redirects.json",
        "application/json",
        rules.as_bytes(),
    );
    let upload = Request::new("POST", "/ghost/api/admin/redirects/upload/").form(form);
    site.done(&owner(), upload);

    assert_eq!(site.send("GET", "/gone/", "").status, 302);
    assert_eq!(site.send("GET", &site.all, "").status, 200);
}

#[test]
fn unsubscribe_works_in_a_subdirectory() {
    let app = TestSite::builder()
        .url("https://example.com/blog")
        .option("path_prefix", "cms")
        .start();
    let site = app.site();
    let mut member = Member::new(
        galley::id::Id::derive("member", "a"),
        "a@example.com",
        site.now(),
    );
    let newsletter = Newsletter::new("tides", "Tides");
    member.newsletters = vec![newsletter.id];
    site.write(|transaction| {
        transaction.save(newsletter.clone())?;
        transaction.save_member(member.clone())
    })
    .unwrap();
    let catalog = &site.current().catalog;
    let links = MemberLinks {
        base: "https://example.com/blog",
        secret: catalog.member_secret.as_ref().unwrap(),
    };
    let address = links.unsubscribe_from(&member, &newsletter);
    let path = address.strip_prefix("https://example.com").unwrap();

    let page = app.get(path);
    assert_eq!(page.status, 200, "{}", page.text());
    assert_eq!(forms(page.text()), [(None, String::new())]);
    // A proxy may have removed the subdirectory.
    let response = app.send("POST", path.strip_prefix("/blog").unwrap(), "", ONE_CLICK);
    assert_eq!(response.status, 200, "{}", response.text());
    let member = site.current().catalog.members.get(member.id).cloned();
    assert!(member.unwrap().newsletters.is_empty());
}

#[test]
fn links_of_a_merged_member_apply_to_the_remaining_one() {
    let site = SubscribedSite::new();
    let other = json!({"members": [{"email": "ben@example.com"}]});
    let other = site.post_as(&owner(), "/members/", &other)["members"][0].clone();
    let all = text(&other["unsubscribe_url"]).replace(&site.base(), "");
    let uuid = other["uuid"].as_str().unwrap().parse().unwrap();
    let written = site.site().write(|transaction| {
        let id = site.member.parse().unwrap();
        let merged = transaction.catalog().members.get(id).unwrap();
        let merged = Member {
            former_uuids: [uuid].into(),
            ..Member::clone(merged)
        };
        transaction.delete_member(other["id"].as_str().unwrap().parse().unwrap())?;
        transaction.save_member(merged)
    });
    written.unwrap();
    let (_, query) = all.split_once('?').unwrap();
    let account = format!("/members/api/member/newsletters/?{query}");
    let shown = site.send("GET", &account, "").json();
    assert_eq!(shown["email"], "ana@example.com");

    let response = site.send("POST", &all, ONE_CLICK);

    assert_eq!(response.status, 200, "{}", response.text());
    assert_eq!(site.subscriptions(), [""; 0]);
}

#[test]
fn newsletter_for_paying_members_is_offered_again_until_the_last_tier_expires() {
    // Without a scheduler, which would remove the expired tier at some time.
    let clocked = ClockedSite::new();
    let site = &clocked.site;
    let reader = ApiReader::new(site, Options::default());
    let newsletter = Newsletter {
        visibility: "paid".into(),
        ..Newsletter::new("tides", "Tides")
    };
    let mut member = Member::new(Id::derive("member", "a"), "a@example.com", site.now());
    member.newsletters = vec![newsletter.id];
    member.tiers = vec![TierGrant {
        tier: Id::derive("tier", "gold"),
        expires_at: Some(site.now() + SignedDuration::from_hours(1)),
    }];
    let subscribe = || {
        let saved = site.write(|transaction| {
            transaction.save(newsletter.clone())?;
            transaction.save_member(member.clone())
        });
        saved.unwrap();
    };
    let forms_after_unsubscribing = || {
        subscribe();
        let catalog = &site.current().catalog;
        let links = MemberLinks {
            base: "",
            secret: catalog.member_secret.as_ref().unwrap(),
        };
        let response = reader.api.respond_alone(&request::Request {
            head: request::RequestHead {
                method: Method::POST,
                ..head(&links.unsubscribe_from(&member, &newsletter))
            },
            body: ONE_CLICK.into(),
        });
        forms(&String::from_utf8(bytes_of(response)).unwrap())
    };

    assert_eq!(forms_after_unsubscribing().len(), 1);
    clocked.advance_clock(SignedDuration::from_hours(2));
    assert_eq!(forms_after_unsubscribing(), []);
}
