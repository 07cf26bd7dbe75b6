//! Tests of the formats of member lists, and of invalid rows.

use super::*;

#[test]
fn invalid_rows_are_reported_and_the_rest_is_imported() {
    let publication = Publication::new();
    let long_name = "n".repeat(192);

    let report = publication.import(format!(
        "email,name,deleted_at\n\
         not-an-address,Somebody\n\
         dora@example.com,Dora\n\
         Dora@Example.com,Dora again\n\
         ,No address\n\
         \n\
         ,,\n\
         ed@example.com,\"on two\nlines\"\n\
         gus@example.com,,2024-01-01\n\
         hal@example.com,{long_name}\n\
         ida@example.com\n"
    ));

    assert_eq!(
        lines(&report.left_out),
        [
            "line 2: \"not-an-address\" is not an e-mail address.",
            "line 4: Dora@Example.com is already in line 3",
            "line 5: it has no e-mail address",
            "line 10: gus@example.com was deleted (2024-01-01)",
            "line 11: The name of a member has at most 191 characters; this one has 192.",
        ]
    );
    assert_eq!(count(&report), added(3));
    let name = |email: &str| publication.member(email).name;
    assert_eq!(name("dora@example.com").as_deref(), Some("Dora"));
    assert_eq!(name("ed@example.com").as_deref(), Some("on two\nlines"));
    assert_eq!(name("ida@example.com"), None);
}

#[test]
fn row_with_more_cells_than_columns_is_rejected() {
    let publication = Publication::new();

    let report =
        publication.import("email,name\nana@example.com,Example, Ana\nben@example.com,Ben,,\n");

    assert_eq!(
        lines(&report.left_out),
        [
            "line 2: it has 3 cells, but there are 2 columns; a cell with a comma in it needs quotation marks"
        ]
    );
    assert_eq!(count(&report), added(1));
}

#[test]
fn headers_and_cells_are_read_as_spreadsheets_write_them() {
    let forms = [
        "\u{feff}Email,Full Name,Subscribed To Emails,Created at\r\nana@example.com,Ana,FALSE,2024-03-01\r\n",
        "EMAIL ADDRESS;name;subscribed_to_emails;created_at\n ana@example.com ;Ana;false;2024-03-01 00:00\n",
        "name\te-mail\tsubscribed\tcreated-at\nAna\tana@example.com\t0\t1 Mar 2024",
    ];
    for form in forms {
        let publication = Publication::new();

        let report = publication.import(form);

        assert_eq!(count(&report), added(1), "{form}");
        assert!(report.changed.is_empty() && report.left_out.is_empty());
        let ana = publication.member("ana@example.com");
        assert_eq!(ana.name.as_deref(), Some("Ana"), "{form}");
        assert!(!ana.is_subscribed(), "{form}");
        assert_eq!(ana.created_at, time("2024-03-01T00:00:00Z"), "{form}");
    }
}

#[test]
fn future_and_ambiguous_dates_are_ignored() {
    let publication = Publication::new();

    let report = publication.import(
        "email,created_at\nana@example.com,2099-01-01\nben@example.com,12/31/2019\ncleo@example.com,1/2/2020 10:30\n",
    );

    assert_eq!(
        lines(&report.changed),
        [
            "line 2: \"2099-01-01\" in created_at is in the future and is ignored",
            "line 4: \"1/2/2020 10:30\" in created_at is ambiguous, since either number may be the month (write it as 2020-02-03), and is ignored",
        ]
    );
    let signed_up = |email: &str| publication.member(email).created_at;
    assert_eq!(signed_up("ana@example.com"), time(NOW));
    assert_eq!(signed_up("ben@example.com"), time("2019-12-31T00:00:00Z"));
    assert_eq!(signed_up("cleo@example.com"), time(NOW));
}

#[test]
fn unknown_columns_are_reported_once() {
    let publication = Publication::new();

    let report = publication.import(
        "email,Expertise,created_at,labels\nana@example.com,Knots,soon,\"Early, ,Early\"\n",
    );

    assert_eq!(
        lines(&report.left_out),
        ["column \"Expertise\": members have no field of this name"]
    );
    assert_eq!(
        lines(&report.changed),
        ["line 2: \"soon\" in created_at is not a date and is ignored"]
    );
    assert_eq!(publication.labels("ana@example.com"), ["Early"]);
}

#[test]
fn invalid_member_list_is_rejected_without_changes() {
    let unclosed = format!(
        "email,name\nana@example.com,\"Ana\n{}",
        "b@c.de,B\n".repeat(100_000)
    );
    let cases: [(&[u8], &str); 6] = [
        (
            b"\xef\xbb\xbf\n\n,,\n",
            "has no column \"email\". Its first line is empty.",
        ),
        (
            b"name,age\nAna,3\n",
            "has no column \"email\". Its first line is: name, age.",
        ),
        (b"Just some words.", "Its first line is: Just some words.."),
        (
            b"email,name\na@example.com,A\nb@example.com,Ren\xe9\n",
            "Line 3 of the list is not UTF-8. Save the list as \"CSV UTF-8\".",
        ),
        (b"\xff\xfee\0m\0a\0i\0l\0", "is not UTF-8"),
        (
            unclosed.as_bytes(),
            "The row that begins in line 2 of the list does not end within 262144 bytes.",
        ),
    ];
    for (csv, expected) in cases {
        let publication = Publication::new();
        let before = publication.revision();

        let error = publication.try_import(csv).unwrap_err();

        assert_eq!(error.kind(), Kind::Validation, "{expected}");
        assert!(error.to_string().contains(expected), "{error}");
        assert_eq!(publication.revision(), before);
    }
}

#[test]
fn number_of_labels_in_a_list_is_limited() {
    const LABELS_MAX: usize = 5000;
    let publication = Publication::new();
    let mut csv = "email,labels\n".to_owned();
    for row in 0..=LABELS_MAX / 10 {
        let labels: Vec<String> = (0..10).map(|index| format!("{row}-{index}")).collect();
        csv += &format!("m{row}@example.com,\"{}\"\n", labels.join(","));
    }

    let error = publication.try_import(csv).unwrap_err();

    assert!(
        error.to_string().contains("more than 5000 labels"),
        "{error}"
    );
}
