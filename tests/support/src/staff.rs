//! The staff of a [`TestSite`]: set-up, invitations and sign-ins through the Admin API, with their mails.

use std::{path::Path, sync::LazyLock};

use fancy_regex::Regex;
use serde_json::{Value, json};

use crate::{
    galley_process::GalleyProcess,
    http_client::HttpResponse,
    multipart::Form,
    request::{Request, Who, owner},
    smtp_receiver::SmtpReceiver,
    test_site::{Keys, Server, TestSite},
};

/// The owner's name, e-mail address and password.
pub const OWNER: (&str, &str, &str) = ("Ada Owner", "owner@example.com", "Sup3r-secret-pw!");

/// The title of the site at setup.
pub const TITLE: &str = "Reference";

impl TestSite {
    /// Starts the program in another process, with its data and its log in `folder`.
    pub fn start_process(folder: &Path, verifies_devices: bool) -> Self {
        let mail = SmtpReceiver::start();
        let process = start_process(folder, &mail, verifies_devices, GalleyProcess::start);
        Self::new(Server::Separate(process), Some(mail))
    }

    /// Kills that process if it is still running, and starts another one with the same data.
    pub fn start_again(&mut self, folder: &Path) {
        self.process().kill();
        let process = start_process(folder, self.mail(), false, GalleyProcess::start);
        self.server = Server::Separate(process);
    }

    /// Starts another process with the same data, without waiting until it responds.
    pub fn begin_again(&mut self, folder: &Path) {
        self.process().kill();
        let process = start_process(folder, self.mail(), false, GalleyProcess::spawn);
        self.server = Server::Separate(process);
    }

    /// Adds the owner and an integration, and removes the default records of a new site.
    pub(crate) fn add_staff(&mut self) {
        self.set_up();
        self.make_integration();
        self.take_sample_content_away();
    }

    fn set_up(&self) {
        let (name, email, password) = OWNER;
        let setup = json!({"setup": [{"name": name, "email": email, "password": password, "blogTitle": TITLE}]});
        let request = Request::admin("POST", "authentication/setup/").json(&setup);
        let request = match &self.server {
            // A site with a public URL is set up through the link, as from another machine.
            Server::InProcess(..) if self.base() != format!("http://{}", self.address()) => {
                request.header("cookie", &self.setup_cookie())
            }
            _ => request,
        };
        self.done(&Who::Anonymous, request);
        self.sign_in("Owner", email, password);
    }

    fn make_integration(&mut self) {
        let named = json!({"integrations": [{"name": "Conformance"}]});
        let made = self.post_as(&owner(), "integrations/?include=api_keys,webhooks", &named);
        let integration = &made["integrations"][0];
        let key = |kind| {
            let keys = integration["api_keys"].as_array().unwrap();
            let key = keys.iter().find(|key| key["type"] == kind).unwrap();
            text(&key["secret"])
        };
        self.integration = Keys {
            id: text(&integration["id"]),
            admin: key("admin"),
            content: key("content"),
        };
    }

    fn take_sample_content_away(&self) {
        for kind in ["posts", "pages"] {
            self.delete_all(kind, "limit=100&filter=status:[draft,published,scheduled]");
        }
        self.delete_all("tags", "limit=100");
    }

    fn delete_all(&self, kind: &str, query: &str) {
        for record in self.list(kind, query) {
            let endpoint = format!("{kind}/{}/", text(&record["id"]));
            self.done(&owner(), Request::admin("DELETE", &endpoint));
        }
    }

    fn list(&self, kind: &str, query: &str) -> Vec<Value> {
        let listed = self.get_as(&owner(), &format!("{kind}/?{query}"));
        listed[kind].as_array().unwrap().clone()
    }

    /// Imports a Ghost export, without the import tag.
    pub fn import(&self, export: &[u8]) {
        let form = Form::default().file("importfile", "corpus.json", "application/json", export);
        self.done(&owner(), Request::admin("POST", "db/").form(form));
        for tag in self.list("tags", "limit=100&filter=visibility:internal") {
            if text(&tag["name"]).starts_with("#Import ") {
                let endpoint = format!("tags/{}/", text(&tag["id"]));
                self.done(&owner(), Request::admin("DELETE", &endpoint));
            }
        }
    }

    /// Invites a user with a role, follows the link in the mail, and signs in.
    pub fn add_user(&self, role: &str) {
        let (email, password) = (email_of(role), password_of(role));
        let invite = json!({"invites": [{"email": email, "role_id": self.role_id(role)}]});
        self.post_as(&owner(), "invites/", &invite);
        let token = self.token_in_mail(&email, "signup");
        let accepted = json!({"invitation": [{
            "name": format!("{role} Person"), "email": email, "password": password, "token": token
        }]});
        self.post_as(&Who::Anonymous, "authentication/invitation/", &accepted);
        self.sign_in(role, &email, &password);
    }

