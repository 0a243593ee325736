//! Which device and dtype a program gets: files, the environment, options, what the program says, and configurations that nobody means.

use crate::fake_cuda;
use crate::run::{Run, start, start_in};
use std::path::{Path, PathBuf};

const WHERE: &str =
    "use lib.torch.{Tensor}\nprint Tensor.ones([1]).device(), Tensor.ones([1]).dtype()\n";

/// Runs code in a folder with these files and no other configuration. `options` are those of the command line.
fn in_folder(
    name: &str,
    files: &[(&str, &str)],
    settings: &[(&str, &str)],
    options: &[&str],
    code: &str,
) -> Option<Run> {
    let folder = Path::new(env!("CARGO_TARGET_TMPDIR")).join(format!("choice_{name}"));
    let _ = std::fs::remove_dir_all(&folder);
    std::fs::create_dir_all(folder.join("home/.simple")).expect("make a folder");
    for (file, text) in files {
        std::fs::write(folder.join(file), text).expect("write a file");
    }
    let home = folder.join("home");
    let mut all = vec![("HOME", home.to_str().expect("a name in UTF-8"))];
    all.extend(settings);
    let arguments: Vec<&str> = options.iter().copied().chain(["-c", code]).collect();
    let run = start_in(&folder, &all, &arguments);
    std::fs::remove_dir_all(&folder).expect("remove a folder");
    run
}

fn configured(name: &str, text: &str, code: &str) -> Option<Run> {
    in_folder(name, &[("dl.config.sdn", text)], &[], &[], code)
}

#[test]
fn each_layer_overrides_the_ones_before_it() {
    let files = [
        ("home/.simple/dl.config.sdn", "device: cuda:0\ndtype: f64\n"),
        ("dl.config.sdn", "dl:\n    device: cuda:1\n"),
        ("dl.config.local.sdn", "dtype: f16\n"),
    ];
    for (count, settings, options, expected) in [
        (1, &[][..], &[][..], "cuda:0 f64\n"),
        (2, &[], &[], "cuda:1 f64\n"),
        (3, &[], &[], "cuda:1 f16\n"),
        (3, &[("SIMPLE_DL_DEVICE", "cpu")], &[], "cpu f16\n"),
        (
            3,
            &[("SIMPLE_DL_DTYPE", "f32")],
            &["--dtype", "f64"],
            "cuda:1 f64\n",
        ),
        (
            3,
            &[("SIMPLE_DL_DEVICE", "cpu")],
            &["--device=cuda:0"],
            "cuda:0 f16\n",
        ),
        (
            3,
            &[("SIMPLE_DL_DEVICE", "cuda:0")],
            &["--no-gpu"],
            "cpu f16\n",
        ),
        (3, &[], &["--device", "gpu"], "cuda:0 f16\n"),
        (3, &[], &["--device", "auto"], "cuda:0 f16\n"),
    ] {
        let Some(run) = in_folder("layers", &files[..count], settings, options, WHERE) else {
            return;
        };
        assert_eq!(run.printed(), expected, "{settings:?} {options:?}");
    }
}

#[test]
fn a_gpu_that_is_not_there_gives_way_to_the_first_then_to_the_cpu() {
    let text = "dl:\n  device: \"cuda:1\"          # 2nd GPU (0-indexed)\n  dtype: \"f32\"\n  backend: \"torch\"\n  autograd: true\n";
    let files = [("dl.config.sdn", text)];
    let one = [("FAKE_CUDA_DEVICES", "1")];
    let Some(first) = in_folder("first", &files, &one, &[], WHERE) else {
        return;
    };
    assert_eq!(
        (first.status, first.stdout.as_str()),
        (Some(0), "cuda:0 f32\n")
    );
    assert_eq!(
        first.stderr.matches("Using GPU 0, not cuda:1\n").count(),
        1,
        "{}",
        first.stderr
    );
    let none = [("FAKE_CUDA_INIT", "No CUDA GPUs are available")];
    let cpu = in_folder("none", &files, &none, &[], WHERE).unwrap();
    assert_eq!((cpu.status, cpu.stdout.as_str()), (Some(0), "cpu f32\n"));
    let said = "CUDA not available - cannot use cuda:1\n";
    assert_eq!(cpu.stderr.matches(said).count(), 1, "{}", cpu.stderr);
    let strict = format!("{text}  fallback: false\n");
    for settings in [one, none] {
        let files = [("dl.config.sdn", strict.as_str())];
        let run = in_folder("strict", &files, &settings, &[], WHERE).unwrap();
        assert_eq!((run.status, run.stdout.as_str()), (Some(1), ""));
        for part in ["cannot use cuda:1: ", "`fallback: false`", "<code>:2:"] {
            assert!(run.stderr.contains(part), "{part}: {}", run.stderr);
        }
    }
}

