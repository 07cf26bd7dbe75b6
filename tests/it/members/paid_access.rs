//! Tests that paid access is granted and revoked, and that all views of it agree.

use galley_tests::{multipart::Form, wait_until};
use jiff::{SignedDuration, Timestamp};

use super::*;

/// A site with a paid post, and a post for the tier Gold.
struct Paid {
    site: MemberSite,
    gold: Value,
    silver: Value,
}

/// A member with session cookie and identity token.
struct Reader {
    id: String,
    email: String,
    browser: Browser,
    identity: String,
}

/// Returns a change of a member, given the complete record.
type Change<'a> = &'a dyn Fn(&Reader, Value) -> Value;

/// Whether a member can read the paid post, and the post for Gold.
type Access = (bool, bool);

impl Paid {
    fn new() -> Self {
        let site = MemberSite::new();
        let tier = |name: &str| {
            let tier = json!({"tiers": [{"name": name, "currency": "usd", "monthly_price": 900, "yearly_price": 9000}]});
            site.post_as(&owner(), "/tiers/", &tier)["tiers"][0]["id"].clone()
        };
        let (gold, silver) = (tier("Gold"), tier("Silver"));
        for (slug, visibility) in [("paid", "paid"), ("gold", "tiers")] {
            site.add(
                "posts",
                json!({
                    "title": slug, "slug": slug, "status": "published",
                    "visibility": visibility, "tiers": [{"id": gold}],
                }),
            );
        }
        Self { site, gold, silver }
    }

    /// Adds a member with these tiers, and signs the member in.
    fn add(&self, name: &str, tiers: Value) -> Reader {
        let email = format!("{name}@example.com");
        let member = json!({"members": [{"email": email, "tiers": tiers}]});
        let member = self.site.post_as(&owner(), "/members/", &member);
        let browser = self.site.sign_in(&email);
        let identity = self.site.get(&browser, "api/session/").text().to_owned();
        Reader {
            id: text(&member["members"][0]["id"]),
            email,
            browser,
            identity,
        }
    }

    fn add_gold(&self, name: &str) -> Reader {
        let reader = self.add(name, json!([{"id": self.gold}]));
        assert_eq!(self.access(&reader), (true, true));
        reader
    }

    fn read(&self, reader: &Reader) -> Value {
        let path = format!("/members/{}/", reader.id);
        self.site.get_as(&owner(), &path)["members"][0].clone()
    }

    fn put(&self, reader: &Reader, change: &Value) -> HttpResponse {
        let target = format!("/ghost/api/admin/members/{}/", reader.id);
        let request = Request::new("PUT", &target).json(&json!({ "members": [change] }));
        self.site.ask_as(&owner(), &request)
    }

    fn import(&self, csv: &str) {
        let form = Form::default().file("membersfile", "members.csv", "text/csv", csv.as_bytes());
        let request = Request::new("POST", "/ghost/api/admin/members/upload/").form(form);
        let response = self.site.ask_as(&owner(), &request);
        assert_eq!(response.status, 201, "{}", response.text());
    }

    /// Returns the member's access, which must be the same with the cookie and with the identity token.
    fn access(&self, reader: &Reader) -> Access {
        let [by_cookie, by_token] = self.both_accesses(reader);
        assert_eq!(by_cookie, by_token);
        by_cookie
    }

    fn both_accesses(&self, reader: &Reader) -> [Access; 2] {
        let key = &self.site.content_key();
        let target = format!("/ghost/api/content/posts/?key={key}&order=slug%20asc");
        let request = Request::new("GET", &target);
        let by_cookie = self.site.send(&reader.browser, request.clone());
        let bearer = format!("Bearer {}", reader.identity);
        let request = request.header("authorization", &bearer);
        let by_token = self.site.send(&Browser::default(), request);
        [by_cookie, by_token].map(|response| {
            let posts = response.json();
            let access = |index: usize| posts["posts"][index]["access"] == true;
            (access(1), access(0))
        })
    }

