//! Tests of the plain pages for readers, which work without scripts, and of the script that links to them.

use super::{links::code_in, *};
use crate::themes::{activate, theme_with, upload};

/// Submits the form of a page with its hidden fields and `fields`.
fn submit(
    site: &MemberSite,
    browser: &Browser,
    page: &str,
    path: &str,
    fields: &[(&str, &str)],
) -> HttpResponse {
    let hidden = Regex::new(r#"<input type="hidden" name="([^"]+)" value="([^"]*)">"#).unwrap();
    let hidden = hidden.captures_iter(page).map(Result::unwrap);
    let hidden = hidden.map(|found| (found[1].to_owned(), found[2].to_owned()));
    let own = fields
        .iter()
        .map(|(name, value)| ((*name).to_owned(), (*value).to_owned()));
    let pairs: Vec<(String, String)> = hidden.chain(own).collect();
    let body = url::form_urlencoded::Serializer::new(String::new())
        .extend_pairs(pairs)
        .finish();
    site.send(browser, form(path, body))
}

fn form(path: &str, body: impl Into<Vec<u8>>) -> Request {
    Request::new("POST", &format!("/members/{path}"))
        .header("content-type", "application/x-www-form-urlencoded")
        .bytes(body)
}

#[test]
fn reader_signs_up_without_a_script_by_the_code_in_the_mail() {
    let site = MemberSite::new();
    site.set("portal_name", json!(true));
    let page = site.get(&Browser::default(), "signup/?r=https://evil.example/");
    assert_eq!(page.status, 200, "{}", page.text());
    assert!(!page.text().contains("evil.example"), "{}", page.text());
    assert_eq!(
        page.header("cache-control").unwrap().split(',').next(),
        Some("no-cache")
    );
    let fields = [("email", "new@example.com"), ("name", "New Reader")];
    let page = submit(&site, &Browser::default(), page.text(), "signup/", &fields);
    assert!(page.text().contains("Open your mail"), "{}", page.text());

    let wrong = submit(
        &site,
        &Browser::default(),
        page.text(),
        "signin/code/",
        &[("otc", "x")],
    );
    assert_eq!(wrong.status, 400);
    assert!(wrong.text().contains("role=\"alert\""), "{}", wrong.text());
    let code = code_in(&site.mail().mail_to("new@example.com").message.text);
    let entered = submit(
        &site,
        &Browser::default(),
        wrong.text(),
        "signin/code/",
        &[("otc", &code)],
    );
    assert_eq!(entered.status, 302, "{}", entered.text());
    let link = entered.header("location").unwrap();
    let link = &link[link.find("/members/").unwrap()..];
    let (_, browser) = site.open(link);
    let account = site.get(&browser, "account/");
    assert!(
        account.text().contains("new@example.com, free member"),
        "{}",
        account.text()
    );
    assert_eq!(
        site.member("new@example.com").unwrap()["name"],
        "New Reader"
    );
    // A signed-in member is not shown the form.
    let sign_in = site.get(&browser, "signin/");
    let to = sign_in.header("location").unwrap();
    assert!(
        sign_in.status == 302 && to.ends_with("/members/account/"),
        "{to}"
    );
}

#[test]
fn form_of_a_theme_takes_one_more_click() {
    let site = MemberSite::new();
    let fields = [("email", "new@example.com")];
    let page = submit(&site, &Browser::default(), "", "signup/", &fields);
    assert_eq!(page.status, 200);
    assert!(
        page.text().contains("value=\"new@example.com\""),
        "{}",
        page.text()
    );
    let page = submit(&site, &Browser::default(), page.text(), "signup/", &fields);
    assert!(page.text().contains("Open your mail"), "{}", page.text());
    site.mail().mail_to("new@example.com");
}

#[test]
fn refusal_is_shown_on_the_page() {
    let site = MemberSite::new();
    site.set("members_signup_access", json!("invite"));
    let page = site.get(&Browser::default(), "signup/");
    let fields = [("email", "new@example.com")];
    let refused = submit(&site, &Browser::default(), page.text(), "signup/", &fields);
    assert_eq!(refused.status, 400, "{}", refused.text());
    assert!(
        refused.text().contains("role=\"alert\""),
        "{}",
        refused.text()
    );
    assert!(
        refused
            .header("content-type")
            .unwrap()
            .starts_with("text/html")
    );
}

#[test]
fn member_manages_the_account_without_a_script() {
    let site = MemberSite::new();
    let anonymous = site.get(&Browser::default(), "account/");
    let to = anonymous.header("location").unwrap();
    assert!(
        anonymous.status == 302 && to.contains("/members/signin/?r="),
        "{to}"
    );

    let member = site.add_member("ana@example.com");
    let newsletter = text(&member["newsletters"][0]["id"]);
    let ana = site.sign_in("ana@example.com");
    let page = site.get(&ana, "account/");
    // The forms are sent with the origin of the site, which the cookie requires.
    assert_eq!(page.header("referrer-policy"), Some("same-origin"));
    assert!(
        page.text()
            .contains(&format!("value=\"{newsletter}\" checked")),
        "{}",
        page.text()
    );
    let page = submit(
        &site,
        &ana,
        page.text(),
        "account/",
        &[("do", "save"), ("name", "Ana B.")],
    );
    assert!(page.text().contains("role=\"status\""), "{}", page.text());
    let saved = site.member("ana@example.com").unwrap();
    assert_eq!(
        (
            &saved["name"],
            saved["newsletters"].as_array().unwrap().len()
        ),
        (&json!("Ana B."), 0)
    );

    let address = [("do", "email"), ("email", "ana@new.example")];
    submit(&site, &ana, page.text(), "account/", &address);
    let (changed, _) = site.open(&site.link_in_mail("ana@new.example"));
    let location = changed.header("location").unwrap();
    assert!(location.contains("success=true"), "{location}");

    let ana = site.sign_in("ana@new.example");
    let out = submit(&site, &ana, page.text(), "account/", &[("do", "sign_out")]);
    assert!(
        out.status == 302 && out.cookies[0].starts_with("ghost-members-ssr=;"),
        "{:?}",
        out.cookies
    );
    let refused = submit(&site, &ana, page.text(), "account/", &[("do", "delete")]);
    assert_eq!(refused.status, 400);
    submit(
        &site,
        &ana,
        page.text(),
        "account/",
        &[("do", "delete"), ("confirmed", "yes")],
    );
    assert!(site.member("ana@new.example").is_none());
}

#[test]
fn form_from_another_site_changes_no_account() {
    let site = MemberSite::new();
    site.add_member("ana@example.com");
    let ana = site.sign_in("ana@example.com");
    let body = "do=delete&confirmed=yes";
    let refused = site.send(&ana, form("account/", body).header("origin", EVIL));
    assert!(
        refused
            .header("location")
            .unwrap()
            .contains("/members/signin/")
    );
    assert!(site.member("ana@example.com").is_some());
}

/// Returns a site with the built-in theme, or one that was uploaded.
fn site_with_theme(theme: &str, scripts: &str) -> TestSite {
    let builder = TestSite::builder().without_content();
    let builder = builder
        .option("front_end", "theme")
        .option("reader_scripts", scripts);
    let site = builder.staffed().start();
    if theme != "source" {
        let files = [("index.hbs", "{{ghost_head}}")];
        assert_eq!(upload(&site, "tide.zip", &theme_with(&files)).status, 200);
        activate(&site, theme);
    }
    site
}

#[test]
fn built_in_script_replaces_ghosts_scripts_in_the_built_in_theme_or_by_option() {
    for (theme, scripts, is_own) in [
        ("source", "auto", true),
        ("tide", "auto", false),
        ("tide", "galley", true),
        ("source", "ghost", false),
    ] {
        let site = site_with_theme(theme, scripts);
        let page = site.ask_as(&Who::Anonymous, &Request::new("GET", "/"));
        let html = page.text();
        let script = Regex::new(r#"src="(/public/readers\.min\.js[^"]*)""#).unwrap();
        let own = script.captures(html).unwrap();
        let own = own.map(|found| found.get(1).unwrap().as_str());
        assert_eq!(own.is_some(), is_own, "{theme} {scripts}: {html}");
        assert_eq!(html.contains("cdn.jsdelivr.net"), !is_own, "{html}");
        if let Some(own) = own {
            let script = site.ask_as(&Who::Anonymous, &Request::new("GET", own));
            assert_eq!(script.status, 200);
        }
    }
}

#[test]
fn search_has_a_page_without_a_script() {
    let site = site_with_theme("source", "auto");
    let post = json!({"posts": [{"title": "Night <ferry>", "status": "published", "html": "<p>It leaves late.</p>"}]});
    site.post_as(&owner(), "/posts/?source=html", &post);
    let get = |path: &str| {
        let page = site.ask_as(&Who::Anonymous, &Request::new("GET", path));
        page.text().to_owned()
    };
    wait_until("the post is found", || {
        get("/search/?q=leaves").contains("1 result")
    });
    let page = get("/search/?q=ferry");
    assert!(page.contains("Night &lt;<mark>ferry</mark>&gt;"), "{page}");
    let page = get("/search/?q=%3Cscript%3E%22onfocus");
    assert!(page.contains("<title>&lt;script&gt;"), "{page}");
    assert!(page.contains("&quot;onfocus\">"), "{page}");
    assert!(get("/search/").contains("name=\"q\""));
    // A page of the site takes precedence.
    site.post_as(
        &owner(),
        "/pages/",
        &json!({"pages": [{"title": "Own", "slug": "search", "status": "published"}]}),
    );
    assert!(get("/search/").contains("Own"));
}

#[test]
fn pages_and_mails_are_in_the_language_of_the_site() {
    let site = MemberSite::new();
    site.set("locale", json!("de-CH"));
    let page = site.get(&Browser::default(), "signup/");
    for part in [
        "<html lang=\"de\" dir=\"ltr\">",
        "<h1>Registrieren</h1>",
        "Ihre E-Mail-Adresse",
    ] {
        assert!(page.text().contains(part), "{part}: {}", page.text());
    }
    let fields = [("email", "neu@example.com")];
    let page = submit(&site, &Browser::default(), page.text(), "signup/", &fields);
    assert!(
        page.text().contains("ist unterwegs an neu@example.com."),
        "{}",
        page.text()
    );
    let mail = site.mail().mail_to("neu@example.com").message;
    assert!(
        mail.subject()
            .starts_with("Schließen Sie Ihre Anmeldung bei "),
        "{}",
        mail.subject()
    );
    assert!(
        mail.text.contains("Der Link gilt einen Tag lang"),
        "{}",
        mail.text
    );
    site.set("locale", json!("ar"));
    let page = site.get(&Browser::default(), "signin/");
    assert!(
        page.text().contains("<html lang=\"ar\" dir=\"rtl\">"),
        "{}",
        page.text()
    );
    // Languages without translations fall back to English.
    site.set("locale", json!("cy"));
    let page = site.get(&Browser::default(), "signin/");
    assert!(page.text().contains("<h1>Sign in</h1>"), "{}", page.text());
}

#[test]
fn search_and_the_built_in_script_are_in_the_language_of_the_site() {
    let site = site_with_theme("source", "auto");
    let get = |path: &str| {
        let page = site.ask_as(&Who::Anonymous, &Request::new("GET", path));
        page.text().to_owned()
    };
    assert!(!get("/").contains("data-texts"), "English needs no texts");
    let locale = json!({"settings": [{"key": "locale", "value": "fr"}]});
    site.put_as(&owner(), "/settings/", &locale);
    assert!(get("/search/?q=absent").contains("Aucun résultat."));
    let home = get("/");
    assert!(
        home.contains("data-texts=\"{&quot;Close&quot;:&quot;Fermer&quot;,"),
        "{home}"
    );
}
