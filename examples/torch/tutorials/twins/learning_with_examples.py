import math, torch
from torch import nn, optim
torch.manual_seed(0)
x = torch.linspace(-math.pi, math.pi, 2000); y = torch.sin(x)
a, b, c, d = [torch.randn(()) for _ in range(4)]
show = lambda n, a, b, c, d: print(f"{n} y = {a.item():.3f} + {b.item():.3f} x + {c.item():.3f} x^2 + {d.item():.3f} x^3")
for t in range(500):
    p = a + b * x + c * x ** 2 + d * x ** 3; g = 2.0 * (p - y)
    a = a - 1e-6 * g.sum(); b = b - 1e-6 * (g * x).sum(); c = c - 1e-6 * (g * x ** 2).sum(); d = d - 1e-6 * (g * x ** 3).sum()
    if t % 250 == 249: print(t, f"{(p - y).pow(2).sum().item():.2f}")
show("by hand:", a, b, c, d)
a, b, c, d = [torch.randn((), requires_grad=True) for _ in range(4)]
for t in range(500):
    loss = (a + b * x + c * x ** 2 + d * x ** 3 - y).pow(2).sum()
    if t % 250 == 249: print(t, f"{loss.item():.2f}")
    loss.backward()
    with torch.no_grad():
        for p in (a, b, c, d): p -= 1e-6 * p.grad; p.grad = None
show("autograd:", a, b, c, d)
xx = x.unsqueeze(-1).pow(torch.tensor([1, 2, 3]))
model = nn.Sequential(nn.Linear(3, 1), nn.Flatten(0, 1)); loss_fn = nn.MSELoss(reduction="sum")
opt = optim.RMSprop(model.parameters(), lr=1e-3)
for t in range(1000):
    loss = loss_fn(model(xx), y)
    if t % 500 == 499: print(t, f"{loss.item():.2f}")
    opt.zero_grad(); loss.backward(); opt.step()
l = model[0]
print(f"nn: y = {l.bias.item():.3f} + {l.weight[0, 0].item():.3f} x + {l.weight[0, 1].item():.3f} x^2")
class DynamicNet(nn.Module):
    def __init__(self):
        super().__init__()
        for n in "abcde": setattr(self, n, nn.Parameter(torch.randn(())))
    def forward(self, x, step):
        y = self.a + self.b * x + self.c * x ** 2 + self.d * x ** 3
        for e in range(4, 4 + step % 3): y = y + self.e * x ** e
        return y
m = DynamicNet(); opt = optim.SGD(m.parameters(), lr=1e-8, momentum=0.9)
for t in range(600):
    loss = loss_fn(m(x, t), y)
    if t % 300 == 299: print(t, f"{loss.item():.1f}")
    opt.zero_grad(); loss.backward(); opt.step()
show("dynamic:", m.a, m.b, m.c, m.d)
