//! Tests of sign-in links and codes: requested, mailed and opened.

use super::*;

/// Returns the code in a mail.
pub fn code_in(mail: &str) -> String {
    let code = Regex::new(r"(?m)^(\d{6})$").unwrap();
    let code = code.captures(mail).unwrap();
    code.unwrap_or_else(|| panic!("no code in {mail}"))[1].to_owned()
}

/// Sends a code.
fn enter(site: &MemberSite, reference: &str, code: &str) -> HttpResponse {
    let token = site.get(&Browser::default(), "api/integrity-token/");
    let body = json!({"otc": code, "otcRef": reference, "integrityToken": token.text()});
    site.change(&Browser::default(), "POST", "api/verify-otc/", body)
}

/// Opens a link, and returns the code of the error, or an empty string if a member is signed in.
fn opened(site: &MemberSite, link: &str) -> String {
    let (response, browser) = site.open(link);
    assert_eq!(response.status, 302, "{}", response.text());
    let location = response.header("location").unwrap();
    let error = location.split_once("errorCode=").map(|(_, rest)| rest);
    assert_eq!(error.is_none(), location.contains("success=true"));
    assert_eq!(error.is_none(), !browser.cookies.is_empty(), "{location}");
    error.map_or_else(String::new, |rest| {
        rest.split('&').next().unwrap().to_owned()
    })
}

/// Opens a link ten times, and returns how many times it signed in. All later attempts must fail because the link is used up.
fn uses(site: &MemberSite, link: &str) -> usize {
    let outcomes: Vec<String> = (0..10).map(|_| opened(site, link)).collect();
    let valid = outcomes.iter().take_while(|outcome| outcome.is_empty());
    let valid = valid.count();
    let spent = &outcomes[valid..];
    assert!(
        spent.iter().all(|outcome| outcome == "TOKEN_EXPIRED"),
        "{outcomes:?}"
    );
    valid
}

#[test]
fn reader_signs_up_by_mail_and_is_signed_in() {
    let site = MemberSite::new();
    let sent = site.request_link(json!({
        "email": "new@example.com", "emailType": "signup", "name": "New Reader",
        "labels": ["From the form"], "newsletters": [{"name": "Tides"}], "autoRedirect": true,
    }));
    assert_eq!((sent.status, sent.text()), (201, "{}"));
    assert!(site.member("new@example.com").is_none());

    let mail = site.mail().mail_to("new@example.com");
    assert!(mail.message.subject().contains(TITLE));
    let link = link_in(&mail.message.text);
    assert!(link.contains("&action=signup"), "{link}");
    let (response, browser) = site.open(&link);
    assert_eq!(response.status, 302);
    let home = "/?action=signup&success=true";
    assert_eq!(response.header("location"), Some(home));
    assert_eq!(response.header("referrer-policy"), Some("no-referrer"));
    let names: Vec<&str> = response
        .cookies
        .iter()
        .map(|cookie| cookie.split('=').next().unwrap())
        .collect();
    assert_eq!(names, ["ghost-members-ssr", "ghost-members-ssr.sig"]);
    for cookie in &response.cookies {
        assert!(cookie.contains("; Path=/; "), "{cookie}");
        assert!(cookie.contains("; SameSite=Lax; HttpOnly"), "{cookie}");
        assert!(!cookie.contains("Secure"), "{cookie}");
    }

    let account = site.get(&browser, "api/member/").json();
    assert_eq!(account["email"], "new@example.com");
    assert_eq!(account["newsletters"][0]["name"], "Tides");
    let member = site.member("new@example.com").unwrap();
    assert_eq!(member["labels"][0]["name"], "From the form");
    assert!(member["last_seen_at"].is_string());
    assert_eq!(
        site.events(&member),
        ["login_event", "newsletter_event", "signup_event"]
    );
}

