"""Times DistributedDataParallel and all_reduce on two processes with Gloo: PyTorch's and Simple's, in turns.

    OMP_NUM_THREADS=1 python examples/distributed/bench_ddp.py [ROUNDS]

SIMPLE names the command, `bin/simple` without it. Printed are milliseconds that the fastest tenth of the steps take, in
the best round of each, and Simple's share of PyTorch's time; at the end seconds from the command to its end for one
call of `all_reduce` and one pass, and the most memory of a rank.
"""
import os
import resource
import subprocess
import sys
import time

HERE = os.path.dirname(os.path.abspath(__file__))
SIMPLE = os.environ.get("SIMPLE", os.path.join(HERE, "../../bin/simple"))
WARM, STEPS = 20, 100


def leave():
    """Ends the process as it is: PyTorch 2.15 sometimes aborts in `destroy_process_group`."""
    import torch.distributed as dist

    dist.barrier()
    sys.stdout.flush()
    os._exit(0)


def rank():
    import torch
    import torch.distributed as dist
    from torch import nn
    from torch.nn.parallel import DistributedDataParallel

    dist.init_process_group("gloo")
    if "ONLY_START" in os.environ:
        x = torch.ones(2)
        dist.all_reduce(x)
        net = DistributedDataParallel(nn.Linear(4, 4))
        net(torch.ones(1, 4)).sum().backward()
        if dist.get_rank() == 0:
            print("memory", resource.getrusage(resource.RUSAGE_SELF).ru_maxrss)
        return leave()
    torch.manual_seed(1)

    class Recurrent(nn.Module):
        def __init__(self):
            super().__init__()
            self.lstm = nn.LSTM(16, 64, batch_first=True)
            self.head = nn.Linear(64, 10)

        def forward(self, x):
            return self.head(self.lstm(x)[0][:, -1])

    def step_of(name, model, x):
        net = DistributedDataParallel(model)
        optimizer = torch.optim.SGD(net.parameters(), lr=0.01)
        y = torch.randint(0, 10, (x.size(0),))
        times = []
        for step in range(WARM + STEPS):
            start = time.perf_counter()
            optimizer.zero_grad()
            nn.functional.cross_entropy(net(x), y).backward()
            optimizer.step()
            if step >= WARM:
                times.append(time.perf_counter() - start)
        if dist.get_rank() == 0:
            print(name, sorted(times)[len(times) // 10] * 1000)

    def reduce_of(name, count, all_times):
        x = torch.ones(count)
        times = []
        for step in range(all_times):
            start = time.perf_counter()
            dist.all_reduce(x)
            if step >= all_times // 5:
                times.append(time.perf_counter() - start)
        if dist.get_rank() == 0:
            print(name, sorted(times)[len(times) // 10] * 1000)

    step_of("mlp", nn.Sequential(nn.Linear(784, 128), nn.ReLU(), nn.Linear(128, 10)), torch.randn(32, 784))
    step_of("cnn", nn.Sequential(nn.Conv2d(1, 16, 3, padding=1), nn.ReLU(), nn.MaxPool2d(2),
                                 nn.Conv2d(16, 32, 3, padding=1), nn.ReLU(), nn.MaxPool2d(2), nn.Flatten(),
                                 nn.Linear(1568, 10)), torch.randn(16, 1, 28, 28))
    step_of("lstm", Recurrent(), torch.randn(16, 20, 16))
    reduce_of("all_reduce 1 KB", 256, 1000)
    reduce_of("all_reduce 1 MB", 262144, 200)
    reduce_of("all_reduce 64 MB", 16777216, 15)
    leave()


START = """use lib.distributed as dist
use lib.distributed.{DistributedDataParallel}
use lib.nn.{Linear}
use lib.tensor.{Tensor}
use std.io.{file_read}
dist.init()
val x = Tensor.ones([2])
dist.all_reduce(x)
val net = DistributedDataParallel(Linear(4, 4))
net(Tensor.ones([1, 4])).sum().backward()
for line in file_read("/proc/self/status").lines():
    if line.starts_with("VmHWM"): print "memory", line.split(":")[1].replace("kB", "").strip()
dist.destroy()
"""


def measured(words, **variables):
    start = time.perf_counter()
    done = subprocess.run(words, env={**os.environ, **variables}, stdout=subprocess.PIPE, text=True, check=True)
    seconds = time.perf_counter() - start
    rows = {}
    for line in done.stdout.splitlines():
        name, _, number = line.removeprefix("[rank 0] ").rpartition(" ")
        try:
            rows[name] = float(number)
        except ValueError:
            pass
    return rows, seconds


def main():
    rounds = int(sys.argv[1]) if len(sys.argv) > 1 else 3
    torchrun = [sys.executable, "-m", "torch.distributed.run", "--nproc-per-node", "2"]
    torchrun += [os.path.abspath(__file__), "rank"]
    launched = [SIMPLE, "run", "--nproc", "2", "--device", "cpu"]
    best = [{}, {}]
    for _ in range(rounds):
        for side, words in enumerate([torchrun, launched + [os.path.join(HERE, "bench_ddp.spl")]]):
            for name, number in measured(words)[0].items():
                best[side][name] = min(best[side].get(name, number), number)
    print(f"{'':18}{'PyTorch':>10}{'Simple':>10}{'share':>8}")
    for name, theirs in best[0].items():
        ours = best[1][name]
        print(f"{name:18}{theirs:10.3f}{ours:10.3f}{ours / theirs:8.2f}")
    for _ in range(2):
        theirs = measured(torchrun, ONLY_START="1")
        ours = measured(launched + ["-c", START])
    print(f"{'start to end, s':18}{theirs[1]:10.3f}{ours[1]:10.3f}{ours[1] / theirs[1]:8.2f}")
    theirs, ours = theirs[0]["memory"] / 1024, ours[0]["memory"] / 1024
    print(f"{'memory, MiB':18}{theirs:10.0f}{ours:10.0f}{ours / theirs:8.2f}")


if __name__ == "__main__":
    rank() if "rank" in sys.argv else main()
