"""Writes ddp.txt: what PyTorch's DistributedDataParallel computes with Gloo on two processes, for ddp.spl beside it.

    OMP_NUM_THREADS=1 python make_ddp.py

Each line is: case, rank, what, then numbers. `loss` has one number for each step; `grad`, `end` and `buffer` have all
parameters' gradients of the last step, parameters and buffers after it, one after the other. Numbers are f32 as the
shortest decimal of the f64 that is equal. Parameters and inputs come from a formula with exact results, not from a
generator.
"""
import contextlib
import os
import pathlib
import tempfile

import torch
import torch.distributed as dist
import torch.multiprocessing as mp
from torch import nn
from torch.nn.parallel import DistributedDataParallel

HERE = pathlib.Path(__file__).parent


def numbers(shape, start):
    """Sixteenths between -6 and 6, which f32 holds exactly."""
    count = 1
    for size in shape:
        count *= size
    return (((torch.arange(count) * 7 + start) % 13 - 6).float() / 16).reshape(shape)


class Recurrent(nn.Module):
    def __init__(self):
        super().__init__()
        self.lstm = nn.LSTM(3, 4, batch_first=True)
        self.head = nn.Linear(4, 2)

    def forward(self, x):
        return self.head(self.lstm(x)[0][:, -1])


class Unused(nn.Module):
    def __init__(self):
        super().__init__()
        self.used = nn.Linear(4, 2)
        self.never = nn.Linear(4, 2)

    def forward(self, x):
        return self.used(x)


def mlp():
    return nn.Sequential(nn.Linear(4, 8), nn.ReLU(), nn.Linear(8, 2))


def shared():
    layer = nn.Linear(4, 4)
    return nn.Sequential(layer, nn.Tanh(), layer, nn.Tanh(), nn.Linear(4, 2))


def cnn():
    return nn.Sequential(nn.Conv2d(1, 3, 3), nn.BatchNorm2d(3), nn.ReLU(), nn.Flatten(), nn.Linear(48, 2))


# Name, model, shape of an input, what DistributedDataParallel is given, batches for one step.
CASES = [
    ("mlp", mlp, [5, 4], {}, 1),
    ("cnn", cnn, [4, 1, 6, 6], {}, 1),
    ("lstm", Recurrent, [3, 5, 3], {}, 1),
    ("shared", shared, [5, 4], {}, 1),
    ("unused", Unused, [5, 4], {"find_unused_parameters": True}, 1),
    ("views", mlp, [5, 4], {"gradient_as_bucket_view": True}, 1),
    ("accumulated", mlp, [5, 4], {}, 3),
    ("small_buckets", cnn, [4, 1, 6, 6], {"bucket_cap_mb": 0.0001}, 1),
]
STEPS = 4


def run(rank, size, file, out):
    os.environ["RANK"] = str(rank)
    dist.init_process_group("gloo", init_method=f"file://{file}", rank=rank, world_size=size)
    lines = []

    def note(case, what, values):
        lines.append(" ".join([case, str(rank), what] + [repr(v) for v in values]))

    for case, make, shape, options, batches in CASES:
        model = make()
        with torch.no_grad():
            for at, parameter in enumerate(model.parameters()):
                # What rank 0 has counts.
                parameter.copy_(numbers(parameter.shape, at + 5 * rank))
        net = DistributedDataParallel(model, **options)
        optimizer = torch.optim.SGD(net.parameters(), lr=0.1)
        losses = []
        for step in range(STEPS):
            optimizer.zero_grad()
            for batch in range(batches):
                x = numbers(shape, 3 * step + 2 * batch + rank)
                last = batch == batches - 1
                with contextlib.nullcontext() if last else net.no_sync():
                    loss = net(x).pow(2).mean()
                    loss.backward()
            torch.nn.utils.clip_grad_norm_(net.parameters(), 1.0)
            optimizer.step()
            losses.append(loss.item())
        note(case, "loss", losses)
        grads = [p.grad if p.grad is not None else torch.zeros_like(p) for p in net.parameters()]
        note(case, "grad", [v for g in grads for v in g.flatten().tolist()])
        note(case, "end", [v for p in net.parameters() for v in p.flatten().tolist()])
        note(case, "buffer", [float(v) for b in net.buffers() for v in b.flatten().tolist()])
    pathlib.Path(f"{out}.{rank}").write_text("\n".join(lines) + "\n")
    dist.barrier()
    # PyTorch 2.15 sometimes aborts in `destroy_process_group`.
    os._exit(0)


if __name__ == "__main__":
    with tempfile.TemporaryDirectory() as folder:
        out = pathlib.Path(folder) / "out"
        mp.spawn(run, args=(2, str(pathlib.Path(folder) / "store"), str(out)), nprocs=2)
        text = "".join(pathlib.Path(f"{out}.{rank}").read_text() for rank in range(2))
    (HERE / "ddp.txt").write_text(text)
