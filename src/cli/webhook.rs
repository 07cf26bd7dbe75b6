//! `galley webhook`

use std::{collections::BTreeMap, io, process::ExitCode};

use clap::{Args, Subcommand};
use serde_json::json;
use url::Url;

use super::terminal::Output;
use crate::{
    cli::{
        command_failure::CommandFailure, common_arguments::CommonArguments,
        secret_input::read_secret, site_commands::command,
    },
    control::{Command, DeliveryReport, DeliveryState, Reply, WebhookCommand, WebhookReport},
    domain::event::Event,
    progress::NoProgress,
    site::WAITING_COUNTED_MAX,
};

/// The arguments of `webhook`.
#[derive(Args)]
#[command(
    after_help = "Examples:\n  galley webhook add --event site.changed --url https://build.example/hook --integration \"My site\"\n  \
                  galley webhook list\n  galley webhook log 6b01240c99823cdcf3b90186\n  \
                  galley webhook retry 6b01240c99823cdcf3b90186-42\n  galley webhook remove 6b01240c99823cdcf3b90186"
)]
pub struct WebhookArguments {
    #[command(subcommand)]
    action: WebhookAction,
}

#[derive(Subcommand)]
enum WebhookAction {
    /// Add a webhook for an event
    #[command(
        after_help = "Examples:\n  galley webhook add --event site.changed --url https://build.example/hook --integration \"My site\"\n  \
                      galley webhook add --event post.published --url https://bot.example/ --integration Bot --secret-stdin < secret.txt"
    )]
    Add {
        /// The event, such as site.changed or post.published
        #[arg(long)]
        event: String,
        /// The URL that receives the POST
        #[arg(long)]
        url: String,
        /// The integration that it belongs to: name or identifier
        #[arg(long)]
        integration: String,
        /// Its name
        #[arg(long)]
        name: Option<String>,
        /// Read the secret that signs deliveries from standard input: its first line
        #[arg(long)]
        secret_stdin: bool,
        /// Print a JSON object
        #[arg(long)]
        json: bool,
    },
    /// List the webhooks, with the result of the last delivery of each
    #[command(after_help = "Examples:\n  galley webhook list\n  galley webhook list --json")]
    List {
        /// Print a JSON list of objects
        #[arg(long)]
        json: bool,
    },
    /// List deliveries, newest first, and the next one
    #[command(
        after_help = "Examples:\n  galley webhook log\n  galley webhook log 6b01240c99823cdcf3b90186 --json"
    )]
    Log {
        /// The webhook's identifier, as in `galley webhook list`; without it, the last deliveries
        /// of each
        id: Option<String>,
        /// Print a JSON list of objects, with bodies and all attempts
        #[arg(long)]
        json: bool,
    },
    /// Repeat a delivery immediately
    #[command(after_help = "Example:\n  galley webhook retry 6b01240c99823cdcf3b90186-42")]
    Retry {
        /// The delivery's identifier, as in `galley webhook log`
        delivery: String,
    },
    /// Delete a webhook; nothing is delivered to it any more
    #[command(after_help = "Example:\n  galley webhook remove 6b01240c99823cdcf3b90186")]
    Remove {
        /// Its identifier, as in `galley webhook list`
        id: String,
    },
}

/// Rejects a URL that no delivery could be sent to. The Admin API accepts any text, as Ghost does.
fn check_receiver_url(text: &str) -> Result<(), CommandFailure> {
    let reason = match Url::parse(text) {
        Ok(url) if matches!(url.scheme(), "http" | "https") => return Ok(()),
        Ok(url) => format!("receivers are at http or https, not at {}", url.scheme()),
        Err(error) => error.to_string(),
    };
    Err(CommandFailure::Command(format!(
        "\"{text}\" is not a valid URL of a receiver: {reason}"
    )))
}

/// Rejects an event that never occurs. The Admin API accepts any text, as Ghost does.
fn check_event(text: &str) -> Result<(), CommandFailure> {
    let known: Vec<&str> = Event::all().map(Event::name).collect();
    // The operation itself rejects names with upper-case letters.
    if known.contains(&text) || text.chars().any(char::is_uppercase) {
        return Ok(());
    }
    let distances = known
        .iter()
        .map(|name| (strsim::damerau_levenshtein(name, text), name));
    let nearest = distances.min().filter(|(distance, _)| *distance <= 3);
    let advice = nearest.map_or_else(String::new, |(_, name)| format!(" Did you mean {name}?"));
    Err(CommandFailure::Command(format!(
        "\"{text}\" is not an event.{advice} The events are {}.",
        known.join(", ")
    )))
}

