import torch
from torch import nn, optim
import torch.nn.functional as F
from torch.distributions import Categorical

N = 7


class Corridor:
    def seen(self):
        return F.one_hot(torch.tensor(self.p), N).float()

    def reset(self):
        self.p = 3
        return self.seen()

    def step(self, a):
        self.p = min(max(self.p + (1 if a == 1 else -1), 0), N - 1)
        return self.seen(), 1.0 if self.p == N - 1 else -0.05, self.p in (0, N - 1)


class Policy(nn.Module):
    def __init__(self):
        super().__init__()
        self.a, self.b, self.c = nn.Linear(N, 16), nn.Linear(16, 2), nn.Linear(16, 1)

    def forward(self, x):
        y = F.relu(self.a(x))
        return F.softmax(self.b(y), dim=-1), self.c(y)


def play(policy):
    lp, vs, rs, state = [], [], [], world.reset()
    for _ in range(30):
        p, v = policy(state)
        m = Categorical(p)
        a = m.sample()
        lp.append(m.log_prob(a))
        vs.append(v.squeeze())
        state, r, over = world.step(a.item())
        rs.append(r)
        if over:
            break
    return lp, vs, rs


def returns_of(rs):
    out, s = [], 0.0
    for r in rs[::-1]:
        s = r + 0.99 * s
        out.insert(0, s)
    return torch.tensor(out)


world = Corridor()
torch.manual_seed(543)
policy = Policy()
opt = optim.Adam(policy.parameters(), lr=0.02)
run = 0.0
for i in range(1, 61):
    lp, _, rs = play(policy)
    run = 0.1 * sum(rs) + 0.9 * run
    opt.zero_grad()
    (-(torch.stack(lp) * returns_of(rs)).sum()).backward()
    opt.step()
    if i % 20 == 0:
        print(f"REINFORCE {i}: {len(rs)} steps, average {run:.3f}")
torch.manual_seed(543)
actor = Policy()
opt = optim.Adam(actor.parameters(), lr=0.03)
run = 0.0
for i in range(1, 61):
    lp, vs, rs = play(actor)
    run = 0.1 * sum(rs) + 0.9 * run
    ret, val = returns_of(rs), torch.stack(vs)
    loss = -(torch.stack(lp) * (ret - val.detach())).sum() + F.smooth_l1_loss(val, ret, reduction="sum")
    opt.zero_grad()
    loss.backward()
    opt.step()
    if i % 20 == 0:
        print(f"actor-critic {i}: {len(rs)} steps, average {run:.3f}")
with torch.no_grad():
    p, v = actor(torch.eye(N)[1:6])
    print("[" + ", ".join(f"{x:.2f}" for x in p[:, 1].tolist()) + "]", "[" + ", ".join(f"{x:.2f}" for x in v.squeeze(1).tolist()) + "]")
