import math
import torch
from torch import nn, optim
from torch.nn import init
import torch.nn.functional as F
from torch.utils.data import DataLoader, TensorDataset

torch.manual_seed(123)


class Net(nn.Module):
    def __init__(self, up):
        super().__init__()
        self.conv1, self.conv2 = nn.Conv2d(1, 16, 5, 1, 2), nn.Conv2d(16, 8, 3, 1, 1)
        self.conv3, self.shuffle = nn.Conv2d(8, up ** 2, 3, 1, 1), nn.PixelShuffle(up)
        init.orthogonal_(self.conv1.weight, init.calculate_gain("relu"))
        init.orthogonal_(self.conv2.weight, init.calculate_gain("relu"))
        init.orthogonal_(self.conv3.weight)

    def forward(self, x):
        return self.shuffle(self.conv3(F.relu(self.conv2(F.relu(self.conv1(x))))))


def pictures(n):
    y, x = torch.arange(16).view(1, 16, 1) / 16.0, torch.arange(16).view(1, 1, 16) / 16.0
    a, b = torch.rand(n, 1, 1) * 12, torch.rand(n, 1, 1) * 12
    large = (0.5 + 0.5 * torch.sin(a * x + b * y)).unsqueeze(1)
    return TensorDataset(F.avg_pool2d(large, 2), large)


train, test = DataLoader(pictures(64), batch_size=8, shuffle=True), DataLoader(pictures(16), batch_size=4)
model, crit = Net(2), nn.MSELoss()
opt = optim.Adam(model.parameters(), lr=0.005)
for ep in range(1, 6):
    total = 0.0
    for x, y in train:
        opt.zero_grad()
        loss = crit(model(x), y)
        total += loss.item()
        loss.backward()
        opt.step()
    psnr = plain = 0.0
    with torch.no_grad():
        for x, y in test:
            psnr += 10 * math.log10(1 / crit(model(x), y).item())
            plain += 10 * math.log10(1 / crit(F.interpolate(x, scale_factor=2, mode="bicubic"), y).item())
    print(f"Epoch {ep}: loss {total / len(train):.4f}, {psnr / len(test):.2f} dB, bicubic {plain / len(test):.2f} dB")
print(list(model(torch.ones(1, 1, 5, 7)).shape))
