//! A site with staff, set up through the Admin API: setup, sign-in and invitations, with their mails.

use std::{
    collections::BTreeMap,
    net::TcpStream,
    path::Path,
    sync::{LazyLock, Mutex},
};

use fancy_regex::Regex;
use galley::site::Site;
use serde_json::{Value, json};

use crate::{
    admin_token,
    app::{Builder, TestApp},
    galley_process::GalleyProcess,
    http_client::{Client, HttpResponse},
    multipart::Form,
    smtp_receiver::SmtpReceiver,
};

/// The owner's name, address and password.
pub const OWNER: (&str, &str, &str) = ("Ada Owner", "owner@example.com", "Sup3r-secret-pw!");

/// The title of the site at setup.
pub const TITLE: &str = "Reference";

/// The path of the Admin API.
pub const ADMIN: &str = "/ghost/api/admin";

/// A running site, with credentials of its users and integrations.
pub struct StaffedSite {
    server: Server,
    /// Receives its mail.
    pub mail: SmtpReceiver,
    /// The id of the integration that is created at the start.
    pub integration_id: String,
    /// Its Admin API key, `id:secret`.
    pub admin_key: String,
    /// Its Content API key.
    pub content_key: String,
    /// The cookie of each role's user, `name=value`.
    cookies: Mutex<BTreeMap<String, String>>,
    /// The key of each role's user, `id:secret`; created on first use.
    staff_keys: Mutex<BTreeMap<String, String>>,
}

/// The server.
enum Server {
    /// In this process.
    Here(Box<TestApp>),
    /// In another process.
    There(GalleyProcess),
}

/// The sender of a request.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Who {
    /// An anonymous client, from the site's own pages.
    Anonymous,
    /// A client with the Content API key.
    Reader,
    /// A client with a token of the integration's key.
    Integration,
    /// A client with a staff token of the user with this role.
    StaffToken(String),
    /// A browser with the cookie of the user with this role.
    Session(String),
}

impl Who {
    /// Returns the user with this role, by cookie.
    pub fn session(role: &str) -> Self {
        Self::Session(role.to_owned())
    }

    /// Returns the user with this role, by token.
    pub fn staff_token(role: &str) -> Self {
        Self::StaffToken(role.to_owned())
    }
}

/// A request, without its sender.
#[derive(Clone, Debug, Default)]
pub struct Ask {
    /// The method, such as `GET`.
    pub method: String,
    /// Path and query.
    pub target: String,
    /// Header fields. They replace the default ones; one without a value removes a default field.
    pub headers: Vec<(String, Option<String>)>,
    /// The raw body.
    pub body: Option<Vec<u8>>,
}

impl Ask {
    /// Returns a request without a body.
    pub fn new(method: &str, target: &str) -> Self {
        Self {
            method: method.to_owned(),
            target: target.to_owned(),
            ..Self::default()
        }
    }

    /// Sets a JSON body.
    pub fn json(self, body: &Value) -> Self {
        self.header("content-type", "application/json")
            .bytes(body.to_string())
    }

    /// Sets a form as body.
    pub fn form(self, form: Form) -> Self {
        let (kind, body) = form.finish();
        self.header("content-type", &kind).bytes(body)
    }

    /// Sets a raw body.
    pub fn bytes(mut self, body: impl Into<Vec<u8>>) -> Self {
        self.body = Some(body.into());
        self
    }

    /// Adds a header field.
    pub fn header(mut self, name: &str, value: &str) -> Self {
        self.headers.push((name.to_owned(), Some(value.to_owned())));
        self
    }
}

impl StaffedSite {
    /// Starts a site without content, with its owner and an integration.
    pub fn empty() -> Self {
        Self::start(TestApp::builder())
    }

    /// Starts the site of `builder`, adds the owner and an integration, and removes the default records of a new site.
    /// Devices are not verified at sign-in.
    pub fn start(builder: Builder) -> Self {
        Self::start_with(builder, false)
    }

    /// Starts a site at which a new device needs a mailed code.
    pub fn start_with_device_verification(builder: Builder) -> Self {
        Self::start_with(builder, true)
    }

    fn start_with(builder: Builder, verifies_devices: bool) -> Self {
        let mail = SmtpReceiver::start();
        let app = builder
            .option("mail.url", &mail.url())
            .option("staff.device_verification", &verifies_devices.to_string())
            .start();
        Self::made(Server::Here(Box::new(app)), mail)
    }

