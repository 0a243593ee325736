import math
import torch
from torch import optim

torch.manual_seed(0)


def net(p, x):
    y = (x @ p[0] + p[1]).relu()
    y = (y @ p[2] + p[3]).relu()
    return y @ p[4] + p[5]


def mse(p, x, y):
    return (net(p, x) - y).pow(2).mean()


def points(task, n):
    x = torch.rand(n, 1) * 10 - 5
    return x, task[0] * torch.sin(x + task[1])


def adapted(p, x, y, lr, graph):
    g = torch.autograd.grad(mse(p, x, y), p, create_graph=graph)
    return [a - lr * b for a, b in zip(p, g)]


params = [(torch.randn(*s) * (1.0 if s[0] == 1 else 0.25)).requires_grad_() for s in [[1, 16], [16], [16, 16], [16], [16, 1], [1]]]
opt = optim.Adam(params, lr=0.01)
for step in range(1, 61):
    opt.zero_grad()
    loss = torch.zeros(())
    for _ in range(4):
        task = (0.1 + 4.9 * torch.rand(1).item(), math.pi * torch.rand(1).item())
        x, y = points(task, 5)
        fast = adapted(params, x, y, 0.01, True)
        loss = loss + mse(fast, *points(task, 10)) / 4
    loss.backward()
    opt.step()
    if step % 20 == 0:
        print(f"{step}: {loss.item():.3f}")
x, y = points((2.0, 1.0), 10)
fast, losses = params, [f"{mse(params, x, y).item():.3f}"]
for _ in range(5):
    fast = [p.detach().requires_grad_() for p in adapted(fast, x, y, 0.02, False)]
    losses.append(f"{mse(fast, x, y).item():.3f}")
print("[" + ", ".join(losses) + "]")
first = torch.func.grad(lambda w: mse([w] + params[1:], x, y))(params[0])
print(str(torch.allclose(first, torch.autograd.grad(mse(params, x, y), params)[0], atol=1e-6)).lower())
