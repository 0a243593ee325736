//! Connections of TCP and packets of UDP for `lib/std/net`.
//!
//! A connection, a listener and a socket each are a handle. Whatever waits has a time in milliseconds, no limit if it
//! is negative. Left out: TLS, which `http.rs` has for its own, multicast, and sockets of Unix.

use std::cell::RefCell;
use std::io::{self, BufRead, BufReader, ErrorKind, Read, Write};
use std::mem::ManuallyDrop;
use std::net::{IpAddr, Shutdown, SocketAddr, TcpListener, TcpStream, ToSocketAddrs, UdpSocket};
use std::time::{Duration, Instant};

use simple_ffi_abi::handle::HandleTable;
use simple_system::{in_words, memory};

struct Connection {
    /// Where it leads, for messages.
    name: String,
    stream: BufReader<TcpStream>,
}

enum Socket {
    Connection(Connection),
    Listener(TcpListener),
    Packets(UdpSocket),
}

thread_local! {
    // Never dropped: programs may ask while the thread ends.
    static SOCKETS: ManuallyDrop<RefCell<HandleTable<Socket>>> =
        const { ManuallyDrop::new(RefCell::new(HandleTable::new("socket", 17))) };
    /// Where the last packet came from.
    static SENDER: RefCell<Vec<String>> = RefCell::default();
}

fn insert(socket: Socket) -> Result<i64, String> {
    SOCKETS.with(|table| {
        table
            .borrow_mut()
            .insert(socket)
            .map_err(|error| error.to_string())
    })
}

fn with<R>(handle: i64, work: impl FnOnce(&mut Socket) -> Result<R, String>) -> Result<R, String> {
    SOCKETS.with(|table| {
        let mut table = table.borrow_mut();
        work(table.get_mut(handle).map_err(|error| error.to_string())?)
    })
}

fn connection<R>(
    handle: i64,
    work: impl FnOnce(&mut Connection) -> Result<R, String>,
) -> Result<R, String> {
    with(handle, |socket| match socket {
        Socket::Connection(connection) => work(connection),
        _ => Err("this is not a connection".to_owned()),
    })
}

fn packets<R>(
    handle: i64,
    work: impl FnOnce(&UdpSocket) -> Result<R, String>,
) -> Result<R, String> {
    with(handle, |socket| match socket {
        Socket::Packets(socket) => work(socket),
        _ => Err("this is not a socket for packets".to_owned()),
    })
}

/// The system's reason; a time that is over has several names.
fn why(error: &io::Error) -> String {
    match error.kind() {
        ErrorKind::WouldBlock | ErrorKind::TimedOut => "the time is over".to_owned(),
        _ => in_words(error),
    }
}

fn port_of(port: i64) -> Result<u16, String> {
    u16::try_from(port).map_err(|_| format!("a port is between 0 and 65535, found {port}"))
}

/// A time; the system takes none that is 0.
fn limit_of(milliseconds: i64) -> Option<Duration> {
    let milliseconds = u64::try_from(milliseconds).ok()?;
    Some(Duration::from_millis(milliseconds.max(1)))
}

fn addresses(host: &str, port: u16) -> Result<Vec<SocketAddr>, String> {
    let found = (host, port).to_socket_addrs();
    let found: Vec<SocketAddr> = found
        .map_err(|error| format!("cannot find the host `{host}`: {}", found_not(&error)))?
        .collect();
    match found.is_empty() {
        true => Err(format!("the host `{host}` has no address")),
        false => Ok(found),
    }
}

fn found_not(error: &io::Error) -> String {
    let words = error.to_string();
    words
        .strip_prefix("failed to lookup address information: ")
        .unwrap_or(&words)
        .to_lowercase()
}

/// The addresses of a host.
pub fn resolve(host: &str) -> Result<Vec<String>, String> {
    let mut found: Vec<String> = addresses(host, 0)?
        .iter()
        .map(|address| address.ip().to_string())
        .collect();
    found.dedup();
    Ok(found)
}