    /// Starts the program in another process, with its data and its log in `folder`.
    pub fn start_process(folder: &Path, verifies_devices: bool) -> Self {
        let mail = SmtpReceiver::start();
        let process = start_process(folder, &mail, verifies_devices, GalleyProcess::start);
        Self::made(Server::There(process), mail)
    }

    /// Kills that process, if it still runs, and starts another one on its data.
    pub fn start_again(&mut self, folder: &Path) {
        self.process().kill();
        let process = start_process(folder, &self.mail, false, GalleyProcess::start);
        self.server = Server::There(process);
    }

    /// Starts another process on the data, without waiting until it responds.
    #[allow(dead_code, reason = "only the tests of crashes use it")]
    pub fn begin_again(&mut self, folder: &Path) {
        self.process().kill();
        let process = start_process(folder, &self.mail, false, GalleyProcess::spawn);
        self.server = Server::There(process);
    }

    fn made(server: Server, mail: SmtpReceiver) -> Self {
        let mut site = Self {
            server,
            mail,
            integration_id: String::new(),
            admin_key: String::new(),
            content_key: String::new(),
            cookies: Mutex::default(),
            staff_keys: Mutex::default(),
        };
        site.set_up();
        site.make_integration();
        site.take_sample_content_away();
        site
    }

    fn set_up(&self) {
        let (name, email, password) = OWNER;
        let setup = json!({"setup": [{"name": name, "email": email, "password": password, "blogTitle": TITLE}]});
        let ask = Ask::new("POST", &format!("{ADMIN}/authentication/setup/")).json(&setup);
        let ask = match &self.server {
            // A site with a public URL is set up with the link, as from another machine.
            Server::Here(app) if self.base() != format!("http://{}", self.address()) => {
                ask.header("cookie", &app.setup_cookie())
            }
            _ => ask,
        };
        self.done(&Who::Anonymous, ask);
        self.sign_in("Owner", email, password);
    }

    fn make_integration(&mut self) {
        let named = json!({"integrations": [{"name": "Conformance"}]});
        let made = self.post_as(&owner(), "/integrations/?include=api_keys,webhooks", &named);
        let integration = &made["integrations"][0];
        let key = |kind| {
            let keys = integration["api_keys"].as_array().unwrap();
            let key = keys.iter().find(|key| key["type"] == kind).unwrap();
            text(&key["secret"])
        };
        self.admin_key = key("admin");
        self.content_key = key("content");
        self.integration_id = text(&integration["id"]);
    }

    fn take_sample_content_away(&self) {
        for kind in ["posts", "pages"] {
            self.delete_all(kind, "limit=100&filter=status:[draft,published,scheduled]");
        }
        self.delete_all("tags", "limit=100");
    }

    fn delete_all(&self, kind: &str, query: &str) {
        for record in self.list(kind, query) {
            let target = format!("{ADMIN}/{kind}/{}/", text(&record["id"]));
            self.done(&owner(), Ask::new("DELETE", &target));
        }
    }

    fn list(&self, kind: &str, query: &str) -> Vec<Value> {
        let listed = self.get_as(&owner(), &format!("/{kind}/?{query}"));
        listed[kind].as_array().unwrap().clone()
    }

    /// Imports a Ghost export, without the import tag.
    #[allow(dead_code, reason = "only the recordings use it")]
    pub fn import(&self, export: &[u8]) {
        let form = Form::default().file("importfile", "corpus.json", "application/json", export);
        let target = format!("{ADMIN}/db/");
        self.done(&owner(), Ask::new("POST", &target).form(form));
        for tag in self.list("tags", "limit=100&filter=visibility:internal") {
            if text(&tag["name"]).starts_with("#Import ") {
                let target = format!("{ADMIN}/tags/{}/", text(&tag["id"]));
                self.done(&owner(), Ask::new("DELETE", &target));
            }
        }
    }

    /// Writes a content file while the site is running.
    pub fn write_file(&self, path: &str, content: &str) {
        match &self.server {
            Server::Here(app) => app.write_file(path, content),
            Server::There(_) => panic!("it is served by another process"),
        }
    }

