//! Whether the desktop answers: its socket is connected to and greeted, with little patience.

use std::path::{Path, PathBuf};
use std::time::Duration;

/// How long a desktop may take to answer. One that is well answers within a millisecond.
const PATIENCE: Duration = Duration::from_secs(1);

/// What windows are shown by.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[cfg_attr(not(unix), expect(dead_code, reason = "other systems have one desktop only"))]
pub(super) enum Kind {
    X,
    Wayland,
}

/// What is wrong with the desktop that the environment names: `WAYLAND_DISPLAY`, else `DISPLAY`; `folder` is `XDG_RUNTIME_DIR`.
///
/// # Cost
/// Waits for a second or two where nobody answers.
pub(super) fn problem(wayland: Option<&str>, display: Option<&str>, folder: Option<&str>) -> Option<String> {
    let (socket, kind) = match (wayland, display) {
        (Some(display), _) => (wayland_socket(display, folder)?, Kind::Wayland),
        (None, display) => (x_socket(display?)?, Kind::X),
    };
    let why = trouble(&socket, kind, PATIENCE)?;
    Some(format!("no desktop answers, so that no window can be opened: {why}"))
}

/// The socket of an X server of this machine; `None` for one elsewhere.
fn x_socket(display: &str) -> Option<PathBuf> {
    let (host, rest) = display.rsplit_once(':')?;
    let number: u32 = rest.split('.').next()?.parse().ok()?;
    // Where they lie by convention of all X servers.
    matches!(host, "" | "unix").then(|| Path::new("/tmp/.X11-unix").join(format!("X{number}")))
}

/// The socket of a Wayland desktop; `None` where no folder for it is known.
fn wayland_socket(display: &str, folder: Option<&str>) -> Option<PathBuf> {
    if Path::new(display).is_absolute() { Some(display.into()) } else { Some(Path::new(folder?).join(display)) }
}

#[cfg(not(unix))]
fn trouble(_: &Path, _: Kind, _: Duration) -> Option<String> {
    None
}

/// Why nobody answers at a socket.
#[cfg(unix)]
fn trouble(socket: &Path, kind: Kind, patience: Duration) -> Option<String> {
    use std::io::{Error, ErrorKind};
    use std::sync::mpsc;

    let (sender, receiver) = mpsc::sync_channel(1);
    let path = socket.to_path_buf();
    // Connecting has no time limit of its own: where all places are taken it waits.
    let asking = std::thread::Builder::new().name("desktop".into()).spawn(move || sender.send(unix::greet(&path, kind, patience)).ok());
    // Without a thread nothing is known.
    asking.ok()?;
    let error = receiver.recv_timeout(patience * 2).unwrap_or_else(|_| Err(Error::from(ErrorKind::TimedOut))).err()?;
    let socket = socket.display();
    Some(match error.kind() {
        ErrorKind::NotFound => format!("there is no {socket}"),
        ErrorKind::ConnectionRefused => format!("nobody listens at {socket}; a desktop that has ended left it there"),
        ErrorKind::TimedOut | ErrorKind::WouldBlock => format!("whoever listens at {socket} keeps silent"),
        ErrorKind::UnexpectedEof | ErrorKind::ConnectionReset | ErrorKind::BrokenPipe => format!("{socket} hangs up at once"),
        _ => format!("{socket}: {error}"),
    })
}

#[cfg(unix)]
mod unix {
    use std::io::{self, Read as _, Write as _};
    use std::os::unix::net::UnixStream;
    use std::path::Path;
    use std::time::Duration;

    use super::Kind;

    /// The beginning of a session with an X server, little endian, protocol 11, without a password: it says yes or no.
    const X_HELLO: &[u8] = &[b'l', 0, 11, 0, 0, 0, 0, 0, 0, 0, 0, 0];

    /// Of object 1, the display, request 0, 12 bytes: answer to object 2 once all before is done. Words in the machine's order.
    fn wayland_hello() -> Vec<u8> {
        [1_u32, 12 << 16, 2].into_iter().flat_map(u32::to_ne_bytes).collect()
    }

