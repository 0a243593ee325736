import torch
from tokenizers import ByteLevelBPETokenizer
from torch import nn, optim
from torch.utils.data import DataLoader

LABELS = ["World", "Sports", "Business"]
WORDS = ["minister election border treaty president".split(), "match goal team season player".split(), "market shares profit bank trade".split()]
torch.manual_seed(0)


def ri(a, b):
    return torch.randint(a, b, (1,)).item()


def made(n):
    news = []
    for _ in range(n):
        k, m = ri(0, 3), ri(3, 8)
        words = [WORDS[k][ri(0, 5)] for _ in range(m)]
        news.append((k, "the " + " ".join(words) + " " + WORDS[ri(0, 3)][ri(0, 5)]))
    return news


class Model(nn.Module):
    def __init__(self, v, d, c):
        super().__init__()
        self.e, self.fc = nn.EmbeddingBag(v, d, sparse=False), nn.Linear(d, c)
        self.e.weight.data.uniform_(-0.5, 0.5)
        self.fc.weight.data.uniform_(-0.5, 0.5)
        self.fc.bias.data.zero_()

    def forward(self, t, o):
        return self.fc(self.e(t, o))


train, test = made(150), made(60)
tok = ByteLevelBPETokenizer()
tok.train_from_iterator([t for _, t in train], vocab_size=300, show_progress=False)
e = tok.encode("the team trade")
print(tok.get_vocab_size(), "[" + ", ".join(e.tokens) + "]", e.ids)


def collate(rows):
    text, offsets = [], []
    for _, s in rows:
        offsets.append(len(text))
        text += tok.encode(s).ids
    return torch.tensor([k for k, _ in rows]), torch.tensor(text), torch.tensor(offsets)


model, crit = Model(300, 8, 3), nn.CrossEntropyLoss()
opt = optim.SGD(model.parameters(), lr=2.0)
sched = optim.lr_scheduler.StepLR(opt, 1, gamma=0.5)
for ep in range(1, 5):
    for y, t, o in DataLoader(train, batch_size=10, shuffle=True, collate_fn=collate):
        opt.zero_grad()
        crit(model(t, o), y).backward()
        nn.utils.clip_grad_norm_(model.parameters(), 0.1)
        opt.step()
    sched.step()
    with torch.no_grad():
        right = sum(model(t, o).argmax(1).eq(y).sum().item() for y, t, o in DataLoader(test, batch_size=10, collate_fn=collate))
    print(f"end of epoch {ep}, valid accuracy {right / 60:.3f}")
with torch.no_grad():
    for s in ["the president of the border", "a goal in the season"]:
        print(s, "->", LABELS[model(torch.tensor(tok.encode(s).ids), torch.tensor([0])).argmax(1).item()])
