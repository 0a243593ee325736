import torch
import torch.nn.functional as F
from torch.func import grad, hessian, jacfwd, jacrev, jvp, vjp, vmap

D = 6
torch.manual_seed(0)


def predict(w, b, x):
    return F.linear(x, w, b).tanh()


def network(w, x):
    return (x @ w[:12].view(3, 4)).relu() @ w[12:].view(4, 2)


def shown(x):
    return "[" + ", ".join(f"{n:.4f}" for n in x.flatten().tolist()) + "]"


def low(*xs):
    print(*[str(x).lower() if isinstance(x, bool) else list(x) if isinstance(x, torch.Size) else x for x in xs])


w, b, x = torch.randn(D, D), torch.randn(D), torch.randn(D)
xp = x.clone().requires_grad_()
y = predict(w, b, xp)
by_rows = torch.stack([torch.autograd.grad(y, xp, v, retain_graph=True)[0] for v in torch.eye(D)])
_, pull = vjp(lambda v: predict(w, b, v), x)
by_vmap, = vmap(pull)(torch.eye(D))
reverse, forward = jacrev(predict, argnums=2)(w, b, x), jacfwd(predict, argnums=2)(w, b, x)
low(by_rows.shape, torch.allclose(by_rows, by_vmap), torch.allclose(by_rows, reverse, atol=1e-6))
low(torch.allclose(reverse, forward, atol=1e-6), shown(reverse[0]))
of_weight = jacrev(predict)(w, b, x)
low(of_weight.shape, f"{of_weight.norm().item():.4f}")


def energy(v):
    return predict(w, b, v).pow(2).sum()


hess = hessian(energy)(x)
low(hess.shape, torch.allclose(hess, hess.t(), atol=1e-5), shown(hess[0]))
direction = torch.randn(D)
hvp = jvp(grad(energy), (x,), (direction,))[1]
low(shown(hvp), torch.allclose(hvp, hess @ direction, atol=1e-5))
low(vmap(jacrev(lambda v: predict(w, b, v)))(torch.randn(5, D)).shape)
primal, tangent = jvp(lambda v: v.sin() * v.exp(), (torch.tensor([0.0, 1.0]),), (torch.tensor([1.0, 2.0]),))
print(shown(primal), shown(tangent))
weights, data, targets = torch.randn(20) * 0.5, torch.randn(8, 3), torch.randint(0, 2, (8,))


def loss(w, x, t):
    return F.cross_entropy(network(w, x).unsqueeze(0), t.unsqueeze(0))


gradients = vmap(grad(loss), in_dims=(None, 0, 0))(weights, data, targets)
whole = grad(lambda w: F.cross_entropy(network(w, data), targets))(weights)
low(gradients.shape, torch.allclose(gradients.mean(0), whole, atol=1e-6))
print(shown(gradients.norm(dim=1)))
