//! `galley webhook`

use std::{
    collections::BTreeMap,
    io::{self, Write},
    process::ExitCode,
};

use clap::{Args, Subcommand};
use serde_json::json;

use super::{Common, Failure, command};
use crate::{
    control::{
        Command, DeliveryReport, DeliveryState, Reply, Secret, WebhookCommand, WebhookReport,
    },
    import::Silent,
    site::WAITING_COUNTED_MAX,
};

/// What `webhook` takes.
#[derive(Args)]
#[command(
    after_help = "Examples:\n  galley webhook add --event site.changed --url https://build.example/hook --integration \"My site\"\n  \
                  galley webhook list\n  galley webhook log 6b01240c99823cdcf3b90186\n  \
                  galley webhook retry 6b01240c99823cdcf3b90186-42\n  galley webhook remove 6b01240c99823cdcf3b90186"
)]
pub struct WebhookArguments {
    #[command(subcommand)]
    action: Action,
}

#[derive(Subcommand)]
enum Action {
    /// Have an address told of an event
    #[command(
        after_help = "Examples:\n  galley webhook add --event site.changed --url https://build.example/hook --integration \"My site\"\n  \
                      galley webhook add --event post.published --url https://bot.example/ --integration Bot --secret-stdin < secret.txt"
    )]
    Add {
        /// What it is told of, such as site.changed or post.published
        #[arg(long)]
        event: String,
        /// The address that gets the POST
        #[arg(long)]
        url: String,
        /// The integration that it belongs to: name or identifier
        #[arg(long)]
        integration: String,
        /// What to call it
        #[arg(long)]
        name: Option<String>,
        /// Read the secret that deliveries are signed with from standard input: its first line
        #[arg(long)]
        secret_stdin: bool,
        /// Print an object
        #[arg(long)]
        json: bool,
    },
    /// List the webhooks, and how the last delivery of each went
    #[command(after_help = "Examples:\n  galley webhook list\n  galley webhook list --json")]
    List {
        /// Print a list of objects
        #[arg(long)]
        json: bool,
    },
    /// Tell what was delivered, the last first, and what is tried next
    #[command(
        after_help = "Examples:\n  galley webhook log\n  galley webhook log 6b01240c99823cdcf3b90186 --json"
    )]
    Log {
        /// The identifier of the webhook, as `galley webhook list` tells it; without one, the last few of each
        id: Option<String>,
        /// Print a list of objects, with bodies and all attempts
        #[arg(long)]
        json: bool,
    },
    /// Have something delivered again, at once
    #[command(after_help = "Example:\n  galley webhook retry 6b01240c99823cdcf3b90186-42")]
    Retry {
        /// What the delivery is called, as `galley webhook log` tells it
        delivery: String,
    },
    /// Delete a webhook; nothing is delivered there any more
    #[command(after_help = "Example:\n  galley webhook remove 6b01240c99823cdcf3b90186")]
    Remove {
        /// Its identifier, as `galley webhook list` tells it
        id: String,
    },
}

/// Carries out the subcommand.
pub fn run(common: &Common, arguments: &WebhookArguments) -> Result<ExitCode, Failure> {
    let config = common.configuration(BTreeMap::new())?;
    let mut out = io::stdout().lock();
    let (asked, as_json) = match &arguments.action {
        Action::Add {
            event,
            url,
            integration,
            name,
            secret_stdin,
            json,
        } => {
            let add = WebhookCommand::Add {
                event: event.clone(),
                target_url: url.clone(),
                integration: integration.clone(),
                name: name.clone(),
                secret: if *secret_stdin { read_secret()? } else { None },
            };
            (add, *json)
        }
        Action::List { json } => (WebhookCommand::List, *json),
        Action::Log { id, json } => (WebhookCommand::Log { id: id.clone() }, *json),
        Action::Retry { delivery } => {
            let delivery = delivery.clone();
            (WebhookCommand::Retry { delivery }, false)
        }
        Action::Remove { id } => (WebhookCommand::Remove { id: id.clone() }, false),
    };
    let is_retry = matches!(asked, WebhookCommand::Retry { .. });
    let is_removal = matches!(asked, WebhookCommand::Remove { .. });
    match command(&config, &Command::Webhook(asked), &Silent)? {
        Reply::Webhook(webhook) if is_removal => writeln!(
            out,
            "Removed {}: {} is not told of {} any more.",
            webhook.id, webhook.target_url, webhook.event
        )?,
        Reply::Webhook(webhook) if as_json => writeln!(out, "{}", json!(webhook))?,
        Reply::Webhook(webhook) => print(&mut out, &webhook)?,
        Reply::Webhooks(webhooks) if as_json => writeln!(out, "{}", json!(webhooks))?,
        Reply::Webhooks(webhooks) => webhooks
            .iter()
            .try_for_each(|webhook| print(&mut out, webhook))?,
        Reply::Deliveries(deliveries) if as_json => writeln!(out, "{}", json!(deliveries))?,
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

/// The first line of standard input; `None` when it is empty.
fn read_secret() -> io::Result<Option<Secret>> {
    let mut line = String::new();
    io::stdin().read_line(&mut line)?;
    let text = line.trim_end_matches(['\r', '\n']);
    Ok((!text.is_empty()).then(|| Secret(text.to_owned())))
}

fn print(out: &mut impl Write, webhook: &WebhookReport) -> io::Result<()> {
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
    let answer = webhook.last_triggered_status.as_deref();
    let answer = answer.unwrap_or("no answer");
    match &webhook.last_triggered_error {
        None => writeln!(out, "  last delivered {time}: {answer}"),
        Some(error) => writeln!(out, "  last tried {time}: {answer}, {error}"),
    }
}

fn print_delivery(out: &mut impl Write, delivery: &DeliveryReport) -> io::Result<()> {
    let state = match delivery.state {
        DeliveryState::Waiting => "waiting",
        DeliveryState::Delivered => "delivered",
        DeliveryState::GivenUp => "given up",
    };
    writeln!(out, "{} {}: {state}", delivery.id, delivery.event)?;
    let tried = match delivery.attempt_count {
        0 => "not tried yet".to_owned(),
        1 => "tried once".to_owned(),
        count => format!("tried {count} times"),
    };
    writeln!(out, "  of {}, {tried}", delivery.queued_at)?;
    if let Some(last) = delivery.attempts.last() {
        let said = match (last.status, &last.error) {
            (_, Some(error)) => error.to_string(),
            (Some(status), None) => format!("the receiver answered {status}"),
            (None, None) => String::new(),
        };
        writeln!(out, "  {}: {said} ({} ms)", last.at, last.latency_ms)?;
    }
    match delivery.due_at {
        Some(due_at) => writeln!(out, "  tried again {due_at}"),
        None => Ok(()),
    }
}
