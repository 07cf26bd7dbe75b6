//! Tests of publishing with a newsletter through the Admin API: recipients, content, and status.

use std::{fs, path::Path, time::Duration};

use galley_tests::{Request, TestSite, Who, request::ADMIN, wait_for};
use serde_json::{Value, json};

/// Starts a site that sends mails without a noticeable rate limit.
fn site() -> TestSite {
    let builder = TestSite::builder()
        .without_content()
        .option("mail.rate", "10000");
    builder.staffed().start()
}

/// Asserts that a response conforms to the schema of its operation in the OpenAPI document.
fn assert_documented(method: &str, path: &str, response: &Value) {
    let file = Path::new(env!("CARGO_MANIFEST_DIR")).join("schema/openapi.json");
    let document: Value = serde_json::from_str(&fs::read_to_string(file).unwrap()).unwrap();
    let responses = &document["paths"][path][method]["responses"];
    let schema = &responses["200"]["content"]["application/json"]["schema"];
    assert!(schema.is_object(), "{method} {path} is not documented");
    let schema = json!({ "components": document["components"], "allOf": [schema] });
    let validator = jsonschema::options()
        .should_validate_formats(true)
        .build(&schema)
        .unwrap();
    let problems: Vec<String> = validator
        .iter_errors(response)
        .map(|error| format!("{}: {error}", error.instance_path()))
        .collect();
    assert!(problems.is_empty(), "{method} {path}: {problems:#?}");
}

fn done(site: &TestSite, method: &str, endpoint: &str, body: &Value) -> Value {
    let body = Some(body).filter(|body| !body.is_null());
    let response = site.ask(method, endpoint, body);
    assert!(
        response.status < 300,
        "{method} {endpoint}: {}",
        response.text()
    );
    response.json()
}

/// Adds a member with the newsletters of new members.
fn add_member(site: &TestSite, email: &str, fields: Value) -> Value {
    let mut member = json!({"email": email});
    for (name, value) in fields.as_object().unwrap() {
        member[name] = value.clone();
    }
    done(site, "POST", "members/", &json!({"members": [member]}))["members"][0].clone()
}

/// Adds a draft and returns it.
fn add_draft(site: &TestSite, fields: Value) -> Value {
    let mut post = json!({"title": "High tide", "html": "<p>The water comes.</p>"});
    for (name, value) in fields.as_object().unwrap() {
        post[name] = value.clone();
    }
    done(
        site,
        "POST",
        "posts/?source=html",
        &json!({"posts": [post]}),
    )["posts"][0]
        .clone()
}

/// Edits the current state of a post.
fn change(site: &TestSite, post: &Value, query: &str, fields: Value) -> Value {
    let id = post["id"].as_str().unwrap();
    let current = done(site, "GET", &format!("posts/{id}/"), &Value::Null)["posts"][0].clone();
    let mut fields = fields;
    fields["updated_at"] = current["updated_at"].clone();
    let endpoint = format!("posts/{id}/?{query}");
    done(site, "PUT", &endpoint, &json!({"posts": [fields]}))["posts"][0].clone()
}

fn publish(site: &TestSite, post: &Value, query: &str) -> Value {
    change(site, post, query, json!({"status": "published"}))
}

/// Waits until the email of a post is sent or has failed, and returns it.
fn email_of(site: &TestSite, post: &Value) -> Value {
    let id = post["id"].as_str().unwrap();
    let email = || {
        let post = done(site, "GET", &format!("posts/{id}/"), &Value::Null);
        post["posts"][0]["email"].clone()
    };
    wait_for("the email is sent or has failed", email, |email| {
        email["status"] == "submitted" || email["status"] == "failed"
    })
}

const WITH_NEWSLETTER: &str = "newsletter=default-newsletter";

