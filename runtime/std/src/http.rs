//! One request of HTTP/1.1 for `lib/std/http`, by the crate `ureq`; TLS by `rustls` with the certificates of the
//! system.
//!
//! A request crosses as its parts and yields the status; headers and body are asked for after it. Connections are kept
//! for the next request. Proxies come from the environment, by the scheme of the address, as in Python and curl. What
//! is done with redirects, and which headers a request has, is in `lib/std/http`. Left out: HTTP/2, cookies,
//! certificates of clients.

use std::cell::{OnceCell, RefCell};
use std::io::{Read, Write};
use std::net::IpAddr;
use std::path::Path;
use std::sync::Arc;
use std::time::Duration;

use simple_system::in_words;
use simple_system::replace::{Failed, Sync, replace};
use ureq::http::{Request, Response, Uri};
use ureq::tls::{RootCerts, TlsConfig};
use ureq::{Agent, Body, Proxy};

/// The most bytes that the headers of an answer may have.
const HEADERS: usize = 256 << 10;

#[derive(Default, Debug)]
struct Answer {
    headers: Vec<String>,
    body: Vec<u8>,
}

thread_local! {
    static AGENT: OnceCell<Agent> = const { OnceCell::new() };
    static ANSWER: RefCell<Answer> = RefCell::default();
}

fn agent() -> Agent {
    AGENT.with(|agent| {
        let made = || {
            let config = Agent::config_builder()
                .http_status_as_error(false)
                .max_redirects(0)
                .max_redirects_will_error(false)
                .max_response_header_size(HEADERS)
                .allow_non_standard_methods(true)
                .proxy(None)
                .user_agent("")
                .accept("")
                .build();
            config.new_agent()
        };
        agent.get_or_init(made).clone()
    })
}

fn tls(verify: bool) -> TlsConfig {
    TlsConfig::builder()
        .root_certs(RootCerts::PlatformVerifier)
        .disable_verification(!verify)
        .unversioned_rustls_crypto_provider(Arc::new(rustls::crypto::ring::default_provider()))
        .build()
}

/// The value of an environment variable that is not empty.
fn variable(name: &str) -> Option<String> {
    std::env::var(name).ok().filter(|value| !value.is_empty())
}

/// The proxy that the environment names for an address.
fn proxy(address: &Uri) -> Result<Option<Proxy>, String> {
    let scheme = address.scheme_str().unwrap_or_default();
    // A server that runs programs for requests sets HTTP_PROXY to a header of the request.
    let upper = if scheme == "http" && std::env::var_os("REQUEST_METHOD").is_some() {
        None
    } else {
        variable(&format!("{}_PROXY", scheme.to_uppercase()))
    };
    let found = variable(&format!("{scheme}_proxy")).or(upper);
    let Some(found) = found
        .or_else(|| variable("all_proxy"))
        .or_else(|| variable("ALL_PROXY"))
    else {
        return Ok(None);
    };
    let excluded = variable("no_proxy")
        .or_else(|| variable("NO_PROXY"))
        .unwrap_or_default();
    let host = address.host().unwrap_or_default();
    if is_this_machine(host) || is_excluded(host, &excluded) {
        return Ok(None);
    }
    let made = Proxy::new(&found);
    made.map(Some)
        .map_err(|error| format!("the proxy `{found}` of the environment: {error}"))
}

/// Whether a host is this machine, which no proxy is asked for.
fn is_this_machine(host: &str) -> bool {
    let host = host.trim_matches(['[', ']']);
    host.eq_ignore_ascii_case("localhost")
        || host
            .parse::<IpAddr>()
            .is_ok_and(|address| address.is_loopback())
}

/// Whether a host is one of a list such as `localhost,.example.org`; a name is meant with all that end in it.
fn is_excluded(host: &str, list: &str) -> bool {
    let host = host.trim_matches(['[', ']']).to_ascii_lowercase();
    list.split(',')
        .map(|name| name.trim().to_ascii_lowercase())
        .any(|name| match name.trim_start_matches('.') {
            "" => false,
            "*" => true,
            name => host == name || host.ends_with(&format!(".{name}")),
        })
}

