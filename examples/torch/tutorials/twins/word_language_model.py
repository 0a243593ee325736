import math
import torch
from torch import nn
import torch.nn.functional as F
from torch.optim.swa_utils import AveragedModel

torch.manual_seed(1111)


class Model(nn.Module):
    def __init__(self, v, h, layers, p):
        super().__init__()
        self.h, self.drop = h, nn.Dropout(p)
        self.e, self.rnn = nn.Embedding(v, h), nn.LSTM(h, h, layers, dropout=p)
        nn.init.uniform_(self.e.weight, -0.1, 0.1)
        self.b = nn.Parameter(torch.zeros(v))

    def forward(self, x, hidden):
        out, hidden = self.rnn(self.drop(self.e(x)), hidden)
        return F.log_softmax(F.linear(self.drop(out), self.e.weight, self.b).view(-1, len(self.b)), dim=1), hidden

    def zeros(self, b):
        return torch.zeros(2, b, self.h), torch.zeros(2, b, self.h)


words = []


def tokenize(n):
    nouns, verbs, ids = ["cat", "dog", "bird"], ["sees", "likes"], []
    for _ in range(n):
        r = torch.randint(0, 6, (3,)).tolist()
        for w in ["the", nouns[r[0] % 3], verbs[r[1] % 2], "the", nouns[(r[0] + 1) % 3], "<eos>"]:
            if w not in words:
                words.append(w)
            ids.append(words.index(w))
    return torch.tensor(ids)


def batchify(d, b):
    n = len(d) // b
    return d[:n * b].view(b, -1).t().contiguous()


def evaluate(m, s):
    m.eval()
    hidden, total = m.zeros(s.size(1)), 0.0
    with torch.no_grad():
        for i in range(0, len(s) - 1, 12):
            n = min(12, len(s) - 1 - i)
            out, hidden = m(s[i:i + n], hidden)
            total += n * F.nll_loss(out, s[i + 1:i + 1 + n].reshape(-1)).item()
    return total / (len(s) - 1)


tr, va = batchify(tokenize(160), 8), batchify(tokenize(40), 4)
print("[" + ", ".join(words) + "]", list(tr.shape))
model = Model(len(words), 16, 2, 0.1)
Model(len(words), 16, 2, 0.1)
avg = AveragedModel(model)
lr, best = 20.0, 1e9
for ep in range(1, 9):
    model.train()
    hidden = model.zeros(8)
    for i in range(0, len(tr) - 1, 12):
        n = min(12, len(tr) - 1 - i)
        model.zero_grad()
        out, hidden = model(tr[i:i + n], tuple(h.detach() for h in hidden))
        F.nll_loss(out, tr[i + 1:i + 1 + n].reshape(-1)).backward()
        nn.utils.clip_grad_norm_(model.parameters(), 0.25)
        for p in model.parameters():
            p.data.add_(p.grad, alpha=-lr)
    if ep > 5:
        avg.update_parameters(model)
    loss = evaluate(model, va)
    if ep % 2 == 0:
        print(f"epoch {ep}: lr {lr:.2f} valid loss {loss:.2f} ppl {math.exp(loss):.1f}")
    if loss < best:
        best = loss
    else:
        lr /= 4.0
print(f"averaged {evaluate(avg.module, va):.2f}")
model.eval()
with torch.no_grad():
    hidden, x, out = model.zeros(1), torch.tensor([[0]]), []
    for _ in range(12):
        o, hidden = model(x, hidden)
        x = torch.multinomial(o.exp(), 1)
        out.append(words[x.item()])
    print(" ".join(out))