#[test]
fn subscribers_get_personal_mails_with_their_own_unsubscribe_url() {
    let site = site();
    let ana = add_member(&site, "ana@example.com", json!({"name": "Ana Lima"}));
    add_member(&site, "ben@example.com", json!({}));
    add_member(&site, "cleo@example.com", json!({"newsletters": []}));
    let post = add_draft(&site, json!({}));

    let published = publish(&site, &post, WITH_NEWSLETTER);

    let email = &published["email"];
    assert_eq!(email["post_id"], post["id"]);
    assert_eq!(email["email_count"], 2);
    assert_eq!(email["recipient_filter"], "all");
    assert_eq!(email["subject"], "High tide");
    assert_eq!(published["newsletter"]["slug"], "default-newsletter");
    let mail = site.mail().mail_to("ana@example.com");
    assert_eq!(mail.to, ["ana@example.com"]);
    assert_eq!(mail.message.subject(), "High tide");
    assert!(mail.message.html.contains("The water comes."));
    assert!(mail.message.text.contains("The water comes."));
    let list = mail.message.header("List-Unsubscribe").unwrap();
    let uuid = ana["uuid"].as_str().unwrap();
    assert!(
        list.contains(&format!("/unsubscribe/?uuid={uuid}&key=")),
        "{list}"
    );
    let other = site.mail().mail_to("ben@example.com");
    assert_ne!(other.message.header("List-Unsubscribe"), Some(list));
    assert_ne!(
        other.message.header("Message-ID"),
        mail.message.header("Message-ID")
    );

    let email = email_of(&site, &post);
    assert_eq!(email["status"], "submitted");
    assert_eq!(email["delivered_count"], 2);
    assert_eq!(email["failed_count"], 0);
    assert_eq!(email["error"], Value::Null);
    let from = email["from"].as_str().unwrap();
    assert!(from.contains("noreply@"), "{from}");
    assert!(site.mail().mail_within(None, Duration::ZERO).is_none());
}

#[test]
fn paid_members_get_the_full_post_and_others_its_preview() {
    let site = site();
    let tiers = done(&site, "GET", "tiers/?filter=type:paid", &Value::Null);
    let tier = tiers["tiers"][0]["id"].clone();
    add_member(&site, "free@example.com", json!({}));
    add_member(
        &site,
        "paying@example.com",
        json!({"tiers": [{"id": tier}]}),
    );
    let html = "<p>For all.</p><!--members-only--><p>For few.</p>";
    let post = add_draft(&site, json!({"html": html, "visibility": "paid"}));

    publish(&site, &post, WITH_NEWSLETTER);

    let free = site.mail().mail_to("free@example.com").message;
    assert!(free.html.contains("For all.") && !free.html.contains("For few."));
    let paying = site.mail().mail_to("paying@example.com").message;
    assert!(
        paying.html.contains("For all.") && paying.html.contains("For few."),
        "{}",
        paying.html
    );
}

#[test]
fn mails_say_which_subscription_the_recipient_has() {
    let site = site();
    let newsletters = done(&site, "GET", "newsletters/", &Value::Null);
    let newsletter = newsletters["newsletters"][0]["id"].as_str().unwrap();
    let shown = json!({"newsletters": [{"show_subscription_details": true}]});
    done(&site, "PUT", &format!("newsletters/{newsletter}/"), &shown);
    let tiers = done(&site, "GET", "tiers/?filter=type:paid", &Value::Null);
    let tier = &tiers["tiers"][0]["id"];
    let end = "2100-01-01T12:00:00.000Z";
    let given = |end: Value| json!({"tiers": [{"id": tier, "expiry_at": end}]});
    add_member(&site, "ana@example.com", json!({"name": "Ana <Lima>"}));
    add_member(&site, "ben@example.com", given(json!(end)));
    add_member(&site, "cleo@example.com", given(Value::Null));
    let html = "<p>For a %%{status}%% reader</p>";
    let post = add_draft(&site, json!({"html": html}));

    publish(&site, &post, WITH_NEWSLETTER);

    let ana = site.mail().mail_to("ana@example.com").message;
    for part in [
        "Your subscription: <strong>free</strong>. </p>",
        "Name: Ana &lt;Lima&gt;</p>",
        "E-mail address: ana@example.com</p>",
        "/#/portal/account\"",
        "For a free reader",
    ] {
        assert!(ana.html.contains(part), "{part}: {}", ana.html);
    }
    assert!(ana.text.contains("Name: Ana <Lima>"), "{}", ana.text);
    let ben = site.mail().mail_to("ben@example.com").message;
    let sentence = "<strong>complimentary</strong>. Your subscription ends on 1 January 2100.";
    assert!(ben.html.contains(sentence), "{}", ben.html);
    assert!(ben.text.contains("Your subscription: complimentary."));
    let cleo = site.mail().mail_to("cleo@example.com").message;
    assert!(!cleo.html.contains("Your subscription ends"));
    assert!(cleo.html.contains("Name: –"), "{}", cleo.html);
}

