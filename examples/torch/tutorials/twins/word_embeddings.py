import torch
from torch import nn, optim
import torch.nn.functional as F
torch.manual_seed(1)
T = "the cat drinks the milk . the dog drinks the water . a cat chases a dog . a dog chases a cat . the cat sleeps and the dog sleeps ."
class N(nn.Module):
    def __init__(s, v, d, c): super().__init__(); s.e = nn.Embedding(v, d); s.a = nn.Linear(c * d, 32); s.b = nn.Linear(32, v)
    def forward(s, x): return F.log_softmax(s.b(F.relu(s.a(s.e(x).view((1, -1))))), 1)
class C(nn.Module):
    def __init__(s, v, d): super().__init__(); s.e = nn.Embedding(v, d); s.o = nn.Linear(d, v)
    def forward(s, x): return s.o(s.e(x).sum(0)).view(1, -1)
print(list(nn.Embedding(2, 5)(torch.tensor([1])).shape)); w = T.split(); v = sorted(set(w)); ix = {a: i for i, a in enumerate(v)}
g = [([w[i - j - 1] for j in range(2)], w[i]) for i in range(2, len(w))]; print(str(g[:2]).replace("'", ""))
m = N(len(v), 10, 2); opt = optim.SGD(m.parameters(), lr=0.05); ls = []
for e in range(10):
    t = 0.0
    for c, y in g:
        m.zero_grad(); l = F.nll_loss(m(torch.tensor([ix[a] for a in c])), torch.tensor([ix[y]])); l.backward(); opt.step(); t += l.item()
    ls.append(t)
print(str([f"{x:.2f}" for x in ls[::3]]).replace("'", "")); c = C(len(v), 10); opt = optim.Adam(c.parameters(), lr=0.05)
for e in range(8):
    t = 0.0
    for i in range(2, len(w) - 2):
        opt.zero_grad(); l = F.cross_entropy(c(torch.tensor([ix[a] for a in w[i - 2:i] + w[i + 1:i + 3]])), torch.tensor([ix[w[i]]])); l.backward(); opt.step(); t += l.item()
print(f"{t:.2f}"); e = c.e.weight.detach(); s = F.cosine_similarity(e[ix["cat"]], e, 1); print(f"{s[ix['dog']].item():.3f}", v[s.argsort(descending=True)[0]])
