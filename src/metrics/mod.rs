//! Metrics for Prometheus, served on a separate listener.
//!
//! The counters are elsewhere ([`counters`](crate::counters)); this module collects them on request.
//! The listener runs only if the operator configures an address, and serves nothing but the metrics.

mod families;

use std::{sync::Arc, time::Duration};

use arc_swap::ArcSwap;
use bytes::Bytes;
pub use families::FAMILIES;
use families::{
    BACKUP_BYTES, BACKUP_COVERED, BACKUP_FAILURES, BACKUP_SECONDS, BACKUP_TIME, BACKUP_WRITTEN,
    BUILD, CACHE, CERTIFICATE_EXPIRY, CERTIFICATE_FAILURES, CERTIFICATE_NEXT, CERTIFICATE_PROBLEM,
    COMMITS, CONTENT_UP, CPU, DELIVERIES, DURATIONS, FAILED_COMMITS, FILES, FROM_MEMORY,
    GIT_COMMIT, GIT_LAST_SUCCESS, GIT_WELL, LEADS, MEMBERS, OPEN, OPEN_FILES, OPEN_FILES_MAX,
    OPENED, PAGES, POSTS, PROBLEMS, RECORDS, REFUSED, REQUESTS, RESIDENT, REVISION, SEARCH_BYTES,
    SEARCH_DOCUMENTS, SEARCHES, SEARCHES_WITHOUT_RESULTS, SENT, STARTED, STORE, STORE_LOST,
    STORE_UP, STORE_WRITABLE, VIRTUAL, WAITING,
};
use http::{HeaderValue, Method, StatusCode, header};
use jiff::Timestamp;

use crate::{
    api::{
        request::{HeadRef, Request, RequestHead, RequestRefusal},
        response::{Body, Response},
    },
    backup::BackupStatus,
    catalog::Catalog,
    certificates::{CertificateReport, Certificates},
    content_files::{ContentReport, GitReport},
    counters::{CONTENT_TYPE, MetricsPage, Process},
    delivery,
    delivery::DeliveryMetrics,
    domain::{
        member,
        post::{PostKind, Status},
    },
    error::Result,
    leadership::LedWork,
    search::SearchIndex,
    server,
    server::{Handler, Limits, ServerMetrics},
    site::{Site, SiteSnapshot, Work},
    store::StoreMetrics,
};

/// Path of the metrics.
const PATH: &str = "/metrics";

/// The sources of the metrics.
pub struct Metrics {
    /// The site.
    pub site: Arc<Site>,
    /// The report on its content files.
    pub content: Arc<ArcSwap<ContentReport>>,
    /// The site's certificates, if it is served over https.
    pub certificates: Option<Arc<Certificates>>,
    /// The state of its regular backups, if there are any.
    pub backups: Option<Arc<ArcSwap<BackupStatus>>>,
    /// Counters of requests.
    pub server: Arc<ServerMetrics>,
    /// Counters of commits.
    pub store: Arc<StoreMetrics>,
    /// Counters of deliveries.
    pub deliveries: Arc<DeliveryMetrics>,
    /// The work that this process leads.
    pub led: Arc<LedWork>,
    /// The search index.
    pub search: Arc<SearchIndex>,
    /// Returns the memory of cached responses, and of the bodies that they are built from, in
    /// bytes.
    pub cached_bytes: Box<dyn Fn() -> usize + Send + Sync>,
}

/// Returns the limits of the listener, for a few clients that send requests occasionally.
pub fn limits() -> Limits {
    Limits {
        threads: 1,
        workers: 2,
        connections_max: 16,
        connections_per_peer_max: 16,
        waiting_max: 1,
        headers_bytes_max: 8 * 1024,
        target_bytes_max: 1024,
        body_bytes_max: 0,
        bodies_bytes_max: 1024,
        stop_timeout: Duration::from_secs(1),
        ..Limits::default()
    }
}

impl Handler for Metrics {
    type Prepared = ();

    // Metrics are read at each request, so every request is handled by a worker.
    fn respond_from_memory(&self, _head: &HeadRef) -> Result<Response, ()> {
        Err(())
    }

