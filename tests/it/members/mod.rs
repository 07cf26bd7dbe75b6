//! Tests of the API for readers below `/members/`, with a real mail server. There are no recordings of this API: the shapes are
//! those that the package of Ghost 6.65 writes and its Portal reads.

mod account;
mod ghost_links;
mod links;
mod pages;
mod paid_access;
mod plain_pages;
mod proofs;
mod reading;

use std::ops::Deref;

use fancy_regex::Regex;
use galley_tests::{
    Request, TestSite, Who,
    http_client::HttpResponse,
    owner,
    staff::{TITLE, text},
    wait_until,
};
use serde_json::{Value, json};

/// The origin of a listed front end.
const FRONT: &str = "https://www.example.com";

/// The origin of an unrelated site.
const EVIL: &str = "https://evil.example";

/// A site with a newsletter, and a listed front end.
struct MemberSite {
    site: TestSite,
}

/// A reader's browser.
#[derive(Clone, Default)]
struct Browser {
    cookies: String,
}

impl Deref for MemberSite {
    type Target = TestSite;

    fn deref(&self) -> &TestSite {
        &self.site
    }
}

impl MemberSite {
    fn new() -> Self {
        let builder = TestSite::builder().without_content();
        let site = builder.option("members.origins", FRONT).staffed().start();
        site.add("newsletters", json!({"name": "Tides"}));
        Self { site }
    }

    fn set(&self, key: &str, value: Value) {
        let settings = json!({"settings": [{"key": key, "value": value}]});
        self.site.put_as(&owner(), "/settings/", &settings);
    }

    fn add_member(&self, email: &str) -> Value {
        let member = json!({"members": [{"email": email, "name": "Ana Reader"}]});
        let added = self.site.post_as(&owner(), "/members/", &member);
        added["members"][0].clone()
    }

    fn member(&self, email: &str) -> Option<Value> {
        let found = self
            .site
            .get_as(&owner(), &format!("/members/?filter=email:'{email}'"));
        found["members"].as_array().unwrap().first().cloned()
    }

    fn send(&self, browser: &Browser, request: Request) -> HttpResponse {
        let request = match &*browser.cookies {
            "" => request,
            cookies => request.header("cookie", cookies),
        };
        self.site.ask_as(&Who::Anonymous, &request)
    }

    fn get(&self, browser: &Browser, path: &str) -> HttpResponse {
        self.send(browser, Request::new("GET", &format!("/members/{path}")))
    }

    fn change(&self, browser: &Browser, method: &str, path: &str, body: Value) -> HttpResponse {
        let request = Request::new(method, &format!("/members/{path}")).json(&body);
        self.send(browser, request)
    }

    /// Requests a link, with an integrity token.
    fn request_link(&self, mut body: Value) -> HttpResponse {
        let token = self.get(&Browser::default(), "api/integrity-token/");
        body["integrityToken"] = json!(token.text());
        self.change(&Browser::default(), "POST", "api/send-magic-link/", body)
    }

    /// Returns the path and query of the link in the next mail to an address.
    fn link_in_mail(&self, email: &str) -> String {
        link_in(&self.site.mail().mail_to(email).message.text)
    }

    /// Opens a link, and returns the response and the signed-in browser.
    fn open(&self, link: &str) -> (HttpResponse, Browser) {
        let response = self.send(&Browser::default(), Request::new("GET", link));
        let pairs = response.cookies.iter().map(|cookie| {
            let pair = cookie.split(';').next().unwrap();
            pair.to_owned()
        });
        let cookies = pairs.collect::<Vec<_>>().join("; ");
        (response, Browser { cookies })
    }

    /// Signs a member in with a mailed link.
    fn sign_in(&self, email: &str) -> Browser {
        let sent = self.request_link(json!({"email": email, "emailType": "signin"}));
        assert_eq!(sent.status, 201, "{}", sent.text());
        let (response, browser) = self.open(&self.link_in_mail(email));
        let location = response.header("location").unwrap();
        assert!(location.contains("success=true"), "{location}");
        browser
    }

    /// Returns the kinds of a member's events, newest first.
    fn events(&self, member: &Value) -> Vec<String> {
        let filter = format!("data.member_id:'{}'", text(&member["id"]));
        let target = format!("/members/events/?filter={filter}");
        let events = self.site.get_as(&owner(), &target);
        let events = events["events"].as_array().unwrap().clone();
        events.iter().map(|event| text(&event["type"])).collect()
    }
}

fn link_in(mail: &str) -> String {
    let pattern = Regex::new(r"https?://[^/\s]+(/members/\?token=\S+)").unwrap();
    let found = pattern.captures(mail).unwrap();
    found.unwrap_or_else(|| panic!("no link in {mail}"))[1].to_owned()
}

fn message(response: &HttpResponse) -> String {
    text(&response.json()["errors"][0]["message"])
}
