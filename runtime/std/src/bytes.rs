//! Bytes as text, for `lib/std/bytes`: UTF-8, hex digits, base 64 and base 32.
//!
//! Encodings are those of RFC 4648, by the crate `data-encoding`; what is decoded must be exact, but for white space
//! where it is asked for. Packing numbers is in `lib/std/bytes/pack.spl`.

use data_encoding::{BASE32, BASE32_NOPAD, BASE64, BASE64_NOPAD, BASE64URL, BASE64URL_NOPAD};
use data_encoding::{DecodeKind, Encoding, HEXLOWER, HEXLOWER_PERMISSIVE};
use simple_system::memory;

/// Two digits for each byte.
pub fn hex(bytes: &[u8]) -> String {
    HEXLOWER.encode(bytes)
}

/// The text of UTF-8.
pub fn text(bytes: &[u8]) -> Result<String, String> {
    match std::str::from_utf8(bytes) {
        Ok(text) => Ok(text.to_owned()),
        Err(error) => {
            let at = error.valid_up_to();
            Err(match (bytes.get(at), error.error_len()) {
                (Some(byte), Some(_)) => format!("byte {at} (0x{byte:02x}) is not valid UTF-8"),
                _ => format!("the bytes end within a character of UTF-8 that begins at byte {at}"),
            })
        }
    }
}

/// The text of bytes; what is not UTF-8 is replaced by U+FFFD.
pub fn lossy(bytes: &[u8]) -> Result<String, String> {
    memory::probe(bytes.len().saturating_mul(3))?;
    Ok(String::from_utf8_lossy(bytes).into_owned())
}

/// The encoding of a name, and what messages call it.
fn encoding(name: &str) -> Result<(Encoding, &'static str), String> {
    Ok(match name {
        "hex" => (HEXLOWER_PERMISSIVE, "hex"),
        "base64" => (BASE64, "base 64"),
        "base64 bare" => (BASE64_NOPAD, "base 64 without `=`"),
        "base64url" => (BASE64URL, "URL-safe base 64"),
        "base64url bare" => (BASE64URL_NOPAD, "URL-safe base 64 without `=`"),
        "base32" => (BASE32, "base 32"),
        "base32 bare" => (BASE32_NOPAD, "base 32 without `=`"),
        _ => return Err(format!("unknown encoding `{name}`")),
    })
}

/// Bytes in an encoding.
pub fn encode(name: &str, bytes: &[u8]) -> Result<String, String> {
    let (encoding, _) = encoding(name)?;
    memory::probe(bytes.len().saturating_mul(2))?;
    Ok(encoding.encode(bytes))
}

/// The bytes of a text in an encoding.
pub fn decode(name: &str, content: &str) -> Result<Vec<u8>, String> {
    let (encoding, shown) = encoding(name)?;
    encoding.decode(content.as_bytes()).map_err(|error| {
        let at = error.position.min(content.len());
        let found = content.get(at..).and_then(|rest| rest.chars().next());
        match (error.kind, found) {
            (DecodeKind::Symbol, Some(found)) => {
                let place = content[..at].chars().count();
                format!("`{}` at position {place} is not a digit of {shown}", found.escape_debug())
            }
            (DecodeKind::Length, _) if name == "hex" => {
                format!("hex has two digits for each byte, found {} digits", content.len())
            }
            (DecodeKind::Trailing, _) => format!("the last digit of this {shown} has bits that belong to no byte"),
            _ => format!("this is not the whole of a text in {shown}: its length or its `=` at the end are wrong"),
        }
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_is_encoded_is_decoded() {
        for name in [
            "hex",
            "base64",
            "base64 bare",
            "base64url",
            "base64url bare",
            "base32",
            "base32 bare",
        ] {
            for length in 0..20 {
                let bytes: Vec<u8> = (0..length).map(|byte: u8| byte.wrapping_mul(13)).collect();
                assert_eq!(
                    decode(name, &encode(name, &bytes).unwrap()).unwrap(),
                    bytes,
                    "{name}"
                );
            }
        }
        assert_eq!(decode("hex", "AbCd").unwrap(), [0xab, 0xcd]);
    }

    #[test]
    fn mistakes_have_a_place() {
        assert!(
            decode("hex", "0g")
                .unwrap_err()
                .contains("`g` at position 1")
        );
        assert!(
            decode("hex", "éé")
                .unwrap_err()
                .contains("`é` at position 0")
        );
        assert!(decode("hex", "012").unwrap_err().contains("found 3 digits"));
        assert!(decode("base64", "QUI").unwrap_err().contains("length"));
        assert!(text(b"ab\xff").unwrap_err().contains("byte 2 (0xff)"));
        assert!(
            text(b"ab\xe2\x82")
                .unwrap_err()
                .contains("begins at byte 2")
        );
    }
}
