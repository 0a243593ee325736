import torch
from torch import nn, optim
import torch.nn.functional as F

N = 24
torch.manual_seed(0)


class Conv(nn.Module):
    def __init__(self, i, o):
        super().__init__()
        self.k, self.b = nn.Parameter(torch.empty(i, o)), nn.Parameter(torch.zeros(o))
        nn.init.xavier_normal_(self.k)

    def forward(self, x, adj):
        return adj @ (x @ self.k) + self.b


class GCN(nn.Module):
    def __init__(self):
        super().__init__()
        self.a, self.b, self.d = Conv(N, 8), Conv(8, 2), nn.Dropout(0.2)

    def forward(self, x, adj):
        return F.log_softmax(self.b(self.d(F.relu(self.a(x, adj))), adj), dim=1)


class Att(nn.Module):
    def __init__(self, i, h, heads):
        super().__init__()
        self.h, self.heads = h, heads
        self.w, self.a = nn.Parameter(torch.empty(i, h * heads)), nn.Parameter(torch.empty(2 * h, 1))
        nn.init.xavier_normal_(self.w)
        nn.init.xavier_normal_(self.a)

    def forward(self, x, adj):
        t = (x @ self.w).view(len(x), self.heads, self.h).permute(1, 0, 2)
        s = F.leaky_relu(t @ self.a[:self.h] + (t @ self.a[self.h:]).transpose(1, 2), 0.2)
        p = F.softmax(torch.where(adj > 0, s, -9e15), dim=-1)
        return (p @ t).permute(1, 0, 2).reshape(len(x), -1)


class GAT(nn.Module):
    def __init__(self):
        super().__init__()
        self.a, self.b = Att(N, 4, 2), Att(8, 2, 1)

    def forward(self, x, adj):
        return F.log_softmax(self.b(F.elu(self.a(x, adj)), adj), dim=1)


group = torch.arange(N) // 12
same = group.unsqueeze(0).eq(group.unsqueeze(1)).float()
drawn = (torch.rand(N, N) < same * 0.35 + 0.06).float().triu(1)
adj = drawn + drawn.t() + torch.eye(N)
d = adj.sum(1).pow(-0.5)
norm = d.unsqueeze(1) * adj * d
print(int(adj.sum().item()), "friends")
known, x = torch.tensor([0, 12]), torch.eye(N)
gcn = GCN()
opt = optim.Adam(gcn.parameters(), lr=0.03, weight_decay=5e-4)
for ep in range(1, 41):
    gcn.train()
    opt.zero_grad()
    loss = F.nll_loss(gcn(x, norm)[known], group[known])
    loss.backward()
    opt.step()
    if ep % 20 == 0:
        gcn.eval()
        print(f"GCN {ep}: {loss.item():.4f}, {gcn(x, norm).argmax(1).eq(group).sum().item()}/{N}")
gat = GAT()
opt = optim.Adam(gat.parameters(), lr=0.03)
for ep in range(1, 41):
    opt.zero_grad()
    out = gat(x, adj)
    loss = F.nll_loss(out[known], group[known])
    loss.backward()
    opt.step()
    if ep % 20 == 0:
        print(f"GAT {ep}: {loss.item():.4f}, {out.argmax(1).eq(group).sum().item()}/{N}")
