//! Mixed precision on CUDA devices.

use crate::run::{configured, run};

#[test]
fn operators_on_cuda_compute_in_the_lower_precision() {
    let code = "use lib.torch.{Tensor, autocast, is_autocast_enabled}\n\
                val (a, b) = (Tensor.ones([2, 3]), Tensor.ones([3, 2]).requires_grad_())\n\
                autocast(\"cuda\", dtype: \"bf16\"):\n    \
                    print (a @ b).dtype(), (a @ b).softmax(1).dtype(), is_autocast_enabled()\n    \
                    autocast(enabled: false): print (a @ b).dtype()\n\
                autocast(\"cuda\"): print (a @ b).dtype()\n\
                autocast(\"cpu\"): print (a @ b).dtype()\n\
                var product = a @ b\n\
                autocast(\"f16\"):\n    \
                    product = a @ b\n\
                product.sum().backward()\n\
                print product.dtype(), b.grad()!.dtype(), b.grad()!.to_list()\n";
    let Some(run) = run("cuda:0", &[], code) else {
        return;
    };
    assert_eq!(
        run.printed(),
        "bf16 f32 true\nf32\nf16\nf32\nf16 f32 [2.0, 2.0, 2.0, 2.0, 2.0, 2.0]\n"
    );
}

#[test]
fn devices_and_dtypes_of_a_block_are_values_or_texts() {
    let code = "use lib.torch.{Tensor, Device, DType, autocast}\n\
                val (a, b) = (Tensor.ones([2, 3]), Tensor.ones([3, 2]))\n\
                autocast(Device.CUDA, dtype: DType.BF16): print (a @ b).dtype()\n\
                autocast(Device.CUDA(1), DType.F16): print (a @ b).dtype()\n\
                autocast(DType.BF16): print (a @ b).dtype()\n\
                autocast(\"cuda\", \"f16\"): print (a @ b).dtype()\n\
                autocast(Device.CPU, DType.BF16): print (a @ b).dtype()\n\
                autocast(Device.GPU, DType.BF16): print (a @ b).dtype()\n\
                autocast(device_type: \"cuda:1\", dtype: DType.BF16, enabled: false): print (a @ b).dtype()\n\
                print Tensor.ones([1], device: Device.CUDA).device()\n";
    let Some(run) = run("cuda:0", &[], code) else {
        return;
    };
    assert_eq!(
        run.printed(),
        "bf16\nf16\nbf16\nf16\nf32\nbf16\nf32\ncuda:0\n"
    );
}

#[test]
fn a_scaler_follows_parameters_on_two_devices() {
    let code = "use lib.torch.{Tensor, GradScaler}\nuse lib.optim.{SGD}\n\
                val (a, b) = (Tensor.ones([2], device: \"cuda:0\").requires_grad_(), Tensor.ones([2], device: \"cuda:1\").requires_grad_())\n\
                val optimizer = SGD([a, b], lr: 1.0)\n\
                val scaler = GradScaler(init_scale: 8.0, growth_interval: 2)\n\
                for factor in [1.0, 1.0 / 0.0, 1.0, 1.0]:\n    \
                    optimizer.zero_grad()\n    \
                    scaler.scale((a * 0.5).sum() + (b * factor).sum().to(\"cuda:0\")).backward()\n    \
                    scaler.step(optimizer)\n    \
                    scaler.update()\n    \
                    print scaler.get_scale(), a.to_list(), b.to_list()\n";
    let Some(run) = run("cuda:0", &[], code) else {
        return;
    };
    assert_eq!(
        run.printed(),
        "8.0 [0.5, 0.5] [0.0, 0.0]\n4.0 [0.5, 0.5] [0.0, 0.0]\n4.0 [0.0, 0.0] [-1.0, -1.0]\n8.0 [-0.5, -0.5] [-2.0, -2.0]\n"
    );
}

#[test]
fn the_configuration_has_trainers_compute_in_f16_on_cuda_and_bf16_on_the_cpu() {
    let code = "use lib.torch.{Tensor, mixed_precision}\nuse lib.nn.{Linear}\nuse lib.optim.{SGD}\nuse lib.training.{Trainer}\n\
                fn squares(given: Tensor, wanted: Tensor) -> Tensor: (given - wanted).square().mean()\n\
                val net = Linear(2, 1)\n\
                val trainer = Trainer(net, SGD(net.parameters(), lr: 0.01), squares)\n\
                trainer.fit([(Tensor.ones([4, 2]), Tensor.ones([4, 1]))], epochs: 2, verbose: false)\n\
                print trainer.predict(Tensor.ones([1, 2])).dtype(), trainer.scaler.is_enabled()\n\
                mixed_precision(): print net(Tensor.ones([1, 2])).dtype()\n\
                print net(Tensor.ones([1, 2])).dtype()\n";
    for (device, printed) in [
        ("cuda:0", "f16 true\nf16\nf32\n"),
        ("cpu", "bf16 false\nbf16\nf32\n"),
    ] {
        let Some(run) = configured("amp: true\n", device, code) else {
            return;
        };
        assert_eq!(run.printed(), printed);
    }
}
