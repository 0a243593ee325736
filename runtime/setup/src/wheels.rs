//! Every wheel that a set-up fetches, with its SHA-256: nothing else is ever opened.
//!
//! The list is what torch 2.11.0 asks for on Linux: its own wheel, for each Python that it is made for (the libraries and
//! headers inside are what counts, so any of them will do); the CUDA runtime, to which `libtorch_cpu.so` is linked; and
//! for `--cuda` the `nvidia-*` requirements in torch's METADATA and the parts of `cuda-toolkit` that it names there. The
//! hashes are those that pip reports from the package index, for each architecture and each Python:
//!
//! ```text
//! pip install --dry-run --report - --ignore-installed --no-deps --only-binary=:all: --target x --python-version 3.12 \
//!     --implementation cp --abi cp312 --abi abi3 --abi none --platform manylinux_2_28_x86_64 ... torch==2.11.0
//! ```

/// A wheel, or several that will do equally.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Pin {
    /// The project's name in the package index.
    pub project: &'static str,
    /// Its version.
    pub version: &'static str,
    /// The SHA-256 of each file that will do, in lower-case hexadecimal digits.
    pub sha256: &'static [&'static str],
}

impl Pin {
    /// As pip writes it: `torch==2.11.0`.
    pub fn spec(&self) -> String {
        format!("{}=={}", self.project, self.version)
    }

    /// A line of a requirements file for pip's `--require-hashes`.
    pub fn requirement(&self) -> String {
        let mut line = self.spec();
        for hash in self.sha256 {
            line.push_str(" --hash=sha256:");
            line.push_str(hash);
        }
        line
    }
}

/// The wheels for one kind of machine.
#[derive(Debug, Clone, Copy)]
pub struct Pins {
    /// A libtorch that computes on the CPU.
    pub cpu: &'static [Pin],
    /// How many bytes those are, as far as it is known.
    pub cpu_bytes: Option<u64>,
    /// What CUDA needs in addition.
    pub cuda: &'static [Pin],
}

/// The wheels for Linux on an architecture, named as Rust does.
pub fn for_arch(arch: &str) -> Option<Pins> {
    match arch {
        "x86_64" => Some(Pins {
            cpu: &X86_64_CPU,
            cpu_bytes: Some(543_600_000),
            cuda: &X86_64_CUDA,
        }),
        "aarch64" => Some(Pins {
            cpu: &AARCH64_CPU,
            cpu_bytes: None,
            cuda: &AARCH64_CUDA,
        }),
        _ => None,
    }
}

const fn pin(project: &'static str, version: &'static str, sha256: &'static [&'static str]) -> Pin {
    Pin {
        project,
        version,
        sha256,
    }
}

const X86_64_CPU: [Pin; 3] = [
    pin(
        "torch",
        "2.11.0",
        &[
            // cp310
            "1b32ceda909818a03b112006709b02be1877240c31750a8d9c6b7bf5f2d8a6e5",
            // cp311
            "7aa2f9bbc6d4595ba72138026b2074be1233186150e9292865e04b7a63b8c67a",
            // cp312
            "0f68f4ac6d95d12e896c3b7a912b5871619542ec54d3649cf48cc1edd4dd2756",
            // cp313
            "cc89b9b173d9adfab59fd227f0ab5e5516d9a52b658ae41d64e59d2e55a418db",
            // cp313t
            "98bb213c3084cfe176302949bdc360074b18a9da7ab59ef2edc9d9f742504778",
            // cp314
            "4dc8b3809469b6c30b411bb8c4cad3828efd26236153d9beb6a3ec500f211a60",
            // cp314t
            "563ed3d25542d7e7bbc5b235ccfacfeb97fb470c7fee257eae599adb8005c8a2",
        ],
    ),
    pin(
        "nvidia-cuda-runtime",
        "13.0.96",
        &["7f82250d7782aa23b6cfe765ecc7db554bd3c2870c43f3d1821f1d18aebf0548"],
    ),
    pin(
        "nvidia-cuda-cupti",
        "13.0.85",
        &["4eb01c08e859bf924d222250d2e8f8b8ff6d3db4721288cf35d14252a4d933c8"],
    ),
];

