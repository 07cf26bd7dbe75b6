//! One attempt of a webhook delivery: the request, its signature, and the evaluation of the
//! response.

use std::time::{Duration, Instant};

use data_encoding::HEXLOWER;
use hmac::{Hmac, KeyInit, Mac};
use jiff::{Timestamp, fmt::rfc2822::DateTimeParser};
use sha2::Sha256;
use url::Url;

use crate::{
    domain::{
        webhook::Webhook,
        webhook_delivery::{
            Attempt, AttemptResult, End, FinishedDelivery, LoggedRequest, LoggedResponse,
            WebhookDelivery,
        },
        webhook_retry::{self, Failure, RetryDecision},
    },
    outbound::{PostError, WebhookClient, WebhookResponse},
};

/// Response status by which a receiver unsubscribes (Ghost 6.65, recorded).
const GONE: u16 = 410;

/// Maximum length of the part of a response that is recorded as the error, in characters.
const ERROR_CHARACTERS_MAX: usize = 200;

/// Sends `delivery` to `webhook` at `now`, and returns the result.
pub(super) fn send(
    client: &WebhookClient,
    content_version: &str,
    webhook: &Webhook,
    delivery: WebhookDelivery,
    now: Timestamp,
) -> AttemptResult {
    let request = request(content_version, webhook, &delivery, now);
    let began = Instant::now();
    let headers = request.headers.iter();
    let headers: Vec<(&str, &str)> = headers.map(|(name, value)| (&**name, &**value)).collect();
    let response = client.post(&webhook.target_url, &headers, &delivery.body);
    let latency_ms = u32::try_from(began.elapsed().as_millis()).unwrap_or(u32::MAX);
    evaluate(delivery, request, response, now, latency_ms)
}

/// Returns the request without its body (Ghost 6.65, recorded; fields beginning with `X-Galley` are
/// additions).
fn request(
    content_version: &str,
    webhook: &Webhook,
    delivery: &WebhookDelivery,
    now: Timestamp,
) -> LoggedRequest {
    let attempt = delivery.progress.attempt_count.saturating_add(1);
    let mut headers: Vec<(Box<str>, Box<str>)> = vec![
        ("Content-Type".into(), "application/json".into()),
        ("Content-Version".into(), content_version.into()),
        ("X-Galley-Delivery".into(), delivery.name().into()),
        ("X-Galley-Event".into(), delivery.event.clone()),
        ("X-Galley-Attempt".into(), attempt.to_string().into()),
    ];
    let secret = webhook.secret.as_deref().unwrap_or_default();
    // An empty secret means no secret, as in Ghost (6.65, recorded).
    if !secret.is_empty() {
        // With the time of this attempt, because receivers reject old signatures.
        let signature = signature(secret, &delivery.body, now.as_millisecond());
        headers.push(("X-Ghost-Signature".into(), signature.into()));
    }
    LoggedRequest {
        // The log is shown to staff and to the operator, who need not know the password of the
        // receiver.
        address: without_credentials(&webhook.target_url),
        headers,
    }
}

/// Returns the signature of a body. It covers the bytes of the body directly followed by the
/// milliseconds since 1970 as text.
fn signature(secret: &str, body: &str, time_ms: i64) -> String {
    let mut mac = Hmac::<Sha256>::new_from_slice(secret.as_bytes())
        .expect("invariant: HMAC takes keys of any length");
    mac.update(body.as_bytes());
    // Without a separator (Ghost 6.65, recorded in admin-webhook-signatures).
    mac.update(time_ms.to_string().as_bytes());
    let digest = HEXLOWER.encode(&mac.finalize().into_bytes());
    format!("sha256={digest}, t={time_ms}")
}

fn without_credentials(url: &str) -> Box<str> {
    match Url::parse(url) {
        Ok(mut url) if !url.username().is_empty() || url.password().is_some() => {
            let _ = (url.set_username(""), url.set_password(None));
            url.as_str().into()
        }
        _ => url.into(),
    }
}

/// Returns the result of an attempt with this response.
fn evaluate(
    delivery: WebhookDelivery,
    request: LoggedRequest,
    response: Result<WebhookResponse, PostError>,
    now: Timestamp,
    latency_ms: u32,
) -> AttemptResult {
    let (failure, error) = match &response {
        Ok(response) => {
            let failure = Failure::of_status(response.status);
            (failure, failure.map(|_| error_message(response)))
        }
        Err(error) => {
            let failure = match error {
                PostError::Url(_) => Failure::Permanent,
                PostError::Refused(_) => Failure::Refusal,
                PostError::Failed(_) => Failure::Temporary,
            };
            (Some(failure), Some(error.to_string()))
        }
    };
    let request = match failure {
        // The URL is invalid, so no request was sent.
        Some(Failure::Permanent) => None,
        _ => Some(request),
    };
    let requested_delay = response.as_ref().ok();
    let requested_delay =
        requested_delay.and_then(|response| retry_after(response.header("retry-after")?, now));
    let response = response.ok();
    let attempt = Attempt {
        at: now,
        status: response.as_ref().map(|response| response.status),
        error: error.map(Into::into),
        latency_ms,
    };
    let (webhook, number) = (delivery.webhook, delivery.number);
    let end = match (attempt.status, failure) {
        // Checked before other failures: Ghost 6.65 deletes the webhook (recorded in
        // admin-webhook-signatures).
        (Some(GONE), _) => End::Gone,
        (_, None) => End::Finished(Box::new(finished(
            delivery, &attempt, request, response, true,
        ))),
        (_, Some(failure)) => after_failure(
            delivery,
            &attempt,
            failure,
            requested_delay,
            request,
            response,
        ),
    };
    AttemptResult {
        webhook,
        number,
        attempt,
        end,
    }
}

