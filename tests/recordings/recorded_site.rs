//! A server with the staff of a recording, and the values that steps have stored.

use std::{collections::BTreeMap, fs, thread, time::Duration};

use fancy_regex::Regex;
use galley_tests::{TestSite, Who, http_client::HttpResponse, webhook_receiver::WebhookReceiver};
use percent_encoding::utf8_percent_encode;
use serde_json::{Value, json};

use crate::{
    beside,
    compare::{self, Difference},
    request::{self, PLAIN_IN_QUERY},
    response,
    scenario::{MailStep, RequestStep, Rules, Scenario, Step, WebhookStep, WorldKind},
    shape::{self, Variables},
};

/// The longest time until a mail or a webhook arrives, unless the step specifies it.
const PATIENCE: Duration = Duration::from_secs(15);

/// A server with its staff, and the values that steps have stored so far.
pub struct RecordedSite {
    site: TestSite,
    webhooks: WebhookReceiver,
    variables: Variables,
}

/// The result of a step.
pub struct Outcome {
    /// The request, if it could be sent.
    pub request: Option<String>,
    /// The differences from the recording.
    pub differences: Vec<Difference>,
}

impl Outcome {
    /// Returns the outcome of a step that failed.
    fn failed(path: &str, text: String) -> Self {
        Self {
            request: None,
            differences: vec![difference(path, text)],
        }
    }
}

fn difference(path: &str, text: String) -> Difference {
    let path = path.to_owned();
    Difference { path, text }
}

/// Returns a difference if the message of an error lacks a phrase that clients match. The rest of the message is not compared.
fn missing_phrase(step: &RequestStep, response: &HttpResponse) -> Option<Difference> {
    let body: Value = serde_json::from_slice(&response.body).ok()?;
    let error = body["errors"].get(0)?;
    let message = error["message"].as_str().unwrap_or_default();
    let shows_nothing = step.auth.0 == Who::Anonymous
        && step.jwt.is_none()
        && step.path.starts_with("/ghost/api/")
        && !step.path.contains("/authentication/")
        && !step.path.contains("/session/");
    let is_anonymous = shows_nothing && error["type"] == "NoPermissionError";
    let phrase = match (response.status, error["code"].as_str()) {
        (404 | 406, _) => "not found",
        (_, Some("INVALID_JWT")) => "invalid token",
        (403, None) if is_anonymous => "authorization failed",
        _ => return None,
    };
    let text = format!("holds no \"{phrase}\": {message}");
    (!message.to_lowercase().contains(phrase)).then(|| difference("json.errors.0.message", text))
}

impl RecordedSite {
    /// Starts a site with the initial state of a scenario.
    pub fn of(scenario: &Scenario) -> Self {
        let receivers = scenario.config.private_receivers.to_string();
        let app = TestSite::builder()
            .without_content()
            .option("private_receivers", &receivers);
        let site = if scenario.config.device_verification {
            app.staffed().device_verification().start()
        } else {
            app.staffed().start()
        };
        if scenario.world == WorldKind::Corpus {
            site.import(&fs::read(beside("corpus.json")).unwrap());
        }
        for role in &scenario.roles {
            site.add_user(role);
        }
        site.mail().clear();
        let webhooks = WebhookReceiver::start();
        let variables = first_variables(&site, &webhooks);
        Self {
            site,
            webhooks,
            variables,
        }
    }

    /// Performs a step, stores the values that it captures, and compares the response with the recording.
    pub fn perform(&mut self, step: &Step) -> Outcome {
        match step {
            Step::Sleep(pause) => {
                thread::sleep(Duration::from_secs_f64(pause.seconds));
                Outcome {
                    request: None,
                    differences: Vec::new(),
                }
            }
            Step::Mail(step) => self.await_mail(step),
            Step::Webhook(step) => self.await_delivery(step),
            Step::Request(step) => self.step(step),
        }
    }

    fn compared(&self, rules: &Rules, document: Value, mut lost: Vec<Difference>) -> Outcome {
        lost.extend(compare::differences(rules, document, &self.variables));
        Outcome {
            request: None,
            differences: lost,
        }
    }

    fn step(&mut self, step: &RequestStep) -> Outcome {
        let request = match request::of(step, &self.variables) {
            Ok(request) => request,
            Err(name) => {
                return Outcome::failed(
                    "request",
                    format!("needs {{{{{name}}}}}, which no step has stored"),
                );
            }
        };
        let response = self.site.ask_as(&step.auth.0, &request);
        if let Some(role) = &step.keep_cookie {
            self.site.keep_cookie(role, &response);
        }
        let document = response::document(&step.rules, &response);
        let mut lost = self.store(step, &response, &document);
        lost.extend(missing_phrase(step, &response));
        Outcome {
            request: Some(format!("{} {}", request.method, request.target)),
            ..self.compared(&step.rules, document, lost)
        }
    }

