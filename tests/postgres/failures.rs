//! Tests of a database that is stopped, cut off, full or read-only: reads continue, writes fail with an error and change
//! nothing, and acknowledged changes are stored.

use std::{
    io::{Read, Write},
    net::{Shutdown, TcpListener, TcpStream},
    sync::{
        Arc,
        atomic::{AtomicBool, AtomicUsize, Ordering::SeqCst},
    },
    thread,
    time::{Duration, Instant},
};

use galley::{
    clock::SystemClock,
    domain::post::Body,
    error::{Error, Kind},
    site::Site,
    store::{Batch, Store, StoreError, Table, postgres::PostgresStore},
};
use galley_tests::{
    shared_store::SharedStore,
    site_records::{post, tag, tags},
};

use crate::{
    server::{Server, parsed},
    stores::{PostgresStores, any},
};

fn open(shared: &PostgresStores) -> Site {
    Site::open(shared.open(), Arc::new(SystemClock)).unwrap()
}

fn add_tag(site: &Site, name: &str) -> Result<(), Error> {
    site.write(|transaction| transaction.save(tag(name)))
}

fn assert_unavailable(refused: Result<(), Error>) {
    let error = refused.unwrap_err();
    assert_eq!(
        (error.kind(), error.code_name()),
        (Kind::Maintenance, Some("STORE_UNAVAILABLE")),
        "{error:?}"
    );
}

fn schema_of(shared: &PostgresStores) -> &str {
    shared.url.rsplit_once("%3D").unwrap().1
}

#[test]
fn reads_continue_while_the_database_is_stopped() {
    let mut server = Server::start();
    let shared = PostgresStores::at(server.new_store());
    let (one, other) = (open(&shared), open(&shared));
    let body = || Body::new("<p>Text</p>".to_owned(), false, false);
    one.write(|transaction| transaction.save_post(post("letter", 1), body()))
        .unwrap();
    other.follow().unwrap();

    server.stop();

    assert_unavailable(add_tag(&one, "lost"));
    assert!(other.follow().is_err());
    let snapshot = other.current();
    let found = snapshot.catalog.posts.by_slug("letter").unwrap();
    let html = snapshot.html(found.id).unwrap();
    assert_eq!(html.as_deref(), Some("<p>Text</p>"));
    drop(snapshot);

    server.resume();

    add_tag(&one, "a").unwrap();
    add_tag(&other, "b").unwrap();
    one.follow().unwrap();
    assert_eq!(tags(&one.current()), ["a", "b"]);
    assert_eq!(tags(&open(&shared).current()), ["a", "b"]);
}

/// Connections are terminated repeatedly while they are in use.
#[test]
fn no_acknowledged_change_is_lost_when_connections_end() {
    let server = Server::start();
    let shared = PostgresStores::at(server.new_store());
    let sites = [(); 3].map(|()| open(&shared));
    let is_over = AtomicBool::new(false);
    let ended = AtomicUsize::new(0);
    let terminate = "SELECT count(pg_terminate_backend(pid)) FROM pg_stat_activity \
        WHERE application_name = 'galley' AND random() < 0.5";
    let outcomes = thread::scope(|scope| {
        scope.spawn(|| {
            while !is_over.load(SeqCst) {
                let count = server.run(terminate).unwrap();
                ended.fetch_add(count.parse().unwrap(), SeqCst);
            }
        });
        let writers = sites.each_ref().map(|site| {
            let number = sites
                .iter()
                .position(|other| std::ptr::eq(site, other))
                .unwrap();
            scope.spawn(move || {
                let names = (0..150).map(|write| format!("{number}-{write}"));
                names
                    .map(|name| (name.clone(), add_tag(site, &name)))
                    .collect::<Vec<_>>()
            })
        });
        let outcomes = writers.map(|writer| writer.join().unwrap());
        is_over.store(true, SeqCst);
        outcomes.into_iter().flatten().collect::<Vec<_>>()
    });

    let found = tags(&open(&shared).current());
    for (name, outcome) in &outcomes {
        match outcome {
            Ok(()) => assert!(found.contains(name), "{name} was acknowledged, but is lost"),
            Err(error) => {
                assert_eq!(error.kind(), Kind::Maintenance, "{error:?}");
                assert!(!found.contains(name), "{name} was refused, but is stored");
            }
        }
    }
    let saved = outcomes
        .iter()
        .filter(|(_, outcome)| outcome.is_ok())
        .count();
    assert!(
        saved > 100,
        "{saved} of {} changes were saved",
        outcomes.len()
    );
    assert!(ended.load(SeqCst) > 10);
    for site in sites {
        site.follow().unwrap();
        assert_eq!(tags(&site.current()), found);
    }
}

