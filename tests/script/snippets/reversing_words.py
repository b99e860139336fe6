"""A small transformer that learns to write a word backwards, letter by letter."""

import torch
from torch import nn
from torch.nn.utils.rnn import pad_sequence

torch.manual_seed(3)
words = ["stop", "was", "tool", "nap"]
letters = ["."] + sorted(set("".join(words)))
number = {letter: place for place, letter in enumerate(letters)}
inputs = pad_sequence([torch.tensor([number[c] for c in word]) for word in words], batch_first=True)
targets = pad_sequence([torch.tensor([number[c] for c in word[::-1]]) for word in words], batch_first=True)
padding = inputs == 0
print(inputs, padding, sep="\n")


class Reverser(nn.Module):
    def __init__(self, width=8, heads=2):
        super().__init__()
        self.letters = nn.Embedding(len(letters), width, padding_idx=0)
        self.places = nn.Embedding(inputs.shape[1], width)
        layer = nn.TransformerEncoderLayer(width, heads, dim_feedforward=16, dropout=0.0, batch_first=True)
        self.encoder = nn.TransformerEncoder(layer, num_layers=1, enable_nested_tensor=False)
        self.head = nn.Linear(width, len(letters))

    def forward(self, x, padding):
        places = torch.arange(x.shape[1])
        return self.head(self.encoder(self.letters(x) + self.places(places), src_key_padding_mask=padding))


model = Reverser()
print(model)
print(sum(p.numel() for p in model.parameters()), "numbers to learn")
optimizer = torch.optim.Adam(model.parameters(), lr=0.02)
schedule = torch.optim.lr_scheduler.SequentialLR(
    optimizer,
    [
        torch.optim.lr_scheduler.LinearLR(optimizer, 0.2, total_iters=5),
        torch.optim.lr_scheduler.CosineAnnealingLR(optimizer, 40),
    ],
    milestones=[5],
)
loss_of = nn.CrossEntropyLoss(ignore_index=0)
for step in range(40):
    scores = model(inputs, padding)
    loss = loss_of(scores.transpose(1, 2), targets)
    optimizer.zero_grad()
    loss.backward()
    length = nn.utils.clip_grad_norm_(model.parameters(), 1.0)
    optimizer.step()
    schedule.step()
    if step % 10 == 0:
        print(f"step {step:2d}  loss {loss.item():.3f}  gradient {length:.2f}  rate {schedule.get_last_lr()[0]:.4f}")

model.eval()
with torch.no_grad():
    best = model(inputs, padding).argmax(-1)
for word, row in zip(words, best):
    print(word, "->", "".join(letters[i] for i in row[: len(word)]))