const X86_64_CUDA: [Pin; 13] = [
    pin(
        "nvidia-cudnn-cu13",
        "9.19.0.56",
        &["d20e1734305e9d68889a96e3f35094d733ff1f83932ebe462753973e53a572bf"],
    ),
    pin(
        "nvidia-cusparselt-cu13",
        "0.8.0",
        &["25e30a8a7323935d4ad0340b95a0b69926eee755767e8e0b1cf8dd85b197d3fd"],
    ),
    pin(
        "nvidia-nccl-cu13",
        "2.28.9",
        &["e4553a30f34195f3fa1da02a6da3d6337d28f2003943aa0a3d247bbc25fefc42"],
    ),
    pin(
        "nvidia-nvshmem-cu13",
        "3.4.5",
        &["290f0a2ee94c9f3687a02502f3b9299a9f9fe826e6d0287ee18482e78d495b80"],
    ),
    pin(
        "nvidia-cublas",
        "13.1.0.3",
        &["ee8722c1f0145ab246bccb9e452153b5e0515fd094c3678df50b2a0888b8b171"],
    ),
    pin(
        "nvidia-cufft",
        "12.0.0.61",
        &["6c44f692dce8fd5ffd3e3df134b6cdb9c2f72d99cf40b62c32dde45eea9ddad3"],
    ),
    pin(
        "nvidia-cufile",
        "1.15.1.6",
        &["08a3ecefae5a01c7f5117351c64f17c7c62efa5fffdbe24fc7d298da19cd0b44"],
    ),
    pin(
        "nvidia-curand",
        "10.4.0.35",
        &["1aee33a5da6e1db083fe2b90082def8915f30f3248d5896bcec36a579d941bfc"],
    ),
    pin(
        "nvidia-cusolver",
        "12.0.4.66",
        &["0a759da5dea5c0ea10fd307de75cdeb59e7ea4fcb8add0924859b944babf1112"],
    ),
    pin(
        "nvidia-cusparse",
        "12.6.3.3",
        &["2b3c89c88d01ee0e477cb7f82ef60a11a4bcd57b6b87c33f789350b59759360b"],
    ),
    pin(
        "nvidia-nvjitlink",
        "13.0.88",
        &["13a74f429e23b921c1109976abefacc69835f2f433ebd323d3946e11d804e47b"],
    ),
    pin(
        "nvidia-cuda-nvrtc",
        "13.0.88",
        &["ad9b6d2ead2435f11cbb6868809d2adeeee302e9bb94bcf0539c7a40d80e8575"],
    ),
    pin(
        "nvidia-nvtx",
        "13.0.85",
        &["4936d1d6780fbe68db454f5e72a42ff64d1fd6397df9f363ae786930fd5c1cd4"],
    ),
];

const AARCH64_CPU: [Pin; 3] = [
    pin(
        "torch",
        "2.11.0",
        &[
            // cp310
            "4cf8687f4aec3900f748d553483ef40e0ac38411c3c48d0a86a438f6d7a99b18",
            // cp311
            "d91aac77f24082809d2c5a93f52a5f085032740a1ebc9252a7b052ef5a4fddc6",
            // cp312
            "f99924682ef0aa6a4ab3b1b76f40dc6e273fca09f367d15a524266db100a723f",
            // cp313
            "63a68fa59de8f87acc7e85a5478bb2dddbb3392b7593ec3e78827c793c4b73fd",
            // cp313t
            "2658f34ce7e2dabf4ec73b45e2ca68aedad7a5be87ea756ad656eaf32bf1e1ea",
            // cp314
            "2bb3cc54bd0dea126b0060bb1ec9de0f9c7f7342d93d436646516b0330cd5be7",
            // cp314t
            "ab9a8482f475f9ba20e12db84b0e55e2f58784bdca43a854a6ccd3fd4b9f75e6",
        ],
    ),
    pin(
        "nvidia-cuda-runtime",
        "13.0.96",
        &["ef9bcbe90493a2b9d810e43d249adb3d02e98dd30200d86607d8d02687c43f55"],
    ),
    pin(
        "nvidia-cuda-cupti",
        "13.0.85",
        &["796bd679890ee55fb14a94629b698b6db54bcfd833d391d5e94017dd9d7d3151"],
    ),
];

