import torch

w = torch.tensor(0.9, requires_grad=True)
state = torch.tensor(1.0)
states = []
for x in (1.0, 0.0, 2.0):
    state = torch.tanh(w * state + x)
    state.retain_grad()
    states.append(state)
state.backward()
print("dL/dw:", w.grad)
for t, s in enumerate(states):
    print(t, s, "grad", s.grad)

cut = torch.tensor(1.0)
w.grad = None
for x in (1.0, 0.0, 2.0):
    cut = torch.tanh(w * cut.detach() + x)
cut.backward()
print("truncated:", w.grad)
