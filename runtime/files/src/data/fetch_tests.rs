//! Fetching from a server on loopback that breaks off, lies, and is not there.

use std::io::{BufRead, BufReader, Write};
use std::net::{TcpListener, TcpStream};
use std::sync::{Arc, Mutex};

use sha2::{Digest, Sha256};
use ureq::Agent;

use super::fetch::{Wanted, fetch_with};
use crate::save::tests::Folder;

/// What the server does with a request: it gets the number of the first byte requested.
type Answer = fn(&mut TcpStream, content: &[u8], from: usize);

/// A server that gives one answer per request, and what it was asked.
struct Server {
    address: String,
    asked: Arc<Mutex<Vec<usize>>>,
}

impl Server {
    fn start(content: Vec<u8>, answers: Vec<Answer>) -> Server {
        let listener = TcpListener::bind("127.0.0.1:0").unwrap();
        let address = format!("http://{}/file", listener.local_addr().unwrap());
        let asked = Arc::new(Mutex::new(Vec::new()));
        let log = asked.clone();
        std::thread::spawn(move || {
            for answer in answers {
                let (mut stream, _) = listener.accept().unwrap();
                let mut from = 0;
                for line in BufReader::new(stream.try_clone().unwrap()).lines() {
                    let line = line.unwrap().to_lowercase();
                    if line.is_empty() {
                        break;
                    }
                    if let Some(range) = line.strip_prefix("range: bytes=") {
                        from = range.trim_end_matches('-').parse().unwrap();
                    }
                }
                log.lock().unwrap().push(from);
                answer(&mut stream, &content, from);
            }
        });
        Server { address, asked }
    }

    fn asked(&self) -> Vec<usize> {
        self.asked.lock().unwrap().clone()
    }
}

fn head(stream: &mut TcpStream, status: &str, length: usize, more: &str) {
    let head =
        format!("HTTP/1.1 {status}\r\nContent-Length: {length}\r\nConnection: close\r\n{more}\r\n");
    stream.write_all(head.as_bytes()).unwrap();
}

fn rest(stream: &mut TcpStream, content: &[u8], from: usize, count: usize) {
    let end = content.len();
    if from == 0 {
        head(stream, "200 OK", end, "");
    } else {
        let range = format!("Content-Range: bytes {from}-{}/{end}\r\n", end - 1);
        head(stream, "206 Partial Content", end - from, &range);
    }
    let _ = stream.write_all(&content[from..(from + count).min(end)]);
}

fn whole(stream: &mut TcpStream, content: &[u8], from: usize) {
    rest(stream, content, from, content.len());
}

fn breaks_off(stream: &mut TcpStream, content: &[u8], from: usize) {
    rest(stream, content, from, 100_000);
}

fn ignores_ranges(stream: &mut TcpStream, content: &[u8], _from: usize) {
    rest(stream, content, 0, content.len());
}

fn another_range(stream: &mut TcpStream, content: &[u8], from: usize) {
    let end = content.len();
    let range = format!("Content-Range: bytes {}-{}/{end}\r\n", from + 1, end - 1);
    head(stream, "206 Partial Content", end - from - 1, &range);
    let _ = stream.write_all(&content[from + 1..]);
}

fn not_found(stream: &mut TcpStream, _content: &[u8], _from: usize) {
    head(stream, "404 Not Found", 0, "");
}

fn too_long(stream: &mut TcpStream, content: &[u8], _from: usize) {
    head(stream, "200 OK", content.len() + 1, "");
    let _ = stream.write_all(content);
    let _ = stream.write_all(b"!");
}

fn content() -> Vec<u8> {
    (0..250_000u64).map(|n| (n * n / 7) as u8).collect()
}

fn sum(bytes: &[u8]) -> String {
    let sum = Sha256::digest(bytes);
    sum.iter().map(|byte| format!("{byte:02x}")).collect()
}

fn agent() -> Agent {
    // No proxy of this machine may come between the test and its server.
    let config = Agent::config_builder().proxy(None);
    config.http_status_as_error(false).build().into()
}

fn get(folder: &Folder, mirrors: &[&str], sha256: &str) -> Result<Vec<u8>, String> {
    let path = folder.path("file");
    let wanted = Wanted {
        mirrors,
        path: &path,
        sha256,
        length: content().len() as u64,
    };
    fetch_with(&agent(), &wanted).map_err(|fault| fault.to_string())?;
    assert!(!folder.path("file.part").exists());
    Ok(std::fs::read(path).unwrap())
}

