import torch

torch.manual_seed(7)
nan = float("nan")
ratings = torch.tensor([[5.0, 4.0, nan, 1.0], [4.0, nan, 1.0, 1.0], [nan, 1.0, 5.0, 4.0], [1.0, 1.0, 4.0, nan]])
known = ~torch.isnan(ratings)
print(known.sum().item(), "of", ratings.numel(), "are known")

people = torch.randn(4, 2, requires_grad=True)
films = torch.randn(4, 2, requires_grad=True)
optimizer = torch.optim.SGD([people, films], lr=0.02, weight_decay=0.01)
for step in range(300):
    guess = people @ films.T
    loss = (guess[known] - ratings[known]).square().sum()
    optimizer.zero_grad()
    loss.backward()
    optimizer.step()
    if step % 100 == 0:
        print(f"{step:3d} {loss.item():8.4f}")

filled = torch.where(known, ratings, (people @ films.T).detach())
print(torch.round(filled, decimals=1))
print(loss.grad_fn.name(), guess.grad_fn.name())