    /// Waits for the first byte of an answer, whatever it says.
    pub(super) fn greet(socket: &Path, kind: Kind, patience: Duration) -> io::Result<()> {
        let mut stream = connect(socket, kind)?;
        stream.set_read_timeout(Some(patience))?;
        stream.set_write_timeout(Some(patience))?;
        let hello = if kind == Kind::X { X_HELLO.to_vec() } else { wayland_hello() };
        stream.write_all(&hello)?;
        stream.read_exact(&mut [0])
    }

    fn connect(socket: &Path, kind: Kind) -> io::Result<UnixStream> {
        match UnixStream::connect(socket) {
            // X servers of Linux listen under the same name beside all files, too.
            Err(error) if kind == Kind::X => beside_files(socket).map_err(|_| error),
            connected => connected,
        }
    }

    #[cfg(target_os = "linux")]
    fn beside_files(socket: &Path) -> io::Result<UnixStream> {
        use std::os::linux::net::SocketAddrExt as _;
        use std::os::unix::ffi::OsStrExt as _;

        UnixStream::connect_addr(&std::os::unix::net::SocketAddr::from_abstract_name(socket.as_os_str().as_bytes())?)
    }

    #[cfg(not(target_os = "linux"))]
    fn beside_files(_: &Path) -> io::Result<UnixStream> {
        Err(io::ErrorKind::NotFound.into())
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_socket_of_a_desktop_is_found_by_its_name() {
        let socket = |display: &str| x_socket(display).map(|socket| socket.file_name().unwrap().to_string_lossy().into_owned());
        assert_eq!([":0", ":12.1", "unix:3"].map(socket), ["X0", "X12", "X3"].map(|name| Some(name.to_owned())));
        assert_eq!(["", "x", ":", "host:0", ":x"].map(socket), [const { None }; 5]);
        assert_eq!(wayland_socket("wayland-0", Some("/run/user/7")), Some("/run/user/7/wayland-0".into()));
        assert_eq!((wayland_socket("/a/b", None), wayland_socket("b", None)), (Some("/a/b".into()), None));
        assert_eq!(problem(None, None, None), None);
    }

    #[cfg(unix)]
    #[test]
    fn a_desktop_that_does_not_answer_is_found() {
        use std::io::{Read as _, Write as _};
        use std::os::unix::net::UnixListener;

        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join("X7");
        let told = |kind| trouble(&path, kind, Duration::from_millis(300)).unwrap_or_default();
        assert!(told(Kind::X).contains("there is no"), "{}", told(Kind::X));
        for kind in [Kind::X, Kind::Wayland] {
            let listener = UnixListener::bind(&path).unwrap();
            assert!(told(kind).contains("keeps silent"), "{}", told(kind));
            let answering = std::thread::spawn(move || {
                // Those who asked before and gave up wait in the queue, too.
                for stream in listener.incoming().flatten() {
                    let (mut stream, mut hello) = (stream, [0; 12]);
                    stream.read_exact(&mut hello).unwrap();
                    let answered = stream.write_all(b"x").is_ok();
                    if answered && stream.read(&mut [0]).is_ok_and(|count| count == 0) && hello[0] == 0xff {
                        break;
                    }
                }
            });
            assert_eq!(told(kind), "");
            let mut last = std::os::unix::net::UnixStream::connect(&path).unwrap();
            last.write_all(&[0xff; 12]).unwrap();
            last.shutdown(std::net::Shutdown::Write).unwrap();
            answering.join().unwrap();
            assert!(told(kind).contains("nobody listens"), "{}", told(kind));
            std::fs::remove_file(&path).unwrap();
        }
        let text = problem(Some(&path.to_string_lossy()), None, None).unwrap_or_default();
        assert!(text.starts_with("no desktop answers") && text.contains("X7"), "{text}");
    }
}