/// Connects to a host, to its addresses one after the other.
pub fn connect(host: &str, port: i64, milliseconds: i64) -> Result<i64, String> {
    let port = port_of(port)?;
    let name = shown(host, port);
    let deadline = limit_of(milliseconds).map(|limit| Instant::now() + limit);
    let mut last = "the time is over".to_owned();
    for address in addresses(host, port)? {
        let connected = match deadline {
            None => TcpStream::connect(address),
            Some(deadline) => match deadline.saturating_duration_since(Instant::now()) {
                Duration::ZERO => break,
                left => TcpStream::connect_timeout(&address, left),
            },
        };
        match connected {
            Ok(stream) => {
                // What is written goes out at once; programs that write little by little wait for answers.
                stream.set_nodelay(true).map_err(|error| why(&error))?;
                return insert(Socket::Connection(Connection {
                    name,
                    stream: BufReader::new(stream),
                }));
            }
            Err(error) => last = why(&error),
        }
    }
    Err(format!("cannot connect to {name}: {last}"))
}

fn shown(host: &str, port: u16) -> String {
    match host.contains(':') {
        true => format!("[{host}]:{port}"),
        false => format!("{host}:{port}"),
    }
}

/// Listens at an address of this machine; for port 0 the system chooses one.
pub fn listen(host: &str, port: i64) -> Result<i64, String> {
    let port = port_of(port)?;
    let bound = TcpListener::bind((host, port));
    let listener = bound
        .map_err(|error| format!("cannot listen at {}: {}", shown(host, port), why(&error)))?;
    insert(Socket::Listener(listener))
}

/// Waits for a connection.
pub fn accept(handle: i64, milliseconds: i64) -> Result<i64, String> {
    let (stream, from) = with(handle, |socket| {
        let Socket::Listener(listener) = socket else {
            return Err("this is not a listener".to_owned());
        };
        let failed = |error: io::Error| format!("cannot accept a connection: {}", why(&error));
        let Some(limit) = limit_of(milliseconds) else {
            return listener.accept().map_err(failed);
        };
        let deadline = Instant::now() + limit;
        listener.set_nonblocking(true).map_err(failed)?;
        let mut pause = Duration::from_micros(200);
        let accepted = loop {
            match listener.accept() {
                Err(error)
                    if error.kind() == ErrorKind::WouldBlock && Instant::now() < deadline =>
                {
                    std::thread::sleep(
                        pause.min(deadline.saturating_duration_since(Instant::now())),
                    );
                    pause = (pause * 2).min(Duration::from_millis(10));
                }
                other => break other,
            }
        };
        listener.set_nonblocking(false).map_err(failed)?;
        accepted.map_err(failed)
    })?;
    // On some systems the connection inherits the mode of the listener.
    let ready = stream
        .set_nonblocking(false)
        .and_then(|()| stream.set_nodelay(true));
    ready.map_err(|error| why(&error))?;
    let name = from.to_string();
    insert(Socket::Connection(Connection {
        name,
        stream: BufReader::new(stream),
    }))
}

/// The addresses of both ends as host and port: of this one, then of the other if it is a connection.
pub fn ends(handle: i64) -> Result<Vec<String>, String> {
    with(handle, |socket| {
        let known = match socket {
            Socket::Connection(connection) => {
                let stream = connection.stream.get_ref();
                stream
                    .local_addr()
                    .and_then(|here| Ok(vec![here, stream.peer_addr()?]))
            }
            Socket::Listener(listener) => listener.local_addr().map(|here| vec![here]),
            Socket::Packets(socket) => socket.local_addr().map(|here| vec![here]),
        };
        let known = known.map_err(|error| why(&error))?;
        Ok(known
            .iter()
            .flat_map(|end| [end.ip().to_string(), end.port().to_string()])
            .collect())
    })
}

