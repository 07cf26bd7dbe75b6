//! Tests that records with the same name or address are served, found and edited through the Admin API.

use std::{net::TcpStream, path::Path};

use galley::{
    admin::{
        snippets::{self, SnippetChanges},
        users::{self, UserChanges},
    },
    domain::{actor::Actor, member::Member},
    id::Id,
};
use galley_tests::{
    admin_token,
    galley_process::GalleyProcess,
    http_client::{Client, HttpResponse},
};
use serde_json::{Value, json};
use url::Url;

use super::{add_members, add_records, label, member, open};

/// A served site with such records, and the Admin API key of its integration.
struct Served {
    process: GalleyProcess,
    key: String,
}

impl Served {
    fn start(folder: &Path) -> Self {
        let site = open(folder);
        let integration = site.write(|transaction| transaction.add_integration("Test", None));
        let key = integration.unwrap().admin_key_text();
        drop(site);
        Self {
            process: GalleyProcess::start(folder, &[]),
            key,
        }
    }

    fn send(&self, method: &str, path: &str, body: &Value) -> HttpResponse {
        let body = match body {
            Value::Null => String::new(),
            body => body.to_string(),
        };
        let head = format!(
            "{method} /ghost/api/admin/{path} HTTP/1.1\r\nhost: localhost\r\nconnection: close\r\n\
             content-type: application/json\r\nauthorization: Ghost {}\r\ncontent-length: {}\r\n\r\n",
            admin_token::of_key(&self.key),
            body.len()
        );
        let mut client = Client::new(TcpStream::connect(self.process.address()).unwrap());
        client.send(head + &body);
        client.try_last_response().unwrap()
    }

    /// Returns the records of a kind that match the query.
    fn list(&self, kind: &str, query: &str) -> Vec<Value> {
        let response = self.send("GET", &format!("{kind}/?{query}"), &Value::Null);
        assert_eq!(response.status, 200, "{}", response.text());
        response.json()[kind].as_array().unwrap().clone()
    }

    fn edit(&self, kind: &str, record: &Value, change: Value) -> HttpResponse {
        let path = format!("{kind}/{}/", record["id"].as_str().unwrap());
        self.send("PUT", &path, &json!({kind: [change]}))
    }
}

#[test]
fn members_with_one_address_are_found_and_edited() {
    let folder = tempfile::tempdir().unwrap();
    add_records(folder.path());
    let labels = |slug: &str| vec![label(slug, slug).id];
    let members = [
        Member {
            labels: labels("news"),
            ..member("Zed@m.example", 0)
        },
        Member {
            labels: labels("news-2"),
            ..member("zed@m.example", 1)
        },
        member("other@m.example", 2),
    ];
    add_members(folder.path(), &members);
    let served = Served::start(folder.path());

    let both = served.list("members", "search=zed");

    let emails: Vec<_> = both.iter().map(|member| &member["email"]).collect();
    assert_eq!(emails, ["zed@m.example", "Zed@m.example"]);
    assert_eq!(served.list("members", "filter=email:'ZED@m.example'"), both);
    assert_eq!(served.list("members", "filter=label:news").len(), 1);
    assert_eq!(served.list("members", "filter=label:news-2").len(), 1);
    for member in &both {
        for change in [
            json!({"note": "Called."}),
            json!({"name": "Zed", "email": member["email"]}),
        ] {
            let edited = served.edit("members", member, change.clone());
            assert_eq!(edited.status, 200, "{change}: {}", edited.text());
            assert_eq!(edited.json()["members"][0]["email"], member["email"]);
        }
    }
    let added = json!({"members": [{"email": "ZED@m.example"}]});
    let refused = served.send("POST", "members/", &added);
    assert_eq!(refused.status, 422, "{}", refused.text());
    // One member gets another address. Its former address is then still in use by the other member.
    let moved = served.edit("members", &both[0], json!({"email": "ned@m.example"}));
    assert_eq!(moved.status, 200, "{}", moved.text());
    let refused = served.edit("members", &both[0], json!({"email": "zed@m.example"}));
    assert_eq!(refused.status, 422, "{}", refused.text());
}

#[test]
fn records_with_one_name_keep_it_when_edited() {
    let folder = tempfile::tempdir().unwrap();
    add_records(folder.path());
    let served = Served::start(folder.path());
    for (kind, change) in [
        ("labels", json!({"slug": "another"})),
        ("newsletters", json!({"description": "Of the sea."})),
        ("offers", json!({"display_title": "Cheap"})),
    ] {
        let listed = served.list(kind, "limit=all");
        let is_news = |record: &&Value| {
            let name = record["name"].as_str().unwrap();
            name.eq_ignore_ascii_case("news")
        };
        let both: Vec<_> = listed.iter().filter(is_news).collect();
        assert_eq!(both.len(), 2, "{kind}: {listed:?}");
        for record in both {
            let mut change = change.clone();
            change["name"] = record["name"].clone();
            change["code"] = record["code"].clone();
            let edited = served.edit(kind, record, change);
            assert_eq!(edited.status, 200, "{kind}: {}", edited.text());
            assert_eq!(edited.json()[kind][0]["name"], record["name"], "{kind}");
        }
    }
}

#[test]
fn snippets_with_one_name_and_users_with_one_address_are_edited() {
    let folder = tempfile::tempdir().unwrap();
    add_records(folder.path());
    let site = open(folder.path());
    let url = Url::parse("https://example.com/").unwrap();
    for (id, name) in [("news", "News"), ("news-2", "NEWS")] {
        let changes = SnippetChanges {
            name: name.into(),
            mobiledoc: "{\"a\":1}".into(),
            lexical: None,
        };
        let snippet = Some(Id::derive("snippet", id));
        let edited = snippets::edit(&site, &Actor::Operator, &url, snippet, changes).unwrap();
        assert_eq!((&*edited.name, &*edited.mobiledoc), (name, "{\"a\":1}"));
        let changes = UserChanges {
            name: Some("Ben".into()),
            ..UserChanges::default()
        };
        let user = Some(Id::derive("user", id));
        let edited = users::edit(&site, &Actor::Operator, user, &changes, None, &url).unwrap();
        let email = format!("{name}@example.com");
        assert_eq!(edited.user.email.as_deref(), Some(&*email));
        assert_eq!(&*edited.user.name, "Ben");
    }
}
