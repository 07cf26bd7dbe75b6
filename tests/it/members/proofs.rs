//! Tests that everything that proves a member's identity becomes invalid when the member signs out everywhere, changes the
//! address, or is deleted.

use super::*;

const ANA: &str = "ana@example.com";

/// Everything that proves Ana's identity.
struct Proofs {
    cookie: Browser,
    identity: String,
    /// The link in a sign-in mail.
    link: String,
    /// A link that was opened before, as by a mail scanner.
    opened_link: String,
    /// A code, and its reference.
    code: (String, String),
    /// The link that confirms another address.
    pending_address: String,
    /// The link that staff made.
    staff_link: String,
}

fn identity(site: &MemberSite, browser: &Browser) -> String {
    let token = site.get(browser, "api/session/").text().to_owned();
    assert!(!token.is_empty());
    token
}

/// Requests a change of the address, and returns the response.
fn request_address(site: &MemberSite, identity: &str, email: &str) -> HttpResponse {
    let body = json!({"email": email, "identity": identity});
    site.change(&Browser::default(), "POST", "api/member/email/", body)
}

fn gather(site: &MemberSite, member: &Value) -> Proofs {
    let cookie = site.sign_in(ANA);
    let identity = identity(site, &cookie);
    site.request_link(json!({"email": ANA, "emailType": "signin"}));
    let link = site.link_in_mail(ANA);
    site.request_link(json!({"email": ANA, "emailType": "signin"}));
    let opened_link = site.link_in_mail(ANA);
    site.open(&opened_link);
    let request = json!({"email": ANA, "emailType": "signin", "includeOTC": true});
    let reference = text(&site.request_link(request).json()["otc_ref"]);
    let mail = site.mail().mail_to(ANA).message.text;
    let code = Regex::new(r"\b\d{6}\b").unwrap();
    let code = code.find(&mail).unwrap().unwrap().as_str().to_owned();
    let requested = request_address(site, &identity, "pending@example.com");
    assert_eq!(requested.status, 201);
    let pending_address = site.link_in_mail("pending@example.com");
    let url = format!("/members/{}/signin_urls/", text(&member["id"]));
    let urls = site.get_as(&owner(), &url);
    let url = text(&urls["member_signin_urls"][0]["url"]);
    let staff_link = url.strip_prefix(&site.base()).unwrap().to_owned();
    Proofs {
        cookie,
        identity,
        link,
        opened_link,
        code: (reference, code),
        pending_address,
        staff_link,
    }
}

/// Returns the names of the valid proofs. The link that changes the address is tried last, because it invalidates the others.
fn valid(site: &MemberSite, proofs: &Proofs) -> Vec<&'static str> {
    let is_opened = |link: &str| {
        let (response, _) = site.open(link);
        let location = response.header("location").unwrap();
        location.contains("success=true")
    };
    let reads = {
        let key = &site.content_key();
        let target = format!("/ghost/api/content/posts/?key={key}");
        let request = Request::new("GET", &target);
        let request = request.header("authorization", &format!("Bearer {}", proofs.identity));
        let posts = site.send(&Browser::default(), request).json();
        posts["posts"][0]["access"] == true
    };
    let token = site.get(&Browser::default(), "api/integrity-token/");
    let (reference, code) = &proofs.code;
    let body = json!({"otc": code, "otcRef": reference, "integrityToken": token.text()});
    let entered = site.change(&Browser::default(), "POST", "api/verify-otc/", body);
    let requested = request_address(site, &proofs.identity, "other@example.com");
    let all = [
        (
            "cookie",
            site.get(&proofs.cookie, "api/member/").status == 200,
        ),
        ("identity token to read", reads),
        ("identity token to change", requested.status == 201),
        ("link", is_opened(&proofs.link)),
        ("opened link", is_opened(&proofs.opened_link)),
        ("code", entered.status == 200),
        ("staff's link", is_opened(&proofs.staff_link)),
        ("pending address", is_opened(&proofs.pending_address)),
    ];
    let valid = all.into_iter().filter(|(_, is_valid)| *is_valid);
    valid.map(|(name, _)| name).collect()
}

/// Collects Ana's proofs, calls `event`, and returns the names of the proofs that are still valid.
fn valid_after(event: impl Fn(&MemberSite, &Value, &Proofs)) -> Vec<&'static str> {
    let site = MemberSite::new();
    site.add(
        "posts",
        json!({"title": "a", "status": "published", "visibility": "members"}),
    );
    let member = site.add_member(ANA);
    let proofs = gather(&site, &member);
    event(&site, &member, &proofs);
    valid(&site, &proofs)
}

fn path_of(member: &Value) -> String {
    format!("/members/{}/", text(&member["id"]))
}

