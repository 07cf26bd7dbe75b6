//! Tests that everything that proves who a member is ends with signing out everywhere, a change of
//! the address, and a deletion.

use super::*;

const ANA: &str = "ana@example.com";

/// Everything with which ana proves to be ana.
struct Proofs {
    cookie: Browser,
    identity: String,
    /// The link of a mail to sign in.
    link: String,
    /// One that was opened before, as by a service that checks mails.
    opened_link: String,
    /// The reference of a code, and the code.
    code: (String, String),
    /// The link that confirms another address.
    pending_address: String,
    /// The link that staff made.
    staff_link: String,
}

fn identity(world: &World, browser: &Browser) -> String {
    let token = world.get(browser, "api/session/").text().to_owned();
    assert!(!token.is_empty());
    token
}

/// Requests a change of the address, and returns the response.
fn request_address(world: &World, identity: &str, email: &str) -> HttpResponse {
    let body = json!({"email": email, "identity": identity});
    world.change(&Browser::default(), "POST", "api/member/email/", body)
}

fn gather(world: &World, member: &Value) -> Proofs {
    let cookie = world.sign_in(ANA);
    let identity = identity(world, &cookie);
    world.request_link(json!({"email": ANA, "emailType": "signin"}));
    let link = world.link_in_mail(ANA);
    world.request_link(json!({"email": ANA, "emailType": "signin"}));
    let opened_link = world.link_in_mail(ANA);
    world.open(&opened_link);
    let request = json!({"email": ANA, "emailType": "signin", "includeOTC": true});
    let reference = text(&world.request_link(request).json()["otc_ref"]);
    let mail = world.site.mail.mail_to(ANA).message.text;
    let code = Regex::new(r"\b\d{6}\b").unwrap();
    let code = code.find(&mail).unwrap().unwrap().as_str().to_owned();
    let requested = request_address(world, &identity, "pending@example.com");
    assert_eq!(requested.status, 201);
    let pending_address = world.link_in_mail("pending@example.com");
    let url = format!("/members/{}/signin_urls/", text(&member["id"]));
    let urls = world.site.get_as(&owner(), &url);
    let url = text(&urls["member_signin_urls"][0]["url"]);
    let staff_link = url.strip_prefix(&world.site.base()).unwrap().to_owned();
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

/// Returns the names of the proofs that are valid. A change of the address comes last: it ends the
/// others.
fn valid(world: &World, proofs: &Proofs) -> Vec<&'static str> {
    let is_opened = |link: &str| {
        let (response, _) = world.open(link);
        let location = response.header("location").unwrap();
        location.contains("success=true")
    };
    let reads = {
        let key = &world.site.content_key;
        let target = format!("/ghost/api/content/posts/?key={key}");
        let ask = Ask::new("GET", &target);
        let ask = ask.header("authorization", &format!("Bearer {}", proofs.identity));
        let posts = world.send(&Browser::default(), ask).json();
        posts["posts"][0]["access"] == true
    };
    let token = world.get(&Browser::default(), "api/integrity-token/");
    let (reference, code) = &proofs.code;
    let body = json!({"otc": code, "otcRef": reference, "integrityToken": token.text()});
    let entered = world.change(&Browser::default(), "POST", "api/verify-otc/", body);
    let requested = request_address(world, &proofs.identity, "other@example.com");
    let all = [
        (
            "cookie",
            world.get(&proofs.cookie, "api/member/").status == 200,
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

/// Gathers ana's proofs, lets `event` happen, and returns those that are valid afterwards.
fn valid_after(event: impl Fn(&World, &Value, &Proofs)) -> Vec<&'static str> {
    let world = World::new();
    let post = json!({"posts": [{"title": "a", "status": "published", "visibility": "members"}]});
    world.site.post_as(&owner(), "/posts/", &post);
    let member = world.add_member(ANA);
    let proofs = gather(&world, &member);
    event(&world, &member, &proofs);
    valid(&world, &proofs)
}

fn path_of(member: &Value) -> String {
    format!("/members/{}/", text(&member["id"]))
}

fn staff(world: &World, method: &str, path: &str) {
    let target = format!("/ghost/api/admin{path}");
    let response = world.site.send(&owner(), &Ask::new(method, &target));
    assert_eq!(response.status, 204, "{}", response.text());
}

#[test]
fn everything_that_proves_who_a_member_is_ends_together() {
    assert_eq!(
        valid_after(|world, member, _| {
            let change = json!({"members": [{"name": "Ana B"}]});
            world.site.put_as(&owner(), &path_of(member), &change);
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
    type Event = fn(&World, &Value, &Proofs);
    let events: [(&str, Event); 7] = [
        ("the member signs out everywhere", |world, _, proofs| {
            world.change(
                &proofs.cookie,
                "DELETE",
                "api/session/",
                json!({"all": true}),
            );
        }),
        ("staff sign the member out", |world, member, _| {
            staff(world, "DELETE", &format!("{}sessions/", path_of(member)));
        }),
        ("the member changes the address", |world, _, proofs| {
            request_address(world, &proofs.identity, "ana@example.org");
            world.open(&world.link_in_mail("ana@example.org"));
        }),
        ("staff change the address", |world, member, _| {
            let change = json!({"members": [{"email": "ana@example.org"}]});
            world.site.put_as(&owner(), &path_of(member), &change);
        }),
        (
            "the address is changed and changed back",
            |world, member, _| {
                for email in ["ana@example.org", ANA] {
                    let change = json!({"members": [{"email": email}]});
                    world.site.put_as(&owner(), &path_of(member), &change);
                }
            },
        ),
        ("the member deletes the account", |world, _, proofs| {
            world.change(&proofs.cookie, "DELETE", "api/member/", json!({}));
        }),
        ("another member gets the address", |world, member, _| {
            staff(world, "DELETE", &path_of(member));
            world.add_member(ANA);
        }),
    ];
    for (name, event) in events {
        assert_eq!(valid_after(event), [""; 0], "{name}");
    }
}

#[test]
fn browser_that_confirms_another_address_is_signed_in() {
    let world = World::new();
    world.add_member(ANA);
    let old = world.sign_in(ANA);
    request_address(&world, &identity(&world, &old), "ana@example.org");

    let (_, new) = world.open(&world.link_in_mail("ana@example.org"));

    let account = world.get(&new, "api/member/").json();
    assert_eq!(account["email"], "ana@example.org");
    assert_eq!(world.get(&old, "api/member/").status, 204);
}

#[test]
fn unsubscribe_links_stay_valid() {
    let world = World::new();
    let member = world.add_member(ANA);
    let url = text(&member["unsubscribe_url"]);
    let query = url.split_once('?').unwrap().1;
    staff(&world, "DELETE", &format!("{}sessions/", path_of(&member)));

    let target = format!("api/member/newsletters/?{query}");

    assert_eq!(world.get(&Browser::default(), &target).status, 200);
}

#[test]
fn link_to_an_address_without_a_member_signs_no_one_in_who_got_it_later() {
    let world = World::new();
    world.set("members_signup_access", json!("all"));
    world.request_link(json!({"email": "new@example.com", "emailType": "signup"}));
    let link = world.link_in_mail("new@example.com");
    let member = world.add_member(ANA);
    let change = json!({"members": [{"email": "new@example.com"}]});
    world.site.put_as(&owner(), &path_of(&member), &change);

    let (response, _) = world.open(&link);

    let location = response.header("location").unwrap();
    assert!(location.contains("INVALID_TOKEN"), "{location}");
}

#[test]
fn deleted_member_is_not_signed_up_again_by_an_old_link() {
    for deletes in [true, false] {
        let world = World::new();
        let email = "new@example.com";
        let request = || {
            world.request_link(json!({"email": email, "emailType": "signup"}));
            world.link_in_mail(email)
        };
        let (used, other) = (request(), request());
        world.open(&used);
        let member = world.member(email).unwrap();
        if deletes {
            staff(&world, "DELETE", &path_of(&member));
        } else {
            let change = json!({"members": [{"email": "other@example.com"}]});
            world.site.put_as(&owner(), &path_of(&member), &change);
        }

        for link in [&used, &other] {
            let (response, browser) = world.open(link);
            let location = response.header("location").unwrap();
            assert!(location.contains("INVALID_TOKEN"), "{location}");
            assert!(browser.cookies.is_empty());
        }
        assert!(world.member(email).is_none());
        // A new request signs up.
        let (response, _) = world.open(&request());
        let location = response.header("location").unwrap();
        assert!(location.contains("success=true"), "{location}");
        assert!(world.member(email).is_some());
    }
}