    fn respond(&self, request: &Request, (): &(), _may_wait: bool) -> Response {
        let head = &request.head;
        if head.target.path() != PATH {
            return Response::new(StatusCode::NOT_FOUND);
        }
        if !matches!(head.method, Method::GET | Method::HEAD) {
            return Response::new(StatusCode::METHOD_NOT_ALLOWED);
        }
        match self.page() {
            Ok(page) => {
                let mut response = Response::new(StatusCode::OK);
                let kind = HeaderValue::from_static(CONTENT_TYPE);
                response.headers.set(header::CONTENT_TYPE, kind);
                response.body = Body::Bytes(Bytes::from(page));
                response
            }
            Err(error) => {
                tracing::error!(cause = error.cause(), "the metrics could not be read");
                Response::new(StatusCode::INTERNAL_SERVER_ERROR)
            }
        }
    }

    fn refuse(&self, refusal: RequestRefusal, _head: &RequestHead) -> Response {
        Response::new(refusal.status())
    }
}

impl Metrics {
    /// Returns all current metrics as text.
    ///
    /// # Errors
    ///
    /// If the store cannot be read.
    pub fn page(&self) -> Result<String> {
        // One snapshot for the whole page, so that all counts of records are those of one commit.
        let snapshot = Arc::clone(&self.site.current());
        let mut page = MetricsPage::default();
        page.begin(&BUILD)
            .add(&[("version", env!("CARGO_PKG_VERSION"))], 1);
        self.write_server(&mut page);
        self.write_store(&mut page, &snapshot.catalog)?;
        write_records(&mut page, &snapshot.catalog, self.site.now());
        write_waiting(&mut page, &snapshot, self.content.load().git.as_ref())?;
        self.write_deliveries(&mut page);
        self.write_sources(&mut page);
        self.write_certificate(&mut page);
        self.write_backups(&mut page);
        write_process(&mut page);
        Ok(page.into_text())
    }

    fn write_server(&self, page: &mut MetricsPage) {
        let metrics = &self.server;
        let mut requests = page.begin(&REQUESTS);
        for (method, method_name) in server::METHODS.iter().enumerate() {
            for (kind, kind_name) in server::KINDS.iter().enumerate() {
                for (status, status_name) in server::STATUSES.iter().enumerate() {
                    let labels = [
                        ("method", *method_name),
                        ("kind", *kind_name),
                        ("status", *status_name),
                    ];
                    requests.add(&labels, metrics.requests(method, kind, status));
                }
            }
        }
        let mut durations = page.begin(&DURATIONS);
        for (kind, name) in server::KINDS.iter().enumerate() {
            durations.write_histogram(&[("kind", name)], &metrics.durations(kind));
        }
        page.begin(&FROM_MEMORY).add(&[], metrics.from_memory());
        page.begin(&SENT).add(&[], metrics.sent_bytes());
        page.begin(&OPEN).add(&[], metrics.open());
        page.begin(&OPENED).add(&[], metrics.opened());
        page.begin(&REFUSED).add(&[], metrics.refused());
        page.begin(&CACHE).add(&[], (self.cached_bytes)());
        let search = self.search.metrics();
        let durations = [&search.durations].into_iter().collect();
        page.begin(&SEARCHES).write_histogram(&[], &durations);
        page.begin(&SEARCHES_WITHOUT_RESULTS)
            .add(&[], search.without_results.get());
        let (documents, bytes) = self.search.size();
        page.begin(&SEARCH_DOCUMENTS).add(&[], documents);
        page.begin(&SEARCH_BYTES).add(&[], bytes);
    }

    fn write_store(&self, page: &mut MetricsPage, catalog: &Catalog) -> Result<()> {
        // A family without a sample is declared nevertheless: an absent value is not 0.
        let mut size = page.begin(&STORE);
        if let Some(bytes) = self.site.known_store_bytes()? {
            size.add(&[], bytes);
        }
        let lost_since = self.site.store_lost_since();
        page.begin(&STORE_UP)
            .add(&[], u8::from(lost_since.is_none()));
        let is_writable = lost_since.is_none() && self.site.store_refusal().is_none();
        page.begin(&STORE_WRITABLE).add(&[], u8::from(is_writable));
        let mut lost = page.begin(&STORE_LOST);
        if let Some(time) = lost_since {
            lost.add(&[], time.as_second());
        }
        page.begin(&REVISION).add(&[], catalog.revision);
        let commits = [&self.store.commits].into_iter().collect();
        page.begin(&COMMITS).write_histogram(&[], &commits);
        page.begin(&FAILED_COMMITS)
            .add(&[], self.store.failed_commits.get());
        let mut leads = page.begin(&LEADS);
        for work in Work::ALL {
            leads.add(&[("work", work.name())], u64::from(self.led.has(*work)));
        }
        Ok(())
    }