#[test]
fn of_several_devices_those_that_are_there_are_used() {
    let code = "use lib.torch.{Tensor, default_devices, device_info}\n\
                use lib.nn.{DataParallel, Linear}\n\
                print Tensor.ones([1]).device(), default_devices(), DataParallel(Linear(1, 1)).devices\n\
                print device_info().configured, device_info().device, device_info().devices\n";
    let one = [("FAKE_CUDA_DEVICES", "1")];
    let none = [("FAKE_CUDA_INIT", "No CUDA GPUs are available")];
    let two = [("FAKE_CUDA_DEVICES", "2")];
    for (list, settings, used, said) in [
        ("cuda:0,cuda:1", &two, "cuda:0, cuda:1", &[][..]),
        ("cuda:1, cuda:0", &two, "cuda:1, cuda:0", &[]),
        ("cuda:1,cpu", &two, "cuda:1, cpu", &[]),
        (
            "cuda:0,cuda:1",
            &one,
            "cuda:0",
            &[
                "Using cuda:0, not cuda:0,cuda:1\n  this machine has 1 CUDA device, cuda:0\n",
                "  Tensors are made on cuda:0, which computes whole batches\n",
            ],
        ),
        (
            "cuda:0,cuda:1,cuda:2,cuda:3",
            &two,
            "cuda:0, cuda:1",
            &[
                "Using cuda:0,cuda:1, not cuda:0,cuda:1,cuda:2,cuda:3\n  this machine has 2 CUDA devices",
                "  Tensors are made on cuda:0, and these devices share each batch\n",
            ],
        ),
        (
            "cuda:2,cuda:3",
            &two,
            "cuda:0",
            &["Using cuda:0, not cuda:2,cuda:3\n", "on cuda:0 instead\n"],
        ),
        (
            "cuda:0,cuda:1",
            &none,
            "cpu",
            &[
                "CUDA not available - cannot use cuda:0,cuda:1\n",
                "on cpu instead\n",
            ],
        ),
        (
            "cuda:0,cpu",
            &none,
            "cpu",
            &[
                "Using cpu, not cuda:0,cpu\n",
                "which computes whole batches\n",
            ],
        ),
    ] {
        let text = format!("device: \"{list}\"\n");
        let files = [("dl.config.sdn", text.as_str())];
        let Some(run) = in_folder("several", &files, settings, &[], code) else {
            return;
        };
        let first = used.split(',').next().unwrap();
        let asked = list.replace(", ", ",");
        let expected = format!("{first} [{used}] [{used}]\n{asked} {first} [{used}]\n");
        assert_eq!(
            (run.status, run.stdout.as_str()),
            (Some(0), expected.as_str()),
            "{list} {settings:?}: {}",
            run.stderr
        );
        for part in said {
            assert_eq!(
                run.stderr.matches(part).count(),
                1,
                "{part}: {}",
                run.stderr
            );
        }
        assert_eq!(run.stderr.is_empty(), said.is_empty(), "{}", run.stderr);
        let strict = format!("{text}fallback: false\n");
        let files = [("dl.config.sdn", strict.as_str())];
        let run = in_folder("several_strict", &files, settings, &[], code).unwrap();
        assert_eq!(run.status == Some(0), said.is_empty(), "{}", run.stderr);
        let refused = format!("cannot use {asked}: ");
        assert_eq!(
            run.stderr.contains(&refused),
            !said.is_empty(),
            "{}",
            run.stderr
        );
    }
}

