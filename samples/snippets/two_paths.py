# s reaches the output on two paths: its gradient is the sum of what comes back along both.
# gradcli run samples/snippets/two_paths.py --explain
import torch

x = torch.tensor(3.0, requires_grad=True)
s = x * 2
left = s + 4
right = s * s
out = left * right
for t in (s, left, right):
    t.retain_grad()
out.backward()
print(out)
print("left", left.grad, "right", right.grad)
print("s", s.grad, "=", (left.grad * 1 + right.grad * 2 * s).item())
print("x", x.grad)
