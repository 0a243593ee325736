import torch
from torch import nn, optim
import torch.nn.functional as F
torch.manual_seed(0)
class M(nn.Module):
    def __init__(self):
        super().__init__(); self.conv1 = nn.Conv2d(3, 6, 5); self.pool = nn.MaxPool2d(2, 2); self.fc1 = nn.Linear(96, 8)
        self.drop = nn.Dropout(0.5); self.fc2 = nn.Linear(8, 2)
    def forward(self, x): return self.fc2(self.drop(F.relu(self.fc1(self.pool(F.relu(self.conv1(x))).view(-1, 96)))))
class O(nn.Module):
    def __init__(self): super().__init__(); self.conv1 = nn.Conv2d(3, 6, 5); self.head = nn.Linear(6, 3)
m = M(); o = optim.Adam(m.parameters(), lr=0.001); print("Model's state_dict:")
for n, p in m.state_dict().items(): print(n, list(p.size()))
x = torch.randn(4, 3, 12, 12); y = torch.tensor([0, 1, 0, 1])
for e in range(3):
    o.zero_grad(); l = F.cross_entropy(m(x), y); l.backward(); o.step(); print(e, f"{l.item():.4f}")
n = M(); print(n.load_state_dict(m.state_dict())); m.eval(); n.eval(); print(str(torch.equal(m(x), n(x))).lower())
r = M(); ro = optim.Adam(r.parameters(), lr=0.001); r.load_state_dict(m.state_dict()); ro.load_state_dict(o.state_dict()); r.train()
F.cross_entropy(r(x), y).backward(); ro.step(); print(ro.state_dict()["state"][0]["step"].item())
q = O(); k = q.load_state_dict(m.state_dict(), strict=False); print(str(k.missing_keys).replace("'", ""), str(k.unexpected_keys).replace("'", ""))
print(str(torch.equal(q.conv1.weight, m.conv1.weight)).lower())
