//! What an executable carries: the program and what goes with it, as bytes.
//!
//! All of it is made when the program is compiled, so that nothing of the compiler or of the library's files is
//! needed when it runs.

use simple_core::table::RtFn;
use simple_image::Image;
use simple_image::stored::{Input, Stored};
use simple_middle::mir::Extern;
use simple_syntax::SourceMap;

/// A program in an executable.
#[derive(Debug)]
pub struct Program<'b> {
    /// Code and data.
    pub image: Image,
    /// The parts of a processor that its code uses, by Cranelift's names without `has_`.
    pub processor: Vec<String>,
    /// Of the program's texts what its errors show ([`simple_image::shown_sources`]).
    pub sources: SourceMap,
    /// The declarations of functions of the torch library that the program calls, as in `lib/torch/ffi`.
    pub declarations: String,
    /// What `--backend` said when it was compiled; empty where it was not given.
    pub backend: String,
    /// What computes its tensors, and why, as it was chosen then; empty where nothing was.
    pub chosen: (String, String),
    /// What `--profile` asked for when it was compiled.
    pub profile: Vec<String>,
    /// What it needs of libtorch, if it does.
    pub torch: Option<Torch<'b>>,
}

/// The torch library that goes with a program.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Torch<'b> {
    /// The release of libtorch that it was built for, such as `2.15.0`.
    pub release: String,
    /// The library as a file has it; empty where it is in a file beside the executable.
    pub library: &'b [u8],
}

impl<'b> Program<'b> {
    /// What [`Program::from_bytes`] reads.
    pub fn to_bytes(&self) -> Vec<u8> {
        let mut out = Vec::new();
        runtime().put(&mut out);
        let list = |bytes: &[u8], out: &mut Vec<u8>| {
            bytes.len().put(out);
            out.extend_from_slice(bytes);
        };
        list(&self.image.to_bytes(), &mut out);
        self.processor.put(&mut out);
        self.sources.put(&mut out);
        self.declarations.put(&mut out);
        self.backend.put(&mut out);
        self.chosen.put(&mut out);
        self.profile.put(&mut out);
        self.torch.is_some().put(&mut out);
        if let Some(torch) = &self.torch {
            torch.release.put(&mut out);
            list(torch.library, &mut out);
        }
        out
    }

    /// The program that an executable carries. `address` knows the functions of the runtime. `None` where it is of
    /// another build of Simple.
    pub fn from_bytes(
        bytes: &'b [u8],
        address: impl Fn(&Extern) -> Option<usize>,
    ) -> Option<Program<'b>> {
        let mut input = Input::new(bytes);
        if i64::take(&mut input)? != runtime() {
            return None;
        }
        let image = Image::from_bytes(input.slice()?, address)?;
        Some(Program {
            image,
            processor: Stored::take(&mut input)?,
            sources: Stored::take(&mut input)?,
            declarations: Stored::take(&mut input)?,
            backend: Stored::take(&mut input)?,
            chosen: Stored::take(&mut input)?,
            profile: Stored::take(&mut input)?,
            torch: match bool::take(&mut input)? {
                false => None,
                true => Some(Torch {
                    release: Stored::take(&mut input)?,
                    library: input.slice()?,
                }),
            },
        })
    }
}

/// A number that differs where the functions do by which code reaches the runtime.
fn runtime() -> i64 {
    // FNV-1a, 64 bits: its offset basis and its prime.
    let mut hash = 0xcbf2_9ce4_8422_2325_u64;
    let names = RtFn::ALL
        .iter()
        .flat_map(|func| func.signature().name.bytes());
    for byte in names.chain(env!("CARGO_PKG_VERSION").bytes()) {
        hash = (hash ^ u64::from(byte)).wrapping_mul(0x0100_0000_01b3);
    }
    hash as i64
}

#[cfg(test)]
mod tests {
    use super::*;
    use simple_image::First;
    use simple_image::form::{Data, Entry};
    use simple_middle::mir::FnId;

    #[test]
    fn what_is_put_is_what_is_taken() {
        let mut sources = SourceMap::default();
        sources.add("a.spl", "print 1\n");
        let library = sources.add("lib/std/a.spl", "");
        sources.mark_library(library);
        let image = Image {
            text: vec![0xc3],
            functions: vec![0],
            relocations: Vec::new(),
            stubs: Vec::new(),
            thunks: 16,
            late: Vec::new(),
            calls: Vec::new(),
            callers: Vec::new(),
            data: Data::default(),
            names: vec!["main".to_owned()],
            externs: Vec::new(),
            sites: Vec::new(),
            numbers: Vec::new(),
            entry: Entry {
                func: FnId(0),
                has_result: false,
                has_status: false,
            },
            release: None,
            exports: vec![("words_count".to_owned(), FnId(0))],
            first: First::default(),
        };
        let program = Program {
            image,
            processor: vec!["avx2".to_owned()],
            sources,
            declarations: "# library: l\n".to_owned(),
            backend: "torch".to_owned(),
            chosen: ("torch".to_owned(), "the test says so".to_owned()),
            profile: vec![String::new(), "a.json".to_owned()],
            torch: Some(Torch {
                release: "2.15.0".to_owned(),
                library: b"elf",
            }),
        };
        let bytes = program.to_bytes();
        let read = Program::from_bytes(&bytes, |_| None).expect("what was put");
        assert_eq!(format!("{read:?}"), format!("{program:?}"));
        for cut in 0..bytes.len() {
            assert!(
                Program::from_bytes(&bytes[..cut], |_| None).is_none(),
                "{cut} bytes"
            );
        }
        let mut other = bytes.clone();
        other[0] ^= 1;
        assert!(Program::from_bytes(&other, |_| None).is_none());
    }
}
