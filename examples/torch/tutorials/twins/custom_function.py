import math
import torch
from torch.autograd import Function, gradcheck, gradgradcheck


class P3(Function):
    @staticmethod
    def forward(ctx, x):
        ctx.save_for_backward(x)
        return 0.5 * (5 * x ** 3 - 3 * x)

    @staticmethod
    def backward(ctx, g):
        x, = ctx.saved_tensors
        return g * 1.5 * (5 * x ** 2 - 1)


class Square(Function):
    @staticmethod
    def forward(ctx, x):
        ctx.save_for_backward(x)
        return x ** 2

    @staticmethod
    def backward(ctx, g):
        x, = ctx.saved_tensors
        return g * 2 * x


class Sinh(Function):
    @staticmethod
    def forward(ctx, x):
        ctx.save_for_backward(x)
        return (torch.exp(x) - torch.exp(-x)) / 2

    @staticmethod
    def backward(ctx, g):
        x, = ctx.saved_tensors
        return g * (torch.exp(x) + torch.exp(-x)) / 2


class Straight(Function):
    @staticmethod
    def forward(ctx, x, threshold):
        return (x > threshold).float()

    @staticmethod
    def backward(ctx, g):
        return g.clamp(-1, 1), None


x = torch.linspace(-math.pi, math.pi, 200)
y = torch.sin(x)
a, b, c, d = (torch.full((), v, requires_grad=True) for v in (0.0, -1.0, 0.0, 0.3))
for t in range(200):
    loss = (a + b * P3.apply(c + d * x) - y).pow(2).sum()
    if t % 50 == 49:
        print(t, f"{loss.item():.4f}")
    loss.backward()
    with torch.no_grad():
        for w in (a, b, c, d):
            w -= 0.00005 * w.grad
            w.grad = None
print(f"y = {a.item():.3f} + {b.item():.3f} * P3({c.item():.3f} + {d.item():.3f} x)")
p = torch.tensor([1.5, -0.5], dtype=torch.double, requires_grad=True)
for f in (Square.apply, Sinh.apply):
    print(str(gradcheck(f, [p])).lower(), str(gradgradcheck(f, [p])).lower())
first, = torch.autograd.grad(Square.apply(p).sum(), p, create_graph=True)
print(first.tolist(), torch.autograd.grad(first.sum(), p)[0].tolist())
torch.manual_seed(0)
w = torch.randn(4, requires_grad=True)
step = Straight.apply(w * 2, 0.0)
(step * torch.tensor([0.5, 3.0, -2.0, 0.1])).sum().backward()
print(step.tolist(), "[" + ", ".join(f"{g:.1f}" for g in w.grad.tolist()) + "]")