#[test]
fn a_transfer_that_breaks_off_goes_on_where_it_was() {
    let folder = Folder::new("fetch-resume");
    let server = Server::start(content(), vec![breaks_off, breaks_off, whole]);
    let got = get(&folder, &[&server.address], &sum(&content())).unwrap();
    assert_eq!(got, content());
    assert_eq!(server.asked(), [0, 100_000, 200_000]);
    // A file that is there is not fetched again.
    assert_eq!(get(&folder, &[], &sum(&content())).unwrap(), content());
}

#[test]
fn a_program_that_was_stopped_goes_on_too() {
    let folder = Folder::new("fetch-later");
    std::fs::write(folder.path("file.part"), &content()[..1000]).unwrap();
    let server = Server::start(content(), vec![whole]);
    get(&folder, &[&server.address], &sum(&content())).unwrap();
    assert_eq!(server.asked(), [1000]);
}

#[test]
fn a_part_that_is_wrong_is_fetched_anew() {
    let folder = Folder::new("fetch-wrong-part");
    std::fs::write(folder.path("file.part"), [7; 1000]).unwrap();
    let server = Server::start(content(), vec![whole, whole]);
    get(&folder, &[&server.address], &sum(&content())).unwrap();
    assert_eq!(server.asked(), [1000, 0]);
    // Nor does a server that knows no ranges do harm.
    let folder = Folder::new("fetch-no-ranges");
    std::fs::write(folder.path("file.part"), [7; 1000]).unwrap();
    let server = Server::start(content(), vec![ignores_ranges]);
    get(&folder, &[&server.address], &sum(&content())).unwrap();
}

#[test]
fn another_range_than_the_one_asked_for_is_not_appended() {
    let folder = Folder::new("fetch-another-range");
    std::fs::write(folder.path("file.part"), &content()[..1000]).unwrap();
    let odd = Server::start(content(), vec![another_range]);
    let said = get(&folder, &[&odd.address], &sum(&content())).unwrap_err();
    assert_eq!(
        said,
        format!(
            "cannot be fetched: {}: it sent the range `bytes 1001-249999/250000` when asked from byte 1000 on",
            odd.address
        )
    );
    // What was there before is still good for another mirror.
    let server = Server::start(content(), vec![whole]);
    get(&folder, &[&server.address], &sum(&content())).unwrap();
    assert_eq!(server.asked(), [1000]);
}

#[test]
fn the_next_mirror_is_asked() {
    let folder = Folder::new("fetch-mirrors");
    let mut wrong = content();
    wrong[5] ^= 1;
    let lies = Server::start(wrong, vec![whole]);
    let lacks = Server::start(content(), vec![not_found]);
    let long = Server::start(content(), vec![too_long]);
    let has = Server::start(content(), vec![whole]);
    let nobody = "http://127.0.0.1:1/file";
    let mirrors = [
        nobody,
        &lies.address,
        &lacks.address,
        &long.address,
        &has.address,
    ];
    assert_eq!(get(&folder, &mirrors, &sum(&content())).unwrap(), content());
}

#[test]
fn every_mirror_has_its_reason() {
    let folder = Folder::new("fetch-reasons");
    let mut wrong = content();
    wrong[5] ^= 1;
    let found = sum(&wrong);
    let lies = Server::start(wrong, vec![whole]);
    let lacks = Server::start(content(), vec![not_found]);
    let expected = sum(&content());
    let secret = "https://127.0.0.1/file";
    let said = get(&folder, &[&lies.address, &lacks.address, secret], &expected).unwrap_err();
    assert_eq!(
        said,
        format!(
            "cannot be fetched: {}: what it sent has the SHA-256 {found}, not {expected}; {}: it answered with status 404; \
             {secret}: only http: addresses are understood; the checksum makes them safe",
            lies.address, lacks.address
        )
    );
    assert!(!folder.path("file").exists());
    assert_eq!(
        get(&folder, &[], &expected).unwrap_err(),
        "cannot be fetched: no mirror was named"
    );
    std::fs::write(folder.path("file"), b"mine").unwrap();
    let said = get(&folder, &[], &expected).unwrap_err();
    assert!(
        said.starts_with("the file is there, but its SHA-256 is "),
        "{said}"
    );
}
