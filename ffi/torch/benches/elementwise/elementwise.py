"""The same as elementwise.spl, in Python with PyTorch: the number of threads is the first argument."""
import sys
import time

import torch


def measure(name, n, function):
    turns = min(max(20000 // n, 1), 200)
    best = float("inf")
    for _ in range(min(max(100000000 // (n * turns), 9), 60)):
        if n > 10000:
            time.sleep(0.01)
        start = time.perf_counter_ns()
        for _ in range(turns):
            function()
        best = min(best, (time.perf_counter_ns() - start) // turns)
    print(name, n, best)


torch.set_num_threads(int(sys.argv[1]))
torch.manual_seed(1)
with torch.no_grad():
    for n in [10, 1000, 10000, 100000, 1000000, 10000000]:
        x, y = torch.randn(n), torch.randn(n)
        above = x > y
        measure("add", n, lambda: x + y)
        measure("mul", n, lambda: x * y)
        measure("exp", n, lambda: x.exp())
        measure("tanh", n, lambda: x.tanh())
        measure("gelu", n, lambda: torch.nn.functional.gelu(x))
        measure("relu", n, lambda: x.relu())
        measure("sin", n, lambda: x.sin())
        measure("gt", n, lambda: x.gt(y))
        measure("where", n, lambda: torch.where(above, x, y))
        measure("sum", n, lambda: x.sum())
