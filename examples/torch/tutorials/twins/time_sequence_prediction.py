import torch
from torch import nn, optim

H = 12
torch.manual_seed(0)


class Sequence(nn.Module):
    def __init__(self):
        super().__init__()
        self.lstm1, self.lstm2, self.linear = nn.LSTMCell(1, H), nn.LSTMCell(H, H), nn.Linear(H, 1)

    def forward(self, x, future=0):
        outs = []
        h, c, h2, c2 = (torch.zeros(x.size(0), H, dtype=torch.double) for _ in range(4))
        for x_t in x.split(1, dim=1):
            h, c = self.lstm1(x_t, (h, c))
            h2, c2 = self.lstm2(h, (h2, c2))
            out = self.linear(h2)
            outs.append(out)
        for _ in range(future):
            h, c = self.lstm1(out, (h, c))
            h2, c2 = self.lstm2(h, (h2, c2))
            out = self.linear(h2)
            outs.append(out)
        return torch.cat(outs, dim=1)


N, L, T = 6, 40, 5
start = torch.randint(-4 * T, 4 * T, (N, 1))
data = torch.sin((torch.arange(L) + start).double() / T)
x, y, tx, ty = data[2:, :-1], data[2:, 1:], data[:2, :-1], data[:2, 1:]
seq, crit = Sequence().double(), nn.MSELoss()
opt = optim.LBFGS(seq.parameters(), lr=0.8, max_iter=8)
for i in range(4):
    def closure():
        opt.zero_grad()
        loss = crit(seq(x), y)
        loss.backward()
        return loss
    loss = opt.step(closure)
    with torch.no_grad():
        pred = seq(tx, future=10)
        print(f"STEP {i} loss {loss.item():.4f} test {crit(pred[:, :-10], ty).item():.4f} {list(pred.shape)}")
        print("[" + ", ".join(f"{n:.3f}" for n in pred[0, -4:].tolist()) + "]")
