"""Hooks of modules against torch."""

from __future__ import annotations

from tests.script.torch.nn.agreement import agree, guarded, warned


def test_forward_hooks() -> None:
    agree(
        """
m = nn.Linear(3, 2)
handle = m.register_forward_hook(lambda module, given, out: print("after", type(module), len(given), out.shape))
m.register_forward_pre_hook(lambda module, given: print("before", given[0].shape))
m(x)
handle.remove()
m(x)
m.register_forward_hook(lambda module, given, out: out * 10)
m.register_forward_pre_hook(lambda module, given: (given[0] * 0,) if given else None)
print(m(x), m(input=x).shape)
kept = {}
def keep(name):
    def hook(model, given, out):
        kept[name] = out.detach()
    return hook
n = nn.Sequential(nn.Linear(3, 2), nn.ReLU())
for name, layer in n.named_children():
    layer.register_forward_hook(keep(name))
n(x)
print(kept)
"""
    )


def test_backward_hooks() -> None:
    agree(
        """
n = nn.Sequential(nn.Linear(3, 2), nn.ReLU(), nn.Linear(2, 1))
for name, module in n.named_modules():
    module.register_full_backward_hook(lambda m, gi, go, name=name: print("at", name, gi, go))
out = n(x)
print(out)
out.sum().backward()
print(x.grad, n[0].weight.grad)
n(torch.ones(1, 3)).sum().backward()
with torch.no_grad():
    print(n(x))
m = nn.Linear(3, 1)
m.register_full_backward_hook(lambda module, gi, go: (gi[0] * 2,))
x.grad = None
m(x).sum().backward()
print(x.grad)
"""
    )


def test_refusals() -> None:
    hooked = "m = nn.Linear(3, 1)\nm.register_full_backward_hook(lambda module, gi, go: {})\n"
    agree(guarded(hooked.format("(gi[0], gi[0])") + "m(x).sum().backward()"))
    agree(guarded(hooked.format("(t,)") + "m(t).sum().backward()"))


def test_the_warning_of_inputs_without_gradients() -> None:
    text = "m = nn.Linear(3, 1)\nm.register_full_backward_hook(lambda module, gi, go: None)\nm(t).sum().backward()"
    (warning,) = warned(text)
    assert warning.startswith("Full backward hook is firing when gradients are computed with respect to module outputs")