#[test]
fn link_signs_in_seven_times_and_its_code_once() {
    let site = MemberSite::new();
    site.add_member("ana@example.com");
    let sent = site.request_link(json!({
        "email": "ana@example.com", "emailType": "signin", "includeOTC": true,
    }));
    let reference = text(&sent.json()["otc_ref"]);
    let mail = site.mail().mail_to("ana@example.com").message;
    let code = code_in(&mail.text);
    assert!(mail.subject().ends_with(&format!("with code {code}")));
    let link = link_in(&mail.text);

    assert_eq!(uses(&site, &link), 7);
    assert_eq!(
        opened(&site, "/members/?token=0123&action=signin"),
        "INVALID_TOKEN"
    );

    let wrong = enter(&site, &reference, "1");
    assert_eq!(wrong.status, 400);
    assert_eq!(wrong.json()["errors"][0]["code"], "INVALID_OTC");
    let right = enter(&site, &reference, &code);
    let url = text(&right.json()["redirectUrl"]);
    let target = url.replace(&site.base(), "");
    let (_, browser) = site.open(&target);
    assert_eq!(site.get(&browser, "api/member/").status, 200);
    assert_eq!(opened(&site, &target), "INVALID_TOKEN");
    for _ in 0..3 {
        enter(&site, &reference, "1");
    }
    assert_eq!(enter(&site, &reference, &code).status, 429);
}

#[test]
fn used_code_invalidates_the_link_of_its_mail() {
    let site = MemberSite::new();
    site.add_member("ana@example.com");
    let request = json!({"email": "ana@example.com", "emailType": "signin", "includeOTC": true});
    let reference = text(&site.request_link(request).json()["otc_ref"]);
    let mail = site.mail().mail_to("ana@example.com").message.text;
    let link = link_in(&mail);
    let right = enter(&site, &reference, &code_in(&mail));
    let url = text(&right.json()["redirectUrl"]).replace(&site.base(), "");

    // The link is valid until the code is used.
    assert_eq!(opened(&site, &link), "");
    assert_eq!(opened(&site, &url), "");
    assert_eq!(opened(&site, &link), "INVALID_TOKEN");
}

#[test]
fn sign_in_links_stay_valid_after_a_mail_scanner_opens_them() {
    for kind in ["signup", "subscribe"] {
        let site = MemberSite::new();
        let email = "new@example.com";
        site.request_link(json!({"email": email, "emailType": kind, "name": "New Reader"}));
        let link = site.link_in_mail(email);
        assert_eq!(uses(&site, &link), 7, "{kind}");
        let member = site.member(email).unwrap();
        let events = site.events(&member);
        let signed_up = events.iter().filter(|kind| *kind == "signup_event");
        assert_eq!(signed_up.count(), 1, "{events:?}");
    }
    let site = MemberSite::new();
    let member = site.add_member("ana@example.com");
    let browser = site.sign_in("ana@example.com");
    let identity = site.get(&browser, "api/session/").text().to_owned();
    let body = json!({"email": "ana@example.org", "identity": identity});
    site.change(&Browser::default(), "POST", "api/member/email/", body);
    let link = site.link_in_mail("ana@example.org");
    assert_eq!(uses(&site, &link), 7, "updateEmail");
    assert!(site.member("ana@example.org").is_some());
    let target = format!("/members/{}/signin_urls/", text(&member["id"]));
    let made = site.get_as(&owner(), &target);
    let link = text(&made["member_signin_urls"][0]["url"]).replace(&site.base(), "");
    assert_eq!(uses(&site, &link), 7, "of staff");
}

#[test]
fn head_and_prefetch_requests_do_not_use_up_links() {
    let site = MemberSite::new();
    site.request_link(json!({"email": "new@example.com", "emailType": "signup"}));
    let link = site.link_in_mail("new@example.com");
    let in_advance = [
        ("sec-purpose", "prefetch"),
        ("sec-purpose", "prefetch;prerender"),
        ("sec-purpose", "prefetch;anonymous-client-ip"),
        ("purpose", "prefetch"),
        ("x-purpose", "preview"),
        ("x-moz", "prefetch"),
    ];
    for _ in 0..3 {
        for (name, value) in in_advance {
            let request = Request::new("GET", &link).header(name, value);
            let response = site.send(&Browser::default(), request);
            assert_eq!(response.status, 503, "{name}: {value}");
            assert!(response.cookies.is_empty(), "{name}: {value}");
            assert!(
                response
                    .header("cache-control")
                    .unwrap()
                    .contains("no-store")
            );
        }
        let head = site.send(&Browser::default(), Request::new("HEAD", &link));
        assert_eq!((head.status, head.cookies.len()), (200, 0));
    }
    assert!(site.member("new@example.com").is_none());

    assert_eq!(uses(&site, &link), 7);
}

