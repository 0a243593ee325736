//! One model on several CUDA devices: `DataParallel`.

use crate::run::{configured, library_home, run, start};

/// A model with running means, and what it makes of a batch alone on the first device.
const MODEL: &str = "#![allow(unused_import, unused_variable)]\n\
    use lib.torch.{Device, Tensor, manual_seed}\n\
    use lib.nn.{BatchNorm1d, DataParallel, Layer, Linear, Sequential, Tanh}\n\
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
         print DataParallel(model).devices\n\
         print DataParallel(model, [Device.CUDA(1), Device.CPU]).devices, DataParallel(model, \"cuda:0, cuda:1\").devices.device_words()\n"
    );
    let Some(run) = run("cuda:0", &[], &code) else {
        return;
    };
    // libtorch notes on standard error that gradients come from the queue of another device.
    assert_eq!(run.status, Some(0), "{}", run.stderr);
    let each = format!("cuda:0 [6, 2]\n{}", "cuda:0 cuda:0 true\n".repeat(4));
    let listed = "[cuda:0, cuda:1]\n[cuda:1, cpu] [cuda:0, cuda:1]\n";
    assert_eq!(run.stdout, format!("{}{listed}", each.repeat(2)));
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

/// Trains a model and prints where it is, what it was trained with and whether its numbers are those of one device.
const TRAINED: &str = "use lib.torch.{Tensor, default_devices, manual_seed, tensor}\n\
    use lib.nn.{Layer, Linear, Sequential, Tanh, mse_loss}\n\
    use lib.optim.{SGD}\n\
    use lib.training.{Trainer}\n\
    use std.dl.config.{dl}\n\
    class Noted with Layer:\n    \
        inner: Sequential = Linear(3, 4) ~> Tanh() ~> Linear(4, 2)\n    \
        seen: {text: i64} = {}\n    \
        fn forward(x: Tensor) -> Tensor:\n        \
            seen[x.device()] = (seen.get(x.device()) ?? 0) + x.size(0)\n        \
            inner(x)\n\
    fn losses() -> ([f64], Noted):\n    \
        manual_seed(1)\n    \
        val model = Noted()\n    \
        val data = [(Tensor.randn([6, 3]), Tensor.randn([6, 2])), (Tensor.randn([5, 3]), Tensor.randn([5, 2]))]\n    \
        val trainer = Trainer(model, SGD(model.parameters(), lr: 0.1), mse_loss)\n    \
        trainer.fit(data, epochs: 2, verbose: false)\n    \
        trainer.predict(data[0].0)\n    \
        (trainer.get_history().loss, model)\n\
    val (several, model) = losses()\n\
    print default_devices(), model.seen, model.parameters()[0].device(), model.state_dict().keys()[0]\n\
    dl.device(default_devices()[0])\n\
    print tensor(several).allclose(tensor(losses().0))\n";

#[test]
fn a_trainer_shares_its_batches_among_the_devices_of_the_configuration() {
    let text = "device: cpu\n";
    let Some(run) = configured(text, "cuda:0, cuda:1", TRAINED) else {
        return;
    };
    assert_eq!(run.status, Some(0), "{}", run.stderr);
    // 6 = 3 + 3 and 5 = 3 + 2 samples in two epochs, and 6 predictions.
    let expected = "[cuda:0, cuda:1] {cuda:0: 15, cuda:1: 13} cuda:0 inner.0.weight\ntrue\n";
    assert_eq!(run.stdout, expected);
}

#[test]
fn replicas_on_the_cpu_open_no_cuda() {
    let Some(run) = run("cpu,cpu", &[], TRAINED) else {
        return;
    };
    let expected = "[cpu, cpu] {cpu: 28} cpu inner.0.weight\ntrue\n";
    assert_eq!(run.printed(), expected);
    assert_eq!(run.log, Vec::<String>::new(), "CUDA was opened");
}

#[test]
fn a_model_that_is_elsewhere_computes_there_alone() {
    let code = "use lib.torch.{Tensor}\n\
        use lib.nn.{Linear, mse_loss}\n\
        use lib.optim.{SGD}\n\
        use lib.training.{Trainer}\n\
        val model = Linear(3, 2).to(\"cuda:1\")\n\
        val trainer = Trainer(model, SGD(model.parameters(), lr: 0.1), mse_loss)\n\
        val x = Tensor.ones([4, 3], device: \"cuda:1\")\n\
        trainer.fit([(x, model(x).detach())], verbose: false)\n\
        print trainer.predict(x).device()\n";
    let Some(run) = run("cuda:0,cuda:1", &[], code) else {
        return;
    };
    assert_eq!((run.status, run.stdout.as_str()), (Some(0), "cuda:1\n"));
}

#[test]
fn a_model_with_a_parallel_part_is_not_shared_once_more() {
    let code = "use lib.torch.{Tensor}\n\
        use lib.nn.{DataParallel, Linear, Sequential, mse_loss}\n\
        use lib.optim.{SGD}\n\
        use lib.training.{Trainer}\n\
        val model = Sequential([Linear(3, 4), DataParallel(Linear(4, 2))])\n\
        val trainer = Trainer(model, SGD(model.parameters(), lr: 0.1), mse_loss)\n\
        trainer.fit([(Tensor.ones([4, 3]), Tensor.ones([4, 2]))], verbose: false)\n\
        print trainer.predict(Tensor.ones([4, 3])).shape()\n";
    let Some(run) = run("cuda:0,cuda:1", &[], code) else {
        return;
    };
    assert_eq!(
        (run.status, run.stdout.as_str()),
        (Some(0), "[4, 2]\n"),
        "{}",
        run.stderr
    );
}

#[test]
fn simple_train_shares_batches_among_all_gpus_if_there_are_enough() {
    let config = library_home().join("examples/network/conf/train.sdn");
    let folder = tempfile::tempdir().expect("a folder");
    for (least, devices, said) in [
        (
            "2",
            "on cuda:0,cuda:1\n",
            "[CUDA Info] CUDA device count: 2\n",
        ),
        (
            "3",
            "on cuda:0\n",
            "note: there are 2 GPUs, and runtime.min_auto_devices is 3",
        ),
    ] {
        let words = [
            "train".to_owned(),
            config.display().to_string(),
            "runtime.device=cuda:0".to_owned(),
            "runtime.auto_gpu_devices=true".to_owned(),
            "runtime.debug_cuda=true".to_owned(),
            format!("runtime.min_auto_devices={least}"),
            "data.limit=60".to_owned(),
            "trainer.max_epochs=1".to_owned(),
            format!("run.folder={}", folder.path().display()),
            format!("run.name={least}"),
        ];
        let words: Vec<&str> = words.iter().map(String::as_str).collect();
        let Some(run) = start(&[], &words) else {
            return;
        };
        assert_eq!(run.status, Some(0), "{}", run.stderr);
        assert!(
            run.stdout.contains(devices) && run.stdout.contains("epoch 1/1: loss "),
            "{}",
            run.stdout
        );
        assert!(run.stderr.contains(said), "{}", run.stderr);
    }
}
