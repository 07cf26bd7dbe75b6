//! Tests of the test support crate: tokens, mails and receivers.

use std::{net::TcpStream, time::Duration};

use data_encoding::HEXLOWER;
use galley_tests::{
    admin_token::Token, http_client::Client, mime::Message, smtp_receiver::SmtpReceiver,
    wait::PATIENCE, webhook_receiver::WebhookReceiver,
};
use serde_json::Value;

/// The example token of HS256 from jwt.io.
#[test]
fn token_signature_matches_other_libraries() {
    let secret = HEXLOWER.encode(b"your-256-bit-secret");
    let key = format!("x:{secret}");
    let token = ["exp", "aud", "iat"]
        .into_iter()
        .fold(Token::new(&key), |token, name| {
            token.claim(name, Value::Null)
        })
        .header("kid", Value::Null)
        .claim("sub", "1234567890")
        .claim("name", "John Doe")
        .claim("iat", 1_516_239_022);

    assert_eq!(
        token.finish(),
        "eyJhbGciOiJIUzI1NiIsInR5cCI6IkpXVCJ9\
         .eyJzdWIiOiIxMjM0NTY3ODkwIiwibmFtZSI6IkpvaG4gRG9lIiwiaWF0IjoxNTE2MjM5MDIyfQ\
         .SflKxwRJSMeKKF2QT4fwpMeJf36POk6yJV_adQssw5c"
    );
}

#[test]
fn message_is_decoded_as_displayed() {
    let message = Message::read(
        b"Subject: =?utf-8?b?R3LDvMOfZSA=?=\r\n =?UTF-8?Q?aus_der_K=C3=BCche?= 7\r\n\
          To: ada@example.com\r\n\
          Content-Type: multipart/alternative;\r\n boundary=\"x-1\"\r\n\r\n\
          preamble\r\n--x-1\r\n\
          Content-Type: text/plain; charset=utf-8\r\n\
          Content-Transfer-Encoding: quoted-printable\r\n\r\n\
          Caf=C3=A9 and a long=\r\n line\r\nwith =3D\r\n--x-1\r\n\
          Content-Type: text/html; charset=\"UTF-8\"\r\n\
          Content-Transfer-Encoding: base64\r\n\r\n\
          PHA+\r\nSGk8L3A+\r\n--x-1--\r\n",
    );

    assert_eq!(message.subject(), "Grüße aus der Küche 7");
    assert_eq!(message.header("TO"), Some("ada@example.com"));
    assert_eq!(message.text, "Café and a long line\nwith =");
    assert_eq!(message.html, "<p>Hi</p>");
}

#[test]
fn message_without_parts_is_plain_text() {
    let message = Message::read(b"Subject: hello\r\n\r\nOne line.\r\n");

    assert_eq!(
        (message.subject(), message.text.as_str()),
        ("hello", "One line.\n")
    );
    assert_eq!(message.html, "");
}

#[test]
fn mail_of_a_client_is_received() {
    use lettre::{Message as LettreMessage, SmtpTransport, Transport, message::MultiPart};
    let receiver = SmtpReceiver::start();
    receiver.refuse("unknown@example.com");
    let mail_to = |to: &str| {
        let texts = MultiPart::alternative_plain_html(
            String::from(".a dot at first\n..two\n.\nÄ long line: ") + &"wörds ".repeat(40),
            String::from("<p>Grüße</p>"),
        );
        LettreMessage::builder()
            .from("Galley <galley@example.com>".parse().unwrap())
            .to(to.parse().unwrap())
            .subject(
                "Ein Gruß, der lang genug ist, um in mehr als eine Zeile zu gehen: 東京 und zurück",
            )
            .multipart(texts)
            .unwrap()
    };
    let sender = SmtpTransport::from_url(&receiver.url()).unwrap().build();

    sender.send(&mail_to("Ada <ada@example.com>")).unwrap();
    let mail = receiver.mail_to("ada@example.com");
    assert_eq!(mail.from, "galley@example.com");
    assert_eq!(
        mail.message.subject(),
        "Ein Gruß, der lang genug ist, um in mehr als eine Zeile zu gehen: 東京 und zurück"
    );
    assert!(
        mail.message
            .text
            .starts_with(".a dot at first\n..two\n.\nÄ long line: wörds ")
    );
    assert_eq!(mail.message.html.trim_end(), "<p>Grüße</p>");

    assert!(sender.send(&mail_to("unknown@example.com")).is_err());
    assert!(receiver.mail_within(None, Duration::ZERO).is_none());
}

#[test]
fn receiver_records_deliveries_and_responds_by_path() {
    let receiver = WebhookReceiver::start();
    let address = receiver.url().replace("http://", "");
    let post = |target: &str| {
        let mut client = Client::new(TcpStream::connect(&address).unwrap());
        client.send(format!(
            "POST {target} HTTP/1.1\r\nhost: x\r\ncontent-length: 2\r\nX-A: b\r\n\r\n{{}}"
        ));
        client.respond().status
    };

    assert_eq!((post("/a"), post("/status/410")), (200, 410));
    let delivery = receiver
        .delivery_within(Some("/status/410"), PATIENCE)
        .unwrap();
    assert_eq!(delivery.body, b"{}");
    assert_eq!(delivery.headers["x-a"], "b");
    assert!(receiver.delivery_within(Some("/a"), PATIENCE).is_some());
    assert!(receiver.delivery_within(None, Duration::ZERO).is_none());
}
