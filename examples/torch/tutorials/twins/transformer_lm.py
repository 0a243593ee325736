import math, torch
from torch import nn, optim
import torch.nn.functional as F
torch.manual_seed(0)
class PE(nn.Module):
    def __init__(s, d, p, n=100):
        super().__init__(); s.dropout = nn.Dropout(p); pos = torch.arange(n).unsqueeze(1); div = torch.exp(torch.arange(0, d, 2) * (-math.log(10000.0) / d))
        pe = torch.zeros(n, 1, d); pe[:, 0, 0::2] = torch.sin(pos * div); pe[:, 0, 1::2] = torch.cos(pos * div); s.register_buffer("pe", pe)
    def forward(s, x): return s.dropout(x + s.pe[:x.size(0)])
class TM(nn.Module):
    def __init__(s, n, d, h, f, l, p):
        super().__init__(); s.d = d; s.p = PE(d, p); s.t = nn.TransformerEncoder(nn.TransformerEncoderLayer(d, h, f, p), l)
        s.e = nn.Embedding(n, d); s.l = nn.Linear(d, n); s.e.weight.data.uniform_(-0.1, 0.1); s.l.bias.data.zero_(); s.l.weight.data.uniform_(-0.1, 0.1)
    def forward(s, x, m): return s.l(s.t(s.p(s.e(x) * math.sqrt(s.d)), m))
def text(n):
    t = []
    while len(t) < n: k = torch.randint(0, 3, (1,)).item(); t += [k, 3 + k, 6 + (k + 1) % 3, 9]
    return torch.tensor(t[:n])
def batchify(d, b): n = len(d) // b; return d[:n * b].view(b, n).t().contiguous()
def batch(s, i): n = min(16, len(s) - 1 - i); return s[i:i + n], s[i + 1:i + 1 + n].reshape(-1)
tr, va = batchify(text(1024), 8), batchify(text(256), 4); m = TM(10, 16, 2, 32, 2, 0.1); crit = nn.CrossEntropyLoss()
opt = optim.SGD(m.parameters(), lr=0.5); sch = optim.lr_scheduler.StepLR(opt, 1, gamma=0.95); mask = nn.Transformer.generate_square_subsequent_mask
for ep in range(1, 5):
    m.train()
    for i in range(0, len(tr) - 1, 16):
        x, y = batch(tr, i); l = crit(m(x, mask(len(x))).view(-1, 10), y); opt.zero_grad(); l.backward(); nn.utils.clip_grad_norm_(m.parameters(), 0.5); opt.step()
    m.eval(); t = 0.0
    with torch.no_grad():
        for i in range(0, len(va) - 1, 16): x, y = batch(va, i); t += len(x) * F.cross_entropy(m(x, mask(len(x))).view(-1, 10), y).item()
    t /= len(va) - 1; print(ep, f"lr {sch.get_last_lr()[0]:.3f} valid loss {t:.3f} ppl {math.exp(t):.2f}"); sch.step()
k = torch.tensor([[0]]); m.eval()
with torch.no_grad():
    for _ in range(7): k = torch.cat([k, torch.multinomial(F.softmax(m(k, mask(len(k)))[-1, 0], -1), 1).view(1, 1)])
print(k.squeeze().tolist())
