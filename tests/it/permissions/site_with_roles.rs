//! A site with a user of every role, and the records that they access.

use std::{
    cell::{Cell, RefCell},
    collections::BTreeMap,
    ops::Deref,
};

use galley_tests::{TestSite, Who, owner, staff::text};
use serde_json::{Value, json};

use super::table::{INVITED, On, Trial};

/// A site with users of every role.
pub struct SiteWithRoles {
    pub site: TestSite,
    /// The id of each role's user who sends the requests.
    ids: BTreeMap<String, String>,
    /// The id of each role's other user, who is the target of requests.
    others: RefCell<BTreeMap<String, String>>,
    names: Cell<u32>,
}

/// A record that something is tried on.
pub struct Record {
    pub id: String,
    pub updated_at: String,
}

impl Deref for SiteWithRoles {
    type Target = TestSite;

    fn deref(&self) -> &TestSite {
        &self.site
    }
}

impl SiteWithRoles {
    pub fn new() -> Self {
        let mut site = Self::without_staff();
        for role in INVITED {
            site.add_user(role);
            site.learn_id(role);
        }
        site
    }

    /// One with the owner alone.
    fn without_staff() -> Self {
        let mut site = Self {
            site: TestSite::builder()
                .option("security.integration_scope", "specification")
                .staffed()
                .start(),
            ids: BTreeMap::new(),
            others: RefCell::default(),
            names: Cell::new(0),
        };
        site.learn_id("Owner");
        site
    }

    fn learn_id(&mut self, role: &str) {
        let me = self.site.get_as(&Who::session(role), "/users/me/");
        self.ids
            .insert(role.to_owned(), text(&me["users"][0]["id"]));
    }

    /// A name that nothing has yet.
    pub fn name(&self) -> String {
        self.names.set(self.names.get() + 1);
        format!("Name {}", self.names.get())
    }

    /// The id of the user who tries; the owner's for an integration.
    pub fn id(&self, role: &str) -> &str {
        self.ids.get(role).unwrap_or(&self.ids["Owner"])
    }

    /// The id of a user with another role: the owner, or an administrator.
    pub fn id_of_another(&self, role: &str) -> &str {
        match role {
            "Owner" | "Integration" => self.id("Administrator"),
            _ => self.id("Owner"),
        }
    }

    /// The author of the records that are tried on.
    pub fn author(&self, trial: &Trial) -> &str {
        match trial.on {
            On::OwnDraft | On::OwnPublished => self.id(&trial.role),
            On::Others | On::Role(_) => self.id_of_another(&trial.role),
        }
    }

    /// Makes a post or page that the trial can be on.
    pub fn post(&self, kind: &str, trial: &Trial) -> Record {
        self.post_of(kind, trial, status(trial))
    }

    /// The same as a draft.
    pub fn draft(&self, kind: &str, trial: &Trial) -> Record {
        self.post_of(kind, trial, "draft")
    }

    fn post_of(&self, kind: &str, trial: &Trial, status: &str) -> Record {
        let authors = json!([{"id": self.author(trial)}]);
        let post = json!({"title": self.name(), "status": status, "authors": authors});
        self.made(kind, post)
    }

    /// Makes a record as the owner.
    pub fn made(&self, kind: &str, record: Value) -> Record {
        let made = self
            .site
            .post_as(&owner(), &format!("/{kind}/"), &json!({kind: [record]}));
        let record = &made[kind][0];
        Record {
            id: text(&record["id"]),
            updated_at: record["updated_at"].as_str().unwrap_or_default().to_owned(),
        }
    }

    /// The id of the first record of a kind.
    pub fn first(&self, kind: &str) -> String {
        text(&self.site.get_as(&owner(), &format!("/{kind}/"))[kind][0]["id"])
    }

    /// Returns the id of the role's user who is the target of requests. It is not the sender, except for the only owner.
    pub fn user(&self, role: &str) -> String {
        if role == "Owner" {
            return self.id("Owner").to_owned();
        }
        let known = self.others.borrow().get(role).cloned();
        known.unwrap_or_else(|| self.new_user(role))
    }

    /// The same after the user was deleted.
    pub fn forget_user(&self, role: &str) {
        self.others.borrow_mut().remove(role);
    }

    fn new_user(&self, role: &str) -> String {
        let email = format!(
            "{}@example.net",
            self.name().to_lowercase().replace(' ', "-")
        );
        let invite = json!({"invites": [{"email": email, "role_id": self.site.role_id(role)}]});
        self.site.post_as(&owner(), "/invites/", &invite);
        let token = self.site.token_in_mail(&email, "signup");
        let accepted = json!({"invitation": [{
            "name": self.name(), "email": email, "password": "N0t-the-one-who-tries", "token": token
        }]});
        self.site
            .post_as(&Who::Anonymous, "/authentication/invitation/", &accepted);
        let user = self
            .site
            .get_as(&owner(), &format!("/users/email/{email}/"));
        let id = text(&user["users"][0]["id"]);
        self.others.borrow_mut().insert(role.to_owned(), id.clone());
        id
    }

    /// Changes a user as the owner.
    pub fn change_user(&self, id: &str, changes: Value) {
        let changes = json!({"users": [changes]});
        self.site
            .put_as(&owner(), &format!("/users/{id}/"), &changes);
    }
}

/// The status that a post has for a trial.
pub fn status(trial: &Trial) -> &'static str {
    match trial.on {
        On::OwnPublished => "published",
        _ => "draft",
    }
}
