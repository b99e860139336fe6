"""The names in the real modules that snippets import.

A name that is there and not here is not supported; one that is not there either is a mistake of the snippet, which gets
the AttributeError that it would get there.
"""

from __future__ import annotations

import re
import sys
from collections.abc import Iterable
from functools import cache
from importlib import import_module
from pathlib import Path
from typing import Any

from gradcli.ops.support.absent import INSTEAD
from gradcli.script.errors import UnsupportedError
from gradcli.source import did_you_mean, shipped


@cache
def torch_names() -> dict[str, frozenset[str]]:
    """The public names of torch's modules, of `Tensor`, `Module` and `Optimizer`, and of the two kinds of nodes."""
    lines = shipped(Path(__file__).with_name("torch") / "names.txt").splitlines()
    return {owner: frozenset(names.split()) for owner, _, names in (line.partition(": ") for line in lines)}


GENERAL = "see gradcli ops for the operations"
# What many names of torch are about, none of it here, and what to do instead.
ABSENT = {
    r"\bamp\b|autocast|GradScaler": "leave it out: tensors keep their dtype here",
    r"bfloat16|float8|\b(cuda|mps|xpu)\b": "there are float32, float64 and float16, on the CPU",
    r"complex|cfloat|cdouble|chalf|polar|imag|conj|\bfft|stft": "tensors hold real numbers here",
    r"\b(compiler?|jit|fx|export|onnx|_dynamo|_inductor)\b": "leave it out: the function runs as it is written",
    "sparse|nested": "tensors are dense here: write torch.tensor",
    "quanti[zs]|qint|qscheme": "tensors hold plain numbers here",
    r"storage|set_$|is_set_to": "tensors that share memory have the same x.data_ptr()",
    "pin_memory|is_pinned|share_memory": "leave it out: all tensors are in the memory of the CPU",
    "channels_last|empty_strided|empty_permuted|dim_order": "leave it out: entries are stored row by row",
    "determinis": "leave it out: a run gives the same numbers each time",
    "multithreading|view_replay|num_interop": "leave it out: a run has one thread",
    "profiler": "read time.perf_counter() before and after",
    "overrides|_C$": "functions of torch cannot be replaced here",
    r"^(Tensor\.)?(svd|qr|cholesky|lu|chain_matmul|triangular_solve|symeig)$": (
        "torch.linalg has it: svd, qr, cholesky, solve, solve_triangular, eigh"
    ),
    r"ldl_|lu_unpack|(inv|solve|cholesky|factor)_ex": "use torch.linalg.solve or torch.linalg.cholesky",
    r"^logging\.": "write logging.basicConfig(level=logging.INFO), or print",
    r"^time\.": "read time.perf_counter() before and after",
    r"^numpy\.tensordot$": "write numpy.einsum, or a @ b",
    r"^numpy\.histogram$": "count with numpy.bincount, or collections.Counter",
    r"^enum\.\w*Flag": "write an Enum, and a set of its members",
    r"^enum\.": "there are Enum, IntEnum and auto",
    r"^numpy\.ufunc\.at$": "write a loop: for i, row in zip(indices, rows): x[i] += row",
    r"^numpy\.ufunc\.(reduce|reduceat|accumulate)$": "numpy.sum, prod, max, min, all, any, cumsum and cumprod are here",
    r"^numpy\.ufunc\.outer$": "write numpy.outer(x, y), or x[:, None] beside y[None, :]",
    r"^numpy\.vectorize$": "write a loop, or enumerate(x.ravel())",
    r"^numpy\.(delete|insert)$": "write numpy.concatenate of the parts that stay",
    r"^functools\.(singledispatch|cmp_to_key|total_ordering)": "write the function or the methods out",
    r"^functools\.": "there are partial, reduce, wraps, cache, lru_cache and cached_property",
    r"^contextlib\.": "there are contextmanager, nullcontext, suppress and redirect_stdout",
    r"^dataclasses\.": "there are dataclass, field, fields, replace, asdict and astuple",
    r"^typing\.runtime_checkable": "ask with hasattr(x, name)",
    r"^collections\.ChainMap": "write {**second, **first}",
    r"^range$": "write torch.arange, which leaves the end out",
    "pdist": "write (x[:, None] - x).norm(dim=-1)",
    "msort": "write torch.sort(x, 0).values",
    "nanmedian|nanquantile": "pick the numbers first: x[~x.isnan()]",
    "histogram": "count with torch.bincount of x.long()",
    "resize": "write x.reshape(...), or torch.zeros(...) for a larger tensor",
    r"apply_$|map2?_$": "write the function with operations of tensors, or tensor([f(v) for v in x.tolist()])",
    r"\b(index_)?put_?$": "write x[indices] = values",
    "rsub": "write other - x",
    r"(squeeze|\bt|transpose|swapaxes|swapdims)_$": "write x = x.unsqueeze(0), without the underscore",
    r"^Tensor\.random_$": "write x.copy_(torch.randint(low, high, x.shape))",
    r"^Tensor\.exponential_$": "write x.copy_(-torch.log(1 - torch.rand(x.shape))/rate)",
    "fill_diagonal_": "write x.diagonal().fill_(value)",
    "asarray": "write torch.as_tensor(x)",
    "adjoint": "write x.mT",
    r"^(\w+_loss|\w+_norm|\w+_with_logits|kl_div|dropout|embedding|adaptive_max_pool1d)$": (
        "write it as torch.nn.functional has it"
    ),
    r"\bInstanceNorm": "write nn.GroupNorm(channels, channels), which normalizes each channel of each example",
    r"\bMaxUnpool": "write nn.Upsample, or nn.ConvTranspose2d",
    r"nn\.CELU": "write nn.ELU",
    "gumbel_softmax": "write softmax((logits - (-torch.rand_like(logits).log()).log()) / tau, dim=-1)",
    r"nn\.RReLU": "write nn.LeakyReLU",
    "checkpoint_sequential": "write checkpoint(part, x, use_reentrant=False) for each part: part = model[:2]",
    "EmbeddingBag|embedding_bag": "write nn.Embedding, and the mean or sum of its rows",
    r"nn\.Buffer": "write self.register_buffer(name, tensor)",
    r"\bLazy|Uninitialized": "give the number of inputs: nn.Linear(4, 2)",
    r"optim\.[A-Z]": "there are SGD, Adam, AdamW, RMSprop, Adagrad and LBFGS",
    r"\bCyclicLR": "write OneCycleLR, or LambdaLR with a function of the epoch",
    "dropout|Dropout": "there are Dropout and Dropout2d",
    r"\bdistributions\b": "there are Normal, Uniform, Bernoulli, Categorical, and Independent of these",
    r"\bfunc\.": "there are grad, vjp, jvp, jacrev, jacfwd, hessian, vmap and functional_call",
    r"poisson\b|geometric_|cauchy_|log_normal_": "draw with torch.rand or torch.randn, and compute from these",
    r"utils\.data\.": "there are Dataset, TensorDataset, Subset, random_split, WeightedRandomSampler and DataLoader",
    "fork_rng": "write state = torch.get_rng_state(), and torch.set_rng_state(state) afterwards",
    "pack_sequence": "write pack_padded_sequence(pad_sequence(rows), lengths)",
    "get_total_norm": "write clip_grad_norm_, which returns it",
    "enter_dual_level": "write with dual_level():",
}


