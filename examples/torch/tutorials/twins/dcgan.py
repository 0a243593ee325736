import torch
from torch import nn, optim
from torch.utils.data import DataLoader, TensorDataset

NZ, NGF, NDF = 8, 8, 8
torch.manual_seed(999)


def generator():
    return nn.Sequential(nn.ConvTranspose2d(NZ, NGF * 2, 4, 1, 0, bias=False), nn.BatchNorm2d(NGF * 2), nn.ReLU(True),
                         nn.ConvTranspose2d(NGF * 2, NGF, 4, 2, 1, bias=False), nn.BatchNorm2d(NGF), nn.ReLU(True),
                         nn.ConvTranspose2d(NGF, 1, 4, 2, 1, bias=False), nn.Tanh())


def discriminator():
    return nn.Sequential(nn.Conv2d(1, NDF, 4, 2, 1, bias=False), nn.LeakyReLU(0.2, inplace=True),
                         nn.Conv2d(NDF, NDF * 2, 4, 2, 1, bias=False), nn.BatchNorm2d(NDF * 2), nn.LeakyReLU(0.2, inplace=True),
                         nn.Conv2d(NDF * 2, 1, 4, 1, 0, bias=False), nn.Sigmoid())


def weights_init(m):
    if "Conv" in type(m).__name__:
        nn.init.normal_(m.weight.data, 0.0, 0.02)
    elif "BatchNorm" in type(m).__name__:
        nn.init.normal_(m.weight.data, 1.0, 0.02)
        nn.init.constant_(m.bias.data, 0)


def discs(n):
    g = torch.arange(16).float()
    c, r = torch.rand(n, 2) * 6 + 5, torch.rand(n, 1, 1) * 2 + 2.5
    y, x = (g.view(1, 16, 1) - c[:, 0].view(-1, 1, 1)).pow(2), (g.view(1, 1, 16) - c[:, 1].view(-1, 1, 1)).pow(2)
    return torch.tanh(r.pow(2) - (y + x)).unsqueeze(1)


loader = DataLoader(TensorDataset(discs(96), torch.zeros(96)), batch_size=16, shuffle=True)
netG = generator().apply(weights_init)
netD = discriminator().apply(weights_init)
crit, fixed = nn.BCELoss(), torch.randn(8, NZ, 1, 1)
optD = optim.Adam(netD.parameters(), lr=0.0002, betas=(0.5, 0.999))
optG = optim.Adam(netG.parameters(), lr=0.0002, betas=(0.5, 0.999))
for ep in range(3):
    for i, (real, _) in enumerate(loader):
        netD.zero_grad()
        label = torch.full((real.size(0),), 1.0)
        real_err = crit(netD(real).view(-1), label)
        real_err.backward()
        fake = netG(torch.randn(real.size(0), NZ, 1, 1))
        label.fill_(0.0)
        fake_err = crit(netD(fake.detach()).view(-1), label)
        fake_err.backward()
        optD.step()
        netG.zero_grad()
        label.fill_(1.0)
        errG = crit(netD(fake).view(-1), label)
        errG.backward()
        optG.step()
        if i % 3 == 0:
            print(f"[{ep}/3][{i}/{len(loader)}] Loss_D {(real_err + fake_err).item():.3f} Loss_G {errG.item():.3f}")
with torch.no_grad():
    fake = netG(fixed)
    rows, pad = 2, 1
    print(list(fake.shape), [3, rows * 17 + 1, 4 * 17 + 1], f"{fake.mean().item():.3f} {fake.std().item():.3f}")
