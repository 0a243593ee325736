//! Fakes for the driver and its management library; libtorch is not needed to name what is wrong with them.

use crate::fakes::{self, Has};
use crate::machine::{Machine, Run};

fn doctor(name: &str, has: Has, settings: &[(&str, &str)]) -> Run {
    let mut machine = Machine::without_torch(name);
    machine.set("LD_LIBRARY_PATH", fakes::libraries(has));
    machine.run(settings, &["doctor", "--device", "cuda:0"])
}

#[test]
fn facts_of_the_driver_are_there_without_libtorch() {
    let mut machine = Machine::without_torch("facts");
    machine.set("LD_LIBRARY_PATH", fakes::libraries(Has::Both));
    let run = machine.run(&[("FAKE_DEVICES", "2")], &["device"]);
    assert_eq!(run.status, Some(0));
    run.has(&[
        "platform      Linux ",
        "driver        NVIDIA 580.65.06, for CUDA 13.0\n",
        "GPU 0         Fake GPU 0, compute capability 8.6, memory 24.0 GB, 20.0 GB free\n",
        "GPU 1         Fake GPU 1, ",
        "libtorch      not available: ",
        "configured    cpu (from the default)\n",
    ]);
    let run = machine.run(&[("FAKE_DEVICES", "2")], &["device", "--format=json"]);
    let facts: serde_json::Value = serde_json::from_str(&run.stdout).expect("JSON");
    assert_eq!(facts["driver"], "580.65.06");
    assert_eq!(facts["driver_cuda"], "13.0");
    assert_eq!(facts["gpus"][1]["name"], "Fake GPU 1");
    assert_eq!(facts["gpus"][1]["free_memory"], 20_u64 << 30);
    assert_eq!(facts["gpus"][0]["capability"], serde_json::json!([8, 6]));
    assert_eq!(facts["cuda"], false);
    assert!(
        facts["torch_unavailable"]
            .as_str()
            .is_some_and(|why| why.contains("bin/simple build"))
    );
}

#[test]
fn what_selects_the_device_is_named() {
    let machine = Machine::without_torch("origin");
    let told = |settings: &[(&str, &str)], arguments: &[&str]| {
        let run = machine.run(settings, &[&["device"], arguments].concat());
        let line = run
            .stdout
            .lines()
            .find(|line| line.starts_with("configured"));
        line.map(|line| line["configured".len()..].trim().to_owned())
    };
    assert_eq!(told(&[], &[]).as_deref(), Some("cpu (from the default)"));
    let write = |name, text| std::fs::write(machine.folder.join(name), text).expect("write a file");
    write("dl.config.sdn", "dl:\n    dtype: f32\n    device: cuda:1\n");
    assert_eq!(
        told(&[], &[]).as_deref(),
        Some("cuda:1 (from dl.config.sdn:3:13)")
    );
    write("dl.config.local.sdn", "device: auto\n");
    assert_eq!(
        told(&[], &[]).as_deref(),
        Some("auto (from dl.config.local.sdn:1:9)")
    );
    let variable = [("SIMPLE_DL_DEVICE", "cuda")];
    assert_eq!(
        told(&variable, &[]).as_deref(),
        Some("cuda:0 (from SIMPLE_DL_DEVICE)")
    );
    assert_eq!(
        told(&variable, &["--device", "cpu"]).as_deref(),
        Some("cpu (from --device)")
    );
    write("dl.config.local.sdn", "device: cdua\n");
    let broken = told(&[], &[]).expect("a line");
    assert!(
        broken.contains("dl.config.local.sdn:1:9: unknown device `cdua`"),
        "{broken}"
    );
    let run = machine.run(&[], &["doctor"]);
    assert_eq!(run.status, Some(1));
    run.has(&["broken   configuration  dl.config.local.sdn:1:9: unknown device `cdua`"]);
}

#[test]
fn devices_that_the_driver_has() {
    for (count, words) in [("1", "1 device"), ("2", "2 devices")] {
        let run = doctor("devices", Has::Both, &[("FAKE_DEVICES", count)]);
        run.has(&[
            &format!("ok       driver         NVIDIA 580.65.06, for CUDA 13.0, {words}\n"),
            &format!("ok       NVML           sees {words}\n"),
            "ok       GPU            GPU 0, Fake GPU 0, 24.0 GB, 20.0 GB free\n",
        ]);
    }
    let none = doctor("devices", Has::Both, &[("FAKE_DEVICES", "0")]);
    none.has(&[
        "broken   driver         NVIDIA 580.65.06, for CUDA 13.0; it has no GPU for this process",
    ]);
}