    fn write_deliveries(&self, page: &mut MetricsPage) {
        let mut deliveries = page.begin(&DELIVERIES);
        for (kind, kind_name) in delivery::KINDS.iter().enumerate() {
            for (outcome, outcome_name) in delivery::OUTCOMES.iter().enumerate() {
                let labels = [("kind", *kind_name), ("outcome", *outcome_name)];
                deliveries.add(&labels, self.deliveries.get(kind, outcome));
            }
        }
    }

    fn write_sources(&self, page: &mut MetricsPage) {
        let content = self.content.load();
        let problems = content.problems.iter();
        let errors = problems.filter(|problem| problem.is_error()).count();
        page.begin(&FILES).add(&[], content.files);
        page.begin(&CONTENT_UP)
            .add(&[], u8::from(content.failure.is_none()));
        page.begin(&PROBLEMS)
            .add(&[("severity", "error")], errors)
            .add(&[("severity", "warning")], content.problems.len() - errors);
        let git = content.git.as_ref();
        let served = git.and_then(|git| git.served.as_ref());
        let mut commit = page.begin(&GIT_COMMIT);
        if let Some(served) = served {
            commit.add(&[], served.authored_at.as_second());
        }
        let mut last_success = page.begin(&GIT_LAST_SUCCESS);
        if let Some(time) = git.and_then(|git| git.fetched_at) {
            last_success.add(&[], time.as_second());
        }
        let mut well = page.begin(&GIT_WELL);
        if let Some(git) = git {
            well.add(&[], u8::from(git.is_well()));
        }
    }

    fn write_certificate(&self, page: &mut MetricsPage) {
        let reports = self.certificates.as_ref().map(|known| known.reports());
        let reports = reports.unwrap_or_default();
        let mut write = |family, value: fn(&CertificateReport) -> Option<i64>| {
            let mut samples = page.begin(family);
            for (name, report) in by_name(&reports) {
                if let Some(value) = value(report) {
                    samples.add(&[("name", name)], value);
                }
            }
        };
        write(&CERTIFICATE_EXPIRY, |report| {
            report.expires_at.map(Timestamp::as_second)
        });
        write(&CERTIFICATE_FAILURES, |report| {
            i64::try_from(report.failures).ok()
        });
        write(&CERTIFICATE_NEXT, |report| {
            report.next_attempt_at.map(Timestamp::as_second)
        });
        let mut problems = page.begin(&CERTIFICATE_PROBLEM);
        for (name, report) in by_name(&reports) {
            if let Some(kind) = report.problem_kind {
                problems.add(&[("name", name), ("reason", kind.code())], 1);
            }
        }
    }

    fn write_backups(&self, page: &mut MetricsPage) {
        let status = self.backups.as_ref().map(|status| status.load());
        let last = status.as_ref().and_then(|status| status.last.as_ref());
        let seconds = status.as_ref().and_then(|status| status.last_seconds);
        let mut add = |family, value: Option<u64>| {
            let mut samples = page.begin(family);
            if let Some(value) = value {
                samples.add(&[], value);
            }
        };
        let time = last.map(|last| last.created_at.as_second().unsigned_abs());
        add(&BACKUP_TIME, time);
        add(&BACKUP_BYTES, last.map(|last| last.bytes));
        add(&BACKUP_SECONDS, seconds);
        let covered = status.as_ref().and_then(|status| status.covered_until);
        let covered = covered.map(|time| time.as_second().unsigned_abs());
        add(&BACKUP_COVERED, covered);
        let written = status.as_ref().map(|status| status.written_bytes);
        add(&BACKUP_WRITTEN, written);
        add(
            &BACKUP_FAILURES,
            status.as_ref().map(|status| status.failures),
        );
    }
}

