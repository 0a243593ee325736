//! Several devices in one text, as a configuration names them: `cuda:0,cuda:1`. The first is that of new tensors; together they compute the
//! batches of a model.
//!
//! A list of one is a word like any other, so `gpu` and `auto` are allowed there and nowhere else. The CPU may be named more than once, which
//! tests what several GPUs do on a machine without one; a GPU may not, since it would do the work of two in turns.

use std::fmt;

use super::{Choice, Device, MOST, Unknown, of_word};

/// What a text asks for that may name several devices.
#[derive(Clone, PartialEq, Eq, Hash, Debug)]
pub enum Devices {
    /// One word.
    One(Choice),
    /// Two devices or more.
    Several(Vec<Device>),
}

/// What is wrong with a list.
#[derive(Clone, PartialEq, Eq, Debug)]
pub enum Mistake {
    /// Nothing before, after or between commas.
    Missing,
    /// A word that is not a device.
    Word(String),
    /// `gpu` or `auto`, which choose one device by themselves.
    Choosing(Choice),
    /// A GPU that is named twice.
    Twice(Device),
    /// So many devices are named, more than libtorch has numbers for.
    TooMany(usize),
}

impl Mistake {
    pub(super) fn tell(&self, list: &str, out: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Mistake::Missing => write!(
                out,
                "a device is missing in the list `{list}`; write them with one comma between each two, such as `cuda:0,cuda:1`"
            ),
            Mistake::Word(word) => {
                write!(out, "in the list `{list}`: ")?;
                super::unknown_word(word, out)
            }
            Mistake::Choosing(word) => write!(
                out,
                "`{word}` chooses one device by itself, and the list `{list}` has several; name each device, such as `cuda:0,cuda:1`"
            ),
            Mistake::Twice(device) => write!(
                out,
                "`{device}` is named twice in the list `{list}`; name each GPU once"
            ),
            Mistake::TooMany(count) => {
                write!(out, "the list names {count} devices; the most is {MOST}")
            }
        }
    }
}

impl Devices {
    /// Reads a word or a list. Spaces and tabs around the words of a list do not count.
    ///
    /// # Errors
    ///
    /// A word that is not a device, a place without a word, a GPU that is named twice, and `gpu` or `auto` among others.
    pub fn of_text(text: &str) -> Result<Devices, Unknown> {
        if !text.contains(',') {
            return of_word(text).map(Devices::One);
        }
        several(text).map_err(|mistake| Unknown::List {
            text: text.to_owned(),
            mistake,
        })
    }

    /// What is asked for new tensors.
    pub fn first(&self) -> Choice {
        match self {
            Devices::One(choice) => *choice,
            Devices::Several(devices) => devices
                .first()
                .map_or(Choice::Device(Device::Cpu), |first| Choice::Device(*first)),
        }
    }

    /// All that is asked for, in order.
    pub fn iter(&self) -> impl Iterator<Item = Choice> {
        let (one, several) = match self {
            Devices::One(choice) => (Some(*choice), &[][..]),
            Devices::Several(devices) => (None, &devices[..]),
        };
        one.into_iter()
            .chain(several.iter().copied().map(Choice::Device))
    }

    /// Whether a GPU is asked for.
    pub fn is_gpu(&self) -> bool {
        self.iter().any(Choice::is_gpu)
    }
}

fn several(text: &str) -> Result<Devices, Mistake> {
    let count = text.split(',').count();
    if count > usize::from(MOST) {
        return Err(Mistake::TooMany(count));
    }
    let mut devices = Vec::with_capacity(count);
    for word in text.split(',').map(|word| word.trim_matches([' ', '\t'])) {
        let device = match of_word(word) {
            Ok(Choice::Device(device)) => device,
            Ok(choice) => return Err(Mistake::Choosing(choice)),
            Err(_) if word.is_empty() => return Err(Mistake::Missing),
            Err(_) => return Err(Mistake::Word(word.to_owned())),
        };
        if device.is_gpu() && devices.contains(&device) {
            return Err(Mistake::Twice(device));
        }
        devices.push(device);
    }
    Ok(Devices::Several(devices))
}

impl fmt::Display for Devices {
    fn fmt(&self, out: &mut fmt::Formatter<'_>) -> fmt::Result {
        for (at, choice) in self.iter().enumerate() {
            let comma = if at > 0 { "," } else { "" };
            write!(out, "{comma}{choice}")?;
        }
        Ok(())
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_list_is_read_and_written() {
        for (text, shown, first) in [
            ("cuda:0,cuda:1", "cuda:0,cuda:1", "cuda:0"),
            ("cuda:1 ,\tcuda", "cuda:1,cuda:0", "cuda:1"),
            (" cpu, cpu,cpu ", "cpu,cpu,cpu", "cpu"),
            ("cuda:3,cpu", "cuda:3,cpu", "cuda:3"),
            ("mps", "mps", "mps"),
            ("auto", "auto", "auto"),
        ] {
            let devices = Devices::of_text(text).unwrap();
            let found = (devices.to_string(), devices.first().to_string());
            assert_eq!(found, (shown.to_owned(), first.to_owned()));
            assert_eq!(Devices::of_text(shown), Ok(devices));
        }
    }

    #[test]
    fn a_mistake_in_a_list_is_named() {
        for (text, part) in [
            (",", "a device is missing in the list `,`"),
            ("cuda:0,,cuda:1", "a device is missing"),
            ("cuda:0,", "a device is missing"),
            (" ,cpu", "a device is missing"),
            (
                "cuda:0,foo",
                "in the list `cuda:0,foo`: unknown device `foo`; expected one of cpu",
            ),
            ("cuda:0,CUDA:1", "did you mean `cuda:1`?"),
            ("cuda:0,opencl", "libtorch does not have OpenCL"),
            ("cuda:0;cuda:1,cpu", "unknown device `cuda:0;cuda:1`"),
            ("cuda:0,\ncuda:1", "unknown device `\ncuda:1`"),
            ("gpu,cpu", "`gpu` chooses one device by itself"),
            ("cpu,auto", "`auto` chooses one device by itself"),
            ("cuda,cuda:1,cuda:0", "`cuda:0` is named twice"),
            ("mps,mps", "`mps` is named twice"),
            (&vec!["cpu"; 129].join(","), "the list names 129 devices"),
        ] {
            let said = Devices::of_text(text).unwrap_err().to_string();
            assert!(said.contains(part), "{text:?}: {said}");
        }
        let one = Devices::of_text(" cpu").unwrap_err().to_string();
        assert!(one.starts_with("unknown device ` cpu`"), "{one}");
    }
}
