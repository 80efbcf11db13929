//! Who may ask: requests that name this server by an address of this machine, from its own page or from no page at all.

use std::sync::Arc;
use std::time::Instant;

use axum::extract::{Request, State};
use axum::http::{HeaderMap, HeaderName, StatusCode, header};
use axum::middleware::Next;
use axum::response::{IntoResponse as _, Response};

use super::{Served, add_headers};
use stiction_formats::bad_input::shown;

/// Names of this machine.
const NAMES: [&str; 3] = ["127.0.0.1", "localhost", "[::1]"];

/// The port of http, which browsers leave out.
const PLAIN: u16 = 80;

/// Refuses what comes under another name (a name that an attacker leads here) or from another page.
pub(super) async fn guard(State(served): State<Arc<Served>>, request: Request, next: Next) -> Response {
    let mut response = match check(request.headers(), served.port) {
        Ok(()) => next.run(request).await,
        Err(reason) => (StatusCode::FORBIDDEN, reason).into_response(),
    };
    add_headers(response.headers_mut());
    response
}

/// What is wrong with where a request comes from.
fn check(headers: &HeaderMap, port: u16) -> Result<(), String> {
    let allowed = |scheme: &str| {
        let mut names: Vec<String> = NAMES.iter().map(|name| format!("{scheme}{name}:{port}")).collect();
        if port == PLAIN {
            names.extend(NAMES.map(|name| format!("{scheme}{name}")));
        }
        names
    };
    let host = only(headers, &header::HOST)?.ok_or("Host: must be given, found nothing")?;
    one_of("Host", &host, &allowed(""))?;
    match only(headers, &header::ORIGIN)? {
        // Only pages have an origin.
        None => Ok(()),
        Some(origin) => one_of("Origin", &origin, &allowed("http://")),
    }
}

/// A header that may be given once.
fn only(headers: &HeaderMap, name: &HeaderName) -> Result<Option<String>, String> {
    let mut all = headers.get_all(name).iter();
    let first = all
        .next()
        .map(|value| String::from_utf8_lossy(value.as_bytes()).into_owned());
    match all.next() {
        None => Ok(first),
        Some(_) => Err(format!("{name}: must be given once, found more")),
    }
}

fn one_of(name: &str, found: &str, allowed: &[String]) -> Result<(), String> {
    if allowed.iter().any(|one| one.eq_ignore_ascii_case(found)) {
        return Ok(());
    }
    Err(format!(
        "{name}: must be one of {}, found {}",
        allowed.join(", "),
        shown(found)
    ))
}

/// A bucket that fills at so many drops a second, and holds as many.
#[derive(Debug)]
pub(super) struct Bucket {
    rate: f64,
    left: f64,
    at: Instant,
}

impl Bucket {
    pub(super) fn new(rate: u32) -> Self {
        Self {
            rate: f64::from(rate),
            left: f64::from(rate),
            at: Instant::now(),
        }
    }

    /// Takes a drop; whether there was one.
    pub(super) fn take(&mut self, now: Instant) -> bool {
        let passed = now.saturating_duration_since(self.at).as_secs_f64();
        self.at = now;
        self.left = (self.left + self.rate * passed).min(self.rate) - 1.0;
        if self.left < 0.0 {
            self.left = 0.0;
            return false;
        }
        true
    }
}

#[cfg(test)]
mod tests {
    use std::time::Duration;

    use super::*;

    fn headers(host: &[&str], origin: &[&str]) -> HeaderMap {
        let mut headers = HeaderMap::new();
        for (name, values) in [(header::HOST, host), (header::ORIGIN, origin)] {
            for value in values {
                headers.append(&name, value.parse().expect("a header"));
            }
        }
        headers
    }

    #[test]
    fn only_this_machine_and_its_own_page_are_let_in() {
        let fine = ["127.0.0.1:8765", "localhost:8765", "LocalHost:8765", "[::1]:8765"];
        for host in fine {
            assert_eq!(check(&headers(&[host], &[]), 8765), Ok(()), "{host}");
            let origin = format!("http://{host}");
            assert_eq!(
                check(&headers(&["localhost:8765"], &[&origin]), 8765),
                Ok(()),
                "{origin}"
            );
        }
        let foreign = [
            "evil.example",
            "evil.example:8765",
            "127.0.0.1:80",
            "127.0.0.1",
            "localhost.evil.example:8765",
            "0.0.0.0:8765",
        ];
        for host in foreign {
            let refused = check(&headers(&[host], &[]), 8765).expect_err(host);
            assert!(refused.ends_with(&format!("found {host}")), "{refused}");
            let origin = format!("http://{host}");
            let refused = check(&headers(&["localhost:8765"], &[&origin]), 8765).expect_err(&origin);
            assert!(
                refused.starts_with("Origin: ") && refused.ends_with(&origin),
                "{refused}"
            );
        }
        for (host, origin) in [
            (&["localhost:8765"][..], "null"),
            (&["localhost:8765"], "https://localhost:8765"),
            (&[], "http://localhost:8765"),
        ] {
            assert!(check(&headers(host, &[origin]), 8765).is_err(), "{host:?} {origin}");
        }
        // Browsers leave the port of http out.
        assert_eq!(check(&headers(&["localhost"], &["http://localhost"]), 80), Ok(()));
        assert!(check(&headers(&["localhost"], &[]), 8765).is_err());
        assert!(check(&headers(&["localhost:8765", "localhost:8765"], &[]), 8765).is_err());
    }

    #[test]
    fn a_bucket_lets_its_rate_pass_and_no_more() {
        let mut bucket = Bucket::new(10);
        let start = bucket.at;
        assert_eq!((0..20).filter(|_| bucket.take(start)).count(), 10);
        let later = start + Duration::from_millis(500);
        assert_eq!((0..20).filter(|_| bucket.take(later)).count(), 5);
    }
}
