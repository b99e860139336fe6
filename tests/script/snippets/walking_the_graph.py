import torch

x = torch.tensor([1.0, 2.0], requires_grad=True)
w = torch.tensor([[0.5, -1.0], [2.0, 1.0]], requires_grad=True)
out = torch.sigmoid(w @ x + 1).mean()


def walk(node, depth=0):
    if node is None:
        print("  " * depth + "(constant)")
        return
    print("  " * depth + type(node).__name__)
    for parent, _ in node.next_functions:
        walk(parent, depth + 1)


walk(out.grad_fn)
end = out.grad_fn.next_functions[0][0].next_functions[0][0].next_functions[0][0].next_functions[0][0]
print(end.name(), end.variable is w)