#[test]
fn a_list_of_devices_can_be_written_wherever_the_device_is() {
    let code = "use lib.torch.{Tensor, Device, default_devices}\n\
                use std.dl.config.{dl, load_config, config_training}\n\
                print default_devices(), load_config().device, load_config().devices\n\
                config_training()\n\
                print default_devices()\n\
                dl.device([Device.CUDA(1), Device.CPU])\n\
                print default_devices(), Tensor.ones([1]).device()\n\
                Tensor.ones([1], device: \"cuda:0,cuda:1\")\n";
    let files = [(
        "dl.config.sdn",
        "device: cpu\ntraining:\n  device: \"cuda:1, cuda:0\"\n",
    )];
    let variable = [("SIMPLE_DL_DEVICE", "cuda:0, cuda:1")];
    let two = "[cuda:0, cuda:1]";
    for (settings, options, first, training) in [
        (&[][..], &[][..], "[cpu] cpu [cpu]", "[cuda:1, cuda:0]"),
        (
            &variable,
            &[],
            "[cuda:0, cuda:1] cuda:0 [cuda:0, cuda:1]",
            two,
        ),
        (
            &[],
            &["--device", "cuda:1,cpu"],
            "[cuda:1, cpu] cuda:1 [cuda:1, cpu]",
            "[cuda:1, cpu]",
        ),
    ] {
        let Some(run) = in_folder("lists", &files, settings, options, code) else {
            return;
        };
        let expected = format!("{first}\n{training}\n[cuda:1, cpu] cuda:1\n");
        assert_eq!(
            (run.status, run.stdout),
            (Some(1), expected),
            "{}",
            run.stderr
        );
        for part in ["a list of devices is for dl.config.sdn", "<code>:8:"] {
            assert!(run.stderr.contains(part), "{part}: {}", run.stderr);
        }
    }
}

#[test]
fn devices_and_dtypes_are_values_wherever_a_text_is() {
    let code = "use lib.torch.{Tensor, TorchStream, Device, DType, tensor}\nuse lib.torch.data.{TensorDataset, DataLoader}\n\
                use lib.torch.save.{save_state_dict, load_state_dict}\nuse lib.torch.ops.r.{rand}\n\
                use lib.nn.{Linear, Sequential, Layer, generate_square_subsequent_mask}\n\
                val second = Device.CUDA(1)\n\
                val x = Tensor.zeros([2], device: second, dtype: DType.F64)\n\
                print x.device(), x.dtype(), Tensor.ones([2], device: 1).device()\n\
                print x.to(Device.CPU).device(), x.to(0).device(), x.to(DType.F32).dtype(), x.cuda(Device.CUDA(0)).device()\n\
                print tensor([1.0], dtype: DType.F16, device: second).device(), rand([2], device: second, dtype: DType.F64).dtype()\n\
                val net: Layer = Sequential([Linear(2, 3)])\n\
                print net.to(second).parameters()[0].device(), net.to(DType.F64).to(\"cpu\").parameters()[0].dtype()\n\
                print net.to(x).parameters()[0].device(), net.to(0, DType.F32).parameters()[0].dtype()\n\
                for (a, b) in DataLoader(TensorDataset([Tensor.ones([2]), Tensor.ones([2])]), 2, device: second): print a.device()\n\
                TorchStream(second).sync()\n\
                TorchStream(1).sync()\n\
                TorchStream(Device.CPU).sync()\n\
                save_state_dict(\"a.safetensors\", {\"x\": x})\n\
                print load_state_dict(\"a.safetensors\")[\"x\"].device(), load_state_dict(\"a.safetensors\", map_location: second)[\"x\"].device()\n\
                print generate_square_subsequent_mask(2, device: second).device()\n\
                val none: Device? = nil\n\
                print Tensor.ones([1], device: none).device(), Tensor.ones([1], device: nil, dtype: nil).dtype()\n";
    let Some(run) = configured("values", "device: cpu\n", code) else {
        return;
    };
    let expected = "cuda:1 f64 cuda:1\n\
                    cpu cuda:0 f32 cuda:0\n\
                    cuda:1 f64\n\
                    cuda:1 f64\n\
                    cuda:1 f32\n\
                    cuda:1\n\
                    cpu cuda:1\n\
                    cuda:1\n\
                    cpu f32\n";
    assert_eq!(run.printed(), expected);
}

