//! Tests that opening a link in a mail to staff changes nothing, because mail scanners open links before the recipient.

use galley_tests::{Request, TestSite, Who, owner, staff::OWNER};
use serde_json::json;

/// A password that is accepted as hard to guess.
const NEW: &str = "An-0ther-phrase!";

/// Opens a link like a mail scanner.
fn scan(site: &TestSite, path: &str) {
    for method in ["HEAD", "GET"] {
        for (name, value) in [("accept", "text/html"), ("sec-purpose", "prefetch")] {
            for _ in 0..3 {
                let request = Request::new(method, path).header(name, value);
                let response = site.ask_as(&Who::Anonymous, &request);
                assert!(response.status < 500, "{method} {path}");
                assert!(response.cookies.is_empty(), "{method} {path}");
            }
        }
    }
}

#[test]
fn invitation_opened_by_a_scanner_can_be_accepted() {
    let site = TestSite::builder().without_content().staffed().start();
    let email = "new@example.com";
    let invite = json!({"invites": [{"email": email, "role_id": site.role_id("Editor")}]});
    site.post_as(&owner(), "/invites/", &invite);
    let token = site.token_in_mail(email, "signup");

    scan(&site, &format!("/ghost/signup/{token}/"));
    scan(
        &site,
        "/ghost/api/admin/authentication/invitation/?email=new@example.com",
    );

    let accepted =
        json!({"invitation": [{"token": token, "name": "New", "email": email, "password": NEW}]});
    site.post_as(&Who::Anonymous, "/authentication/invitation/", &accepted);
}

#[test]
fn reset_link_opened_by_a_scanner_sets_a_password() {
    let site = TestSite::builder().without_content().staffed().start();
    let (_, email, _) = OWNER;
    let request = json!({"password_reset": [{"email": email}]});
    site.post_as(&Who::Anonymous, "/authentication/password_reset/", &request);
    let token = site.token_in_mail(email, "reset");

    scan(&site, &format!("/ghost/reset/{token}/"));

    let new = json!({"password_reset": [{"token": token, "newPassword": NEW, "ne2Password": NEW}]});
    site.put_as(&Who::Anonymous, "/authentication/password_reset/", &new);
}