#[test]
fn segment_selects_the_recipients() {
    let site = site();
    add_member(&site, "vip@example.com", json!({"labels": ["VIP"]}));
    add_member(&site, "ana@example.com", json!({}));
    let post = add_draft(&site, json!({}));

    let refused = site.ask(
        "PUT",
        &format!(
            "posts/{}/?{WITH_NEWSLETTER}&email_segment=shoe_size:9",
            post["id"].as_str().unwrap()
        ),
        Some(&json!({"posts": [{"status": "published", "updated_at": post["updated_at"]}]})),
    );
    assert_eq!(refused.status, 400, "{}", refused.text());
    let published = publish(
        &site,
        &post,
        &format!("{WITH_NEWSLETTER}&email_segment=label:vip"),
    );

    assert_eq!(published["email"]["recipient_filter"], "label:vip");
    assert_eq!(published["email"]["email_count"], 1);
    site.mail().mail_to("vip@example.com");
    assert_eq!(email_of(&site, &post)["delivered_count"], 1);
    assert!(site.mail().mail_within(None, Duration::ZERO).is_none());
}

#[test]
fn post_is_sent_once_even_if_published_again() {
    let site = site();
    add_member(&site, "ana@example.com", json!({}));
    let post = add_draft(&site, json!({}));
    publish(&site, &post, WITH_NEWSLETTER);
    let email = email_of(&site, &post);
    site.mail().mail_to("ana@example.com");

    change(&site, &post, "", json!({"status": "draft"}));
    let again = publish(&site, &post, WITH_NEWSLETTER);

    assert_eq!(again["email"]["id"], email["id"]);
    assert_eq!(again["email"]["status"], "submitted");
    assert!(
        site.mail()
            .mail_within(None, Duration::from_millis(300))
            .is_none()
    );
}

#[test]
fn post_published_without_a_newsletter_is_not_sent() {
    let site = site();
    add_member(&site, "ana@example.com", json!({}));
    let post = add_draft(&site, json!({}));
    let published = publish(&site, &post, "");
    assert_eq!(published["email"], Value::Null);
    assert_eq!(
        done(&site, "GET", "emails/", &Value::Null)["emails"],
        json!([])
    );
}

#[test]
fn archived_newsletter_is_not_sent() {
    let site = site();
    add_member(&site, "ana@example.com", json!({}));
    let newsletters = done(&site, "GET", "newsletters/", &Value::Null);
    let id = newsletters["newsletters"][0]["id"].as_str().unwrap();
    let archived = json!({"newsletters": [{"status": "archived"}]});
    done(&site, "PUT", &format!("newsletters/{id}/"), &archived);
    let post = add_draft(&site, json!({}));
    let published = json!({"posts": [{"status": "published", "updated_at": post["updated_at"]}]});
    let id = post["id"].as_str().unwrap();
    let endpoint = format!("posts/{id}/?{WITH_NEWSLETTER}");
    let response = site.ask("PUT", &endpoint, Some(&published));
    assert_eq!(response.status, 400, "{}", response.text());
    let read = done(&site, "GET", &format!("posts/{id}/"), &Value::Null);
    assert_eq!(read["posts"][0]["status"], "draft");
    assert_eq!(read["posts"][0]["email"], Value::Null);
}

#[test]
fn post_added_as_published_is_not_sent() {
    let site = site();
    add_member(&site, "ana@example.com", json!({}));
    let post = json!({"posts": [{"title": "High tide", "status": "published"}]});
    let added = done(&site, "POST", &format!("posts/?{WITH_NEWSLETTER}"), &post);
    assert_eq!(added["posts"][0]["status"], "published");
    assert_eq!(added["posts"][0]["newsletter"], Value::Null);
    let emails = done(&site, "GET", "emails/", &Value::Null);
    assert_eq!(emails["emails"], json!([]));
}

#[test]
fn newsletter_without_recipients_completes_immediately() {
    let site = site();
    let post = add_draft(&site, json!({}));
    let published = publish(&site, &post, WITH_NEWSLETTER);
    assert_eq!(published["email"]["status"], "submitted");
    assert_eq!(published["email"]["email_count"], 0);
}