fn why(error: ureq::Error) -> String {
    match error {
        ureq::Error::Io(error) => match error.kind() {
            std::io::ErrorKind::UnexpectedEof => "the server ended the connection".to_owned(),
            _ if error.to_string().starts_with("failed to lookup address") => {
                "no such host".to_owned()
            }
            _ => in_words(&error),
        },
        ureq::Error::HostNotFound => "no such host".to_owned(),
        ureq::Error::Timeout(_) => "it took longer than the timeout".to_owned(),
        ureq::Error::BadUri(why) => format!("the address is wrong: {why}"),
        ureq::Error::Rustls(why) => format!("TLS: {why}"),
        ureq::Error::Tls(why) => format!("TLS: {why}"),
        ureq::Error::Protocol(why) => format!("the answer is not HTTP: {why}"),
        ureq::Error::ConnectProxyFailed(why) => format!("the proxy refused: {why}"),
        other => other.to_string(),
    }
}

/// Sends a request: its status. `headers` are names and values, each ended by a NUL. An answer of status 200 to 299 is
/// written to a file if there is a path; any other is kept, and has at most `limit` bytes.
#[allow(clippy::too_many_arguments, reason = "a request has these parts")]
pub fn request(
    method: &str,
    address: &str,
    headers: &str,
    body: Option<&[u8]>,
    milliseconds: i64,
    limit: i64,
    verify: bool,
    path: &str,
) -> Result<i64, String> {
    let failed = |why: String| format!("{method} {address}: {why}");
    let parsed: Uri = address
        .parse()
        .map_err(|error| failed(format!("the address is wrong: {error}")))?;
    if !matches!(parsed.scheme_str(), Some("http" | "https"))
        || parsed.host().is_none_or(str::is_empty)
    {
        return Err(failed(
            "expected an address that begins with `http://` or `https://`".to_owned(),
        ));
    }
    let proxy = proxy(&parsed).map_err(failed)?;
    let mut request = Request::builder().method(method).uri(parsed);
    let words: Vec<&str> = headers.split_terminator('\0').collect();
    for pair in words.chunks_exact(2) {
        request = request.header(pair[0], pair[1]);
    }
    let timeout = u64::try_from(milliseconds).ok().map(Duration::from_millis);
    let agent = agent();
    macro_rules! run {
        ($body:expr) => {{
            let request = request
                .body($body)
                .map_err(|error| failed(error.to_string()))?;
            let request = agent
                .configure_request(request)
                .timeout_global(timeout)
                .proxy(proxy)
                .tls_config(tls(verify));
            agent.run(request.build())
        }};
    }
    let answer = match body {
        Some(body) => run!(body.to_vec()),
        None => run!(()),
    };
    let answer = answer.map_err(|error| failed(why(error)))?;
    let status = i64::from(answer.status().as_u16());
    let headers = answer.headers().iter().flat_map(|(name, value)| {
        [
            name.as_str().to_owned(),
            String::from_utf8_lossy(value.as_bytes()).into_owned(),
        ]
    });
    let headers = headers.collect();
    let body = match path.is_empty() || !(200..300).contains(&status) {
        true => collect(answer, limit),
        false => save(answer, path).map(|()| Vec::new()),
    };
    let body = body.map_err(failed)?;
    ANSWER.with(|kept| *kept.borrow_mut() = Answer { headers, body });
    Ok(status)
}

fn reader(answer: Response<Body>) -> impl Read {
    answer
        .into_body()
        .into_with_config()
        .limit(u64::MAX)
        .reader()
}

/// What went wrong while a body was read, which may be an error of ureq in one of the system.
fn unread(error: std::io::Error) -> String {
    why(ureq::Error::from(error))
}

fn collect(answer: Response<Body>, limit: i64) -> Result<Vec<u8>, String> {
    let most = usize::try_from(limit).map_err(|_| "a limit is not negative")?;
    let mut reader = reader(answer);
    let (mut bytes, mut piece) = (Vec::new(), vec![0; 64 << 10]);
    loop {
        let read = reader.read(&mut piece).map_err(unread)?;
        if read == 0 {
            return Ok(bytes);
        }
        if read > most - bytes.len() {
            return Err(format!(
                "the answer has more than {most} bytes; `limit` allows more"
            ));
        }
        simple_system::memory::reserve(&mut bytes, read).map_err(|error| error.to_string())?;
        bytes.extend_from_slice(&piece[..read]);
    }
}