    /// Asserts that the member cannot read gated posts, and that every view shows the member as free.
    fn assert_free(&self, reader: &Reader, way: &str) {
        let member = self.read(reader);
        for (field, value) in [
            ("status", json!("free")),
            ("comped", json!(false)),
            ("tiers", json!([])),
            ("subscriptions", json!([])),
        ] {
            assert_eq!(member[field], value, "{way}: {field}");
        }
        assert_eq!(self.access(reader), (false, false), "{way}");
        let account = self.site.get(&reader.browser, "api/member/").json();
        assert_eq!(account["status"], "free", "{way}");
        assert_eq!(account["paid"], false, "{way}");
        for (filter, is_found) in [
            ("status:comped", false),
            ("status:-free", false),
            ("tier:gold", false),
            ("status:free", true),
        ] {
            let filter = format!("{filter}%2Bemail:'{}'", reader.email);
            let found = self
                .site
                .get_as(&owner(), &format!("/members/?filter={filter}"));
            let total = &found["meta"]["pagination"]["total"];
            assert_eq!(*total, usize::from(is_found), "{way}: {filter}");
        }
        let target = format!("/ghost/api/admin/members/upload/?search={}", reader.email);
        let list = self.site.ask_as(&owner(), &Request::new("GET", &target));
        let row = list.text().lines().nth(1).unwrap().to_owned();
        assert!(
            !row.contains("true,true") && !row.contains("Gold"),
            "{way}: {row}"
        );
    }

    fn comped_total(&self) -> Value {
        let counts = self.site.get_as(&owner(), "/stats/member_count/");
        counts["meta"]["totals"]["comped"].clone()
    }
}

#[test]
fn complimentary_access_is_revoked_by_each_form_of_request() {
    let paid = Paid::new();
    let past = "2020-01-01T00:00:00.000Z";
    let ways: [(&str, Change); 11] = [
        ("no tiers", &|_, _| json!({"tiers": []})),
        (
            "the admin app's request",
            &|reader, _| json!({"id": reader.id, "email": reader.email, "tiers": []}),
        ),
        ("a whole member without tiers", &|_, mut member| {
            member["tiers"] = json!([]);
            member
        }),
        (
            "a whole member without tiers and subscriptions",
            &|_, mut member| {
                member["tiers"] = json!([]);
                member["subscriptions"] = json!([]);
                member
            },
        ),
        ("not comped", &|_, _| json!({"comped": false})),
        ("a whole member, not comped", &|_, mut member| {
            member["comped"] = json!(false);
            member
        }),
        ("status free", &|_, _| json!({"status": "free"})),
        ("a whole member with status free", &|_, mut member| {
            member["status"] = json!("free");
            member
        }),
        (
            "all of it",
            &|_, _| json!({"tiers": [], "comped": false, "status": "free"}),
        ),
        (
            "no tiers, although comped",
            &|_, _| json!({"tiers": [], "comped": true}),
        ),
        (
            "an end in the past",
            &|_, _| json!({"tiers": [{"id": paid.gold, "expiry_at": past}]}),
        ),
    ];
    for (number, (way, change)) in ways.iter().enumerate() {
        let reader = paid.add_gold(&format!("m{number}"));
        assert_eq!(paid.comped_total(), 1);
        let change = change(&reader, paid.read(&reader));
        let response = paid.put(&reader, &change);
        assert_eq!(response.status, 200, "{way}: {}", response.text());
        assert_eq!(response.json()["members"][0]["status"], "free", "{way}");
        paid.assert_free(&reader, way);
        assert_eq!(paid.comped_total(), 0, "{way}");
    }
}

#[test]
fn paid_access_is_revoked_like_complimentary_access() {
    let paid = Paid::new();
    for (number, change) in [
        json!({"tiers": []}),
        json!({"status": "free"}),
        json!({"status": "free", "tiers": []}),
    ]
    .iter()
    .enumerate()
    {
        let reader = paid.add_gold(&format!("m{number}"));
        let id = reader.id.parse().unwrap();
        let site = paid.site.site();
        let member = site.current().catalog.members.get(id).unwrap().clone();
        let paying = galley::domain::member::Member {
            pays: true,
            ..(*member).clone()
        };
        site.write_once(|transaction| transaction.save_member(paying))
            .unwrap();
        // Sending back a tier that the member has is not a grant: a paying member does not become complimentary.
        let echo = paid.read(&reader);
        assert_eq!(
            (&echo["status"], &echo["comped"]),
            (&json!("paid"), &json!(false))
        );
        assert_eq!(paid.put(&reader, &echo).status, 200);
        assert_eq!(paid.access(&reader), (true, true));

        assert_eq!(paid.put(&reader, change).status, 200, "{change}");

        paid.assert_free(&reader, &change.to_string());
    }
}