#[test]
fn a_program_chooses_another_device_at_any_time() {
    let code = "use lib.torch.{Tensor, is_grad_enabled}\n\
                use std.src.dl.config.{dl, Device, cuda, use_cpu, use_gpu}\n\
                use std.src.dl.config.{config_training, config_inference, config_development, config_mixed_precision, config_cpu_training}\n\
                use std.src.dl.config_loader.{load_local_config}\n\
                fn place() -> text: \"{Tensor.ones([1]).device()} {Tensor.ones([1]).dtype()} {is_grad_enabled()}\"\n\
                print place()\n\
                dl.device(Device.CUDA(0))\n\
                print place(), dl.default_device, dl.device\n\
                dl.device(cuda(1))\n\
                print place()\n\
                use_cpu()\n\
                print place()\n\
                use_gpu()\n\
                print place()\n\
                config_training()\n\
                print place()\n\
                config_inference()\n\
                print place()\n\
                config_development()\n\
                print place(), dl.default_backend\n\
                config_mixed_precision()\n\
                print place(), dl.amp_enabled\n\
                config_cpu_training()\n\
                print place()\n\
                load_local_config()\n\
                print place(), dl.device.to_string(), dl.training.batch_size\n";
    let text = "dl:\n  device: \"cuda:1\"\n\
                training:\n  device: \"cuda:1\"\n  dtype: \"f64\"\n  batch_size: 32\n\
                inference:\n  device: \"cuda:0\"\n  dtype: \"f16\"\n  autograd: false\n";
    let Some(run) = configured("at_any_time", text, code) else {
        return;
    };
    let expected = "cuda:1 f32 true\n\
                    cuda:0 f32 true cuda:0 cuda:0\n\
                    cuda:1 f32 true\n\
                    cpu f32 true\n\
                    cuda:0 f32 true\n\
                    cuda:1 f64 true\n\
                    cuda:0 f16 false\n\
                    cpu f64 true auto\n\
                    cuda:0 f16 true true\n\
                    cpu f32 true\n\
                    cuda:1 f32 true cuda:1 32\n";
    assert_eq!(run.printed(), expected);
    // What the command line says stays under a preset, and gives way to `dl.device`.
    let code = "use lib.torch.{Tensor}\nuse std.dl.config.{dl, Device, config_training, config_development}\n\
                config_training()\nprint Tensor.ones([1]).device()\nconfig_development()\nprint Tensor.ones([1]).device()\n\
                dl.device(Device.CUDA(0))\nprint Tensor.ones([1]).device()\n";
    for (device, expected) in [
        ("cpu", "cpu\ncpu\ncuda:0\n"),
        ("cuda:1", "cuda:1\ncuda:1\ncuda:0\n"),
    ] {
        let files = [("dl.config.sdn", text)];
        let run = in_folder("fixed", &files, &[], &["--device", device], code).unwrap();
        assert_eq!(
            (run.status, run.stdout.as_str()),
            (Some(0), expected),
            "{}",
            run.stderr
        );
    }
}

#[test]
fn no_gpu_hides_all_of_them() {
    let code = "use lib.torch.{Tensor, cuda_available, cuda_device_count}\nuse std.dl.config.{dl, Device}\n\
                print Tensor.ones([1]).device(), cuda_available(), cuda_device_count(), Tensor.ones([1], device: \"auto\").device()\n\
                dl.device(Device.CUDA(1))\n\
                print Tensor.ones([1]).device()\n\
                print Tensor.ones([1], device: \"cuda:0\").device()\n";
    let files = [("dl.config.sdn", "device: cuda:1\n")];
    let Some(run) = in_folder("no_gpu", &files, &[], &["--no-gpu"], code) else {
        return;
    };
    assert_eq!(
        (run.status, run.stdout.as_str()),
        (Some(1), "cpu false 0 cpu\ncpu\n")
    );
    for part in [
        "CUDA not available - cannot use cuda:1\n  `--no-gpu` was given",
        "cannot use cuda:0: `--no-gpu` was given",
    ] {
        assert_eq!(
            run.stderr.matches(part).count(),
            1,
            "{part}: {}",
            run.stderr
        );
    }
    assert_eq!(run.log, Vec::<String>::new(), "CUDA was opened");
    let both = start(&[], &["--no-gpu", "--device", "cuda", "-c", WHERE]).unwrap();
    assert_eq!(both.status, Some(1));
    assert!(
        both.stderr.contains("`--no-gpu` is given too"),
        "{}",
        both.stderr
    );
}