#[test]
fn email_only_post_is_sent_but_not_served() {
    let site = site();
    add_member(&site, "ana@example.com", json!({}));
    let post = add_draft(&site, json!({"email_only": true}));
    let published = publish(&site, &post, WITH_NEWSLETTER);
    assert_eq!(published["status"], "sent");
    let mail = site.mail().mail_to("ana@example.com").message;
    let uuid = post["uuid"].as_str().unwrap();
    assert!(
        mail.html.contains(&format!("/email/{uuid}/")),
        "{}",
        mail.html
    );
}

#[test]
fn scheduled_post_is_sent_at_its_time() {
    let site = site();
    add_member(&site, "ana@example.com", json!({}));
    let post = add_draft(&site, json!({}));
    let soon = jiff::Timestamp::now() + Duration::from_secs(2);
    let at = soon.strftime("%Y-%m-%dT%H:%M:%S.000Z").to_string();

    let scheduled = change(
        &site,
        &post,
        WITH_NEWSLETTER,
        json!({"status": "scheduled", "published_at": at}),
    );

    assert_eq!(scheduled["email"], Value::Null);
    site.mail().mail_to("ana@example.com");
    assert_eq!(email_of(&site, &post)["status"], "submitted");
}

#[test]
fn emails_batches_and_failures_can_be_read() {
    let site = site();
    site.mail().refuse("ben@example.com");
    add_member(&site, "ana@example.com", json!({}));
    let ben = add_member(&site, "ben@example.com", json!({"name": "Ben"}));
    let post = add_draft(&site, json!({}));
    publish(&site, &post, WITH_NEWSLETTER);
    let email = email_of(&site, &post);
    let id = email["id"].as_str().unwrap();

    let read = |endpoint: &str| done(&site, "GET", endpoint, &Value::Null);
    assert_eq!(read(&format!("emails/{id}/"))["emails"], json!([email]));
    let list = read("emails/?filter=status:submitted&order=created_at%20asc");
    assert_eq!(list["emails"], json!([email]));
    assert_eq!(list["meta"]["pagination"]["total"], 1);
    assert_eq!(read("emails/?filter=status:failed")["emails"], json!([]));
    let batches = read(&format!("emails/{id}/batches/?include=count.recipients"));
    let batch = &batches["batches"][0];
    assert_eq!(batch["status"], "submitted");
    assert_eq!(batch["email_id"], email["id"]);
    assert_eq!(batch["count"]["recipients"], 2);
    let status = read(&format!("emails/{id}/status/"));
    let sending = &status["email_statuses"][0]["sending"];
    assert_eq!(sending["status"], "submitted");
    assert_eq!(
        (
            &sending["progress"]["completed"],
            &sending["progress"]["total"]
        ),
        (&json!(2), &json!(2))
    );
    let failures = read(&format!(
        "emails/{id}/recipient-failures/?include=member,email_recipient"
    ));
    assert_eq!(failures["meta"]["pagination"]["total"], 1);
    let failure = &failures["failures"][0];
    assert_eq!(failure["code"], 550);
    assert_eq!(failure["severity"], "permanent");
    assert_eq!(failure["member_id"], ben["id"]);
    assert_eq!(failure["member"]["name"], "Ben");
    assert_eq!(
        failure["email_recipient"]["member_email"],
        "ben@example.com"
    );
    assert_eq!(failure["email_recipient"]["batch_id"], batch["id"]);

    assert_documented("get", "/admin/emails/", &list);
    assert_documented("get", "/admin/emails/{id}/status/", &status);
    assert_documented("get", "/admin/emails/{id}/batches/", &batches);
    assert_documented("get", "/admin/emails/{id}/recipient-failures/", &failures);
    assert_documented("get", "/admin/posts/", &read("posts/"));

    let analytics = format!("emails/{id}/analytics/");
    let scheduled = done(&site, "PUT", &analytics, &Value::Null);
    assert_eq!(scheduled, json!({ "emails": [{}] }));

    let retried = done(&site, "PUT", &format!("emails/{id}/retry/"), &Value::Null);
    assert_eq!(retried["emails"][0]["id"], email["id"]);
    assert_documented("put", "/admin/emails/{id}/retry/", &retried);
    assert_eq!(email_of(&site, &post)["failed_count"], 1);
    assert_eq!(
        site.ask("PUT", "emails/63b0001d356a192b7900001d/retry/", None)
            .status,
        404
    );
}

