import torch
from torch import nn, optim
import torch.nn.functional as F

torch.manual_seed(0)


def gram(x):
    a, b, c, d = x.size()
    f = x.view(a * b, c * d)
    return torch.mm(f, f.t()) / (a * b * c * d)


class Loss(nn.Module):
    def __init__(self, target, f):
        super().__init__()
        self.target, self.f = target.detach(), f

    def forward(self, x):
        self.loss = F.mse_loss(self.f(x), self.target)
        return x


class Norm(nn.Module):
    def forward(self, x):
        return (x - torch.full((3, 1, 1), 0.45, dtype=torch.double)) / torch.full((3, 1, 1), 0.225, dtype=torch.double)


cnn = nn.Sequential(nn.Conv2d(3, 8, 3, padding=1), nn.ReLU(), nn.Conv2d(8, 8, 3, padding=1), nn.ReLU(), nn.AvgPool2d(2),
                    nn.Conv2d(8, 12, 3, padding=1), nn.ReLU()).double().eval().requires_grad_(False)
g = torch.arange(16).double()
content_img = (torch.sin(g.view(1, 16) * 0.4) * torch.cos(g.view(16, 1) * 0.3) * 0.5 + 0.5).expand(1, 3, 16, 16).clone()
style_img = (torch.sin(g * 2.5).view(1, 1, 1, 16) * 0.5 + 0.5).expand(1, 3, 16, 16).clone() * torch.rand(1, 3, 1, 1).double()
layers, cl, sl, i = [Norm()], [], [], 0
c, s = layers[0](content_img), layers[0](style_img)
for m in cnn:
    c, s = m(c), m(s)
    layers.append(m)
    if isinstance(m, nn.Conv2d):
        i += 1
        if i == 2:
            cl.append(Loss(c, lambda x: x))
            layers.append(cl[-1])
        sl.append(Loss(gram(s), gram))
        layers.append(sl[-1])
model = nn.Sequential(*layers)
x = content_img.clone().requires_grad_()
opt = optim.LBFGS([x], max_iter=5)


def closure():
    opt.zero_grad()
    model(x)
    loss = sum(m.loss for m in sl) * 1000 + sum(m.loss for m in cl)
    loss.backward()
    return loss


for run in range(6):
    with torch.no_grad():
        x.clamp_(0, 1)
    opt.step(closure)
    if run % 2 == 1:
        print(f"run {run}: Style Loss : {sum(m.loss.item() for m in sl) * 1000:.3f} Content Loss: {cl[0].loss.item():.3f}")
with torch.no_grad():
    x.clamp_(0, 1)
print(list(x.shape), f"{(x - content_img).abs().mean().item():.2f}")
