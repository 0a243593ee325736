//! Memory of CUDA devices: what is counted, and what happens when there is none left.

use crate::run::{Run, run};

#[test]
fn memory_is_counted_for_each_device() {
    let code = "use lib.torch.{Tensor, memory_allocated, memory_reserved, max_memory_allocated, max_memory_reserved}\n\
                use lib.torch.{reset_peak, memory_stats, mem_get_info, empty_cache}\n\
                fn large() -> f64: Tensor.ones([1000]).sum().item()\n\
                val x = Tensor.ones([100])\n\
                val y = Tensor.ones([50], device: \"cuda:1\")\n\
                val start = memory_allocated()\n\
                large()\n\
                print memory_allocated(\"cuda:0\") == start, memory_allocated(\"cuda:1\"), memory_reserved(\"cuda:1\")\n\
                print max_memory_allocated() >= start + 4000, max_memory_reserved(\"cuda:1\")\n\
                reset_peak()\n\
                print max_memory_allocated() == start\n\
                val stats = memory_stats(\"cuda:1\")\n\
                print stats[\"allocation.all.current\"], stats[\"allocated_bytes.all.peak\"], stats[\"num_ooms\"]\n\
                print mem_get_info(\"cuda:1\")\n\
                empty_cache()\n\
                print x.device(), y.device()\n";
    let Some(run) = run("cuda:0", &[("FAKE_CUDA_MEMORY", "100000")], code) else {
        return;
    };
    assert_eq!(
        run.printed(),
        "true 200 200\ntrue 200\ntrue\n1 200 0\n(99800, 100000)\ncuda:0 cuda:1\n"
    );
    assert_eq!(run.count("empty cache"), 1);
}

/// Two tensors of 2 MB on a device with room for 5 MB, then one for which there is none.
const TOO_MUCH: &str = "use lib.torch.{Tensor}\n\
    fn layers() -> [Tensor]: [Tensor.ones([500, 1000]) for i in 0..2]\n\
    val held = layers()\n\
    val small = Tensor.ones([100])\n\
    try: print Tensor.ones([1000, 1000]).shape()\n\
    catch problem: print problem.message\n\
    print (held[0] + small[0]).sum().item()\n";

fn out_of_memory(settings: &[(&str, &str)]) -> Option<Run> {
    let mut all = vec![("FAKE_CUDA_MEMORY", "7000000")];
    all.extend(settings);
    run("cuda:0", &all, TOO_MUCH)
}

#[test]
fn a_full_gpu_is_an_error_that_says_what_takes_its_memory() {
    let Some(run) = out_of_memory(&[]) else {
        return;
    };
    let said = run.printed();
    for part in [
        "CUDA out of memory. Tried to allocate 4000000 bytes.",
        "out of memory on cuda:0: 2.86 MiB free of 6.68 MiB; tensors take 3.82 MiB",
        "3.81 MiB  <code>:2:",
        "in layers: 2 tensors, the largest [500, 1000] f32",
        "small tensors, whose lines SIMPLE_TENSOR_LINES=1 remembers",
        "make batches smaller",
        "accumulate_steps",
        "nograd:",
        "\n1000000.0\n",
    ] {
        assert!(said.contains(part), "{part}: {said}");
    }
    assert!(!said.contains("PYTORCH_ALLOC_CONF"), "{said}");
    let Some(run) = out_of_memory(&[("SIMPLE_TENSOR_LINES", "1")]) else {
        return;
    };
    assert!(
        run.stdout.contains("<code>:4:") && !run.stdout.contains("small tensors"),
        "{}",
        run.stdout
    );
}