#[test]
fn emails_are_read_by_all_roles_and_browsed_and_retried_by_roles_that_send() {
    let site = site();
    add_member(&site, "ana@example.com", json!({}));
    site.mail().refuse("ana@example.com");
    let post = add_draft(&site, json!({}));
    publish(&site, &post, WITH_NEWSLETTER);
    let id = email_of(&site, &post)["id"].as_str().unwrap().to_owned();
    for (role, is_allowed) in [("Editor", true), ("Author", false)] {
        site.add_user(role);
        for (method, endpoint, is_for_all) in [
            ("GET", "emails/".to_owned(), false),
            ("GET", format!("emails/{id}/"), true),
            ("GET", format!("emails/{id}/status/"), true),
            ("GET", format!("emails/{id}/batches/"), false),
            ("GET", format!("emails/{id}/recipient-failures/"), false),
            ("PUT", format!("emails/{id}/retry/"), false),
        ] {
            let response = site.ask_as(
                &Who::session(role),
                &Request::new(method, &format!("{ADMIN}/{endpoint}")),
            );
            let expected = if is_allowed || is_for_all { 200 } else { 403 };
            assert_eq!(
                response.status,
                expected,
                "{role} {method} {endpoint}: {}",
                response.text()
            );
        }
    }
}

#[test]
fn recipients_are_counted_for_members_and_in_statistics() {
    let site = site();
    let ana = add_member(&site, "ana@example.com", json!({}));
    add_member(&site, "ben@example.com", json!({"newsletters": []}));
    let read = |endpoint: &str| done(&site, "GET", endpoint, &Value::Null);
    let newsletters = read("newsletters/");
    let newsletter = newsletters["newsletters"][0]["id"].as_str().unwrap();
    let post = add_draft(&site, json!({}));
    publish(&site, &post, WITH_NEWSLETTER);
    email_of(&site, &post);
    let other = add_draft(&site, json!({"title": "Low tide"}));
    publish(&site, &other, "");

    let counted =
        read("members/?fields=email,email_count,email_opened_count,updated_at&order=email%20asc");
    let members = counted["members"].as_array().unwrap();
    let counts: Vec<_> = members
        .iter()
        .map(|member| member["email_count"].clone())
        .collect();
    assert_eq!(counts, [1, 0]);
    assert_eq!(members[0]["updated_at"], ana["updated_at"]);
    assert_eq!(members[0]["email_opened_count"], 0);

    let row = json!({
        "post_id": post["id"],
        "post_title": "High tide",
        "send_date": read(&format!("posts/{}/", post["id"].as_str().unwrap()))["posts"][0]["published_at"],
        "sent_to": 1,
        "total_opens": 0,
        "open_rate": 0,
    });
    let basic = format!("stats/newsletter-basic-stats/?newsletter_id={newsletter}");
    assert_eq!(read(&basic)["stats"], json!([row]));
    assert_eq!(
        read(&format!("{basic}&date_to=2001-01-01"))["stats"],
        json!([])
    );
    assert_eq!(
        read(&format!("{basic}&order=size%20desc"))["stats"],
        json!([])
    );
    assert_eq!(read("stats/newsletter-basic-stats/")["stats"], json!([]));
    let mut with_clicks = row.clone();
    with_clicks["total_clicks"] = json!(0);
    with_clicks["click_rate"] = json!(0);
    let all = format!("stats/newsletter-stats/?newsletter_id={newsletter}&order=sent_to%20asc");
    assert_eq!(read(&all)["stats"], json!([with_clicks]));

    let of_post = |post: &Value| {
        let id = post["id"].as_str().unwrap();
        read(&format!("stats/posts/{id}/stats/"))["stats"][0]["recipient_count"].clone()
    };
    assert_eq!((of_post(&post), of_post(&other)), (json!(1), Value::Null));
    let newest = read("stats/top-posts-views/?limit=2");
    let newest = newest["stats"].as_array().unwrap();
    assert_eq!(newest.len(), 2);
    let of = |id: &Value| newest.iter().find(|post| post["post_id"] == *id).unwrap();
    assert_eq!(of(&post["id"])["sent_count"], 1);
    assert_eq!(of(&other["id"])["sent_count"], Value::Null);
}
