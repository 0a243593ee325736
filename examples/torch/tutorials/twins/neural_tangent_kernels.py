import torch
import torch.nn.functional as F
from torch.func import jacrev, vjp, vmap

torch.manual_seed(0)


def cnn(p, x):
    a, b, c, d, e = p.split([54, 2, 36, 2, 24])
    y = F.conv2d(x, a.view(2, 3, 3, 3), b).relu()
    y = F.conv2d(y, c.view(2, 2, 3, 3), d).relu()
    return F.avg_pool2d(y, 2).flatten(1) @ e.view(8, 3)


def single(p, x):
    return cnn(p, x.unsqueeze(0)).squeeze(0)


def contraction(p, x1, x2):
    j1, j2 = (vmap(jacrev(single), (None, 0))(p, x) for x in (x1, x2))
    return torch.einsum("Naf,Mbf->NMab", j1, j2)


def by_vjps(p, x1, x2):
    def ntk(a, b):
        out, vjp_a = vjp(lambda q: single(q, a), p)
        _, vjp_b = vjp(lambda q: single(q, b), p)
        columns = vmap(lambda v: vjp_b(v)[0])(torch.eye(3))
        return vmap(lambda v: columns @ vjp_a(v)[0])(torch.eye(3))
    return vmap(vmap(ntk, (None, 0)), (0, None))(x1, x2)


train, test = torch.randn(4, 3, 8, 8), torch.randn(2, 3, 8, 8)
params = torch.randn(118) * 0.3
print(list(cnn(params, train).shape))
result = contraction(params, train, test)
print(list(result.shape), f"{result.norm().item():.4f}")
print(str(torch.allclose(result, by_vjps(params, train, test), atol=1e-4)).lower())
for row in torch.einsum("NMaa->NM", result).tolist():
    print("[" + ", ".join(f"{n:.4f}" for n in row) + "]")
own = torch.einsum("NMaa->NM", contraction(params, train, train))
print(str(torch.allclose(own, own.t(), atol=1e-4)).lower(), int((torch.linalg.eigvalsh(own) > -1e-4).all()))