#[test]
fn the_best_device_is_the_cpu_where_there_is_no_gpu() {
    let code = "use lib.torch.{Tensor, Device}\n\
                for i in 0..2: print Tensor.ones([1], device: Device.GPU).device(), Tensor.ones([1], device: \"auto\").device()\n";
    let none = [("FAKE_CUDA_INIT", "No CUDA GPUs are available")];
    let Some(run) = in_folder("best", &[], &none, &[], code) else {
        return;
    };
    assert_eq!(
        (run.status, run.stdout.as_str()),
        (Some(0), "cpu cpu\ncpu cpu\n")
    );
    assert_eq!(
        run.stderr.matches("No GPU can be used").count(),
        1,
        "{}",
        run.stderr
    );
    let files = [("dl.config.sdn", "fallback: false\n")];
    let strict = in_folder("best_strict", &files, &none, &[], code).unwrap();
    assert_eq!((strict.status, strict.stdout.as_str()), (Some(1), ""));
    assert!(
        strict.stderr.contains("cannot use gpu: "),
        "{}",
        strict.stderr
    );
}

#[test]
fn without_autograd_nothing_is_recorded() {
    let code = "use lib.torch.{Tensor, is_grad_enabled, no_grad}\nuse std.dl.config.{dl}\nuse std.core.grad.{is_recording}\n\
                nograd: print is_recording()\n\
                val x = Tensor.ones([2]).requires_grad_()\n\
                val y = (x * 2.0).sum()\n\
                print x.requires_grad(), y.requires_grad(), is_grad_enabled(), is_recording()\n\
                no_grad(\\: print is_recording())\n\
                print (x * 2.0).requires_grad()\n\
                dl.enable_autograd()\n\
                (x * 2.0).sum().backward()\n\
                print x.grad()\n\
                dl.disable_autograd()\n\
                val z = (x * 2.0).sum()\n\
                z.backward()\n";
    let Some(run) = configured("autograd", "autograd: false\n", code) else {
        return;
    };
    let expected = "false\ntrue false false false\nfalse\nfalse\ntensor([2., 2.])\n";
    assert_eq!(
        (run.status, run.stdout.as_str()),
        (Some(1), expected),
        "{}",
        run.stderr
    );
    for part in ["nothing was recorded: `autograd: false`", "<code>:15:"] {
        assert!(run.stderr.contains(part), "{part}: {}", run.stderr);
    }
}

#[test]
fn a_backend_says_where_it_computes() {
    let Some(run) = configured("cuda", "backend: cuda\n", WHERE) else {
        return;
    };
    assert_eq!(run.printed(), "cuda:0 f32\n");
    // In a program the later choice wins, and a warning names the other one.
    let code = "use lib.torch.{Tensor}\nuse std.dl.config.{dl, Backend, Device, use_native}\n\
                dl.backend(Backend.CUDA)\nprint Tensor.ones([1]).device()\n\
                dl.device(Device.CPU)\nprint Tensor.ones([1]).device(), dl.default_backend\n\
                dl.device(\"cuda:1\")\nuse_native()\nprint Tensor.ones([1]).device()\n";
    let later = configured("later", "device: cpu\n", code).unwrap();
    assert_eq!(
        (later.status, later.stdout.as_str()),
        (Some(0), "cuda:0\ncpu torch\ncpu\n")
    );
    let said: Vec<&str> = later.stderr.lines().collect();
    assert_eq!(
        said,
        [
            "warning: `backend: cuda` does not compute on `cpu`; tensors are made on `cuda:0`",
            "warning: the device is `cpu`, so `backend: cuda`, which does not compute there, is not used",
            "warning: `dl.backend` with `native` comes too late: this program was compiled for `torch` (`auto`, the default, uses libtorch \
             because it is installed); write `#![backend(native)]` in it, run it with `--backend native`, or say so in dl.config.sdn",
            "warning: `backend: native` does not compute on `cuda:1`; tensors are made on `cpu`",
        ]
    );
    let unfit = configured("unfit", "backend: native\ndevice: cuda:1\n", WHERE).unwrap();
    assert_eq!((unfit.status, unfit.stdout.as_str()), (Some(1), ""));
    for part in [
        "dl.config.sdn:1:10: `backend: native` computes on the CPU only",
        "write `backend: torch`",
    ] {
        assert!(unfit.stderr.contains(part), "{part}: {}", unfit.stderr);
    }
}