fn staff(site: &MemberSite, method: &str, path: &str) {
    let target = format!("/ghost/api/admin{path}");
    let response = site.ask_as(&owner(), &Request::new(method, &target));
    assert_eq!(response.status, 204, "{}", response.text());
}

#[test]
fn all_proofs_of_a_members_identity_become_invalid_together() {
    assert_eq!(
        valid_after(|site, member, _| {
            let change = json!({"members": [{"name": "Ana B"}]});
            site.put_as(&owner(), &path_of(member), &change);
        }),
        [
            "cookie",
            "identity token to read",
            "identity token to change",
            "link",
            "opened link",
            "code",
            "staff's link",
            "pending address"
        ]
    );
    type Event = fn(&MemberSite, &Value, &Proofs);
    let events: [(&str, Event); 7] = [
        ("the member signs out everywhere", |site, _, proofs| {
            site.change(
                &proofs.cookie,
                "DELETE",
                "api/session/",
                json!({"all": true}),
            );
        }),
        ("staff sign the member out", |site, member, _| {
            staff(site, "DELETE", &format!("{}sessions/", path_of(member)));
        }),
        ("the member changes the address", |site, _, proofs| {
            request_address(site, &proofs.identity, "ana@example.org");
            site.open(&site.link_in_mail("ana@example.org"));
        }),
        ("staff change the address", |site, member, _| {
            let change = json!({"members": [{"email": "ana@example.org"}]});
            site.put_as(&owner(), &path_of(member), &change);
        }),
        (
            "the address is changed and changed back",
            |site, member, _| {
                for email in ["ana@example.org", ANA] {
                    let change = json!({"members": [{"email": email}]});
                    site.put_as(&owner(), &path_of(member), &change);
                }
            },
        ),
        ("the member deletes the account", |site, _, proofs| {
            site.change(&proofs.cookie, "DELETE", "api/member/", json!({}));
        }),
        ("another member gets the address", |site, member, _| {
            staff(site, "DELETE", &path_of(member));
            site.add_member(ANA);
        }),
    ];
    for (name, event) in events {
        assert_eq!(valid_after(event), [""; 0], "{name}");
    }
}

#[test]
fn browser_that_confirms_a_new_address_is_signed_in() {
    let site = MemberSite::new();
    site.add_member(ANA);
    let old = site.sign_in(ANA);
    request_address(&site, &identity(&site, &old), "ana@example.org");

    let (_, new) = site.open(&site.link_in_mail("ana@example.org"));

    let account = site.get(&new, "api/member/").json();
    assert_eq!(account["email"], "ana@example.org");
    assert_eq!(site.get(&old, "api/member/").status, 204);
}

#[test]
fn unsubscribe_links_stay_valid() {
    let site = MemberSite::new();
    let member = site.add_member(ANA);
    let url = text(&member["unsubscribe_url"]);
    let query = url.split_once('?').unwrap().1;
    staff(&site, "DELETE", &format!("{}sessions/", path_of(&member)));

    let target = format!("api/member/newsletters/?{query}");

    assert_eq!(site.get(&Browser::default(), &target).status, 200);
}

#[test]
fn signup_link_is_invalid_once_a_member_has_its_address() {
    let site = MemberSite::new();
    site.set("members_signup_access", json!("all"));
    site.request_link(json!({"email": "new@example.com", "emailType": "signup"}));
    let link = site.link_in_mail("new@example.com");
    let member = site.add_member(ANA);
    let change = json!({"members": [{"email": "new@example.com"}]});
    site.put_as(&owner(), &path_of(&member), &change);

    let (response, _) = site.open(&link);

    let location = response.header("location").unwrap();
    assert!(location.contains("INVALID_TOKEN"), "{location}");
}

#[test]
fn deleted_member_is_not_signed_up_again_by_an_old_link() {
    for deletes in [true, false] {
        let site = MemberSite::new();
        let email = "new@example.com";
        let request = || {
            site.request_link(json!({"email": email, "emailType": "signup"}));
            site.link_in_mail(email)
        };
        let (used, other) = (request(), request());
        site.open(&used);
        let member = site.member(email).unwrap();
        if deletes {
            staff(&site, "DELETE", &path_of(&member));
        } else {
            let change = json!({"members": [{"email": "other@example.com"}]});
            site.put_as(&owner(), &path_of(&member), &change);
        }

        for link in [&used, &other] {
            let (response, browser) = site.open(link);
            let location = response.header("location").unwrap();
            assert!(location.contains("INVALID_TOKEN"), "{location}");
            assert!(browser.cookies.is_empty());
        }
        assert!(site.member(email).is_none());
        // A new request signs up.
        let (response, _) = site.open(&request());
        let location = response.header("location").unwrap();
        assert!(location.contains("success=true"), "{location}");
        assert!(site.member(email).is_some());
    }
}