    /// Invites a user for a role, follows the link in the mail, and signs in.
    pub fn add_user(&self, role: &str) {
        let (email, password) = (email_of(role), password_of(role));
        let invite = json!({"invites": [{"email": email, "role_id": self.role_id(role)}]});
        self.post_as(&owner(), "/invites/", &invite);
        let token = self.token_in_mail(&email, "signup");
        let accepted = json!({"invitation": [{
            "name": format!("{role} Person"), "email": email, "password": password, "token": token
        }]});
        self.post_as(&Who::Anonymous, "/authentication/invitation/", &accepted);
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
        let mail = self.mail.mail_to(email).everything();
        let pattern = Regex::new(&format!("/{link}/([A-Za-z0-9_=%-]+)")).unwrap();
        let found = pattern.captures(mail.as_str()).unwrap();
        found.unwrap_or_else(|| panic!("no link to /{link}/ in {mail}"))[1].to_owned()
    }

    /// Signs in, with the mailed code if required, and stores the cookie for `role`.
    pub fn sign_in(&self, role: &str, email: &str, password: &str) {
        let sent = json!({"username": email, "password": password});
        let ask = Ask::new("POST", &format!("{ADMIN}/session/")).json(&sent);
        let response = self.send(&Who::Anonymous, &ask);
        self.keep_cookie(role, &response);
        let is_half = response.status == 403 && response.text().contains("2FA");
        assert!(is_half || response.status < 300, "{}", response.text());
        if is_half {
            let code = json!({"token": code_in(&self.mail.mail_to(email).everything())});
            let ask = Ask::new("PUT", &format!("{ADMIN}/session/verify/")).json(&code);
            self.done(&Who::session(role), ask);
        }
    }

    /// Stores the cookie that a response sets, if any, for `role`.
    pub fn keep_cookie(&self, role: &str, response: &HttpResponse) {
        if let Some(cookie) = response.cookies.last() {
            let pair = cookie.split(';').next().unwrap().to_owned();
            self.cookies.lock().unwrap().insert(role.to_owned(), pair);
        }
    }

    /// Returns the cookie of a role's user, `name=value`; empty if there is none.
    pub fn cookie(&self, role: &str) -> String {
        self.cookies
            .lock()
            .unwrap()
            .get(role)
            .cloned()
            .unwrap_or_default()
    }