#[test]
fn member_import_revokes_complimentary_access() {
    let paid = Paid::new();
    let reader = paid.add_gold("ana");
    paid.import(&format!("email,complimentary_plan\n{},\n", reader.email));
    assert_eq!(paid.access(&reader), (true, true));
    paid.import(&format!(
        "email,complimentary_plan\n{},false\n",
        reader.email
    ));
    paid.assert_free(&reader, "a list");
    paid.import(&format!(
        "email,complimentary_plan,tiers\n{},true,Gold\n",
        reader.email
    ));
    assert_eq!(paid.access(&reader), (true, true));
}

#[test]
fn access_ends_at_its_expiry_time() {
    let paid = Paid::new();
    let reader = paid.add_gold("ana");
    let end = Timestamp::now() + SignedDuration::from_millis(2500);
    let tiers = json!({"tiers": [{"id": paid.gold, "expiry_at": end.to_string()}]});
    assert_eq!(paid.put(&reader, &tiers).status, 200);
    assert_eq!(paid.access(&reader), (true, true));

    wait_until("reading ends", || {
        paid.both_accesses(&reader) == [(false, false); 2]
    });

    // Every view agrees from that moment, even before the scheduler has run.
    paid.assert_free(&reader, "expiry");
    assert_eq!(paid.comped_total(), 0);
}

#[test]
fn one_of_several_tiers_is_revoked() {
    let paid = Paid::new();
    let reader = paid.add_gold("ana");
    let both = json!({"tiers": [{"id": paid.gold}, {"slug": "silver"}]});
    assert_eq!(paid.put(&reader, &both).status, 200);
    assert_eq!(paid.access(&reader), (true, true));
    let silver = json!({"tiers": [{"id": paid.silver}]});
    assert_eq!(paid.put(&reader, &silver).status, 200);
    assert_eq!(paid.access(&reader), (true, false));
    let member = paid.read(&reader);
    assert_eq!(member["status"], "comped");
    assert_eq!(member["subscriptions"].as_array().unwrap().len(), 1);
}

#[test]
fn access_is_granted_to_existing_members() {
    let paid = Paid::new();
    for (number, (change, access)) in [
        (json!({"tiers": [{"id": paid.gold}]}), (true, true)),
        (
            json!({"tiers": [{"id": paid.gold}], "comped": true}),
            (true, true),
        ),
        (
            json!({"tiers": [{"slug": "gold"}], "status": "comped"}),
            (true, true),
        ),
        (
            json!({"tiers": [{"id": paid.silver}], "comped": false, "status": "free"}),
            (true, false),
        ),
        // The default tier of the site.
        (json!({"comped": true}), (true, false)),
    ]
    .iter()
    .enumerate()
    {
        let reader = paid.add(&format!("m{number}"), json!([]));
        assert_eq!(paid.access(&reader), (false, false));
        let response = paid.put(&reader, change);
        assert_eq!(response.status, 200, "{change}: {}", response.text());
        let member = &response.json()["members"][0];
        assert_eq!(
            (&member["status"], &member["comped"]),
            (&json!("comped"), &json!(true))
        );
        assert_eq!(paid.access(&reader), *access, "{change}");
    }
}

#[test]
fn contradictory_and_unsupported_statuses_are_refused() {
    let paid = Paid::new();
    let reader = paid.add_gold("ana");
    let free = paid.add("ben", json!([]));
    let (gold, silver) = (json!([{"id": paid.gold}]), json!([{"id": paid.silver}]));
    for (reader, change, property) in [
        (&reader, json!({"comped": false, "tiers": silver}), "comped"),
        (
            &reader,
            json!({"status": "free", "tiers": silver}),
            "status",
        ),
        (&reader, json!({"status": "paid"}), "status"),
        (&reader, json!({"status": "gift"}), "status"),
        (&reader, json!({"status": null}), "status"),
        (&reader, json!({"comped": null}), "comped"),
        (&free, json!({"status": "comped"}), "status"),
        (&free, json!({"status": "paid", "tiers": gold}), "status"),
        (&free, json!({"comped": true, "status": "paid"}), "status"),
    ] {
        let before = paid.read(reader);
        let response = paid.put(reader, &change);
        assert_eq!(response.status, 422, "{change}: {}", response.text());
        assert_eq!(
            response.json()["errors"][0]["property"],
            property,
            "{change}"
        );
        assert_eq!(paid.read(reader), before, "{change}");
    }
}
