import torch
from torch import nn, optim
import torch.nn.functional as F

START, STOP, T = 3, 4, 5
torch.manual_seed(1)


class Tagger(nn.Module):
    def __init__(self, e, h, v, t):
        super().__init__()
        self.e, self.lstm, self.l = nn.Embedding(v, e), nn.LSTM(e, h), nn.Linear(h, t)

    def forward(self, s):
        out, _ = self.lstm(self.e(s).view(len(s), 1, -1))
        return F.log_softmax(self.l(out.view(len(s), -1)), dim=1)


class CRF(nn.Module):
    def __init__(self, v, e, h):
        super().__init__()
        self.h = h
        self.e = nn.Embedding(v, e)
        self.lstm = nn.LSTM(e, h // 2, num_layers=1, bidirectional=True)
        self.l = nn.Linear(h, T)
        self.tr = nn.Parameter(torch.randn(T, T))
        self.tr.data[START, :] = -10000
        self.tr.data[:, STOP] = -10000

    def features(self, s):
        hidden = (torch.randn(2, 1, self.h // 2), torch.randn(2, 1, self.h // 2))
        out, _ = self.lstm(self.e(s).view(len(s), 1, -1), hidden)
        return self.l(out.view(len(s), self.h))

    def alg(self, feats):
        a = torch.full((T,), -10000.0)
        a[START] = 0.0
        for f in feats:
            a = torch.logsumexp(a.unsqueeze(0) + self.tr + f.unsqueeze(1), 1)
        return torch.logsumexp(a + self.tr[STOP], 0)

    def score(self, feats, tags):
        s, b = torch.zeros(1), START
        for i, t in enumerate(tags):
            s = s + self.tr[t, b] + feats[i, t]
            b = t
        return s + self.tr[STOP, b]

    def nll(self, s, tags):
        f = self.features(s)
        return self.alg(f) - self.score(f, tags)

    def forward(self, s):
        back, v = [], torch.full((T,), -10000.0)
        v[START] = 0.0
        for f in self.features(s):
            best, ids = (v.unsqueeze(0) + self.tr).max(1)
            v = best + f
            back.append(ids.tolist())
        end = v + self.tr[STOP]
        b = end.argmax().item()
        score, path = end[b].item(), [b]
        for p in reversed(back):
            b = p[b]
            path.append(b)
        return score, path[:-1][::-1]


data = [("the dog ate the apple".split(), [0, 1, 2, 0, 1]), ("everybody read that book".split(), [1, 2, 0, 1])]
ix = {}
for words, _ in data:
    for w in words:
        ix.setdefault(w, len(ix))
prepared = [(torch.tensor([ix[w] for w in ws]), t) for ws, t in data]
tagger, crit = Tagger(6, 6, len(ix), 3), nn.NLLLoss()
opt = optim.SGD(tagger.parameters(), lr=0.1)
for ep in range(150):
    for s, t in prepared:
        tagger.zero_grad()
        loss = crit(tagger(s), torch.tensor(t))
        loss.backward()
        opt.step()
        if ep % 50 == 49:
            print(ep, f"{loss.item():.4f}")
with torch.no_grad():
    print(tagger(prepared[0][0]).argmax(1).tolist())
crf = CRF(len(ix), 5, 4)
opt = optim.SGD(crf.parameters(), lr=0.01, weight_decay=1e-4)
with torch.no_grad():
    score, path = crf(prepared[0][0])
    print(f"{score:.4f}", path)
for ep in range(60):
    for s, t in prepared:
        crf.zero_grad()
        loss = crf.nll(s, t)
        loss.backward()
        opt.step()
        if ep % 20 == 19:
            print(ep, f"{loss.item():.4f}")
with torch.no_grad():
    score, path = crf(prepared[0][0])
    print(f"{score:.4f}", path)