#[test]
fn a_file_of_the_program_is_a_configuration_too() {
    let code = "use lib.torch.{Tensor}\nuse std.src.dl.config_loader.{load_and_apply, load_config_from_file}\n\
                print load_config_from_file(\"mine.sdn\").device.to_string(), Tensor.ones([1]).device()\n\
                print load_and_apply(\"mine.sdn\"), Tensor.ones([1]).device()\n\
                print load_and_apply(\"none.sdn\"), load_and_apply(\"bad.sdn\"), Tensor.ones([1]).device()\n";
    let files = [
        ("mine.sdn", "dl:\n  device: \"cuda:1\"\n"),
        ("bad.sdn", "device: tpu\n"),
    ];
    let Some(run) = in_folder("file", &files, &[], &[], code) else {
        return;
    };
    let lines: Vec<&str> = run.printed().lines().collect();
    assert_eq!(
        lines[..3],
        [
            "cuda:1 cpu",
            "true cuda:1",
            "Failed to load config: Config file not found: none.sdn"
        ]
    );
    assert!(
        lines[3].starts_with("Failed to load config: bad.sdn:1:9: unknown device `tpu`"),
        "{}",
        lines[3]
    );
    assert_eq!(lines[4], "false false cuda:1");
}

#[test]
fn a_libtorch_for_amd_gpus_is_used_as_cuda() {
    let Some(real) = std::env::var_os("SIMPLE_LIBTORCH_DIR") else {
        return;
    };
    let scratch = Path::new(env!("CARGO_TARGET_TMPDIR"));
    let root = fake_cuda::libtorch(Path::new(&real), scratch);
    let rocm: PathBuf = fake_cuda::as_rocm(root, scratch);
    let settings = [
        ("LIBTORCH_PATH", rocm.to_str().expect("a name in UTF-8")),
        ("LD_LIBRARY_PATH", ""),
    ];
    let code = "use lib.torch.{Tensor, Device, is_rocm, cuda_device_count}\n\
                print (Tensor.ones([2]) + 1.0).sum(), Tensor.ones([1], device: Device.CUDA(0)).device(), cuda_device_count(), is_rocm()\n";
    let run = start(&settings, &["--device", "cuda:1", "-c", code]).unwrap();
    assert_eq!(run.printed(), "tensor(4., device='cuda:1') cuda:0 2 true\n");
    let plain = start(&[], &["--device", "cuda:1", "-c", code]).unwrap();
    assert_eq!(
        plain.printed(),
        "tensor(4., device='cuda:1') cuda:0 2 false\n"
    );
    std::fs::remove_dir_all(&rocm).expect("remove a folder");
}