    /// Returns the id of a role by name.
    pub fn role_id(&self, name: &str) -> String {
        let roles = self.list("roles", "limit=100");
        let role = roles.iter().find(|role| role["name"] == name);
        text(&role.unwrap_or_else(|| panic!("no role {name}"))["id"])
    }

    /// Returns the token after `/signup/` or `/reset/` in the next mail to `email`.
    pub fn token_in_mail(&self, email: &str, link: &str) -> String {
        let mail = self.mail().mail_to(email).everything();
        let pattern = Regex::new(&format!("/{link}/([A-Za-z0-9_=%-]+)")).unwrap();
        let found = pattern.captures(mail.as_str()).unwrap();
        found.unwrap_or_else(|| panic!("no link to /{link}/ in {mail}"))[1].to_owned()
    }

    /// Signs in, with the mailed code if required, and stores the cookie for `role`.
    pub fn sign_in(&self, role: &str, email: &str, password: &str) {
        let sent = json!({"username": email, "password": password});
        let request = Request::admin("POST", "session/").json(&sent);
        let response = self.ask_as(&Who::Anonymous, &request);
        self.keep_cookie(role, &response);
        let is_half = response.status == 403 && response.text().contains("2FA");
        assert!(is_half || response.status < 300, "{}", response.text());
        if is_half {
            let code = json!({"token": code_in(&self.mail().mail_to(email).everything())});
            let request = Request::admin("PUT", "session/verify/").json(&code);
            self.done(&Who::session(role), request);
        }
    }

    /// Stores the cookie in a response for `role`, if there is one.
    pub fn keep_cookie(&self, role: &str, response: &HttpResponse) {
        if let Some(cookie) = response.cookies.last() {
            let pair = cookie.split(';').next().unwrap().to_owned();
            self.cookies.lock().unwrap().insert(role.to_owned(), pair);
        }
    }

    /// Returns the cookie of the user with a role, `name=value`; empty if there is none.
    pub fn cookie(&self, role: &str) -> String {
        self.cookies
            .lock()
            .unwrap()
            .get(role)
            .cloned()
            .unwrap_or_default()
    }

    /// Returns the staff key of the user with a role, `id:secret`.
    pub fn staff_key(&self, role: &str) -> String {
        if let Some(key) = self.staff_keys.lock().unwrap().get(role) {
            return key.clone();
        }
        let session = Who::session(role);
        let me = self.get_as(&session, "users/me/");
        let target = format!("users/{}/token/", text(&me["users"][0]["id"]));
        let key = &self.get_as(&session, &target)["apiKey"];
        let (id, secret) = (text(&key["id"]), text(&key["secret"]));
        let key = if secret.contains(':') {
            secret
        } else {
            format!("{id}:{secret}")
        };
        let mut keys = self.staff_keys.lock().unwrap();
        keys.insert(role.to_owned(), key.clone());
        key
    }
}

fn start_process(
    folder: &Path,
    mail: &SmtpReceiver,
    verifies_devices: bool,
    begin: fn(&Path, &[(&str, &str)]) -> GalleyProcess,
) -> GalleyProcess {
    let variables = [
        ("GALLEY_MAIL_URL", mail.url()),
        (
            "GALLEY_STAFF_DEVICE_VERIFICATION",
            verifies_devices.to_string(),
        ),
        ("GALLEY_PRIVATE_RECEIVERS", "true".to_owned()),
    ];
    let variables = variables
        .each_ref()
        .map(|(name, value)| (*name, value.as_str()));
    begin(folder, &variables)
}

/// Returns the e-mail address of the user who is invited with a role.
pub fn email_of(role: &str) -> String {
    match role {
        "Owner" => OWNER.1.to_owned(),
        role => format!("{}@example.com", role.to_lowercase().replace(' ', "-")),
    }
}

/// Returns the password of the user who is invited with a role.
pub fn password_of(role: &str) -> String {
    match role {
        "Owner" => OWNER.2.to_owned(),
        role => format!("{role}-Pa55-phrase"),
    }
}

/// Returns a string value of a response; fails for any other value.
pub fn text(value: &Value) -> String {
    let text = value.as_str();
    text.unwrap_or_else(|| panic!("no text: {value}"))
        .to_owned()
}

static CODE: LazyLock<Regex> = LazyLock::new(|| Regex::new(r"\b(\d{6})\b").unwrap());

/// Returns the six-digit code in a mail.
pub fn code_in(mail: &str) -> String {
    let found = CODE.captures(mail).unwrap();
    found.unwrap_or_else(|| panic!("no code in {mail}"))[1].to_owned()
}
