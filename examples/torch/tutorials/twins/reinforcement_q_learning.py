import math
import torch
from torch import nn, optim
import torch.nn.functional as F

B, GAMMA, TAU = 16, 0.99, 0.05
torch.manual_seed(0)


class CartPole:
    def reset(self):
        self.s = (torch.rand(4, dtype=torch.double) * 0.1 - 0.05).tolist()
        return torch.tensor(self.s)

    def step(self, a):
        x, xd, th, thd = self.s
        force = 10.0 if a == 1 else -10.0
        temp = (force + 0.05 * thd * thd * math.sin(th)) / 1.1
        tha = (9.8 * math.sin(th) - math.cos(th) * temp) / (0.5 * (4.0 / 3.0 - 0.1 * math.cos(th) * math.cos(th) / 1.1))
        xa = temp - 0.05 * tha * math.cos(th) / 1.1
        self.s = [x + 0.02 * xd, xd + 0.02 * xa, th + 0.02 * thd, thd + 0.02 * tha]
        return None if abs(self.s[0]) > 2.4 or abs(self.s[2]) > 0.2095 else torch.tensor(self.s)


class DQN(nn.Module):
    def __init__(self):
        super().__init__()
        self.a, self.b, self.c = nn.Linear(4, 24), nn.Linear(24, 24), nn.Linear(24, 2)

    def forward(self, x):
        return self.c(F.relu(self.b(F.relu(self.a(x)))))


def act(state):
    if torch.rand(1).item() > 0.05 + 0.85 * math.exp(-1.0 * steps / 100):
        with torch.no_grad():
            return policy(state.unsqueeze(0)).argmax(1).item()
    return torch.randint(0, 2, (1,)).item()


def optimize():
    if len(memory) < B:
        return 0.0
    ts = [memory[i] for i in torch.randperm(len(memory))[:B].tolist()]
    mask = torch.tensor([t[2] is not None for t in ts])
    q = policy(torch.stack([t[0] for t in ts])).gather(1, torch.tensor([t[1] for t in ts]).unsqueeze(1))
    nxt = torch.zeros(B)
    with torch.no_grad():
        nxt[mask] = target(torch.stack([t[2] for t in ts if t[2] is not None])).max(1).values
    loss = nn.SmoothL1Loss()(q, (nxt * GAMMA + torch.ones(B)).unsqueeze(1))
    opt.zero_grad()
    loss.backward()
    nn.utils.clip_grad_value_(policy.parameters(), 100)
    opt.step()
    return loss.item()


env, policy, target, memory, steps = CartPole(), DQN(), DQN(), [], 0
target.load_state_dict(policy.state_dict())
opt = optim.AdamW(policy.parameters(), lr=1e-3, amsgrad=True)
for ep in range(12):
    state, t = env.reset(), 0
    while True:
        a = act(state)
        steps += 1
        nxt = env.step(a)
        memory.append((state, a, nxt))
        del memory[:-1000]
        loss = optimize()
        with torch.no_grad():
            for x, p in zip(target.parameters(), policy.parameters()):
                x.lerp_(p, TAU)
        t += 1
        if nxt is None or t >= 60:
            break
        state = nxt
    print(ep, t, f"{loss:.3f}")
print(steps, len(memory))
