//! Executes commands.

use url::Url;

use crate::{
    admin::custom_theme_settings,
    api::{files::FileRoots, static_renderer::StaticRenderer},
    backup::{self, BackupTarget},
    control::{
        accounts,
        command::{Command, ImportRequest},
        context::ControlContext,
        examination, members,
        reply::{IntegrationKeys, Reply, SyncReport},
        status, targets, themes, webhooks,
    },
    domain::{actor::Actor, secret},
    error::{Error, Kind, Result},
    export::{self, ExportContext, ExportError, ExportRequest, folder::Folders},
    import::{self, ImportSource},
    progress::Progress,
    repository::no_repository,
    site_urls::SiteUrls,
    static_site::{self, BuildError},
    themes::Themes,
};

/// Executes a command, and reports its progress to `progress`.
pub fn execute(context: &ControlContext, command: &Command, progress: &dyn Progress) -> Reply {
    carry_out(context, command, progress).unwrap_or_else(|error| Reply::Failed(error.cause()))
}

pub(super) fn carry_out(
    context: &ControlContext,
    command: &Command,
    progress: &dyn Progress,
) -> Result<Reply> {
    let site = &context.site;
    Ok(match command {
        Command::AddKey { name, scope } => {
            let added = site.write(|transaction| transaction.add_integration(name, *scope))?;
            Reply::Key(IntegrationKeys::of(&added))
        }
        Command::ListKeys => {
            let snapshot = site.current();
            let integrations = snapshot.catalog.integrations();
            Reply::Keys(
                integrations
                    .map(|found| IntegrationKeys::of(found))
                    .collect(),
            )
        }
        Command::RevokeKey { name } => {
            let revoked = site.write(|transaction| transaction.revoke_integration(name))?;
            Reply::Key(IntegrationKeys::of(&revoked))
        }
        Command::Account(command) => {
            let site_url = site_url_of(context, None)?;
            accounts::carry_out(context, command, site_url.path().trim_end_matches('/'))?
        }
        Command::Member(command) => members::carry_out(site, command)?,
        Command::Theme(command) => themes::carry_out(context, command)?,
        Command::Webhook(command) => webhooks::carry_out(site, command)?,
        Command::Status => Reply::Status(Box::new(status::status(context)?)),
        Command::Examine { challenge } => {
            Reply::Examined(Box::new(examination::examine(context, challenge)?))
        }
        Command::Reload => match context.reloading.get().map(|reload| reload()) {
            Some(Ok(report)) => Reply::Reloaded(report),
            Some(Err(errors)) => Reply::Failed(errors),
            None => Reply::Failed("this process has no configuration to reload".to_owned()),
        },
        Command::Sync => Reply::Synced(Box::new(sync(context)?)),
        Command::Import(request) => import(context, request, progress)?,
        Command::Export(order) => {
            // Checked here, not in the client: only this process knows all folders that are served.
            targets::refuse_served(context, &order.target)?;
            match export(context, order, progress) {
                Ok(report) => Reply::Exported(Box::new(report)),
                Err(error) => Reply::Failed(error.to_string()),
            }
        }
        Command::Backup(order) => back_up(context, order, progress)?,
        Command::Build(order) => {
            targets::refuse_served(context, &order.target)?;
            match build(context, order, progress) {
                Ok(report) => Reply::Built(Box::new(report)),
                Err(error) => Reply::Failed(error.to_string()),
            }
        }
    })
}

pub(super) fn import(
    context: &ControlContext,
    request: &ImportRequest,
    progress: &dyn Progress,
) -> Result<Reply> {
    let secret = request.email_auth_secret.as_ref();
    let options = import::Options {
        site: site_url_of(context, request.url.as_deref())?,
        uploads: context.uploads.clone(),
        dry_run: request.dry_run,
        actor: Actor::Operator,
        history: request.history,
        content_files: (*request.content_files).clone(),
        email_auth_secret: secret.and_then(|secret| secret::Secret::imported(&secret.0)),
        announces_records: !request.without_events,
    };
    let given = ImportSource::at(&request.path)?;
    let report = import::import(&context.site, &given, &options, progress)?;
    Ok(Reply::Imported(Box::new(report)))
}

pub(super) fn back_up(
    context: &ControlContext,
    order: &backup::BackupOptions,
    progress: &dyn Progress,
) -> Result<Reply> {
    if let BackupTarget::File(target) | BackupTarget::Collected(target) = &order.target {
        targets::refuse_served(context, target)?;
    }
    if context.uploads.bucket().is_some() {
        // Brings the local themes up to date, because the files of themes are read here.
        Themes::of(&context.uploads).all()?;
    }
    let (data, uploads) = (&context.data, &context.uploads);
    Ok(
        match backup::write(&context.site, data, uploads, order, progress) {
            Ok(report) => Reply::BackedUp(Box::new(report)),
            Err(error) => Reply::Failed(error.to_string()),
        },
    )
}

pub(super) fn build(
    context: &ControlContext,
    order: &static_site::BuildOptions,
    progress: &dyn Progress,
) -> std::result::Result<static_site::BuildReport, BuildError> {
    let snapshot = context.site.current();
    let site_urls = match &order.url {
        Some(url) => Some(SiteUrls::new(url)?),
        None => context.site_urls.configured(&snapshot.catalog.settings),
    };
    let files = FileRoots {
        content: context.content_folder.clone(),
        data: context.data.clone(),
        uploads: context.uploads.clone(),
    };
    let settings = &snapshot.catalog.settings;
    let theme = order.theme.as_deref().or(context.theme.as_deref());
    let sources = static_site::Sources {
        files: files.clone(),
        path_prefix: context.path_prefix.clone(),
        front_end: context.front_end.clone(),
        theme: Themes::of(&context.uploads).in_use(theme, settings),
        script_choice: context.script_choice,
    };
    let site = StaticRenderer::new(
        &snapshot,
        site_urls
            .ok_or(BuildError::NoUrl)?
            .with_routes_of(&snapshot.catalog),
        files,
        theme,
        context.image_memory_bytes,
        context.site.now(),
    );
    static_site::build(&site, &sources, order, progress)
}

pub(super) fn export(
    context: &ControlContext,
    order: &ExportRequest,
    progress: &dyn Progress,
) -> Result<export::Report, ExportError> {
    let site_url = site_url_of(context, None)?;
    let snapshot = context.site.current();
    let theme_settings = custom_theme_settings::browse(&snapshot, &Themes::of(&context.uploads))?;
    let export_context = ExportContext {
        site: &site_url,
        now: context.site.now(),
        folders: Folders {
            content: context.content_folder.as_deref(),
            uploads: &context.uploads,
        },
        theme_settings: Some(&theme_settings),
        progress,
    };
    export::export(&snapshot, order, export_context)
}

pub(super) fn site_url_of(context: &ControlContext, given: Option<&str>) -> Result<Url> {
    let site_urls = match given {
        Some(url) => SiteUrls::new(url)
            .map_err(|error| Error::new(Kind::Validation, format!("{error}.")).property("url"))?,
        None => {
            let snapshot = context.site.current();
            context.site_urls.of(&snapshot.catalog)
        }
    };
    Ok(site_urls.url().clone())
}

pub(super) fn sync(context: &ControlContext) -> Result<SyncReport> {
    let not_git = || no_repository(&context.content.load());
    let pulls = context.pulls.as_ref().ok_or_else(not_git)?;
    let report = pulls.pull().map_err(Error::internal)?;
    Ok(SyncReport {
        git: report.git.clone().ok_or_else(not_git)?,
        files: report.files,
        problems: report.problems.clone(),
    })
}
