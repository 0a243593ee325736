//! Dates and times with zones for `lib/std/time`, by the crate `jiff`.
//!
//! A moment crosses as seconds and nanoseconds (0 to 999,999,999) since 1970 in UTC. Zones have IANA's names; `UTC` and
//! offsets such as `+02:00` are zones too. The tables of zones are the system's; where it has none, those in the crate.
//! The calendar without zones is in `lib/std/time/date.spl`. Left out: leap seconds, other calendars.

use std::time::{SystemTime, UNIX_EPOCH};

use jiff::civil::DateTime;
use jiff::fmt::strtime::BrokenDownTime;
use jiff::tz::{Offset, TimeZone};
use jiff::{SignedDuration, Span, Timestamp, Zoned};

/// The zone of a name.
fn zone(name: &str) -> Result<TimeZone, String> {
    match name {
        "UTC" | "Z" => Ok(TimeZone::UTC),
        "local" => Ok(TimeZone::system()),
        _ => match offset(name) {
            Some(offset) => Ok(TimeZone::fixed(offset)),
            None => TimeZone::get(name).map_err(|_| {
                format!(
                    "unknown time zone `{name}`; \
                     expected a name such as `Europe/Berlin`, `UTC`, `local` or `+02:00`"
                )
            }),
        },
    }
}

/// `+02:00`, `-0330` or `+05`.
fn offset(name: &str) -> Option<Offset> {
    let sign = match name.as_bytes().first()? {
        b'+' => 1,
        b'-' => -1,
        _ => return None,
    };
    let digits: String = name[1..].chars().filter(|digit| *digit != ':').collect();
    if !matches!(digits.len(), 2 | 4) || !digits.bytes().all(|digit| digit.is_ascii_digit()) {
        return None;
    }
    let hours: i32 = digits[..2].parse().ok()?;
    let minutes: i32 = digits.get(2..4).map_or(Ok(0), str::parse).ok()?;
    Offset::from_seconds(sign * (hours * 3600 + minutes * 60))
        .ok()
        .filter(|_| minutes < 60)
}

fn zoned(seconds: i64, nanos: i64, name: &str) -> Result<Zoned, String> {
    let nanos = i32::try_from(nanos).map_err(|_| "nanoseconds are less than 1,000,000,000")?;
    let moment = Timestamp::new(seconds, nanos)
        .map_err(|_| "a moment is between the years -9999 and 9999".to_owned())?;
    Ok(moment.to_zoned(zone(name)?))
}

/// The name of a zone: of `local` that of the machine, of an offset its usual form.
pub fn zone_name(name: &str) -> Result<String, String> {
    let zone = zone(name)?;
    if let Some(known) = zone.iana_name() {
        return Ok(known.to_owned());
    }
    Ok(match zone.to_fixed_offset() {
        Ok(offset) if offset == Offset::UTC => "UTC".to_owned(),
        Ok(offset) => shown(offset),
        // The machine's zone may be a file without a name.
        Err(_) => shown(zone.to_offset(Timestamp::now())),
    })
}

fn shown(offset: Offset) -> String {
    let seconds = offset.seconds();
    let (sign, size) = if seconds < 0 {
        ('-', -seconds)
    } else {
        ('+', seconds)
    };
    format!("{sign}{:02}:{:02}", size / 3600, size / 60 % 60)
}

/// The names of all zones that are known.
pub fn zones() -> Result<Vec<String>, String> {
    let mut names: Vec<String> = jiff::tz::db()
        .available()
        .map(|name| name.to_string())
        .collect();
    names.sort_unstable();
    Ok(names)
}

/// Seconds and nanoseconds of the clock.
pub fn now() -> Result<Vec<i64>, String> {
    let now = Timestamp::try_from(SystemTime::now()).or_else(|_| Timestamp::try_from(UNIX_EPOCH));
    Ok(pair(now.map_err(|error| error.to_string())?))
}

/// Year, month, day, hour, minute, second, nanosecond, and the offset in seconds.
pub fn parts(seconds: i64, nanos: i64, name: &str) -> Result<Vec<i64>, String> {
    Ok(fields(&zoned(seconds, nanos, name)?))
}

fn fields(at: &Zoned) -> Vec<i64> {
    vec![
        at.year().into(),
        at.month().into(),
        at.day().into(),
        at.hour().into(),
        at.minute().into(),
        at.second().into(),
        at.subsec_nanosecond().into(),
        at.offset().seconds().into(),
    ]
}

