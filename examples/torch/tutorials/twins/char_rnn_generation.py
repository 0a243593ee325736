import torch
from torch import nn
torch.manual_seed(2); A = "abcdefghijklmnopqrstuvwxyz"; L = 27
N = [["anna", "ada", "alma", "ella", "nora"], ["bert", "kurt", "gert", "horst", "knut"]]
class RNN(nn.Module):
    def __init__(self, i, h, o):
        super().__init__(); w = 2 + i + h; self.i2h = nn.Linear(w, h); self.i2o = nn.Linear(w, o); self.o2o = nn.Linear(h + o, o)
        self.d = nn.Dropout(0.1); self.s = nn.LogSoftmax(dim=1)
    def forward(self, c, x, h):
        z = torch.cat((c, x, h), 1); h = self.i2h(z); return self.s(self.d(self.o2o(torch.cat((h, self.i2o(z)), 1)))), h
def cat(k): t = torch.zeros(1, 2); t[0][k] = 1; return t
def inp(s):
    t = torch.zeros(len(s), 1, L)
    for i, c in enumerate(s): t[i][0][A.find(c)] = 1
    return t
r = RNN(L, 48, L); crit = nn.NLLLoss(); tot = 0.0
for it in range(1, 601):
    k = torch.randint(0, 2, (1,)).item(); s = N[k][torch.randint(0, 5, (1,)).item()]
    t = torch.tensor([A.find(c) for c in s[1:]] + [26]).unsqueeze(-1); x = inp(s); h = torch.zeros(1, 48); r.train(); r.zero_grad(); l = torch.tensor(0.0)
    for i in range(len(s)): o, h = r(cat(k), x[i], h); l = l + crit(o, t[i])
    l.backward()
    for p in r.parameters(): p.data.add_(p.grad.data, alpha=-0.01)
    tot += l.item() / len(s)
    if it % 200 == 0: print(it, f"{tot / 200:.3f}"); tot = 0.0
r.eval()
for k, s in [(0, "a"), (0, "e"), (1, "b"), (1, "k")]:
    with torch.no_grad():
        x = inp(s); h = torch.zeros(1, 48)
        for i in range(8):
            o, h = r(cat(k), x[0], h); j = o.topk(1)[1][0][0].item()
            if j == 26: break
            s += A[j]; x = inp(A[j])
    print(s)