#[test]
fn sign_up_mail_has_a_code_if_the_page_accepts_one() {
    for kind in ["signup", "subscribe"] {
        let site = MemberSite::new();
        let email = "new@example.com";
        let body = json!({"email": email, "emailType": kind, "includeOTC": true, "name": "New"});
        let reference = text(&site.request_link(body).json()["otc_ref"]);
        let mail = site.mail().mail_to(email).message;
        let code = code_in(&mail.text);
        assert!(!mail.subject().contains(&code));
        // A scanner has used up the link and created the member.
        assert_eq!(uses(&site, &link_in(&mail.text)), 7);

        let entered = enter(&site, &reference, &code);
        let url = text(&entered.json()["redirectUrl"]);
        assert!(url.contains(&format!("&action={kind}")), "{url}");
        let (_, browser) = site.open(&url.replace(&site.base(), ""));
        assert_eq!(site.get(&browser, "api/member/").json()["name"], "New");
    }
    // Or the code creates the member.
    let site = MemberSite::new();
    let body = json!({"email": "new@example.com", "emailType": "signup", "includeOTC": "true"});
    let reference = text(&site.request_link(body).json()["otc_ref"]);
    let mail = site.mail().mail_to("new@example.com").message.text;
    let entered = enter(&site, &reference, &code_in(&mail));
    let url = text(&entered.json()["redirectUrl"]).replace(&site.base(), "");
    assert_eq!(opened(&site, &url), "");
    assert!(site.member("new@example.com").is_some());
}

#[test]
fn response_does_not_reveal_who_is_a_member() {
    let site = MemberSite::new();
    site.add_member("ana@example.com");
    for (kind, has_code) in [
        ("signin", true),
        ("signin", false),
        ("signup", false),
        ("signup", true),
    ] {
        let ask = |email: &str| {
            let body = json!({"email": email, "emailType": kind, "includeOTC": has_code});
            site.request_link(body)
        };
        let (known, unknown) = (ask("ana@example.com"), ask("unknown@example.com"));
        assert_eq!(known.status, 201);
        assert_eq!(unknown.status, 201);
        assert_eq!(known.body.len(), unknown.body.len());
        assert_eq!(known.headers.len(), unknown.headers.len());
    }
    // A member who signs up gets a link to sign in. An unknown address that signs in gets no mail.
    site.mail().mail_to("ana@example.com");
    site.mail().mail_to("ana@example.com");
    assert!(
        site.link_in_mail("ana@example.com")
            .contains("action=signin")
    );
    let mail = site.link_in_mail("unknown@example.com");
    assert!(mail.contains("action=signup"), "{mail}");
}

#[test]
fn requests_need_an_integrity_token_and_are_limited() {
    let site = MemberSite::new();
    let body = json!({"email": "a@example.com", "emailType": "signup"});
    let send = |body: Value| site.change(&Browser::default(), "POST", "api/send-magic-link/", body);
    assert_eq!(send(body.clone()).status, 400);
    let mut forged = body.clone();
    forged["integrityToken"] = json!(format!("9999999999999:00:{}", "0".repeat(64)));
    assert_eq!(send(forged).status, 400);
    for _ in 0..5 {
        assert_eq!(site.request_link(body.clone()).status, 201);
    }
    assert_eq!(site.request_link(body).status, 429);
    for (body, status) in [
        (json!({"emailType": "signup"}), 400),
        (json!({"email": "no address", "emailType": "signup"}), 400),
        (json!({"email": "b@example.com", "emailType": "other"}), 400),
        (
            json!({"email": "b@example.com", "newsletters": [{"name": "None"}]}),
            400,
        ),
        (json!({"email": "b@example.com", "honeypot": "filled"}), 201),
    ] {
        assert_eq!(site.request_link(body.clone()).status, status, "{body}");
    }
}

#[test]
fn settings_decide_who_may_sign_up() {
    let site = MemberSite::new();
    site.add_member("ana@example.com");
    site.set("blocked_email_domains", json!(["spam.example"]));
    let ask =
        |email: &str, kind: &str| site.request_link(json!({"email": email, "emailType": kind}));
    assert_eq!(ask("a@Spam.example", "signup").status, 400);
    let link = {
        assert_eq!(ask("late@example.com", "signup").status, 201);
        site.link_in_mail("late@example.com")
    };
    for access in ["invite", "paid", "none"] {
        site.set("members_signup_access", json!(access));
        let refused = ask("new@example.com", "signup");
        assert_eq!(refused.status, 400, "{access}");
        let is_paid = message(&refused).contains("paying");
        assert_eq!(is_paid, access == "paid");
    }
    assert_eq!(ask("ana@example.com", "signin").status, 201);
    let (response, browser) = site.open(&link);
    assert!(
        response
            .header("location")
            .unwrap()
            .contains("success=false")
    );
    assert!(browser.cookies.is_empty());
}

