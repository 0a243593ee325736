//! One model on several CUDA devices: `DataParallel`.

use crate::run::run;

/// A model with running means, and what it makes of a batch alone on the first device.
const MODEL: &str = "#![allow(unused_import, unused_variable)]\n\
    use lib.torch.{Tensor, manual_seed}\n\
    use lib.pure.nn.{BatchNorm1d, DataParallel, Layer, Linear, Sequential, Tanh}\n\
    manual_seed(1)\n\
    val x = Tensor.randn([6, 3])\n\
    val y = Tensor.randn([6, 2])\n";

#[test]
fn gradients_of_all_devices_arrive_in_the_parameters() {
    let code = format!(
        "{MODEL}\
         val model = Linear(3, 4) ~> Tanh() ~> Linear(4, 2)\n\
         ((model(x) - y) * (model(x) - y)).mean().backward()\n\
         val alone = [p.grad()!.cpu() for p in model.parameters()]\n\
         model.zero_grad()\n\
         for devices in [[\"cuda\", \"cuda:1\"], [\"cuda:0\", \"cpu\", \"cuda:1\"]]:\n    \
             val net = DataParallel(model, devices)\n    \
             val out = net(x)\n    \
             print out.device(), out.shape()\n    \
             ((out - y) * (out - y)).mean().backward()\n    \
             for (i, p) in model.parameters().enumerate():\n        \
                 print p.device(), p.grad()!.device(), p.grad()!.cpu().allclose(alone[i])\n    \
             net.zero_grad()\n\
         print DataParallel(model).devices\n"
    );
    let Some(run) = run("cuda:0", &[], &code) else {
        return;
    };
    // libtorch notes on standard error that gradients come from the queue of another device.
    assert_eq!(run.status, Some(0), "{}", run.stderr);
    let each = format!("cuda:0 [6, 2]\n{}", "cuda:0 cuda:0 true\n".repeat(4));
    assert_eq!(run.stdout, format!("{}[cuda:0, cuda:1]\n", each.repeat(2)));
}

#[test]
fn running_means_are_those_of_the_first_part() {
    let code = format!(
        "{MODEL}\
         val alone = BatchNorm1d(3)\n\
         alone(x[0:3])\n\
         val norm = BatchNorm1d(3)\n\
         DataParallel(norm, [\"cuda:0\", \"cuda:1\"])(x)\n\
         print norm.running_mean!.cpu() == alone.running_mean!.cpu(), norm.num_batches_tracked!.item(), norm.running_var!.device()\n"
    );
    let Some(run) = run("cuda:0", &[], &code) else {
        return;
    };
    assert_eq!(run.printed(), "true 1.0 cuda:0\n");
}

#[test]
fn a_model_that_fails_on_another_device_keeps_its_parameters() {
    let code = format!(
        "{MODEL}\
         class Picky with Layer:\n    \
             inner: Linear = Linear(3, 2)\n    \
             fn forward(x: Tensor) -> Tensor:\n        \
                 if x.device() != \"cuda:0\": panic(\"not on {{x.device()}}, where the weight is on {{inner.weight.device()}}\")\n        \
                 inner(x)\n\
         val model = Picky()\n\
         val net = DataParallel(model, [\"cuda:0\", \"cuda:1\"])\n\
         try: net(x)\n\
         catch problem: print problem.message\n\
         print model.inner.weight.device(), model(x).shape()\n\
         model.to(\"cuda:1\")\n\
         try: net(x)\n\
         catch problem: print problem.message\n"
    );
    let Some(run) = run("cuda:0", &[], &code) else {
        return;
    };
    assert_eq!(
        run.printed(),
        "not on cuda:1, where the weight is on cuda:1\ncuda:0 [6, 2]\n\
         DataParallel: `inner.weight` is on cuda:1, but the first device is cuda:0; move the model there before: `model.to(\"cuda:0\")`\n"
    );
}