#[test]
fn a_loader_goes_on_with_smaller_batches() {
    let code = "use lib.torch.{Tensor, is_out_of_memory}\nuse lib.torch.data.{TensorDataset, DataLoader}\n\
                val data = TensorDataset([Tensor.arange(16.0), Tensor.ones([16])])\n\
                val loader = DataLoader(data, 8)\n\
                var seen: [f64] = []\n\
                for (x, y) in loader:\n    \
                    try:\n        \
                        val wide = x.to(\"cuda:0\").reshape([-1, 1]).expand([-1, 100000]).contiguous()\n        \
                        print wide.shape()\n        \
                        seen = seen + x.to_list()\n    \
                    catch problem:\n        \
                        if not is_out_of_memory(problem.message) or not loader.halve_batch_size(): throw problem.message\n\
                print seen == [i as f64 for i in 0..16], loader.batch_size(), loader.len()\n";
    let Some(run) = run("cpu", &[("FAKE_CUDA_MEMORY", "1900000")], code) else {
        return;
    };
    assert_eq!(
        run.printed(),
        "[4, 100000]\n[4, 100000]\n[4, 100000]\n[4, 100000]\ntrue 4 4\n"
    );
}

#[test]
fn a_nearly_full_gpu_is_warned_of_once() {
    let code = "use lib.torch.{Tensor}\n\
                val a = Tensor.ones([500000])\n\
                print 1\n\
                val b = [Tensor.ones([1000000]), Tensor.ones([300000])]\n\
                print a.sum().item() + b[0].sum().item()\n";
    let Some(run) = run("cuda:0", &[("FAKE_CUDA_MEMORY", "7500000")], code) else {
        return;
    };
    assert_eq!(run.status, Some(0), "{}", run.stderr);
    assert_eq!(
        run.stderr.matches("memory usage of cuda:0 > 90%").count(),
        1,
        "{}",
        run.stderr
    );
    assert!(
        run.stderr.contains("memory_summary(\"cuda:0\")"),
        "{}",
        run.stderr
    );
}

#[test]
fn a_summary_has_numbers_and_lines() {
    let code = "use lib.torch.{Tensor, memory_summary}\n\
                val a = Tensor.ones([500000])\n\
                print memory_summary(\"cuda:0\")\n\
                print a.shape()\n";
    let Some(run) = run("cuda:0", &[("FAKE_CUDA_MEMORY", "8000000")], code) else {
        return;
    };
    let said = run.printed();
    for part in [
        "memory of cuda:0: 5.72 MiB free of 7.63 MiB",
        "tensors",
        "<code>:2:",
        "1 tensor [500000] f32",
    ] {
        assert!(said.contains(part), "{part}: {said}");
    }
}

#[test]
fn nothing_is_used_before_the_first_tensor_on_a_gpu() {
    let code = "use lib.torch.{Tensor, memory_allocated, max_memory_reserved, memory_stats, reset_peak, reset_accumulated_memory_stats, empty_cache}\n\
                print memory_allocated(\"cuda:0\"), max_memory_reserved(\"cuda:1\"), memory_stats(\"cuda:0\")[\"num_ooms\"]\n\
                reset_peak(\"cuda:0\")\n\
                reset_accumulated_memory_stats(\"cuda:1\")\n\
                empty_cache()\n\
                val x = Tensor.ones([100], device: \"cuda:0\")\n\
                print memory_allocated(\"cuda:0\"), x.device()\n";
    let Some(run) = run("cpu", &[], code) else {
        return;
    };
    assert_eq!(run.printed(), "0 0 0\n400 cuda:0\n");
}

#[test]
fn a_full_gpu_has_several_words_for_it() {
    let code = "use lib.torch.{is_out_of_memory}\nuse lib.nn.check.{gpu_failed}\n\
                for message in [\"CUDA out of memory. Tried to allocate 2 GiB\", \"CUDA error: CUBLAS_STATUS_ALLOC_FAILED when calling `cublasCreate(handle)`\",\n        \
                    \"cuDNN error: CUDNN_STATUS_ALLOC_FAILED\", \"cuDNN error: CUDNN_STATUS_EXECUTION_FAILED\", \"CUDA error: CUBLAS_STATUS_EXECUTION_FAILED\",\n        \
                    \"CUDA error: an illegal memory access was encountered\", \"the shapes do not fit\"]:\n    \
                    print is_out_of_memory(message), gpu_failed(message)\n";
    let Some(run) = run("cpu", &[], code) else {
        return;
    };
    let full = "true false\n".repeat(3);
    let failed = "false true\n".repeat(3);
    assert_eq!(run.printed(), format!("{full}{failed}false false\n"));
}