#[test]
fn read_only_database_can_be_read() {
    let server = Server::start();
    let shared = PostgresStores::at(server.new_store());
    let site = open(&shared);
    add_tag(&site, "a").unwrap();
    // Like a standby, or a primary that became a standby.
    server
        .run("ALTER ROLE galley SET default_transaction_read_only = on")
        .unwrap();
    server.run("SELECT pg_terminate_backend(pid) FROM pg_stat_activity WHERE application_name = 'galley'").unwrap();

    assert_unavailable(add_tag(&site, "b"));
    site.follow().unwrap();
    assert_eq!(tags(&site.current()), ["a"]);

    server.run("SET transaction_read_only = off; ALTER ROLE galley RESET default_transaction_read_only").unwrap();
    add_tag(&site, "c").unwrap();
    assert_eq!(tags(&site.current()), ["a", "c"]);
}

#[test]
fn full_database_is_reported() {
    let shared = any();
    let store = shared.replica();
    let schema = schema_of(&shared);
    // The error that PostgreSQL returns when it cannot extend a file.
    let full = format!(
        "CREATE FUNCTION {schema}.no_space() RETURNS trigger LANGUAGE plpgsql AS \
         $$ BEGIN RAISE EXCEPTION 'could not extend file' USING ERRCODE = 'disk_full'; END $$; \
         CREATE TRIGGER no_space BEFORE INSERT ON {schema}.galley_records FOR EACH ROW EXECUTE FUNCTION {schema}.no_space()"
    );
    Server::shared().run(&full).unwrap();

    let refused = store.commit(Batch::new().put(Table::Tags, "a", "1"));

    assert!(
        matches!(refused, Err(StoreError::Full { .. })),
        "{refused:?}"
    );
    assert_eq!(store.snapshot().unwrap().revision(), 0);
    Server::shared()
        .run(&format!("DROP TRIGGER no_space ON {schema}.galley_records"))
        .unwrap();
    assert_eq!(
        store
            .commit(Batch::new().put(Table::Tags, "a", "1"))
            .unwrap(),
        1
    );
}

#[test]
fn transaction_may_take_longer_than_the_idle_timeout() {
    let shared = any();
    let store = shared.replica();
    let writer = store.writer().unwrap();

    thread::sleep(Duration::from_secs(12));

    assert_eq!(
        writer
            .commit(&[Batch::new().put(Table::Tags, "a", "1")])
            .unwrap(),
        1
    );
}

#[test]
fn writer_whose_transaction_has_ended_writes_nothing() {
    let shared = any();
    let (store, other) = (shared.replica(), shared.replica());
    let writer = store.writer().unwrap();
    let locked = format!(
        "SELECT pg_terminate_backend(pid) FROM pg_locks WHERE mode = 'RowShareLock' \
         AND relation = '{}.galley_store'::regclass",
        schema_of(&shared)
    );
    Server::shared().run(&locked).unwrap();
    let revision = other
        .commit(Batch::new().put(Table::Tags, "b", "1"))
        .unwrap();

    let refused = writer.commit(&[Batch::new().put(Table::Tags, "a", "1")]);

    assert!(
        matches!(refused, Err(StoreError::Unavailable { .. })),
        "{refused:?}"
    );
    assert_eq!(store.snapshot().unwrap().revision(), revision);
    assert_eq!(
        store.snapshot().unwrap().get(Table::Tags, b"a").unwrap(),
        None
    );
}

/// The network drops all packets without closing the connection.
#[test]
fn writes_to_a_database_that_is_cut_off_time_out() {
    let mut server = Server::start();
    let port = server.listen();
    let proxy = Proxy::start(port);
    let shared = PostgresStores::at(server.url_at(&server.new_schema(), proxy.port));
    let site = open(&shared);
    add_tag(&site, "a").unwrap();

    proxy.is_cut.store(true, SeqCst);

    let begun = Instant::now();
    assert_unavailable(add_tag(&site, "b"));
    assert!(
        begun.elapsed() < Duration::from_secs(40),
        "{:?}",
        begun.elapsed()
    );
    assert_eq!(tags(&site.current()), ["a"]);

    proxy.is_cut.store(false, SeqCst);
    add_tag(&site, "c").unwrap();
    assert_eq!(tags(&site.current()), ["a", "c"]);
}

/// A proxy that forwards bytes while it is not cut.
pub struct Proxy {
    pub port: u16,
    pub is_cut: Arc<AtomicBool>,
}