/// How long reading and writing may wait.
pub fn set_timeout(handle: i64, milliseconds: i64) -> Result<(), String> {
    let limit = limit_of(milliseconds);
    with(handle, |socket| {
        let set = match socket {
            Socket::Connection(connection) => {
                let stream = connection.stream.get_ref();
                stream
                    .set_read_timeout(limit)
                    .and_then(|()| stream.set_write_timeout(limit))
            }
            Socket::Listener(_) => Ok(()),
            Socket::Packets(socket) => socket.set_read_timeout(limit),
        };
        set.map_err(|error| why(&error))
    })
}

/// What is there to read, at most `most` bytes; waits for the first. Empty at the end.
pub fn read(handle: i64, most: i64) -> Result<Vec<u8>, String> {
    let most = usize::try_from(most).map_err(|_| "a number of bytes is not negative")?;
    connection(handle, |connection| {
        let there = connection
            .stream
            .fill_buf()
            .map(|there| there[..there.len().min(most)].to_vec());
        let there = there
            .map_err(|error| format!("cannot read from {}: {}", connection.name, why(&error)))?;
        connection.stream.consume(there.len());
        Ok(there)
    })
}

/// Exactly `count` bytes.
pub fn read_exact(handle: i64, count: i64) -> Result<Vec<u8>, String> {
    let count = usize::try_from(count).map_err(|_| "a number of bytes is not negative")?;
    connection(handle, |connection| {
        let mut bytes = memory::zeros(count)?;
        connection
            .stream
            .read_exact(&mut bytes)
            .map_err(|error| match error.kind() {
                ErrorKind::UnexpectedEof => format!(
                    "{} ended the connection before {count} bytes came",
                    connection.name
                ),
                _ => format!("cannot read from {}: {}", connection.name, why(&error)),
            })?;
        Ok(bytes)
    })
}

/// The next line with its line break, of at most `most` bytes; empty at the end.
pub fn line(handle: i64, most: i64) -> Result<Vec<u8>, String> {
    connection(handle, |connection| {
        let most = u64::try_from(most).map_err(|_| "a number of bytes is not negative")?;
        let mut bytes = Vec::new();
        let read = (&mut connection.stream)
            .take(most)
            .read_until(b'\n', &mut bytes);
        read.map_err(|error| format!("cannot read from {}: {}", connection.name, why(&error)))?;
        match bytes.len() as u64 == most && bytes.last() != Some(&b'\n') {
            true => Err(format!(
                "a line from {} has more than {most} bytes",
                connection.name
            )),
            false => Ok(bytes),
        }
    })
}

/// Writes all bytes.
pub fn write(handle: i64, content: &[u8]) -> Result<(), String> {
    connection(handle, |connection| {
        let written = connection.stream.get_mut().write_all(content);
        written.map_err(|error| format!("cannot write to {}: {}", connection.name, why(&error)))
    })
}

/// Tells the other end that nothing more is written.
pub fn finish(handle: i64) -> Result<(), String> {
    connection(handle, |connection| {
        connection
            .stream
            .get_ref()
            .shutdown(Shutdown::Write)
            .map_err(|error| why(&error))
    })
}

/// A socket for packets at an address of this machine.
pub fn udp(host: &str, port: i64) -> Result<i64, String> {
    let port = port_of(port)?;
    let bound = UdpSocket::bind((host, port));
    let socket =
        bound.map_err(|error| format!("cannot use {}: {}", shown(host, port), why(&error)))?;
    socket.set_broadcast(true).map_err(|error| why(&error))?;
    insert(Socket::Packets(socket))
}

/// Sends a packet.
pub fn send_to(handle: i64, content: &[u8], host: &str, port: i64) -> Result<(), String> {
    let port = port_of(port)?;
    let found = addresses(host, port)?;
    packets(handle, |socket| {
        let here = socket.local_addr().map_err(|error| why(&error))?;
        // An address of the socket's own family, if there is one.
        let same = found
            .iter()
            .find(|address| address.is_ipv4() == matches!(here.ip(), IpAddr::V4(_)));
        let sent = socket.send_to(content, same.unwrap_or(&found[0]));
        sent.map(drop)
            .map_err(|error| format!("cannot send to {}: {}", shown(host, port), why(&error)))
    })
}