    /// Stores values of the response under their names, and returns a difference for each missing value.
    fn store(
        &mut self,
        step: &RequestStep,
        response: &HttpResponse,
        document: &Value,
    ) -> Vec<Difference> {
        let mut lost = Vec::new();
        for (name, path) in &step.capture {
            lost.extend(self.store_as(name, &format!("json.{path}"), document));
        }
        for (name, header) in &step.capture_headers {
            let value = response.header(header).unwrap_or_default();
            self.variables.insert(name.clone(), value.to_owned());
        }
        if let Some(text) = document["text"].as_str() {
            lost.extend(self.store_matches(&step.capture_text, text, "text"));
        }
        for name in &step.capture_cookies {
            let pairs = response.cookies.iter();
            let pairs: Vec<_> = pairs
                .filter_map(|cookie| cookie.split(';').next())
                .collect();
            self.variables.insert(name.clone(), pairs.join("; "));
        }
        lost
    }

    /// Stores the matches of the patterns in a text.
    fn store_matches(
        &mut self,
        patterns: &BTreeMap<String, String>,
        text: &str,
        path: &str,
    ) -> Vec<Difference> {
        let mut lost = Vec::new();
        for (name, pattern) in patterns {
            match Regex::new(pattern).unwrap().captures(text).unwrap() {
                Some(found) => {
                    self.variables.insert(name.clone(), found[1].to_owned());
                }
                None => lost.push(difference(
                    path,
                    format!("holds nothing like {pattern}: {text}"),
                )),
            }
        }
        lost
    }

    fn store_as(&mut self, name: &str, path: &str, document: &Value) -> Option<Difference> {
        match response::value_at(document, path) {
            Some(value) => {
                self.variables.insert(name.to_owned(), value);
                None
            }
            None => Some(difference(path, format!("nothing to keep as {name}"))),
        }
    }

    fn await_mail(&mut self, step: &MailStep) -> Outcome {
        let to = match step
            .mail
            .to
            .as_deref()
            .map(|to| shape::request_text(to, &self.variables))
        {
            Some(Err(name)) => return Outcome::failed("mail", format!("needs {{{{{name}}}}}")),
            to => to.and_then(Result::ok),
        };
        let patience = step.mail.absent.map_or(PATIENCE, Duration::from_secs_f64);
        let mail = self.site.mail().mail_within(to.as_deref(), patience);
        if step.mail.absent.is_some() {
            return self.compared(&step.rules, json!({"absent": mail.is_none()}), Vec::new());
        }
        let Some(mail) = mail else {
            return Outcome::failed("mail", "does not come".to_owned());
        };
        let output = mail.everything();
        let lost = self.store_matches(&step.capture, &output, "mail");
        self.compared(&step.rules, response::of_mail(&mail), lost)
    }

    fn await_delivery(&mut self, step: &WebhookStep) -> Outcome {
        let awaited = &step.webhook;
        let patience = awaited.absent.or(awaited.timeout);
        let patience = patience.map_or(PATIENCE, Duration::from_secs_f64);
        let delivery = self
            .webhooks
            .delivery_within(awaited.path.as_deref(), patience);
        if awaited.absent.is_some() {
            let document = json!({"absent": delivery.is_none()});
            return self.compared(&step.rules, document, Vec::new());
        }
        let Some(delivery) = delivery else {
            return Outcome::failed("webhook", "does not come".to_owned());
        };
        let document = response::of_delivery(&delivery, awaited.secret.as_deref());
        let mut lost = Vec::new();
        for (name, path) in &step.capture {
            lost.extend(self.store_as(name, &format!("webhook.json.{path}"), &document));
        }
        self.compared(&step.rules, document, lost)
    }
}

/// Returns the predefined variables.
fn first_variables(site: &TestSite, webhooks: &WebhookReceiver) -> Variables {
    let (admin_id, admin_secret) = site.admin_key().split_once(':').unwrap();
    let base = site.base();
    let month = jiff::Timestamp::now().strftime("%Y/%m").to_string();
    let quoted = utf8_percent_encode(&base, PLAIN_IN_QUERY).to_string();
    let values = [
        ("host", site.address()),
        ("base_quoted", quoted),
        ("base", base),
        ("hook", webhooks.url()),
        ("ym", month),
        ("integration_id", site.integration_id().to_owned()),
        ("content_key", site.content_key().to_owned()),
        ("admin_id", admin_id.to_owned()),
        ("admin_secret", admin_secret.to_owned()),
        ("admin_key", site.admin_key().to_owned()),
    ];
    values.map(|(name, value)| (name.to_owned(), value)).into()
}