const AARCH64_CUDA: [Pin; 13] = [
    pin(
        "nvidia-cudnn-cu13",
        "9.19.0.56",
        &["6ed29ffaee1176c612daf442e4dd6cfeb6a0caa43ddcbeb59da94953030b1be4"],
    ),
    pin(
        "nvidia-cusparselt-cu13",
        "0.8.0",
        &["400c6ed1cf6780fc6efedd64ec9f1345871767e6a1a0a552a1ea0578117ea77c"],
    ),
    pin(
        "nvidia-nccl-cu13",
        "2.28.9",
        &["01c873ba1626b54caa12272ed228dc5b2781545e0ae8ba3f432a8ef1c6d78643"],
    ),
    pin(
        "nvidia-nvshmem-cu13",
        "3.4.5",
        &["6dc2a197f38e5d0376ad52cd1a2a3617d3cdc150fd5966f4aee9bcebb1d68fe9"],
    ),
    pin(
        "nvidia-cublas",
        "13.1.0.3",
        &["c86fc7f7ae36d7528288c5d88098edcb7b02c633d262e7ddbb86b0ad91be5df2"],
    ),
    pin(
        "nvidia-cufft",
        "12.0.0.61",
        &["2708c852ef8cd89d1d2068bdbece0aa188813a0c934db3779b9b1faa8442e5f5"],
    ),
    pin(
        "nvidia-cufile",
        "1.15.1.6",
        &["bdc0deedc61f548bddf7733bdc216456c2fdb101d020e1ab4b88d232d5e2f6d1"],
    ),
    pin(
        "nvidia-curand",
        "10.4.0.35",
        &["133df5a7509c3e292aaa2b477afd0194f06ce4ea24d714d616ff36439cee349a"],
    ),
    pin(
        "nvidia-cusolver",
        "12.0.4.66",
        &["02c2457eaa9e39de20f880f4bd8820e6a1cfb9f9a34f820eb12a155aa5bc92d2"],
    ),
    pin(
        "nvidia-cusparse",
        "12.6.3.3",
        &["80bcc4662f23f1054ee334a15c72b8940402975e0eab63178fc7e670aa59472c"],
    ),
    pin(
        "nvidia-nvjitlink",
        "13.0.88",
        &["e931536ccc7d467a98ba1d8b89ff7fa7f1fa3b13f2b0069118cd7f47bff07d0c"],
    ),
    pin(
        "nvidia-cuda-nvrtc",
        "13.0.88",
        &["d27f20a0ca67a4bb34268a5e951033496c5b74870b868bacd046b1b8e0c3267b"],
    ),
    pin(
        "nvidia-nvtx",
        "13.0.85",
        &["cb7780edb6b14107373c835bf8b72e7a178bac7367e23da7acb108f973f157a6"],
    ),
];

#[cfg(test)]
mod tests {
    use super::*;
    use crate::TORCH_VERSION;

    #[test]
    fn every_wheel_is_pinned_for_both_architectures() {
        let [x86, arm] = ["x86_64", "aarch64"].map(|arch| for_arch(arch).unwrap());
        assert!(for_arch("riscv64").is_none());
        assert_eq!(x86.cpu[0].version, TORCH_VERSION);
        let mut hashes: Vec<&str> = Vec::new();
        for (x86, arm) in [(x86.cpu, arm.cpu), (x86.cuda, arm.cuda)] {
            let specs = |pins: &[Pin]| pins.iter().map(Pin::spec).collect::<Vec<_>>();
            assert_eq!(specs(x86), specs(arm));
            hashes.extend(x86.iter().chain(arm).flat_map(|pin| pin.sha256).copied());
        }
        for hash in &hashes {
            assert!(
                hash.len() == 64 && hash.chars().all(|c| matches!(c, '0'..='9' | 'a'..='f')),
                "{hash}"
            );
        }
        let count = hashes.len();
        hashes.sort();
        hashes.dedup();
        assert_eq!(hashes.len(), count, "a hash occurs twice");
    }

    #[test]
    fn requirements_are_as_pip_reads_them() {
        let pin = pin("torch", "2.11.0", &["aa", "bb"]);
        let line = "torch==2.11.0 --hash=sha256:aa --hash=sha256:bb";
        assert_eq!(pin.requirement(), line);
    }
}
