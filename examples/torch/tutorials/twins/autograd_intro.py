import math
import torch
from torch import nn, optim
import torch.nn.functional as F


class TinyModel(nn.Module):
    def __init__(self):
        super().__init__()
        self.layer1, self.relu, self.layer2 = nn.Linear(20, 10), nn.ReLU(), nn.Linear(10, 4)

    def forward(self, x):
        return self.layer2(self.relu(self.layer1(x)))


def shown(x):
    return "[" + ", ".join(f"{n:.4f}" for n in x.flatten().tolist()) + "]"


def low(*xs):
    print(*[str(x).lower() if isinstance(x, bool) else x for x in xs])


a = torch.linspace(0.0, 2 * math.pi, steps=7, requires_grad=True)
b = torch.sin(a)
c = 2 * b
out = (c + 1).sum()
out.backward()
print(shown(a.grad), shown(2 * torch.cos(a)))
low(a.is_leaf, c.is_leaf, c.requires_grad, c.detach().requires_grad)
torch.manual_seed(0)
model = TinyModel()
some_input, ideal_output = torch.randn(16, 20), torch.randn(16, 4)
optimizer = optim.SGD(model.parameters(), lr=0.001)
loss = (ideal_output - model(some_input)).pow(2).sum()
low(f"{loss.item():.4f}", model.layer2.weight.grad is None)
loss.backward()
before = model.layer2.weight[0, :3].detach().clone()
optimizer.step()
print(shown(before), shown(model.layer2.weight[0, :3]), shown(model.layer2.weight.grad[0, :3]))
for i in range(5):
    (ideal_output - model(some_input)).pow(2).sum().backward()
print(shown(model.layer2.weight.grad[0, :3]))
optimizer.zero_grad(set_to_none=False)
print(shown(model.layer2.weight.grad[0, :3]))
x = torch.tensor([1.0, 2.0, 3.0], requires_grad=True)
y = x * 2
while y.norm() < 1000:
    y = y * 2
y.backward(torch.tensor([0.1, 1.0, 0.0001]))
print(shown(x.grad))
square = torch.eye(4, 5, requires_grad=True)
cubed = (square + 1).pow(2).t()
for _ in range(2):
    cubed.backward(torch.ones_like(cubed), retain_graph=True)
    print(shown(square.grad[0]))
w = torch.randn(5, 3, requires_grad=True)
with torch.no_grad():
    low((w @ torch.ones(3, 1)).requires_grad)
z = F.binary_cross_entropy_with_logits(torch.ones(5) @ w, torch.zeros(3))
z.backward()
print(f"{z.item():.4f}", shown(w.grad[0]))
print(torch.autograd.grad((x * x * x).sum(), x)[0].tolist())
