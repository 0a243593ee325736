import os
import shutil
import torch
from PIL import Image
from torch import nn, optim
from torch.utils.data import DataLoader
from torchvision import datasets, transforms as T
from torchvision.models.resnet import BasicBlock, ResNet

FOLDER = "/tmp/resnet_transfer_twin"
torch.manual_seed(0)
for part, count in [("train", 12), ("val", 6)]:
    for name in ["ants", "bees"]:
        os.makedirs(f"{FOLDER}/{part}/{name}", exist_ok=True)
        for i in range(count):
            ramp = torch.arange(40).float() * 4
            base = ramp.view(1, 1, 40) if name == "ants" else (160 - ramp).view(1, 40, 1)
            p = (base.expand(3, 40, 40) + torch.rand(3, 40, 40) * 90).byte()
            Image.fromarray(p.permute(1, 2, 0).numpy()).save(f"{FOLDER}/{part}/{name}/{i:02}.png")
norm = T.Normalize([0.485, 0.456, 0.406], [0.229, 0.224, 0.225])
train = datasets.ImageFolder(f"{FOLDER}/train", T.Compose([T.RandomResizedCrop(32, (0.6, 1.0)), T.ToTensor(), norm]))
val = datasets.ImageFolder(f"{FOLDER}/val", T.Compose([T.Resize(36), T.CenterCrop(32), T.ToTensor(), norm]))
print("[" + ", ".join(train.classes) + "]", len(train), len(val))
loader, val_loader = DataLoader(train, batch_size=4, shuffle=True), DataLoader(val, batch_size=4)
model = ResNet(BasicBlock, [1, 1, 1, 1], num_classes=10).requires_grad_(False)
model.fc = nn.Linear(512, 2)
crit = nn.CrossEntropyLoss()


def run(loader, opt):
    model.train(opt is not None)
    total, correct = 0.0, 0
    for x, y in loader:
        with torch.set_grad_enabled(opt is not None):
            if opt:
                opt.zero_grad()
            out = model(x)
            loss = crit(out, y)
            if opt:
                loss.backward()
                opt.step()
        total += loss.item() * len(y)
        correct += out.argmax(1).eq(y).sum().item()
    return total, correct


for whole in (False, True):
    if whole:
        model.requires_grad_(True)
    opt = optim.SGD(model.parameters() if whole else model.fc.parameters(), lr=0.001 if whole else 0.01, momentum=0.9)
    sched = optim.lr_scheduler.StepLR(opt, step_size=2, gamma=0.1)
    for ep in range(3):
        a, _ = run(loader, opt)
        sched.step()
        b, c = run(val_loader, None)
        if whole:
            print(ep, "train below 0.5:", str(a / len(train) < 0.5).lower())
        else:
            print(ep, f"train {a / len(train):.3f} val {b / len(val):.3f}", f"{c}/{len(val)}")
shutil.rmtree(FOLDER)
