from __future__ import annotations

from gradcli.script.interpreter import run
from gradcli.script.limits import Limits
from gradcli.script.machine import Machine
from gradcli.source import Source

LESSON = """
import matplotlib
matplotlib.use("Agg")
import matplotlib.pyplot as plt
from matplotlib import cm
from matplotlib.colors import ListedColormap
from mpl_toolkits.mplot3d import Axes3D
import torch
%matplotlib_line
x = torch.linspace(0, 1, 5)
plt.rcParams["figure.figsize"] = (4, 3)
plt.figure(figsize=(4, 3))
plt.plot(x.numpy(), (x ** 2).numpy(), "r-", label="loss")
line, = plt.plot([1, 2])
line.set_ydata([3, 4])
fig, ax = plt.subplots()
ax.set_title("loss"); ax.plot([1, 2]); ax.imshow(x.reshape(1, 5), cmap=cm.viridis)
fig, axes = plt.subplots(2, 3, figsize=(6, 4))
for i, row in enumerate(axes):
    for a in row:
        a.axis("off")
axes[0, 1].plot([1]); axes[1][2].set_xlabel("x")
fig, (left, right) = plt.subplots(1, 2)
for a, name in zip(axes.flat, "abcdef"):
    print(name, end=" ")
print(len(axes.ravel()))
n, bins, patches = plt.hist([1, 2, 2])
low, high = plt.ylim()
with plt.style.context("ggplot"):
    plt.legend(loc="best")
plt.tight_layout(); plt.savefig("x.png"); plt.show()
print("done")
""".replace("%matplotlib_line\n", "")


def test_lessons_with_plots_run_and_say_once_that_nothing_is_drawn() -> None:
    printed: list[str] = []
    told: list[tuple[str, str]] = []
    machine = Machine(Limits(), printed.append, lambda kind, message, source, line: told.append((kind, message)))
    run([Source(LESSON, "lesson.py")], machine)
    assert "".join(printed) == "a b c d e f 6\ndone\n"
    assert told == [("Note", "plots are not drawn")]