fn after_failure(
    delivery: WebhookDelivery,
    attempt: &Attempt,
    failure: Failure,
    requested_delay: Option<Duration>,
    request: Option<LoggedRequest>,
    response: Option<WebhookResponse>,
) -> End {
    // Without randomness, many deliveries are retried at the same time, which is acceptable.
    let mut chance = [0];
    let _ = getrandom::fill(&mut chance);
    let now = attempt.at;
    match webhook_retry::after_failure(&delivery.progress, failure, requested_delay, now, chance[0])
    {
        RetryDecision::RetryAt(due_at) => {
            let mut later = delivery;
            later.progress.record(attempt.clone());
            later.progress.failures = later.progress.failures.saturating_add(1);
            later.progress.failing_since.get_or_insert(now);
            later.progress.due_at = Some(due_at);
            End::Later(Box::new(later))
        }
        decision => {
            tracing::error!(
                delivery = delivery.name(),
                event = &*delivery.event,
                reason = attempt.error.as_deref().unwrap_or_default(),
                "a webhook delivery failed permanently"
            );
            let finished = Box::new(finished(delivery, attempt, request, response, false));
            match decision {
                RetryDecision::FailWithOlder(before) => End::FailedWithOlder(finished, before),
                _ => End::Finished(finished),
            }
        }
    }
}

fn finished(
    delivery: WebhookDelivery,
    attempt: &Attempt,
    request: Option<LoggedRequest>,
    response: Option<WebhookResponse>,
    is_delivered: bool,
) -> FinishedDelivery {
    let mut progress = delivery.progress;
    progress.record(attempt.clone());
    FinishedDelivery {
        number: delivery.number,
        event: delivery.event,
        queued_at: delivery.queued_at,
        finished_at: attempt.at,
        is_delivered,
        request,
        body_bytes: delivery.body.len(),
        body: Some(delivery.body),
        response: response.map(|response| LoggedResponse {
            status: response.status,
            headers: response.headers,
            body: String::from_utf8_lossy(&response.body).into(),
            is_cut: response.is_cut,
        }),
        attempt_count: progress.attempt_count,
        attempts: progress.attempts,
    }
}

/// Returns the error message for a response.
fn error_message(response: &WebhookResponse) -> String {
    let body = String::from_utf8_lossy(&response.body);
    let line = body.lines().find(|line| !line.trim().is_empty());
    let line = line.unwrap_or_default().trim();
    // The message is shown on terminals and in the admin app, so control characters are removed.
    let shown = line.chars().filter(|character| !character.is_control());
    let shown: String = shown.take(ERROR_CHARACTERS_MAX).collect();
    if shown.is_empty() {
        format!("the receiver responded with {}", response.status)
    } else {
        format!("the receiver responded with {}: {shown}", response.status)
    }
}

/// Returns the delay of a `Retry-After` field: seconds, or a date (RFC 9110, section 10.2.3).
/// Returns `None` for other values.
fn retry_after(value: &str, now: Timestamp) -> Option<Duration> {
    let value = value.trim();
    if !value.is_empty() && value.bytes().all(|byte| byte.is_ascii_digit()) {
        // A number that overflows also means a long time.
        return Some(Duration::from_secs(value.parse().unwrap_or(u64::MAX)));
    }
    let date = DateTimeParser::new().parse_timestamp(value).ok()?;
    Some(Duration::try_from(date.duration_since(now)).unwrap_or_default())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn retry_after_is_in_seconds_or_a_date() {
        let now = "2026-01-02T12:00:00Z".parse().unwrap();
        let seconds = |value| retry_after(value, now).map(|wait| wait.as_secs());
        assert_eq!(seconds("120"), Some(120));
        assert_eq!(seconds(" 0 "), Some(0));
        assert_eq!(seconds("99999999999999999999999"), Some(u64::MAX));
        assert_eq!(seconds("Fri, 02 Jan 2026 12:01:30 GMT"), Some(90));
        assert_eq!(seconds("Fri, 02 Jan 2026 11:00:00 GMT"), Some(0));
        for nothing in ["", "soon", "-5", "1.5"] {
            assert_eq!(seconds(nothing), None, "{nothing}");
        }
    }

    #[test]
    fn a_signature_covers_the_body_and_the_time() {
        // HMAC-SHA256 of `{}1000` with the key `key`, as `openssl dgst -sha256 -hmac key` computes
        // it.
        assert_eq!(
            signature("key", "{}", 1000),
            "sha256=f5b3b721537de6b982e9b49af5115847dd68327865ebdcd3b80f8d3f30c50e3b, t=1000"
        );
    }

    #[test]
    fn the_log_contains_no_password() {
        for (url, logged) in [
            ("https://a:b@h.example/x", "https://h.example/x"),
            ("https://h.example/x?y", "https://h.example/x?y"),
            ("not a URL", "not a URL"),
        ] {
            assert_eq!(&*without_credentials(url), logged);
        }
    }
}