fn save(answer: Response<Body>, path: &str) -> Result<(), String> {
    let mut reader = reader(answer);
    let written = replace(Path::new(path), Sync::WhenReplacing, |out| {
        let mut piece = vec![0; 64 << 10];
        loop {
            match reader.read(&mut piece).map_err(unread)? {
                0 => return Ok(()),
                read => out
                    .write_all(&piece[..read])
                    .map_err(|error| format!("cannot write `{path}`: {}", in_words(&error)))?,
            }
        }
    });
    written.map_err(|failed| match failed {
        Failed::Content(why) => why,
        Failed::File(error) => format!("cannot write `{path}`: {}", in_words(&error)),
    })
}

/// Names and values of the headers of the last answer.
pub fn headers() -> Result<Vec<String>, String> {
    Ok(ANSWER.with(|kept| std::mem::take(&mut kept.borrow_mut().headers)))
}

/// The body of the last answer.
pub fn body() -> Result<Vec<u8>, String> {
    Ok(ANSWER.with(|kept| std::mem::take(&mut kept.borrow_mut().body)))
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::io::{BufRead, BufReader};
    use std::net::TcpListener;

    /// A server that gives each connection one answer, and yields what it was asked.
    fn serving(answers: &'static [&'static str]) -> (String, std::thread::JoinHandle<Vec<String>>) {
        let listener = TcpListener::bind("127.0.0.1:0").unwrap();
        let address = format!("http://{}", listener.local_addr().unwrap());
        let server = std::thread::spawn(move || {
            let mut asked = Vec::new();
            for answer in answers {
                let (stream, _) = listener.accept().unwrap();
                let mut reader = BufReader::new(stream);
                let (mut head, mut size) = (String::new(), 0);
                loop {
                    let mut line = String::new();
                    reader.read_line(&mut line).unwrap();
                    if let Some(length) = line.to_lowercase().strip_prefix("content-length:") {
                        size = length.trim().parse().unwrap();
                    }
                    if line.trim().is_empty() {
                        break;
                    }
                    head.push_str(&line);
                }
                let mut body = vec![0; size];
                reader.read_exact(&mut body).unwrap();
                asked.push(format!("{head}|{}", String::from_utf8(body).unwrap()));
                reader.get_mut().write_all(answer.as_bytes()).unwrap();
            }
            asked
        });
        (address, server)
    }

    #[test]
    fn a_request_has_its_parts_and_an_answer_too() {
        let (address, server) = serving(&[
            "HTTP/1.1 404 Not Found\r\nX-A: b\r\nContent-Length: 5\r\nConnection: close\r\n\r\nhello",
            "HTTP/1.1 200 OK\r\nContent-Length: 4\r\nConnection: close\r\n\r\nlong",
        ]);
        let status = request(
            "POST",
            &format!("{address}/p?q=1"),
            "X-B\0c\0",
            Some(b"body"),
            5000,
            100,
            true,
            "",
        );
        assert_eq!(status.unwrap(), 404);
        assert_eq!(body().unwrap(), b"hello");
        let headers = headers().unwrap();
        assert!(headers.chunks(2).any(|pair| pair == ["x-a", "b"]));
        let long = request("GET", &address, "", None, 5000, 3, true, "");
        assert!(long.unwrap_err().contains("more than 3 bytes"));
        let asked = server.join().unwrap();
        assert!(
            asked[0].starts_with("POST /p?q=1 HTTP/1.1\r\n"),
            "{asked:?}"
        );
        assert!(asked[0].to_lowercase().contains("x-b: c") && asked[0].ends_with("|body"));
    }

    #[test]
    fn what_cannot_be_asked_says_why() {
        let get =
            |address: &str| request("GET", address, "", None, 2000, 100, true, "").unwrap_err();
        assert!(get("http://127.0.0.1:1/").contains("GET http://127.0.0.1:1/: connection refused"));
        assert!(get("http://no-such-host.invalid/").contains("no such host"));
        assert!(get("ftp://a/").contains("begins with `http://`"));
        assert!(get("http://a b/").contains("the address is wrong"));
        let listener = TcpListener::bind("127.0.0.1:0").unwrap();
        let silent = format!("http://{}", listener.local_addr().unwrap());
        let slow = request("GET", &silent, "", None, 50, 100, true, "");
        assert!(slow.unwrap_err().contains("longer than the timeout"));
        assert!(is_excluded("a.example.org", "x, .example.org") && is_excluded("h", "*"));
        assert!(
            is_this_machine("[::1]")
                && is_this_machine("127.0.0.2")
                && !is_this_machine("128.0.0.1")
        );
        assert!(!is_excluded("badexample.org", "example.org") && !is_excluded("a", ""));
    }
}