impl Proxy {
    pub fn start(to: u16) -> Self {
        let listener = TcpListener::bind("127.0.0.1:0").unwrap();
        let port = listener.local_addr().unwrap().port();
        let is_cut = Arc::<AtomicBool>::default();
        let cut = Arc::clone(&is_cut);
        thread::spawn(move || {
            for client in listener.incoming() {
                let client = client.unwrap();
                let server = TcpStream::connect(("127.0.0.1", to)).unwrap();
                for (from, to) in [(&client, &server), (&server, &client)] {
                    let (from, to) = (from.try_clone().unwrap(), to.try_clone().unwrap());
                    let cut = Arc::clone(&cut);
                    thread::spawn(move || pass_on(from, to, &cut));
                }
            }
        });
        Self { port, is_cut }
    }
}

fn pass_on(mut from: TcpStream, mut to: TcpStream, is_cut: &AtomicBool) {
    let mut bytes = [0; 16 * 1024];
    while let Ok(count) = from.read(&mut bytes) {
        if count == 0 {
            break;
        }
        if !is_cut.load(SeqCst) && to.write_all(&bytes[..count]).is_err() {
            break;
        }
    }
    let _ = to.shutdown(Shutdown::Both);
}

/// These are configuration errors, which a replica must not hide.
#[test]
fn wrong_database_user_or_tls_is_refused_even_with_a_replica() {
    let mut server = Server::start();
    let port = server.listen();
    let url = server.url_at(&server.new_schema(), port);
    let shared = PostgresStores::at(url.clone());
    let store = shared.replica_in("filled.redb");
    store
        .commit(Batch::new().put(Table::Tags, "a", "1"))
        .unwrap();
    drop(store);
    let opened = |url: &str| {
        PostgresStore::open_or_replica(&parsed(url), shared.path("filled.redb"), 1 << 20)
    };

    for (url, words) in [
        (
            url.replace("/postgres?", "/harbour?"),
            "\"harbour\" does not exist",
        ),
        (url.replace("//galley@", "//bob@"), "\"bob\" does not exist"),
        (format!("{url}&sslmode=require"), "does not support TLS"),
    ] {
        let error = opened(&url).err().unwrap();
        assert!(matches!(error, StoreError::Refused { .. }), "{error:?}");
        assert!(error.to_string().contains(words), "{error}");
    }

    server.stop();
    assert!(opened(&url).is_ok());
}

#[test]
fn certificate_of_a_remote_server_is_verified() {
    let mut server = Server::start();
    let authority = server.use_tls();
    let port = server.listen();
    let schema = server.new_schema();
    let url = |parameters: &str| format!("{}&{parameters}", server.url_at(&schema, port));
    let refused = |url: String| {
        PostgresStores::at(url)
            .try_replica()
            .err()
            .map(|error| error.to_string())
    };

    let unknown = refused(url("sslmode=require")).unwrap();
    assert!(unknown.contains("sslrootcert"), "{unknown}");
    let trusting = format!("sslmode=verify-full&sslrootcert={}", authority.display());
    assert_eq!(refused(url(&trusting)), None);
    let not_there = refused(url("sslmode=require&sslrootcert=/nowhere.pem")).unwrap();
    assert!(
        not_there.contains("sslrootcert /nowhere.pem"),
        "{not_there}"
    );
    let shared = PostgresStores::at(url(&trusting));
    let store = shared.replica();
    store
        .commit(Batch::new().put(Table::Tags, "a", "1"))
        .unwrap();
    let encrypted = "SELECT bool_and(ssl) FROM pg_stat_ssl JOIN pg_stat_activity USING (pid) \
        WHERE application_name = 'galley'";
    assert_eq!(server.run(encrypted).unwrap(), "t");
}

#[test]
fn invalid_url_is_rejected_with_the_reason() {
    let refused = |url: &str| {
        url.parse::<galley::store::postgres::PostgresUrl>()
            .unwrap_err()
            .to_string()
    };

    assert!(refused("mysql://localhost/x").contains("must begin with postgres://"));
    assert!(refused("postgres:///x").contains("has no host"));
    assert!(refused("postgres://h/x?sslmode=prefer").contains("verify-full"));
    assert!(refused("postgres://h/x?colour=red").contains("colour"));
    let named: galley::store::postgres::PostgresUrl =
        "postgres://ada:secret@h:5433/x".parse().unwrap();
    assert_eq!(named.to_string(), "postgres://h:5433/x");
    assert!(!format!("{named:?}").contains("secret"));
}