/// Returns each name of certificates with its report; the name is empty for a site without configured
/// names.
fn by_name(reports: &[CertificateReport]) -> impl Iterator<Item = (&str, &CertificateReport)> {
    reports.iter().flat_map(|report| {
        // Without a sample, an alert on the certificate of a site without configured names would
        // never fire.
        let unnamed = report.names.is_empty().then_some("");
        let names = report.names.iter().map(String::as_str);
        names.chain(unnamed).map(move |name| (name, report))
    })
}

fn write_records(page: &mut MetricsPage, catalog: &Catalog, now: Timestamp) {
    const STATUSES: [(Status, &str); 4] = [
        (Status::Draft, "draft"),
        (Status::Scheduled, "scheduled"),
        (Status::Published, "published"),
        (Status::Sent, "sent"),
    ];
    for (kind, family) in [(PostKind::Post, &POSTS), (PostKind::Page, &PAGES)] {
        let mut counts = [0; STATUSES.len()];
        for post in catalog.posts.iter().filter(|post| post.kind == kind) {
            if let Some(index) = STATUSES
                .iter()
                .position(|(status, _)| *status == post.status)
            {
                counts[index] += 1;
            }
        }
        let mut samples = page.begin(family);
        for ((_, name), count) in STATUSES.iter().zip(counts) {
            samples.add(&[("status", name)], count);
        }
    }
    let mut members = page.begin(&MEMBERS);
    // Without expired tiers, even those that the scheduler has not ended yet.
    let current = catalog.members.at(now);
    for status in member::Status::ALL {
        let count = current.iter().filter(|member| member.status() == status);
        let count = count.count();
        members.add(&[("status", status.name())], count);
    }
    let mut records = page.begin(&RECORDS);
    for (kind, count) in [
        ("integrations", catalog.integrations().count()),
        ("newsletters", catalog.newsletters.len()),
        ("tags", catalog.tags.len()),
        ("tiers", catalog.tiers.len()),
        ("users", catalog.users.len()),
        ("webhooks", catalog.webhooks.iter().count()),
    ] {
        records.add(&[("kind", kind)], count);
    }
}

fn write_waiting(
    page: &mut MetricsPage,
    snapshot: &SiteSnapshot,
    git: Option<&GitReport>,
) -> Result<()> {
    let reviews = git.map(|git| &git.reviews);
    let in_review: usize = reviews
        .into_iter()
        .flatten()
        .map(|review| review.edits)
        .sum();
    let mut requests = 0;
    for webhook in snapshot.catalog.webhooks.iter() {
        // Each count is limited, because the deliveries have no counter in the store and are read
        // one by one.
        requests += snapshot.waiting_count(webhook.id)?;
    }
    let newsletters = snapshot.catalog.emails.under_way().count();
    page.begin(&WAITING)
        .add(&[("kind", "mails")], snapshot.waiting_mail_count()?)
        .add(&[("kind", "newsletters")], newsletters)
        .add(&[("kind", "webhook_requests")], requests)
        .add(
            &[("kind", "file_edits")],
            snapshot.catalog.file_edits.count(),
        )
        .add(&[("kind", "file_edits_in_review")], in_review);
    Ok(())
}

/// Writes the metrics of the process; those that the system does not provide are left out.
fn write_process(page: &mut MetricsPage) {
    let process = Process::now();
    if let Err(error) = &process {
        tracing::debug!(%error, "the system provides no metrics of this process");
    }
    let process = process.ok();
    let mut add = |family: &'static crate::counters::Family, value: Option<f64>| {
        let mut samples = page.begin(family);
        if let Some(value) = value {
            samples.add(&[], value);
        }
    };
    let of = |value: fn(&Process) -> f64| process.as_ref().map(value);
    add(&RESIDENT, of(|process| process.resident_bytes as f64));
    add(&VIRTUAL, of(|process| process.virtual_bytes as f64));
    add(&CPU, of(|process| process.cpu_seconds));
    add(&OPEN_FILES, of(|process| process.open_files as f64));
    let files_max = process.as_ref().and_then(|process| process.open_files_max);
    add(&OPEN_FILES_MAX, files_max.map(|most| most as f64));
    add(&STARTED, of(|process| process.started_at));
}
