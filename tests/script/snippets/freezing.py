import torch

torch.manual_seed(2)
body = torch.randn(3, 3, requires_grad=True)
head = torch.randn(3, requires_grad=True)
body.requires_grad_(False)
x = torch.tensor([1.0, 0.5, -0.5])
out = torch.relu(body @ x) @ head
out.backward()
print(body.grad, head.grad)
print(torch.relu(body @ x + head).grad_fn.next_functions[0][0].name())
body.requires_grad_()
(torch.relu(body @ x) @ head.detach()).backward()
print(body.grad)
print(head.grad is not None, body.requires_grad)
