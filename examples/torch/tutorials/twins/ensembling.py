import torch
from torch import nn, optim
import torch.nn.functional as F
from torch.func import functional_call, stack_module_state, vmap

torch.manual_seed(0)


class MLP(nn.Module):
    def __init__(self):
        super().__init__()
        self.fc1, self.fc2, self.fc3 = nn.Linear(16, 12), nn.Linear(12, 12), nn.Linear(12, 3)

    def forward(self, x):
        return self.fc3(F.relu(self.fc2(F.relu(self.fc1(x.flatten(1))))))


n = 5
models = [MLP() for _ in range(n)]
data, targets = torch.randn(n, 7, 4, 4), torch.randint(3, (n, 7))
different = torch.stack([m(x) for m, x in zip(models, data)])
same = torch.stack([m(data[0]) for m in models])
params, buffers = stack_module_state(models)
print(list(params["fc1.weight"].shape))


def call(p, b, x):
    return functional_call(models[0], (p, b), (x,))


first, second = vmap(call)(params, buffers, data), vmap(call, in_dims=(0, 0, None))(params, buffers, data[0])
print(list(first.shape), str(torch.allclose(first, different, atol=1e-5)).lower())
print(str(torch.allclose(second, same, atol=1e-5)).lower())
for m in models:
    opt = optim.Adam(m.parameters(), lr=0.01)
    for _ in range(30):
        opt.zero_grad()
        F.cross_entropy(m(data.flatten(0, 1)), targets.flatten()).backward()
        opt.step()
with torch.no_grad():
    each, labels = torch.stack([m(data.flatten(0, 1)).softmax(-1) for m in models]), targets.flatten()
    print("[" + ", ".join(f"{e.argmax(1).eq(labels).float().mean().item():.3f}" for e in each) + "]")
    print(f"{each.mean(0).argmax(1).eq(labels).float().mean().item():.3f}", f"{each.std(0).mean().item():.4f}")
