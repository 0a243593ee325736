//! A program on the CPU opens neither the driver, nor its management library, nor libtorch's CUDA part, even where they are.

use crate::fakes::{self, Has};
use crate::machine::Machine;

#[test]
fn a_program_on_the_cpu_opens_nothing_of_cuda() {
    let Some(mut machine) = Machine::with_torch("untouched") else {
        return;
    };
    let root = machine.own_libtorch();
    let part = root.join("torch/lib/libtorch_cuda.so");
    let _ = std::fs::remove_file(&part);
    let log = machine.folder.join("log");
    let opened = "#include <stdio.h>\n#include <stdlib.h>\n__attribute__((constructor)) static void opened(void) {\n\
                  FILE* log = fopen(getenv(\"FAKE_LOG\"), \"a\");\nfputs(\"open libtorch_cuda\\n\", log);\nfclose(log);\n}\n";
    fakes::of_code(&part, opened);
    machine.set("LD_LIBRARY_PATH", fakes::libraries(Has::Both));
    machine.set("FAKE_LOG", &log);
    let code = "use lib.torch.{Tensor, default_device, manual_seed}\nuse lib.nn.{Conv2d, Linear, mse_loss}\n\
                use lib.optim.{SGD}\n\
                manual_seed(1)\nval net = Linear(4, 2)\nval x = Tensor.randn([3, 4])\n\
                print Conv2d(1, 1, 3)(Tensor.ones([1, 1, 8, 8])).shape()\n\
                mse_loss(net(x), Tensor.zeros([3, 2])).backward()\nprint default_device()\n";
    let run = machine.run(&[], &["--device", "cpu", "-c", code]);
    assert_eq!(run.status, Some(0), "{}", run.stderr);
    run.has(&["[1, 1, 6, 6]\ncpu\n"]);
    assert!(
        !log.exists(),
        "{}",
        std::fs::read_to_string(&log).unwrap_or_default()
    );
    // The same machine, asked for a GPU, opens them: the log would have shown it.
    let run = machine.run(
        &[],
        &[
            "-c",
            "use lib.torch.{device_info}\nprint device_info().cuda\n",
        ],
    );
    assert_eq!(run.stdout, "false\n", "{}", run.stderr);
    let opened = std::fs::read_to_string(&log).expect("a log");
    for library in ["libcuda", "libnvidia-ml", "libtorch_cuda"] {
        assert!(
            opened.contains(&format!("open {library}\n")),
            "{library}: {opened}"
        );
    }
}
