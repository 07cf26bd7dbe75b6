//! All metric families, on one screen.

use crate::counters::{Family, FamilyKind};

macro_rules! families {
    ($($name:ident, $kind:ident, $exported_name:literal, $about:literal;)*) => {
        $(
            #[doc = $about]
            pub static $name: Family = Family {
                name: $exported_name,
                kind: FamilyKind::$kind,
                about: $about,
            };
        )*

        /// Every family, in the order in which they are exported.
        pub static FAMILIES: &[&Family] = &[$(&$name),*];
    };
}

families! {
    BUILD, Gauge, "galley_build_info", "The running version; always 1.";
    REQUESTS, Counter, "galley_http_requests_total", "Requests handled, by method (read, write, other), kind (content, admin, file, other) and status class.";
    DURATIONS, Histogram, "galley_http_request_duration_seconds", "Time from a request's header section to a response that is ready to be sent, by kind.";
    // Released names stay as they are, because dashboards and alerts refer to them.
    FROM_MEMORY, Counter, "galley_http_answers_from_memory_total", "Requests served from memory, without a worker.";
    SENT, Counter, "galley_http_sent_bytes_total", "Bytes sent to clients, including response headers.";
    OPEN, Gauge, "galley_http_connections_open", "Open connections.";
    OPENED, Counter, "galley_http_connections_opened_total", "Connections opened.";
    REFUSED, Counter, "galley_http_connections_refused_total", "Connections closed immediately because their peer had reached its limit.";
    CACHE, Gauge, "galley_answer_cache_bytes", "Memory of cached responses, and of the bodies that they are built from, in bytes.";
    SEARCHES, Histogram, "galley_search_duration_seconds", "Time of full-text searches in the index.";
    SEARCHES_WITHOUT_RESULTS, Counter, "galley_search_without_results_total", "Full-text searches that found nothing.";
    SEARCH_DOCUMENTS, Gauge, "galley_search_documents", "Texts in the search index; 0 while it is being built.";
    SEARCH_BYTES, Gauge, "galley_search_bytes", "Approximate memory of the search index, in bytes.";
    STORE, Gauge, "galley_store_bytes", "Size of the store's file or tables, in bytes; that of tables is half a minute old at most, and absent while the database is not available.";
    STORE_UP, Gauge, "galley_store_up", "1 if the store can be reached, 0 while its database is not available: readers are served, changes are refused.";
    STORE_WRITABLE, Gauge, "galley_store_writable", "1 if the store accepts changes, 0 while it does not: a standby, a full database, a disk that refuses a change, or a store that is not available.";
    STORE_LOST, Gauge, "galley_store_lost_timestamp_seconds", "Time since which the database is not available; absent while it is.";
    REVISION, Gauge, "galley_store_revision", "Number of the last commit.";
    COMMITS, Histogram, "galley_store_commit_duration_seconds", "Time of commits until they were on disk.";
    FAILED_COMMITS, Counter, "galley_store_commit_failures_total", "Commits that failed to be written to disk.";
    LEADS, Gauge, "galley_leads", "1 for work that this process does for all processes of the site (source, scheduler, mail, newsletters, webhooks, backups), 0 for work that it does not; a process alone does all work that is configured.";
    POSTS, Gauge, "galley_posts", "Posts, by status.";
    PAGES, Gauge, "galley_pages", "Pages, by status.";
    MEMBERS, Gauge, "galley_members", "Members, by status.";
    RECORDS, Gauge, "galley_records", "Other records, by kind.";
    WAITING, Gauge, "galley_waiting", "Outgoing messages that wait to be sent, and edits that wait for their content files, by kind; mails and the requests to each webhook are counted up to 1000.";
    DELIVERIES, Counter, "galley_deliveries_total", "Delivery attempts, by kind (mail, newsletter_mail, webhook) and outcome (delivered; failed: is retried; given_up: failed permanently).";
    FILES, Gauge, "galley_content_files", "Content files read.";
    CONTENT_UP, Gauge, "galley_content_up", "1 if the current content files are served, 0 while they cannot be read into the store.";
    PROBLEMS, Gauge, "galley_content_problems", "Diagnostics of content files, by severity.";
    GIT_COMMIT, Gauge, "galley_git_commit_timestamp_seconds", "Time of the served commit; absent without a repository.";
    GIT_LAST_SUCCESS, Gauge, "galley_git_last_success_timestamp_seconds", "Time of the last successful check of the repository; absent without a repository.";
    GIT_WELL, Gauge, "galley_git_up", "1 if the newest known commit is served, otherwise 0; absent without a repository.";
    CERTIFICATE_EXPIRY, Gauge, "galley_certificate_expiry_timestamp_seconds", "Expiry of a certificate, by name; absent without one.";
    CERTIFICATE_FAILURES, Counter, "galley_certificate_failures_total", "Failed attempts to get a certificate, or to read its files, by name; absent for a site at http.";
    CERTIFICATE_NEXT, Gauge, "galley_certificate_next_attempt_timestamp_seconds", "Time at which the next certificate is requested, by name; absent with certificates from files.";
    CERTIFICATE_PROBLEM, Gauge, "galley_certificate_problem", "1 for a name without a valid certificate, or without a new one, with the reason: expired, not_yet_valid, files, names, authority_unreachable, authority_refused, authority_timeout, not_verified or data_folder; `galley status` and the log have the text. Absent if all is well.";
    BACKUP_TIME, Gauge, "galley_backup_last_success_timestamp_seconds", "Time of the newest verified backup; absent without regular backups, or before the first.";
    BACKUP_BYTES, Gauge, "galley_backup_last_bytes", "Bytes that were written for the newest backup, which shares the rest with earlier ones.";
    BACKUP_SECONDS, Gauge, "galley_backup_last_duration_seconds", "Time to write and verify the last backup; absent until this process has made one.";
    BACKUP_COVERED, Gauge, "galley_backup_covered_timestamp_seconds", "Time until which all changes are in a backup; absent without regular backups, or before the first.";
    BACKUP_WRITTEN, Counter, "galley_backup_written_bytes_total", "Bytes that regular backups have written; absent without them.";
    BACKUP_FAILURES, Counter, "galley_backup_failures_total", "Regular backups that failed; absent without them.";
    RESIDENT, Gauge, "process_resident_memory_bytes", "Memory of the process that is not swapped out.";
    VIRTUAL, Gauge, "process_virtual_memory_bytes", "Virtual memory of the process.";
    CPU, Counter, "process_cpu_seconds_total", "Processor time used.";
    OPEN_FILES, Gauge, "process_open_fds", "Open files, including sockets.";
    OPEN_FILES_MAX, Gauge, "process_max_fds", "Limit of open files.";
    STARTED, Gauge, "process_start_time_seconds", "Start time of the process, in seconds since 1970.";
}
