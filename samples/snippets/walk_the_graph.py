# grad_fn is a node; next_functions leads from it towards the leaves.
# gradcli run samples/snippets/walk_the_graph.py
import torch

width = torch.tensor(3.0, requires_grad=True)
height = torch.tensor(4.0, requires_grad=True)
area = width * height
cost = torch.exp(area / 6) + 1


def show(node, depth=0):
    if node is None:
        return
    print("  " * depth + node.name())
    for following, _ in node.next_functions:
        show(following, depth + 1)


show(cost.grad_fn)
first, second = (node for node, _ in area.grad_fn.next_functions)
print(type(first).__name__, first.variable is width, second.variable is height)
cost.backward()
print(width.grad, height.grad)
