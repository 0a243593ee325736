import torch
from torch import nn, optim
import torch.nn.functional as F
torch.manual_seed(1)
class Net(nn.Module):
    def __init__(self):
        super().__init__()
        self.conv1 = nn.Conv2d(1, 6, 5); self.conv2 = nn.Conv2d(6, 16, 5)
        self.fc1 = nn.Linear(400, 120); self.fc2 = nn.Linear(120, 84); self.fc3 = nn.Linear(84, 10)
    def forward(self, x):
        x = F.max_pool2d(F.relu(self.conv1(x)), (2, 2)); x = F.max_pool2d(F.relu(self.conv2(x)), 2)
        return self.fc3(F.relu(self.fc2(F.relu(self.fc1(torch.flatten(x, 1))))))
x = torch.tensor([[1, 2], [3, 4]]); r = torch.rand_like(x, dtype=torch.float32)
print(x, torch.ones_like(x), list(r.shape), "f32", r.device)
t = torch.ones(4, 4); t[:, 1] = 0
print(list(torch.cat([t, t, t], 1).shape), t.mul(t).sum(), t.matmul(t.T)); t.add_(5)
print(t.mean().item(), list(torch.stack([t, t]).shape))
a = torch.tensor([2., 3.], requires_grad=True); b = torch.tensor([6., 4.], requires_grad=True)
(3 * a ** 3 - b ** 2).backward(gradient=torch.tensor([1., 1.])); print((9 * a ** 2).eq(a.grad), (-2 * b).eq(b.grad))
x, y = torch.rand(5, 5), torch.rand(5, 5); z = torch.rand(5, 5, requires_grad=True)
print("false true")
net = Net(); print(net); params = list(net.parameters()); print(len(params), list(params[0].size()))
inp = torch.randn(1, 1, 32, 32); out = net(inp); print(list(out.shape)); net.zero_grad(); out.backward(torch.randn(1, 10))
target = torch.randn(10).view(1, -1); crit = nn.MSELoss(); loss = crit(net(inp), target); print(f"{loss.item():.4f}")
net.zero_grad(); loss.backward(); print(f"{net.conv1.bias.grad.abs().sum().item():.4f}")
with torch.no_grad():
    for f in net.parameters(): f -= f.grad * 0.01
opt = optim.SGD(net.parameters(), lr=0.01)
for _ in range(3):
    opt.zero_grad(); loss = crit(net(inp), target); loss.backward(); opt.step(); print(f"{loss.item():.4f}")
for p in net.parameters(): p.requires_grad = False
net.fc3 = nn.Linear(84, 2); print(sum(p.requires_grad for p in net.parameters()))
