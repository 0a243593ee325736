import torch
from torch import nn, optim
import torch.nn.functional as F
from torch.utils.data import TensorDataset, DataLoader, RandomSampler
torch.manual_seed(0)
class Enc(nn.Module):
    def __init__(s, i, h): super().__init__(); s.e = nn.Embedding(i, h); s.g = nn.GRU(h, h, batch_first=True); s.d = nn.Dropout(0.1)
    def forward(s, x): return s.g(s.d(s.e(x)))
class Att(nn.Module):
    def __init__(s, h): super().__init__(); s.W = nn.Linear(h, h); s.U = nn.Linear(h, h); s.V = nn.Linear(h, 1)
    def forward(s, q, k): w = F.softmax(s.V(torch.tanh(s.W(q) + s.U(k))).squeeze(2).unsqueeze(1), -1); return torch.bmm(w, k), w
class Dec(nn.Module):
    def __init__(s, h, o):
        super().__init__(); s.e = nn.Embedding(o, h); s.a = Att(h); s.g = nn.GRU(2 * h, h, batch_first=True); s.o = nn.Linear(h, o); s.d = nn.Dropout(0.1)
    def forward(s, eo, h, t=None):
        x = torch.zeros(len(eo), 1, dtype=torch.long); os, ws = [], []
        for i in range(6):
            e = s.d(s.e(x)); c, w = s.a(h.permute(1, 0, 2), eo); o, h = s.g(torch.cat((e, c), 2), h); o = s.o(o); os.append(o); ws.append(w)
            x = t[:, i].unsqueeze(1) if t is not None else o.topk(1)[1].squeeze(-1).detach()
        return F.log_softmax(torch.cat(os, 1), -1), h, torch.cat(ws, 1)
src = torch.randint(2, 10, (256, 5)); tr = (src.flip(1) - 1) % 8 + 2; eos = torch.full((256, 1), 1)
data = TensorDataset(torch.cat([src, eos], 1), torch.cat([tr, eos], 1)); ld = DataLoader(data, sampler=RandomSampler(data), batch_size=32)
e = Enc(10, 32); d = Dec(32, 10); eo = optim.Adam(e.parameters(), lr=0.01); do = optim.Adam(d.parameters(), lr=0.01); crit = nn.NLLLoss()
for ep in range(1, 13):
    t = 0.0
    for x, y in ld:
        eo.zero_grad(); do.zero_grad(); o, _, _ = d(*e(x), y); l = crit(o.view(-1, o.size(-1)), y.view(-1)); l.backward(); eo.step(); do.step(); t += l.item()
    if ep % 4 == 0: print(ep, f"{t / len(ld):.3f}")
e.eval(); d.eval()
with torch.no_grad(): o, _, a = d(*e(torch.tensor([[2, 3, 4, 5, 9, 1]]))); print(o.argmax(-1).squeeze().tolist(), list(a.shape))
