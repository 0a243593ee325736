import torch
from torch import nn, optim
from torch.nn.utils import parametrizations, parametrize

torch.manual_seed(0)


def low(*xs):
    print(*[str(x).lower() if isinstance(x, bool) else x for x in xs])


def names(m):
    return "[" + ", ".join(m.state_dict()) + "]"


class Symmetric(nn.Module):
    def forward(self, x):
        return x.triu() + x.triu(1).transpose(-1, -2)


class Skew(nn.Module):
    def forward(self, x):
        a = x.triu(1)
        return a - a.transpose(-1, -2)


class Cayley(nn.Module):
    def forward(self, x):
        a = x.triu(1)
        s, i = a - a.transpose(-1, -2), torch.eye(x.size(0))
        return torch.linalg.solve(i - s, i + s)


def made(p):
    m = nn.Linear(3, 3)
    parametrize.register_parametrization(m, "weight", p)
    return m


layer = made(Symmetric())
low(torch.allclose(layer.weight, layer.weight.t()), names(layer))
skew = made(Skew())
low(torch.allclose(skew.weight, -skew.weight.t()))
orth = made(Cayley())
low(torch.dist(orth.weight.t() @ orth.weight, torch.eye(3)).item() < 1e-5)
data = torch.randn(32, 3)
target = data @ torch.tensor([[0.0, 1.0, 0.0], [1.0, 0.0, 0.0], [0.0, 0.0, -1.0]])
model = nn.Sequential(layer, nn.Tanh(), orth)
opt = optim.Adam(model.parameters(), lr=0.05)
for step in range(30):
    opt.zero_grad()
    loss = (model(data) - target).pow(2).mean()
    loss.backward()
    opt.step()
    if step % 10 == 9:
        print(step, f"{loss.item():.4f}")
low(torch.allclose(layer.weight, layer.weight.t()), torch.dist(orth.weight.t() @ orth.weight, torch.eye(3)).item() < 1e-5)
normed = parametrizations.weight_norm(nn.Linear(4, 3))
print(names(normed), f"{normed.weight.norm(dim=1).sum().item():.4f}")
spectral = parametrizations.spectral_norm(nn.Linear(4, 3), n_power_iterations=20).eval()
print(f"{torch.linalg.matrix_norm(spectral.weight, 2).item():.3f}")
parametrize.remove_parametrizations(layer, "weight")
low("[" + ", ".join(sorted(layer.state_dict(), reverse=True)) + "]", torch.allclose(layer.weight, layer.weight.t()))
