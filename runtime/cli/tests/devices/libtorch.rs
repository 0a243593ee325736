//! A libtorch or a torch library that is renamed, empty, of another version, without symbols, or that crashes.

use crate::fakes::{self, Has};
use crate::machine::{Machine, release};

/// The release of the libtorch that the tests are given.
fn here() -> String {
    let folder = std::env::var_os("SIMPLE_LIBTORCH_DIR").expect("there is a torch library");
    release(folder.as_ref())
}

#[test]
fn a_whole_one_is_healthy() {
    let Some(machine) = Machine::with_torch("whole") else {
        return;
    };
    let run = machine.run(&[], &["doctor"]);
    assert_eq!(run.status, Some(0), "{}", run.stdout);
    run.has(&[
        &format!("ok       libtorch       {} in ", here()),
        "ok       tensors        cpu computes; a matrix product of 1024 rows takes ",
        "ok       selected       tensors are made on cpu\n",
    ]);
    let fallen = machine.run(&[], &["doctor", "--device", "mps"]);
    assert_eq!(fallen.status, Some(1));
    fallen.has(&[
        "mps is asked for, and tensors are made on cpu instead",
        "exists on Apple machines only",
    ]);
    let facts = machine.run(&[], &["device", "--format=json"]);
    let facts: serde_json::Value = serde_json::from_str(&facts.stdout).expect("JSON");
    assert_eq!(facts["torch_version"], *here());
    assert_eq!(facts["device"], "cpu");
    assert_eq!(facts["devices"], serde_json::json!(["cpu"]));
    assert!(facts["threads"].as_u64() > Some(0), "{facts}");
}

#[test]
fn several_devices_are_shown() {
    let Some(machine) = Machine::with_torch("several") else {
        return;
    };
    let list = [("SIMPLE_DL_DEVICE", "cpu, cpu")];
    machine.run(&list, &["device"]).has(&[
        "configured    cpu,cpu (from SIMPLE_DL_DEVICE)\n",
        "device        cpu, cpu\n",
    ]);
    let facts = machine.run(&list, &["device", "--format=json"]);
    let facts: serde_json::Value = serde_json::from_str(&facts.stdout).expect("JSON");
    assert_eq!(facts["device"], "cpu");
    assert_eq!(facts["devices"], serde_json::json!(["cpu", "cpu"]));
    let run = machine.run(&list, &["doctor"]);
    assert_eq!(run.status, Some(0), "{}", run.stdout);
    run.has(&["tensors are made on cpu, and batches are shared by cpu,cpu\n"]);
    let wrong = machine.run(&[], &["device", "--device", "cpu,"]);
    wrong.has(&["a device is missing in the list `cpu,`"]);
}

#[test]
fn programs_can_ask() {
    let Some(mut machine) = Machine::with_torch("programs") else {
        return;
    };
    let code = "use lib.torch.{device_info, print_device_info}\nprint_device_info()\nval info = device_info()\n\
                print info.torch_version, info.cuda, info.configured, info.configured_by, info.device, info.threads > 0, info.memory > info.free_memory\n\
                for gpu in info.gpus: print gpu\nprint info.driver, info.driver_cuda\n";
    machine.set("LD_LIBRARY_PATH", fakes::libraries(Has::Both));
    let run = machine.run(&[("FAKE_INIT", "100")], &["--device", "cpu", "-c", code]);
    let line = "=".repeat(60);
    run.has(&[
        &format!("{line}\nDevice Information\n{line}\nPlatform: Linux\nProcessor: "),
        "CPU Threads: ",
        "\n\nCUDA (NVIDIA GPU): Not available\n\nMPS (Apple Silicon GPU): Not available\n",
        &format!("{} false cpu --device cpu true true\n", here()),
        "GpuInfo(name: Fake GPU 0, capability: (8, 6), memory: 25769803776, free_memory: 21474836480)\n",
        "580.65.06 13.0\n",
    ]);
}

#[test]
fn a_libtorch_that_is_not_whole() {
    let crashing = "static int *volatile none = (int *)16;\n__attribute__((constructor)) static void c(void) { *none = 1; }\n";
    for (how, parts) in [
        ("renamed", &["libtorch", "LIBTORCH_PATH"][..]),
        ("empty", &["does not open", "libtorch_cpu.so"]),
        (
            "crashing",
            &["does not open", "ended by signal 11 (SIGSEGV)"],
        ),
        ("of another version", &["2.9.0", "2.11 to 2.15"]),
    ] {
        let Some(mut machine) = Machine::with_torch(&format!("libtorch_{how}")) else {
            return;
        };
        let root = machine.own_libtorch();
        let library = root.join("torch/lib/libtorch_cpu.so");
        let replaced = how != "of another version";
        if replaced {
            std::fs::remove_file(&library).expect("remove a link");
        }
        match how {
            "empty" => std::fs::write(&library, "").expect("write a file"),
            "crashing" => fakes::of_code(&library, crashing),
            "of another version" => {
                let headers = root.join("torch/include");
                std::fs::remove_file(&headers).expect("remove a link");
                let folder = headers.join("torch/headeronly");
                std::fs::create_dir_all(&folder).expect("make a folder");
                std::fs::write(
                    folder.join("version.h"),
                    "#define TORCH_VERSION \"2.9.0\"\n",
                )
                .expect("write a file");
            }
            _ => {}
        }
        let run = machine.run(&[], &["doctor"]);
        assert_eq!(run.status, Some(1), "{how}: {}", run.stdout);
        run.has(&["broken   libtorch       PyTorch not available"])
            .has(parts);
        run.has(&["broken   selected       no program can make tensors"]);
    }
}

#[test]
fn a_library_that_only_has_the_name_of_libtorch() {
    let Some(mut machine) = Machine::with_torch("libtorch_named") else {
        return;
    };
    let library = machine.own_libtorch().join("torch/lib/libtorch_cpu.so");
    std::fs::remove_file(&library).expect("remove a link");
    fakes::of_code(&library, "int unrelated;\n");
    // The loader goes on to the libtorch that the torch library was built with, where that still is.
    let run = machine.run(&[], &["doctor"]);
    if run.status == Some(0) {
        run.has(&[
            "warning  libtorch       the one in ",
            " is open instead of that in ",
        ]);
    } else {
        run.has(&[
            "broken   libtorch       PyTorch not available",
            "does not open",
        ]);
    }
}

#[test]
fn a_torch_library_that_is_another() {
    for (how, part) in [
        ("empty", "libsimple_torch.so"),
        ("without symbols", "libsimple_torch.so"),
    ] {
        let Some(machine) = Machine::with_torch("torch_library") else {
            return;
        };
        let library = machine.torch_library(&here());
        std::fs::remove_file(&library).expect("remove a library");
        match how {
            "empty" => std::fs::write(&library, "").expect("write a file"),
            _ => fakes::of_code(&library, "int unrelated;\n"),
        }
        let run = machine.run(&[], &["doctor"]);
        assert_eq!(run.status, Some(1), "{}", run.stdout);
        run.has(&[
            "does not open",
            part,
            "the torch library is damaged, or is another library",
        ]);
    }
}