#[test]
fn link_redirects_only_to_the_site_or_a_listed_origin() {
    let site = MemberSite::new();
    site.add_member("ana@example.com");
    let base = site.base();
    for (page, target) in [
        (
            format!("{base}/post/?a=1#b"),
            Some(format!("{base}/post/?a=1&action=signin&success=true#b")),
        ),
        (
            format!("{FRONT}/a/"),
            Some(format!("{FRONT}/a/?action=signin&success=true")),
        ),
        (format!("{EVIL}/"), None),
        (format!("{base}.evil.example/"), None),
        (format!("{}@evil.example/", base), None),
    ] {
        let link = {
            let member = site.member("ana@example.com").unwrap();
            let target = format!("/members/{}/signin_urls/", text(&member["id"]));
            let made = site.get_as(&owner(), &target);
            text(&made["member_signin_urls"][0]["url"]).replace(&base, "")
        };
        let encoded: String = url::form_urlencoded::byte_serialize(page.as_bytes()).collect();
        let (response, _) = site.open(&format!("{link}&r={encoded}"));
        let home = "/?action=signin&success=true";
        let location = response.header("location").unwrap();
        assert_eq!(location, target.as_deref().unwrap_or(home), "{page}");
    }
    for (redirect, is_allowed) in [(format!("{FRONT}/a/"), true), (format!("{EVIL}/"), false)] {
        let body = json!({"email": "ana@example.com", "emailType": "signin", "redirect": redirect});
        site.request_link(body);
        let link = site.link_in_mail("ana@example.com");
        assert_eq!(link.contains("&r="), is_allowed, "{link}");
    }
}

#[test]
fn staff_link_with_its_key_in_capitals_is_the_same_link() {
    let site = MemberSite::new();
    site.add_member("ana@example.com");
    let member = site.member("ana@example.com").unwrap();
    let target = format!("/members/{}/signin_urls/", text(&member["id"]));
    let made = site.get_as(&owner(), &target);
    let link = text(&made["member_signin_urls"][0]["url"]).replace(&site.base(), "");
    let (start, rest) = link.split_once('&').unwrap();
    let (claims, key) = start.rsplit_once('-').unwrap();
    let in_capitals = format!("{claims}-{}&{rest}", key.to_uppercase());
    for link in [&in_capitals, &link, &in_capitals] {
        assert_eq!(opened(&site, link), "");
    }
    assert_eq!(uses(&site, &link), 4);
    assert_eq!(opened(&site, &in_capitals), "TOKEN_EXPIRED");
}

#[test]
fn address_is_changed_by_a_link_sent_to_the_new_address() {
    let site = MemberSite::new();
    site.add_member("ana@example.com");
    site.add_member("taken@example.com");
    let browser = site.sign_in("ana@example.com");
    let identity = site.get(&browser, "api/session/").text().to_owned();
    let ask = |email: &str, identity: &str| {
        let body = json!({"email": email, "identity": identity});
        site.change(&Browser::default(), "POST", "api/member/email/", body)
    };
    assert_eq!(ask("b@example.com", "forged").status, 401);
    assert_eq!(ask("taken@example.com", &identity).status, 201);
    assert_eq!(ask("ana@example.org", &identity).status, 201);
    let link = site.link_in_mail("ana@example.org");
    assert!(link.contains("action=updateEmail"), "{link}");
    assert!(site.member("ana@example.com").is_some());
    let (_, browser) = site.open(&link);
    assert_eq!(
        site.get(&browser, "api/member/").json()["email"],
        "ana@example.org"
    );
    assert!(site.member("ana@example.com").is_none());
}

#[test]
fn users_of_large_mail_services_get_links_to_their_mailbox() {
    let site = MemberSite::new();
    for kind in ["signin", "signup"] {
        let body = json!({"email": "new@proton.me", "emailType": kind});
        let links = site.request_link(body).json()["inboxLinks"].clone();
        assert_eq!(links["provider"], "proton");
        let desktop = text(&links["desktop"]);
        assert!(
            desktop.starts_with("https://mail.proton.me/u/0/all-mail#from=noreply%40"),
            "{desktop}"
        );
    }
}
