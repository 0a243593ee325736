import torch
from torch.nn.utils.rnn import pad_sequence
from torch.utils.data import *
torch.manual_seed(5)
class Faces(Dataset):
    def __len__(self): return 12
    def __getitem__(self, i):
        im = torch.full((6 + i, 6), float(i)); lm = torch.tensor([[0., 0.], [float(i), 1.]]); h, w = im.shape
        t = torch.randint(0, h - 3, (1,)).item(); l = torch.randint(0, w - 3, (1,)).item()
        return im[t:t + 4, l:l + 4] / 11.0, lm - torch.tensor([l, t])
class S(Dataset):
    def __len__(self): return 6
    def __getitem__(self, i): return torch.arange(1, i + 2), torch.tensor(i % 2)
pad = lambda b: (pad_sequence([x for x, _ in b], batch_first=True), torch.stack([y for _, y in b]))
class C(IterableDataset):
    def __iter__(self): return ((torch.tensor(i), torch.tensor(i * i)) for i in range(3, 8))
for i, (im, lm) in enumerate(DataLoader(Faces(), batch_size=4, shuffle=True)):
    print(i, list(im.shape), list(lm.shape), f"{im.mean().item():.3f}", f"{lm.sum().item():.1f}")
for x, y in DataLoader(S(), batch_size=3, collate_fn=pad): print(list(x.shape), x[-1].tolist(), y.tolist())
labels = [0] * 8 + [1] * 2; n = torch.bincount(torch.tensor(labels)); w = (1.0 / n.float())[torch.tensor(labels)]
s = WeightedRandomSampler(w, num_samples=10, replacement=True); d = TensorDataset(torch.arange(10), torch.tensor(labels))
for x, y in DataLoader(d, sampler=s, batch_size=5): print(x.tolist(), y.sum().item())
print(list(BatchSampler(SequentialSampler(range(10)), 3, False)))
tr, te = random_split(d, [0.8, 0.2]); print(len(tr), len(te), tr.indices)
both = ConcatDataset([Subset(d, [0, 9]), te]); print(len(both), both[1][0].item())
for x, y in DataLoader(C(), batch_size=2): print(x.tolist(), y.tolist())
