"""Starts a job whose even ranks are `mixed.spl` and whose odd ranks are Python with `torch.distributed`.

    python examples/distributed/mixed.py [RANKS [CALLS]]

Python needs PyTorch of the release that Simple runs on. SIMPLE names the command, `bin/simple` without it.
"""
import os
import socket
import subprocess
import sys

RANKS = int(sys.argv[1]) if len(sys.argv) > 1 else 2
CALLS = int(sys.argv[2]) if len(sys.argv) > 2 else 1000


def draw(state):
    """Random numbers that both languages draw alike."""
    def below(limit):
        state[0] = (state[0] * 1103515245 + 12345) % 2147483648
        return state[0] // 65536 % limit
    return below


def python_rank():
    import torch
    import torch.distributed as dist
    from torch import nn
    from torch.nn.parallel import DistributedDataParallel

    dist.init_process_group("gloo")
    rank, size = dist.get_rank(), dist.get_world_size()

    def numbers(count, call, of_rank):
        return torch.tensor([float((i * 5 + call * 3 + of_rank * 7) % 17) for i in range(count)])

    def expect(call, name, found, wanted):
        if not torch.equal(found, wanted):
            raise SystemExit(f"call {call}, {name}: rank {rank} found {found}, expected {wanted}")

    def one(call, below):
        kind, count, root = below(8), 1 + below(40), below(size)
        own = numbers(count, call, rank)
        parts = [numbers(count, call, i) for i in range(size)]
        total = sum(parts[1:], parts[0])
        if kind == 0:
            dist.all_reduce(own)
            expect(call, "all_reduce", own, total)
        elif kind == 1:
            dist.broadcast(own, src=root)
            expect(call, "broadcast", own, parts[root])
        elif kind == 2:
            found = [torch.zeros(count) for _ in range(size)]
            dist.all_gather(found, own)
            expect(call, "all_gather", torch.cat(found), torch.cat(parts))
        elif kind == 3:
            found = torch.zeros(size * count)
            dist.all_gather_into_tensor(found, own)
            expect(call, "all_gather_into_tensor", found, torch.cat(parts))
        elif kind == 4:
            dist.reduce(own, dst=root)
            if rank == root:
                expect(call, "reduce", own, total)
        elif kind == 5:
            found = torch.zeros(count)
            dist.scatter(found, parts if rank == root else None, src=root)
            expect(call, "scatter", found, parts[rank])
        elif kind == 6:
            second = own.clone()
            first_work = dist.all_reduce(own, async_op=True)
            second_work = dist.all_reduce(second, dist.ReduceOp.MAX, async_op=True)
            first_work.wait()
            second_work.wait()
            expect(call, "async all_reduce", own, total)
            expect(call, "async maximum", second, torch.stack(parts).amax(0))
        elif size > 1:
            to = (root + 1) % size
            if rank == root:
                dist.send(own, to)
            elif rank == to:
                dist.recv(own, root)
                expect(call, "recv", own, parts[root])

    below = draw([7])
    for call in range(CALLS):
        one(call, below)
    model = nn.Sequential(nn.Linear(6, 8), nn.Tanh(), nn.Linear(8, 2))
    with torch.no_grad():
        for at, parameter in enumerate(model.parameters()):
            parameter.copy_((numbers(parameter.numel(), at, rank) / 16.0 - 0.5).view(parameter.shape))
    net = DistributedDataParallel(model)
    for step in range(5):
        net.zero_grad()
        x = (numbers(24, step, rank) / 8.0 - 1.0).view(4, 6)
        net(x).pow(2.0).mean().backward()
        with torch.no_grad():
            for parameter in net.parameters():
                parameter.sub_(parameter.grad * 0.25)
    own = torch.cat([parameter.detach().flatten() for parameter in net.parameters()])
    others = [torch.zeros_like(own) for _ in range(size)]
    dist.all_gather(others, own)
    for other in others:
        expect(CALLS, "parameters", other, own)
    total = own.sum().item()
    print(f"rank {rank}, Python: {CALLS} calls are right, and all have the same parameters to the bit: {total}")
    dist.destroy_process_group()


def start():
    with socket.socket() as free:
        free.bind(("127.0.0.1", 0))
        port = free.getsockname()[1]
    here = os.path.dirname(os.path.abspath(__file__))
    simple = os.environ.get("SIMPLE", os.path.join(here, "../../bin/simple"))
    ranks = []
    for rank in range(RANKS):
        place = {"RANK": str(rank), "WORLD_SIZE": str(RANKS), "MASTER_ADDR": "127.0.0.1", "MASTER_PORT": str(port),
                 "OMP_NUM_THREADS": "1"}
        words = [simple, "run", "--device", "cpu", os.path.join(here, "mixed.spl"), str(CALLS)]
        if rank % 2 == 1:
            words = [sys.executable, os.path.abspath(__file__), str(RANKS), str(CALLS)]
        ranks.append(subprocess.Popen(words, env={**os.environ, **place}))
    codes = [rank.wait() for rank in ranks]
    sys.exit(next((code for code in codes if code), 0))


if __name__ == "__main__":
    python_rank() if "RANK" in os.environ else start()