/// Waits for a packet; who sent it is asked for by [`sender`].
pub fn receive(handle: i64) -> Result<Vec<u8>, String> {
    packets(handle, |socket| {
        let mut bytes = vec![0; 1 << 16];
        let received = socket.recv_from(&mut bytes);
        let (size, from) =
            received.map_err(|error| format!("cannot receive a packet: {}", why(&error)))?;
        bytes.truncate(size);
        SENDER.with(|sender| {
            *sender.borrow_mut() = vec![from.ip().to_string(), from.port().to_string()]
        });
        Ok(bytes)
    })
}

/// Host and port that the last packet came from.
pub fn sender() -> Result<Vec<String>, String> {
    Ok(SENDER.with(|sender| sender.borrow().clone()))
}

/// Closes a socket.
pub fn free(handle: i64) -> Result<(), String> {
    SOCKETS
        .with(|table| table.borrow_mut().remove(handle))
        .map(drop)
        .map_err(|error| error.to_string())
}

#[cfg(test)]
mod tests {
    use super::*;

    fn port(handle: i64) -> i64 {
        ends(handle).unwrap()[1].parse().unwrap()
    }

    #[test]
    fn two_ends_exchange_bytes_and_lines() {
        let listener = listen("127.0.0.1", 0).unwrap();
        assert!(
            accept(listener, 1)
                .unwrap_err()
                .contains("the time is over")
        );
        let client = connect("localhost", port(listener), 5000).unwrap();
        let server = accept(listener, 5000).unwrap();
        write(client, b"hello\nrest").unwrap();
        finish(client).unwrap();
        assert_eq!(line(server, 100).unwrap(), b"hello\n");
        assert_eq!(read_exact(server, 2).unwrap(), b"re");
        assert_eq!(read(server, 100).unwrap(), b"st");
        assert_eq!(read(server, 100).unwrap(), b"");
        assert!(
            read_exact(server, 1)
                .unwrap_err()
                .contains("ended the connection")
        );
        set_timeout(client, 10).unwrap();
        assert!(read(client, 1).unwrap_err().ends_with("the time is over"));
        write(server, b"long line").unwrap();
        assert!(line(client, 4).unwrap_err().contains("more than 4 bytes"));
        assert_eq!(
            ends(client).unwrap()[2..],
            ["127.0.0.1".to_owned(), port(listener).to_string()]
        );
        for handle in [listener, client, server] {
            free(handle).unwrap();
        }
        assert!(write(client, b"").is_err());
    }

    #[test]
    fn packets_have_a_sender() {
        let (one, two) = (udp("127.0.0.1", 0).unwrap(), udp("127.0.0.1", 0).unwrap());
        send_to(one, b"hi", "127.0.0.1", port(two)).unwrap();
        set_timeout(two, 5000).unwrap();
        assert_eq!(receive(two).unwrap(), b"hi");
        assert_eq!(sender().unwrap()[1], port(one).to_string());
        set_timeout(two, 10).unwrap();
        assert!(receive(two).is_err());
        assert!(read(two, 1).unwrap_err().contains("not a connection"));
    }

    #[test]
    fn what_cannot_be_reached_says_why() {
        let listener = listen("127.0.0.1", 0).unwrap();
        let taken = port(listener);
        assert!(
            listen("127.0.0.1", taken)
                .unwrap_err()
                .starts_with("cannot listen at 127.0.0.1:")
        );
        free(listener).unwrap();
        assert!(
            connect("127.0.0.1", taken, 1000)
                .unwrap_err()
                .contains("refused")
        );
        assert!(
            connect("no-such-host.invalid", 1, 1000)
                .unwrap_err()
                .contains("cannot find the host")
        );
        assert!(
            connect("127.0.0.1", 70_000, 1000)
                .unwrap_err()
                .contains("65535")
        );
        assert!(resolve("127.0.0.1").unwrap() == ["127.0.0.1"]);
    }
}