def torch_has(owner: str, name: str) -> bool:
    """Tell whether torch has the name, so that its absence here is ours; assumed where nothing was recorded."""
    names = torch_names().get(owner)
    return names is None or name.startswith("_") or name in names


def missing_error(
    owner: str, name: str, known: Iterable[str], message: str = "{}.{} is not supported here"
) -> UnsupportedError:
    """Return the error for an unsupported name; for a name that torch has, no similar name is suggested."""
    close = "" if owner in torch_names() else did_you_mean(name, [other for other in known if other[0] != "_"])
    subject = f"{owner}.{name}".removeprefix("torch.")
    help = INSTEAD.get(name.removesuffix("_")) or next(
        (help for words, help in ABSENT.items() if re.search(words, subject)), GENERAL
    )
    return UnsupportedError(message.format(owner, name), help=f"did you mean {close}?" if close else help)


def check_member(kind: str, name: str) -> None:
    """UnsupportedError if a class of Python's library, given with its module, has the name in reality."""
    module, _, class_name = kind.rpartition(".")
    if module in sys.stdlib_module_names and name in dir(vars(import_module(module)).get(class_name)):
        raise UnsupportedError(f"{class_name}.{name} is not supported here")


def check_module(module: str, name: str) -> None:
    """AttributeError if the module has no such name in reality."""
    words = f"module {module!r} has no attribute {name!r}"
    if module.partition(".")[0] == "torch":
        has = torch_has(module, name)
    else:
        original: dict[str, Any] = vars(import_module(module))
        has = name in original or name in original.get("__all__", ())
        words = original.get("__former_attrs__", {}).get(name, words)  # numpy's names of long ago
        if name in (expired := original.get("__expired_attributes__", {})):
            words = f"`np.{name}` was removed in the NumPy 2.0 release. {expired[name]}"
    if not has:
        raise AttributeError(words)
