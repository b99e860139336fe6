import torch

source = torch.tensor([1.0, 2.0, 3.0], requires_grad=True)
board = torch.zeros(2, 3)
board[0] = source
board[1, 1:] = source[:2] * 10
print(board)
print(board.requires_grad, board.grad_fn.name(), board._version)
(board * board).sum().backward()
print(source.grad)

mask = board.detach() > 5
numbers = torch.arange(6.0).view(2, 3)
numbers[mask] = -1
print(numbers)
numbers[:, 0] += 100
print(numbers)
try:
    source[0] = 5.0
except RuntimeError as error:
    print(error)
