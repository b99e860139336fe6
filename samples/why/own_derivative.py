# The backward of a function of one's own forgets the upstream gradient.
import torch


class Square(torch.autograd.Function):
    @staticmethod
    def forward(ctx, side):
        ctx.save_for_backward(side)
        return side**2

    @staticmethod
    def backward(ctx, upstream):
        (side,) = ctx.saved_tensors
        return 2 * side


side = torch.tensor([1.0, 2.0, 3.0], requires_grad=True)
area = (Square.apply(side) * torch.tensor([1.0, 10.0, 100.0])).sum()
area.backward()
print(side.grad)