    /// Returns the key of a role's user, `id:secret`.
    pub fn staff_key(&self, role: &str) -> String {
        if let Some(key) = self.staff_keys.lock().unwrap().get(role) {
            return key.clone();
        }
        let session = Who::session(role);
        let me = self.get_as(&session, "/users/me/");
        let target = format!("/users/{}/token/", text(&me["users"][0]["id"]));
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

    /// Returns the site's URL, such as `http://127.0.0.1:40123`.
    pub fn base(&self) -> String {
        match &self.server {
            Server::Here(app) => app.base(),
            Server::There(process) => format!("http://{}", process.address()),
        }
    }

    /// Returns the listen address, such as `127.0.0.1:40123`.
    pub fn address(&self) -> String {
        match &self.server {
            Server::Here(app) => app.address(),
            Server::There(process) => process.address().to_owned(),
        }
    }

    /// Returns the site, for changes without the API.
    pub fn site(&self) -> &Site {
        match &self.server {
            Server::Here(app) => app.site(),
            Server::There(_) => panic!("it is served by another process"),
        }
    }

    /// Returns the process that serves it.
    pub fn process(&self) -> &GalleyProcess {
        match &self.server {
            Server::Here(_) => panic!("it is served by this process"),
            Server::There(process) => process,
        }
    }

    /// Sends a request on a new connection.
    pub fn send(&self, who: &Who, ask: &Ask) -> HttpResponse {
        let response = self.try_send(who, ask);
        response.unwrap_or_else(|| panic!("{} {} is not responded", ask.method, ask.target))
    }

    /// Sends a request to a server that may stop; `None` without a complete response.
    pub fn try_send(&self, who: &Who, ask: &Ask) -> Option<HttpResponse> {
        let mut target = ask.target.clone();
        if *who == Who::Reader {
            let joint = if target.contains('?') { '&' } else { '?' };
            target.push_str(&format!("{joint}key={}", self.content_key));
        }
        let mut head = format!("{} {target} HTTP/1.1\r\n", ask.method);
        for (name, value) in self.headers(who, ask) {
            head.push_str(&format!("{name}: {value}\r\n"));
        }
        head.push_str("\r\n");
        let mut client = Client::new(TcpStream::connect(self.address()).ok()?);
        client.try_send(head.as_bytes());
        // A server may say no before it has read all of a long body.
        client.try_send(ask.body.as_deref().unwrap_or_default());
        client.try_last_response()
    }

    /// Sends a request with the incomplete body `start`. Dropping the result aborts it.
    #[allow(dead_code, reason = "the recordings send whole bodies")]
    pub fn begin(&self, who: &Who, ask: &Ask, start: &str) -> Client {
        let mut head = format!("{} {} HTTP/1.1\r\n", ask.method, ask.target);
        for (name, value) in self.headers(who, ask) {
            head.push_str(&format!("{name}: {value}\r\n"));
        }
        let mut client = Client::new(TcpStream::connect(self.address()).unwrap());
        client.send(format!("{head}\r\n{start}"));
        client
    }

    fn headers(&self, who: &Who, ask: &Ask) -> Vec<(String, String)> {
        let mut headers = vec![
            ("host", self.address()),
            ("connection", "close".to_owned()),
            ("accept-encoding", "identity".to_owned()),
        ];
        let ghost = |key: &str| format!("Ghost {}", admin_token::of_key(key));
        match who {
            Who::Anonymous if ask.target.contains("/admin/") => {
                headers.push(("origin", self.base()))
            }
            Who::Anonymous | Who::Reader => {}
            Who::Integration => headers.push(("authorization", ghost(&self.admin_key))),
            Who::StaffToken(role) => headers.push(("authorization", ghost(&self.staff_key(role)))),
            Who::Session(role) => {
                headers.push(("cookie", self.cookie(role)));
                headers.push(("origin", self.base()));
            }
        }
        if let Some(body) = &ask.body {
            headers.push(("content-length", body.len().to_string()));
        }
        let is_replaced = |name: &str| {
            ask.headers
                .iter()
                .any(|(own, _)| own.eq_ignore_ascii_case(name))
        };
        let usual = headers
            .into_iter()
            .filter(|(name, value)| !value.is_empty() && !is_replaced(name))
            .map(|(name, value)| (name.to_owned(), value));
        let own = ask.headers.iter().filter_map(|(name, value)| {
            let value = value.as_ref().filter(|value| !value.is_empty())?;
            Some((name.clone(), value.clone()))
        });
        usual.chain(own).collect()
    }

    /// Sends a request that must succeed.
    pub fn done(&self, who: &Who, ask: Ask) -> HttpResponse {
        let response = self.send(who, &ask);
        let line = format!("{} {}", ask.method, ask.target);
        assert!(
            response.status < 300,
            "{line}: {} {}",
            response.status,
            response.text()
        );
        response
    }

    /// Returns the JSON of a GET of an Admin API endpoint, which must succeed.
    pub fn get_as(&self, who: &Who, endpoint: &str) -> Value {
        self.done(who, Ask::new("GET", &format!("{ADMIN}{endpoint}")))
            .json()
    }

    /// Returns the JSON of a POST to an Admin API endpoint, which must succeed.
    pub fn post_as(&self, who: &Who, endpoint: &str, body: &Value) -> Value {
        let ask = Ask::new("POST", &format!("{ADMIN}{endpoint}")).json(body);
        json_or_null(&self.done(who, ask))
    }

    /// Returns the JSON of a PUT to an Admin API endpoint, which must succeed.
    pub fn put_as(&self, who: &Who, endpoint: &str, body: &Value) -> Value {
        let ask = Ask::new("PUT", &format!("{ADMIN}{endpoint}")).json(body);
        json_or_null(&self.done(who, ask))
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

fn json_or_null(response: &HttpResponse) -> Value {
    serde_json::from_slice(&response.body).unwrap_or_default()
}

/// Returns the owner, signed in.
pub fn owner() -> Who {
    Who::session("Owner")
}

/// Returns the address of the user who is invited for a role.
pub fn email_of(role: &str) -> String {
    match role {
        "Owner" => OWNER.1.to_owned(),
        role => format!("{}@example.com", role.to_lowercase().replace(' ', "-")),
    }
}

/// Returns the password of the user who is invited for a role.
pub fn password_of(role: &str) -> String {
    match role {
        "Owner" => OWNER.2.to_owned(),
        role => format!("{role}-Pa55-phrase"),
    }
}

/// Returns a string of a response.
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
