import torch
from torch import nn
import torch.nn.functional as F
torch.manual_seed(7); A = "abcdefghijklmnopqrstuvwxyz"; C = ["Vokali", "Kraktu", "Mexo"]
def t(s):
    x = torch.zeros(len(s), 1, 26)
    for i, c in enumerate(s): x[i][0][A.find(c)] = 1
    return x
class RNN(nn.Module):
    def __init__(self, i, h, o): super().__init__(); self.h = h; self.i2h = nn.Linear(i + h, h); self.h2o = nn.Linear(h, o)
    def forward(self, x, h): h = F.tanh(self.i2h(torch.cat((x, h), 1))); return F.log_softmax(self.h2o(h), 1), h
def name(k):
    n = ""
    for i in range(4):
        v = "aeiou"[torch.randint(0, 5, (1,)).item()]; c = "krtpmx"[torch.randint(0, 6, (1,)).item()]
        n += v + v + c if k == 0 else c + c + v if k == 1 else v + "x" + c
    return n
r = RNN(26, 32, 3); crit = nn.NLLLoss(); s = 0.0
for it in range(1, 301):
    k = torch.randint(0, 3, (1,)); x = t(name(k.item())); h = torch.zeros(1, 32); r.zero_grad()
    for i in range(len(x)): o, h = r(x[i], h)
    l = crit(o, k); l.backward(); nn.utils.clip_grad_norm_(r.parameters(), 3.0)
    with torch.no_grad():
        for p in r.parameters(): p.add_(p.grad, alpha=-0.02)
    s += l.item()
    if it % 100 == 0: print(it, f"{s / 100:.4f}"); s = 0.0
with torch.no_grad():
    for k in range(3):
        n = name(k); h = torch.zeros(1, 32)
        for x in t(n): o, h = r(x, h)
        v, i = o.topk(2, 1, True); print(f"> {n}: ({v[0][0].item():.2f}) {C[i[0][0].item()]}")