#[test]
fn what_nobody_means_is_an_error_or_a_warning_with_its_line() {
    let large = "#".repeat((1 << 20) + 1);
    let nested = format!("dl: {}1{}\n", "[".repeat(5000), "]".repeat(5000));
    // A text, and what must be said; with a warning the program runs on the CPU.
    let cases: &[(&str, &str, bool)] = &[
        (
            "device: opencl\n",
            "dl.config.sdn:1:9: unknown device `opencl`; expected one of cpu, cuda, cuda:N (N from 0 to 127), mps, gpu, auto; libtorch does not have OpenCL",
            false,
        ),
        ("device: rocm\n", "write `cuda` or `cuda:N`", false),
        ("device: CUDA:1\n", "did you mean `cuda:1`?", false),
        (
            "device: cuda:-1\n",
            "dl.config.sdn:1:9: unknown device",
            false,
        ),
        (
            "device: cuda:99999999999999999999\n",
            "dl.config.sdn:1:9: unknown device",
            false,
        ),
        (
            "device: \"cuda:1\\u{0}\"\n",
            "dl.config.sdn:1:9: unknown device",
            false,
        ),
        (
            "device: \u{ff43}\u{ff55}\u{ff44}\u{ff41}\n",
            "dl.config.sdn:1:9: ",
            false,
        ),
        (
            "device: [cuda:1]\n",
            "dl.config.sdn:1:9: the device is an array",
            false,
        ),
        ("device:\n", "dl.config.sdn:1:", false),
        (
            "device: \",\"\n",
            "dl.config.sdn:1:9: a device is missing in the list `,`",
            false,
        ),
        (
            "dl:\n  device: \"cuda:0,,cuda:1\"\n",
            "dl.config.sdn:2:11: a device is missing",
            false,
        ),
        (
            "device: \"cuda:0,foo\"\n",
            "dl.config.sdn:1:9: in the list `cuda:0,foo`: unknown device `foo`",
            false,
        ),
        (
            "device: \"cuda:1,cuda:1\"\n",
            "dl.config.sdn:1:9: `cuda:1` is named twice",
            false,
        ),
        (
            "device: \"auto,cpu\"\n",
            "dl.config.sdn:1:9: `auto` chooses one device",
            false,
        ),
        ("device: cuda:1\ndevice: cpu\n", "dl.config.sdn:2:", false),
        (
            "dl: {device: cuda:1\n",
            "dl.config.sdn:2:1: expected",
            false,
        ),
        ("dl: cuda:1\n", "dl.config.sdn:1:1: `dl` is ", false),
        ("- cuda:1\n", "dl.config.sdn:1:1: ", false),
        (
            "dtype: f128\n",
            "dl.config.sdn:1:8: unknown dtype `f128`",
            false,
        ),
        ("seed: 99999999999999999999\n", "dl.config.sdn:1:7: ", false),
        ("autograd: maybe\n", "dl.config.sdn:1:11: ", false),
        (
            "training:\n  device: tpu\n",
            "dl.config.sdn:2:11: unknown device `tpu`",
            false,
        ),
        (&nested, "dl.config.sdn:1:", false),
        (&large, "cannot read dl.config.sdn: ", false),
        (
            "devise: cuda:1\n",
            "dl.config.sdn:1:1: unknown key `devise` is ignored; did you mean `device`?",
            true,
        ),
        (
            "dl:\n  training:\n    device: cuda:1\n",
            "dl.config.sdn:2:3: unknown key `training` is ignored; `training:` is a block of its own",
            true,
        ),
        (
            "DL:\n  device: cuda:1\n",
            "dl.config.sdn:1:1: unknown key `DL` is ignored; did you mean `dl`?",
            true,
        ),
    ];
    for (at, (text, said, goes_on)) in cases.iter().enumerate() {
        let Some(run) = configured(&format!("hostile_{at}"), text, WHERE) else {
            return;
        };
        let shown: String = text.chars().take(80).collect();
        assert!(run.stderr.contains(said), "{shown}\n{}", run.stderr);
        assert!(!run.stderr.contains("panicked"), "{}", run.stderr);
        let expected = if *goes_on {
            (Some(0), "cpu f32\n")
        } else {
            (Some(1), "")
        };
        assert_eq!(
            (run.status, run.stdout.as_str()),
            expected,
            "{shown}\n{}",
            run.stderr
        );
    }
}

#[test]
fn presets_for_a_gpu_keep_the_devices_of_a_list() {
    let code = "use lib.torch.{default_devices}\n\
                use std.dl.config.{dl, config_training, config_inference, config_development, config_mixed_precision, config_cpu_training}\n\
                for preset in [config_training, config_inference, config_mixed_precision, config_development, config_cpu_training]:\n    \
                    preset()\n    \
                    print dl.devices, default_devices()\n";
    let both = "[cuda:0, cuda:1] [cuda:0, cuda:1]\n";
    let cpu = "[cpu] [cpu]\n";
    let text = "device: \"cuda:0,cuda:1\"\n";
    let Some(run) = configured("listed", text, code) else {
        return;
    };
    assert_eq!(run.printed(), both.repeat(3) + &cpu.repeat(2));
    // A block of the preset's own wins over the list.
    let own = format!("{text}training:\n    device: cuda:1\n");
    let run = configured("listed", &own, code).expect("as above");
    let expected = format!("[cuda:1] [cuda:1]\n{}{}", both.repeat(2), cpu.repeat(2));
    assert_eq!(run.printed(), expected);
}