/// Runs the subcommand.
pub fn run(
    common: &CommonArguments,
    arguments: &WebhookArguments,
) -> Result<ExitCode, CommandFailure> {
    let config = common.configuration(BTreeMap::new())?;
    let mut out = Output::standard();
    let (webhook_command, as_json) = match &arguments.action {
        WebhookAction::Add {
            event,
            url,
            integration,
            name,
            secret_stdin,
            json,
        } => {
            check_event(event)?;
            check_receiver_url(url)?;
            let add = WebhookCommand::Add {
                event: event.clone(),
                target_url: url.clone(),
                integration: integration.clone(),
                name: name.clone(),
                secret: if *secret_stdin { read_secret()? } else { None },
            };
            (add, *json)
        }
        WebhookAction::List { json } => (WebhookCommand::List, *json),
        WebhookAction::Log { id, json } => (WebhookCommand::Log { id: id.clone() }, *json),
        WebhookAction::Retry { delivery } => {
            let delivery = delivery.clone();
            (WebhookCommand::Retry { delivery }, false)
        }
        WebhookAction::Remove { id } => (WebhookCommand::Remove { id: id.clone() }, false),
    };
    let is_retry = matches!(webhook_command, WebhookCommand::Retry { .. });
    let is_removal = matches!(webhook_command, WebhookCommand::Remove { .. });
    match command(&config, &Command::Webhook(webhook_command), &NoProgress)? {
        Reply::Webhook(webhook) if is_removal => writeln!(
            out,
            "Removed {}: {} no longer receives {}.",
            webhook.id, webhook.target_url, webhook.event
        )?,
        Reply::Webhook(webhook) if as_json => out.json_line(&json!(webhook))?,
        Reply::Webhook(webhook) => print(&mut out, &webhook)?,
        Reply::Webhooks(webhooks) if as_json => out.json_line(&json!(webhooks))?,
        Reply::Webhooks(webhooks) => webhooks
            .iter()
            .try_for_each(|webhook| print(&mut out, webhook))?,
        Reply::Deliveries(deliveries) if as_json => out.json_line(&json!(deliveries))?,
        Reply::Deliveries(deliveries) if is_retry => deliveries
            .iter()
            .try_for_each(|delivery| writeln!(out, "{} is delivered again.", delivery.id))?,
        Reply::Deliveries(deliveries) => deliveries
            .iter()
            .try_for_each(|delivery| print_delivery(&mut out, delivery))?,
        _ => {}
    }
    Ok(ExitCode::SUCCESS)
}

fn print(out: &mut Output, webhook: &WebhookReport) -> io::Result<()> {
    writeln!(out, "{} to {}", webhook.event, webhook.target_url)?;
    let name = match &webhook.name {
        Some(name) => format!("{name}, "),
        None => String::new(),
    };
    let signed = if webhook.is_signed {
        "signed"
    } else {
        "not signed"
    };
    writeln!(
        out,
        "  {}, {name}of {}, {signed}",
        webhook.id, webhook.integration
    )?;
    if webhook.waiting > 0 {
        let more = match webhook.waiting {
            WAITING_COUNTED_MAX => " or more",
            _ => "",
        };
        writeln!(out, "  {}{more} waiting", webhook.waiting)?;
    }
    let Some(time) = webhook.last_triggered_at else {
        return writeln!(out, "  nothing delivered yet");
    };
    let response = webhook.last_triggered_status.as_deref();
    let response = response.unwrap_or("no response");
    match &webhook.last_triggered_error {
        None => writeln!(out, "  last delivered {time}: {response}"),
        Some(error) => writeln!(out, "  last tried {time}: {response}, {error}"),
    }
}

fn print_delivery(out: &mut Output, delivery: &DeliveryReport) -> io::Result<()> {
    let state = match delivery.state {
        DeliveryState::Waiting => "waiting",
        DeliveryState::Delivered => "delivered",
        DeliveryState::Failed => "failed",
    };
    writeln!(out, "{} {}: {state}", delivery.id, delivery.event)?;
    let tried = match delivery.attempt_count {
        0 => "not tried yet".to_owned(),
        1 => "tried once".to_owned(),
        count => format!("tried {count} times"),
    };
    writeln!(out, "  of {}, {tried}", delivery.queued_at)?;
    if let Some(last) = delivery.attempts.last() {
        let result = match (last.status, &last.error) {
            (_, Some(error)) => error.to_string(),
            (Some(status), None) => format!("the receiver responded with {status}"),
            (None, None) => String::new(),
        };
        writeln!(out, "  {}: {result} ({} ms)", last.at, last.latency_ms)?;
    }
    match delivery.due_at {
        Some(due_at) => writeln!(out, "  next attempt {due_at}"),
        None => Ok(()),
    }
}
