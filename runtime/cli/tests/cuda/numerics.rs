//! The same digits in each run, and TF32: what the configuration and programs ask of libtorch before CUDA is used.

use crate::run::{configured, run};

#[test]
fn the_configuration_sets_digits_and_speed() {
    let code = "use lib.torch.{Tensor, are_deterministic_algorithms_enabled, get_float32_matmul_precision, use_deterministic_algorithms}\n\
                use lib.torch.backends\nuse std.env.{env_get}\nuse std.dl.config.{use_cpu}\n\
                print Tensor.ones([1]).device(), env_get(\"CUBLAS_WORKSPACE_CONFIG\") ?? \"\"\n\
                print are_deterministic_algorithms_enabled(), backends.cudnn.benchmark(), get_float32_matmul_precision(), backends.cuda.matmul.allow_tf32()\n\
                use_deterministic_algorithms(false)\n\
                use_cpu()\n\
                print Tensor.ones([1]).device(), are_deterministic_algorithms_enabled()\n";
    let text = "deterministic: true\ncudnn_benchmark: true\nmatmul_precision: high\n";
    let Some(run) = configured(text, "cuda:0", code) else {
        return;
    };
    assert_eq!(
        run.printed(),
        "cuda:0 :4096:8\ntrue true high true\ncpu false\n"
    );
    let run = configured("amp: false\n", "cuda:0", code).expect("as above");
    assert_eq!(
        run.printed(),
        "cuda:0 \nfalse false highest false\ncpu false\n"
    );
    let run = configured("matmul_precision: low\n", "cuda:0", code).expect("as above");
    assert_eq!(run.status, Some(1));
    for part in [
        "dl.config.sdn:1:19: ",
        "unknown matmul_precision `low`; expected one of highest, high, medium",
    ] {
        assert!(run.stderr.contains(part), "{part}: {}", run.stderr);
    }
}

#[test]
fn deterministic_products_are_asked_for_before_cuda_is_used() {
    let code = "use lib.torch.{Tensor, use_deterministic_algorithms}\nuse std.env.{env_get}\n\
                use_deterministic_algorithms(true)\n\
                print env_get(\"CUBLAS_WORKSPACE_CONFIG\") ?? \"\", Tensor.ones([2], device: \"cuda:0\").sum().item()\n";
    for device in ["cpu", "cuda:0"] {
        let Some(early) = run(device, &[], code) else {
            return;
        };
        assert_eq!(early.printed(), ":4096:8 2.0\n");
    }
    // What is set already stays.
    let set = [("CUBLAS_WORKSPACE_CONFIG", ":16:8")];
    let given = run("cpu", &set, code).expect("as above");
    assert_eq!(given.printed(), ":16:8 2.0\n");
    // With CUDA in use it would come too late, and libtorch says so where it matters.
    let code = code.replacen("use_det", "print Tensor.ones([1]).device()\nuse_det", 2);
    let code = code.replacen("print Tensor.ones([1]).device()\nuse_det", "use_det", 1);
    let late = run("cuda:0", &[], &code).expect("as above");
    assert_eq!(late.printed(), "cuda:0\n 2.0\n");
}
