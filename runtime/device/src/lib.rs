//! Facts about this machine and the driver of its GPUs, without libtorch.
//!
//! [`Machine`] reads files of the system; [`Driver`] asks NVIDIA's driver (`libcuda.so.1`), [`Management`] its management library NVML,
//! which answers also where CUDA cannot be initialised. Both are opened when they are asked and not before. [`Gpus`] joins what the two
//! say about each GPU. What is not known is `None`, never an error: a machine without a GPU is as good as any other.
//!
//! It judges nothing (`simple doctor` does) and does not know libtorch. The files that it reads are Linux's; on other systems
//! most facts are missing.

#![allow(
    unsafe_code,
    reason = "functions of the driver are called through their addresses; each block says why it holds"
)]

mod driver;
mod machine;
mod management;

pub use driver::{Driver, Library, error_name};
pub use machine::{Machine, Node};
pub use management::{Managed, Management};

use serde::{Deserialize, Serialize};

/// A GPU as programs see it.
#[derive(Clone, PartialEq, Eq, Default, Debug, Serialize, Deserialize)]
pub struct Gpu {
    /// Such as `NVIDIA GeForce RTX 3090`.
    pub name: String,
    /// By which driver and management library mean the same GPU: `GPU-` and hexadecimal digits.
    pub uuid: String,
    /// The compute capability, major and minor.
    pub capability: Option<(i32, i32)>,
    /// Bytes of its memory.
    pub memory: Option<u64>,
    /// Bytes of its memory that nothing uses.
    pub free_memory: Option<u64>,
}

/// What driver and management library say together.
#[derive(Clone, PartialEq, Eq, Default, Debug, Serialize, Deserialize)]
pub struct Gpus {
    /// What the driver says.
    pub driver: Driver,
    /// What the management library says.
    pub management: Management,
}

impl Gpus {
    /// Opens and initialises both. A broken driver may end the process: commands ask in a child process.
    pub fn ask() -> Gpus {
        Gpus {
            driver: Driver::ask(true),
            management: Management::ask(),
        }
    }

    /// As [`Gpus::ask`] without initialising CUDA in this process, which is left to libtorch.
    pub fn ask_without_cuda() -> Gpus {
        Gpus {
            driver: Driver::ask(false),
            management: Management::ask(),
        }
    }

    /// The GPUs in the order of their CUDA numbers where the driver knows it, with what both say about each; otherwise those of the
    /// management library, in its order.
    pub fn all(&self) -> Vec<Gpu> {
        let managed = || self.management.gpus.iter().map(|managed| &managed.gpu);
        if self.driver.gpus.is_empty() {
            return managed().cloned().collect();
        }
        let both = self.driver.gpus.iter().map(|seen| {
            let other = managed().find(|other| other.uuid == seen.uuid);
            Gpu {
                free_memory: other.and_then(|other| other.free_memory),
                ..seen.clone()
            }
        });
        both.collect()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn gpu(name: &str, uuid: &str, free_memory: Option<u64>) -> Gpu {
        Gpu {
            name: name.to_owned(),
            uuid: uuid.to_owned(),
            free_memory,
            ..Gpu::default()
        }
    }

    #[test]
    fn gpus_are_in_the_order_of_cuda_with_what_both_say() {
        let managed = |gpu| Managed {
            gpu,
            ..Managed::default()
        };
        let mut gpus = Gpus::default();
        gpus.management.gpus = vec![
            managed(gpu("first", "a", Some(1))),
            managed(gpu("second", "b", Some(2))),
        ];
        let names = |gpus: &Gpus| {
            let all = gpus.all().into_iter();
            all.map(|gpu| (gpu.name, gpu.free_memory))
                .collect::<Vec<_>>()
        };
        let own_order = [
            ("first".to_owned(), Some(1)),
            ("second".to_owned(), Some(2)),
        ];
        assert_eq!(names(&gpus), own_order);
        // CUDA_VISIBLE_DEVICES hides one and the management library does not know another.
        gpus.driver.gpus = vec![gpu("second", "b", None), gpu("third", "c", None)];
        let order_of_cuda = [("second".to_owned(), Some(2)), ("third".to_owned(), None)];
        assert_eq!(names(&gpus), order_of_cuda);
    }
}