/// The same of a date and time in a zone, given as its first seven parts. A time that the clock skips is moved forward,
/// one that it shows twice is the first.
pub fn local(parts: &[i64], name: &str) -> Result<Vec<i64>, String> {
    let [year, month, day, hour, minute, second, nanos] = parts else {
        return Err("a date with its time has seven parts".to_owned());
    };
    let small = |value: &i64| i8::try_from(*value).unwrap_or(-1);
    let date = DateTime::new(
        i16::try_from(*year).unwrap_or(i16::MAX),
        small(month),
        small(day),
        small(hour),
        small(minute),
        small(second),
        i32::try_from(*nanos).unwrap_or(-1),
    );
    let wrong = || {
        format!(
            "{year:04}-{month:02}-{day:02} {hour:02}:{minute:02}:{second:02} is not a date and time"
        )
    };
    let at = date.map_err(|_| wrong())?.to_zoned(zone(name)?);
    Ok(fields(&at.map_err(|error| error.to_string())?))
}

fn pair(at: Timestamp) -> Vec<i64> {
    let (seconds, nanos) = (at.as_second(), i64::from(at.subsec_nanosecond()));
    match nanos < 0 {
        true => vec![seconds - 1, nanos + 1_000_000_000],
        false => vec![seconds, nanos],
    }
}

/// Parts of the moment that is years, months, weeks, days, hours, minutes, seconds and nanoseconds later. The first
/// four keep the time of the clock; a day that a month does not have becomes its last one.
pub fn plus(seconds: i64, nanos: i64, name: &str, amounts: &[i64]) -> Result<Vec<i64>, String> {
    let at = zoned(seconds, nanos, name)?;
    let [years, months, weeks, days, hours, minutes, seconds, nanos] = amounts else {
        return Err("a distance has eight parts".to_owned());
    };
    let span = (|| {
        let span = Span::new()
            .try_years(*years)?
            .try_months(*months)?
            .try_weeks(*weeks)?
            .try_days(*days)?;
        span.try_hours(*hours)?
            .try_minutes(*minutes)?
            .try_seconds(*seconds)?
            .try_nanoseconds(*nanos)
    })();
    let later = span.and_then(|span| at.checked_add(span));
    Ok(fields(&later.map_err(|_| {
        "the result is not between the years -9999 and 9999".to_owned()
    })?))
}

/// A format with what `jiff` means by other letters than Python in the C locale: `%f` with six digits, `%c` and `%x`.
fn pythons(format: &str) -> String {
    let (mut out, mut rest) = (String::with_capacity(format.len()), format);
    while let Some((before, after)) = rest.split_once('%') {
        out.push_str(before);
        let (replaced, length) = match after.chars().next() {
            Some('f') => ("%6f", 1),
            Some('c') => ("%a %b %e %H:%M:%S %Y", 1),
            Some('x') => ("%m/%d/%y", 1),
            Some('%') => ("%%", 1),
            _ => ("%", 0),
        };
        out.push_str(replaced);
        rest = &after[length..];
    }
    out + rest
}

/// A moment by a format of `strftime`.
pub fn format(seconds: i64, nanos: i64, name: &str, format: &str) -> Result<String, String> {
    let at = zoned(seconds, nanos, name)?;
    jiff::fmt::strtime::format(pythons(format), &at)
        .map_err(|error| format!("invalid format `{format}`: {error}"))
}

/// The parts of a text by a format of `strptime`. Without an offset in it the text means a time in this zone.
pub fn parse(text: &str, format: &str, name: &str) -> Result<Vec<i64>, String> {
    let wrong =
        |error: jiff::Error| format!("`{text}` does not have the format `{format}`: {error}");
    let read = BrokenDownTime::parse(format, text).map_err(wrong)?;
    if let Some(offset) = read.offset() {
        let at = read.to_timestamp().map_err(wrong)?;
        return Ok(fields(&at.to_zoned(TimeZone::fixed(offset))));
    }
    let date = match read.to_datetime() {
        Ok(date) => date,
        Err(_) => read
            .to_date()
            .map_err(wrong)?
            .to_datetime(jiff::civil::Time::midnight()),
    };
    Ok(fields(&date.to_zoned(zone(name)?).map_err(wrong)?))
}

/// The same for ISO 8601 and RFC 3339: `2024-02-29`, `2024-02-29T12:30`, `...Z`, `...+02:00`,
/// `...+02:00[Europe/Paris]`.
pub fn parse_iso(text: &str, name: &str) -> Result<Vec<i64>, String> {
    let trimmed = text.trim();
    let wrong = || {
        format!(
            "`{text}` is not a date of ISO 8601; expected a form such as `2024-02-29` or `2024-02-29T12:30:00Z`"
        )
    };
    if trimmed.ends_with(']') {
        return Ok(fields(
            &trimmed
                .parse::<Zoned>()
                .map_err(|error| format!("{}: {error}", wrong()))?,
        ));
    }
    if let Ok(at) = trimmed.parse::<Timestamp>() {
        let tail = trimmed.get(10..).unwrap_or_default();
        let shown = tail
            .rfind(['+', '-'])
            .and_then(|sign| offset(&tail[sign..]));
        return Ok(fields(
            &at.to_zoned(shown.map_or(TimeZone::UTC, TimeZone::fixed)),
        ));
    }
    let date: DateTime = trimmed.parse().map_err(|_| wrong())?;
    Ok(fields(
        &date
            .to_zoned(zone(name)?)
            .map_err(|error| error.to_string())?,
    ))
}

