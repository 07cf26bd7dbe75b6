//! Validation of e-mail addresses.

/// Longest address, in characters (Ghost 6.65, recorded).
pub const ADDRESS_CHARACTERS_MAX: usize = 191;

/// Longest part before the `@`, in bytes (RFC 5321, section 4.5.3.1.1).
const LOCAL_PART_BYTES_MAX: usize = 64;

/// Longest part between two dots of a domain, in bytes (RFC 1035, section 2.3.4).
const DOMAIN_LABEL_BYTES_MAX: usize = 63;

/// Returns whether `text` is a bare e-mail address of a public domain: `ana@example.com`.
///
/// Characters of every script are permitted. Quoted local parts, comments and domains without a dot
/// are rejected, as in Ghost.
pub fn is_address(text: &str) -> bool {
    let Some((local_part, domain)) = text.rsplit_once('@') else {
        return false;
    };
    text.chars().count() <= ADDRESS_CHARACTERS_MAX
        && local_part.len() <= LOCAL_PART_BYTES_MAX
        && local_part.split('.').all(is_atom)
        && is_domain(domain)
}

fn is_atom(text: &str) -> bool {
    let is_permitted = |character: char| {
        if character.is_ascii() {
            character.is_ascii_alphanumeric() || "!#$%&'*+-/=?^_`{|}~".contains(character)
        } else {
            is_visible(character)
        }
    };
    !text.is_empty() && text.chars().all(is_permitted)
}

fn is_domain(text: &str) -> bool {
    let Some((_, last)) = text.rsplit_once('.') else {
        return false;
    };
    // Top-level domains are never numeric; a numeric one indicates an IP address.
    let is_top = last.chars().count() >= 2 && !last.chars().all(|c| c.is_ascii_digit());
    is_top && text.split('.').all(is_domain_label)
}

fn is_domain_label(text: &str) -> bool {
    let is_permitted = |character: char| {
        if character.is_ascii() {
            character.is_ascii_alphanumeric() || character == '-'
        } else {
            is_visible(character)
        }
    };
    (1..=DOMAIN_LABEL_BYTES_MAX).contains(&text.len())
        && text.chars().all(is_permitted)
        && !text.starts_with('-')
        && !text.ends_with('-')
}

/// Returns whether the character is visible: neither white space nor a control or formatting
/// character.
fn is_visible(character: char) -> bool {
    // Marks of direction and width are invisible, so an address with one would appear to be
    // another.
    !character.is_control()
        && !character.is_whitespace()
        && !matches!(character, '\u{200b}'..='\u{200f}' | '\u{2028}'..='\u{202e}' | '\u{2060}'..='\u{206f}' | '\u{feff}')
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn mailbox_addresses_are_accepted_and_other_texts_rejected() {
        let long_domain = format!("ana@{}.example", "d".repeat(63));
        let addresses = [
            "ana@example.com",
            "ANA+news@mail.example.co.uk",
            "o'neill_{x}@ex-ample.museum",
            "あい@例え.テスト",
            &long_domain,
        ];
        for address in addresses {
            assert!(is_address(address), "{address}");
        }

        let too_long = format!("ana@{}.example", "long.".repeat(40));
        let long_local_part = format!("{}@example.com", "l".repeat(65));
        let others = [
            "",
            "ana",
            "ana@",
            "@example.com",
            "ana@localhost",
            "ana@example.c",
            "ana@127.0.0.1",
            "ana@-example.com",
            "ana@example..com",
            ".ana@example.com",
            "an..a@example.com",
            "an a@example.com",
            "\"an a\"@example.com",
            "ana@b@example.com",
            "ana\u{200b}@example.com",
            "Ana <ana@example.com>",
            &too_long,
            &long_local_part,
        ];
        for other in others {
            assert!(!is_address(other), "{other}");
        }
    }
}
