//! Every figure that is told, on one screen.

use crate::figures::{Family, FamilyKind};

macro_rules! families {
    ($($name:ident, $kind:ident, $told:literal, $about:literal;)*) => {
        $(
            #[doc = $about]
            pub static $name: Family = Family {
                name: $told,
                kind: FamilyKind::$kind,
                about: $about,
            };
        )*

        /// Every family, in the order in which they are told.
        pub static FAMILIES: &[&Family] = &[$(&$name),*];
    };
}

families! {
    BUILD, Gauge, "galley_build_info", "The version that runs; always 1.";
    REQUESTS, Counter, "galley_http_requests_total", "Requests answered, by method (read, write, other), kind (content, admin, file, other) and class of status.";
    DURATIONS, Histogram, "galley_http_request_duration_seconds", "Time from a request's head to an answer that is ready to be sent, by kind.";
    FROM_MEMORY, Counter, "galley_http_answers_from_memory_total", "Requests answered from what is in memory, without a worker.";
    SENT, Counter, "galley_http_sent_bytes_total", "Bytes sent to clients, with all that belongs to answers.";
    OPEN, Gauge, "galley_http_connections_open", "Connections that are open.";
    OPENED, Counter, "galley_http_connections_opened_total", "Connections that were opened.";
    REFUSED, Counter, "galley_http_connections_refused_total", "Connections closed at once because their peer had as many as it may.";
    CACHE, Gauge, "galley_answer_cache_bytes", "Memory for finished answers, and for bodies of which they are made, that is taken.";
    STORE, Gauge, "galley_store_bytes", "Length of the store's file.";
    REVISION, Gauge, "galley_store_revision", "Number of the last commit.";
    COMMITS, Histogram, "galley_store_commit_duration_seconds", "Time that commits took, until they were on disk.";
    FAILED_COMMITS, Counter, "galley_store_commit_failures_total", "Commits that the disk refused.";
    POSTS, Gauge, "galley_posts", "Posts, by status.";
    PAGES, Gauge, "galley_pages", "Pages, by status.";
    MEMBERS, Gauge, "galley_members", "Members, by status.";
    RECORDS, Gauge, "galley_records", "Other records, by kind.";
    WAITING, Gauge, "galley_waiting", "What is to leave the site and has not yet, by kind; mails and the requests to each webhook are counted up to 1000.";
    DELIVERIES, Counter, "galley_deliveries_total", "Attempts to deliver, by kind (mail, newsletter_mail, webhook) and by what came of them (delivered, failed: tried again, given_up).";
    FILES, Gauge, "galley_content_files", "Content files that were read.";
    PROBLEMS, Gauge, "galley_content_problems", "What is wrong with content files, by severity.";
    GIT_COMMIT, Gauge, "galley_git_commit_timestamp_seconds", "When the commit was written that is served; absent without a repository.";
    GIT_LOOKED, Gauge, "galley_git_last_success_timestamp_seconds", "When the repository last told what its newest commit is; absent without a repository.";
    GIT_WELL, Gauge, "galley_git_up", "Whether the newest commit is served, as far as that is known: 1 or 0; absent without a repository.";
    RESIDENT, Gauge, "process_resident_memory_bytes", "Memory of the process that is not swapped out.";
    VIRTUAL, Gauge, "process_virtual_memory_bytes", "Address space of the process.";
    CPU, Counter, "process_cpu_seconds_total", "Time on processors.";
    OPEN_FILES, Gauge, "process_open_fds", "Open files, sockets among them.";
    OPEN_FILES_MAX, Gauge, "process_max_fds", "Most files that may be open.";
    STARTED, Gauge, "process_start_time_seconds", "When the process began, in seconds since 1970.";
}