/// Seconds and nanoseconds of a duration such as `PT1H30M` or `1h 30m`. The seconds of a negative one are rounded down.
pub fn duration(text: &str) -> Result<Vec<i64>, String> {
    let read: SignedDuration = text.trim().parse().map_err(|_| {
        format!(
            "`{text}` is not a duration; \
             expected a form such as `PT1H30M`, `1h 30m` or `2.5s`, without days and longer units"
        )
    })?;
    let (seconds, nanos) = (read.as_secs(), i64::from(read.subsec_nanos()));
    Ok(match nanos < 0 {
        true => vec![seconds - 1, nanos + 1_000_000_000],
        false => vec![seconds, nanos],
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn zones_shift_the_clock() {
        let found = parts(1_709_209_800, 5, "Europe/Berlin").unwrap();
        assert_eq!(found, [2024, 2, 29, 13, 30, 0, 5, 3600]);
        assert_eq!(local(&found[..7], "Europe/Berlin").unwrap(), found);
        assert_eq!(
            local(&[2024, 2, 29, 13, 30, 0, 0], "+01:00").unwrap()[7],
            3600
        );
        assert!(
            local(&[2023, 2, 29, 0, 0, 0, 0], "UTC")
                .unwrap_err()
                .contains("2023-02-29")
        );
        assert!(
            zone_name("Mars/Base")
                .unwrap_err()
                .contains("unknown time zone")
        );
        assert_eq!(zone_name("-0330").unwrap(), "-03:30");
        assert_eq!(pair(Timestamp::new(-1, -5).unwrap()), [-2, 999_999_995]);
        assert!(zones().unwrap().iter().any(|name| name == "Asia/Tokyo"));
    }

    #[test]
    fn formats_are_those_of_strftime() {
        assert_eq!(
            format(0, 0, "UTC", "%Y-%m-%d %H:%M:%S %A %j").unwrap(),
            "1970-01-01 00:00:00 Thursday 001"
        );
        assert_eq!(
            parse("29/02/2024 12:30", "%d/%m/%Y %H:%M", "UTC").unwrap()[..5],
            [2024, 2, 29, 12, 30]
        );
        assert_eq!(
            parse("2024-02-29 13:30 +0100", "%Y-%m-%d %H:%M %z", "UTC").unwrap()[7],
            3600
        );
        assert_eq!(
            parse_iso("2024-02-29T13:30:00+01:00", "UTC").unwrap()[3..],
            [13, 30, 0, 0, 3600]
        );
        assert_eq!(
            parse_iso("2024-07-01T00:00:00+02:00[Europe/Paris]", "UTC").unwrap()[7],
            7200
        );
        assert!(parse_iso("2024-13-01", "UTC").is_err());
        assert!(parse("x", "%Y", "UTC").is_err());
        assert!(format(0, 0, "UTC", "%").is_err());
        let all = format(1_709_209_800, 250_000_000, "UTC", "%S.%f|%c|%x|%%f").unwrap();
        assert_eq!(all, "00.250000|Thu Feb 29 12:30:00 2024|02/29/24|%f");
    }

    #[test]
    fn distances_follow_calendar_and_clock() {
        // 31 January plus a month; over the change to summer time, a day is not 24 hours.
        let january = local(&[2024, 1, 31, 12, 0, 0, 0], "UTC").unwrap();
        assert_eq!(january[..3], [2024, 1, 31]);
        assert_eq!(
            plus(1_706_702_400, 0, "UTC", &[0, 1, 0, 0, 0, 0, 0, 0]).unwrap()[..3],
            [2024, 2, 29]
        );
        let day = plus(1_711_796_400, 0, "Europe/Berlin", &[0, 0, 0, 1, 0, 0, 0, 0]).unwrap();
        let hours = plus(
            1_711_796_400,
            0,
            "Europe/Berlin",
            &[0, 0, 0, 0, 24, 0, 0, 0],
        )
        .unwrap();
        assert_eq!(day[3] + 1, hours[3]);
        assert_eq!(duration("PT1H30M").unwrap(), [5400, 0]);
        assert_eq!(duration("-1.5s").unwrap(), [-2, 500_000_000]);
        assert!(duration("x").is_err());
    }
}