#[test]
fn a_driver_that_cannot_be_used() {
    let old = doctor("driver_old", Has::Both, &[("FAKE_VERSION", "12080")]);
    old.has(&[
        "broken   driver         NVIDIA 570.86.10, for CUDA 12.8",
        "older than CUDA 13.0",
        "release 580 or newer",
    ]);
    for (code, parts) in [
        ("2", ["error 2, CUDA_ERROR_OUT_OF_MEMORY", "memory is full"]),
        (
            "100",
            ["error 100, CUDA_ERROR_NO_DEVICE", "CUDA_VISIBLE_DEVICES"],
        ),
        ("999", ["error 999, CUDA_ERROR_UNKNOWN", "nvidia_uvm"]),
    ] {
        doctor("driver_init", Has::Both, &[("FAKE_INIT", code)]).has(&parts);
    }
    let crashed = doctor("driver_crash", Has::Both, &[("FAKE_CRASH", "1")]);
    crashed.has(&[
        "broken   driver         the process that tried it was ended by signal 11 (SIGSEGV)",
    ]);
    assert_eq!(crashed.status, Some(1));
}

#[test]
fn the_management_library() {
    let without = doctor("nvml_none", Has::OnlyDriver, &[]);
    without.has(&[
        "ok       driver         for CUDA 13.0, 1 device\n",
        "warning  NVML           there is no libnvidia-ml.so.1\n",
    ]);
    let mismatch = doctor("nvml_mismatch", Has::Both, &[("FAKE_NVML_INIT", "18")]);
    mismatch.has(&["warning  NVML           ", "restart the machine"]);
    let lost = doctor("nvml_lost", Has::Both, &[("FAKE_LOST", "1")]);
    lost.has(&[
        "warning  GPU            GPU 0: ",
        "fallen off the bus",
        "stopped answering",
    ]);
    let full = doctor("nvml_full", Has::Both, &[("FAKE_FULL", "1")]);
    full.has(&["GPU memory usage is above 90 %, 1.0 GB of 24.0 GB are free, by 0 processes"]);
}

#[test]
fn files_that_only_have_the_names() {
    for (library, link) in [("libcuda.so.1", "driver "), ("libnvidia-ml.so.1", "NVML ")] {
        for (how, part) in [("empty", "file too short"), ("other", "has no")] {
            let folder = fakes::folder(&format!("named_{link}{how}"));
            let place = folder.join(library);
            match how {
                "empty" => std::fs::write(&place, "").expect("write a file"),
                _ => fakes::of_code(&place, "int unrelated;\n"),
            }
            let mut machine = Machine::without_torch("named");
            machine.set("LD_LIBRARY_PATH", &folder);
            let run = machine.run(&[], &["doctor", "--device", "cuda:0"]);
            let line = run
                .complaints()
                .into_iter()
                .find(|line| line.contains(link));
            let line = line.unwrap_or_else(|| panic!("nothing about {link} in {}", run.stdout));
            let named = line.contains(part) || line.contains("has not the functions");
            assert!(line.contains("cannot be used") && named, "{line}");
        }
    }
}

#[test]
fn no_driver_at_all() {
    let machine = Machine::without_torch("nothing");
    let asked = machine.run(&[], &["doctor", "--device", "cuda:0"]);
    asked.has(&[
        "broken   driver         there is no libcuda.so.1",
        "release 580",
    ]);
    machine.run(&[], &["doctor"]).has(&[
        "warning  libtorch       PyTorch not available",
        "ok       backend        native computes: `auto`, the default, found no libtorch: ",
    ]);
    let quiet = machine.run(&[("SIMPLE_DL_BACKEND", "torch")], &["doctor"]);
    assert_eq!(quiet.status, Some(1), "there is no torch library");
    quiet.has(&[
        "broken   libtorch       PyTorch not available",
        "cure: run `bin/simple build`",
    ]);
    let help = machine.run(&[], &["doctor", "--help"]);
    help.has(&[
        "The exit code is 0 if a program can run tensors on the device",
        "otherwise 1",
    ]);
}
