"""A public name of torch's or Python's modules stands here because a lesson uses it, or for one of a few reasons."""

from __future__ import annotations

import re
from collections.abc import Iterator

from gradcli.ops.support.surface import OPERATIONS
from gradcli.script.errors import UnsupportedError
from gradcli.script.interpreter import run
from gradcli.script.library import MODULES
from gradcli.script.limits import Limits
from gradcli.script.machine import Machine
from gradcli.script.python.values.attributes import Namespace, attribute
from gradcli.source import Source
from tests.corpus.index import index, used_names

# Modules whose functions are Python's or numpy's own, given as they are: a name more is no line more.
GIVEN_WHOLE = (
    "collections.abc heapq itertools math numpy numpy.linalg numpy.random numpy.testing operator random string typing"
)
# What no lesson here uses, by the reason why it is here all the same.
REASONS = {
    "courses write training loops with it": """
        torch.utils.data: DataLoader Dataset Subset TensorDataset WeightedRandomSampler default_collate random_split
        torch.optim: Optimizer RMSprop
        torch.optim.lr_scheduler: ExponentialLR LRScheduler LambdaLR MultiStepLR
            ReduceLROnPlateau _LRScheduler
        torch.nn.utils: parameters_to_vector vector_to_parameters
        torch.nn.init: calculate_gain kaiming_uniform_ xavier_normal_ xavier_uniform_
            _calculate_correct_fan _calculate_fan_in_and_fan_out
        tqdm: tqdm trange
        torch.random: get_rng_state set_rng_state
        torch: get_default_dtype get_num_threads get_rng_state set_rng_state set_default_device set_default_dtype
            set_float32_matmul_precision use_deterministic_algorithms __version__
    """,
    "scripts ask for a device, and there is one": """
        torch.accelerator: current_accelerator device_count is_available
        torch.backends: cudnn
        torch.backends.mps: is_available is_built
        torch.cuda: device_count empty_cache is_available manual_seed_all synchronize
    """,
    "courses build networks of it": """
        torch.nn: AdaptiveAvgPool1d AdaptiveAvgPool2d AvgPool1d AvgPool2d AvgPool3d
            BCELoss ConstantPad1d ConstantPad2d ConstantPad3d CosineSimilarity Dropout2d ELU
            Fold GELU GRU GRUCell Hardsigmoid Hardswish Hardtanh HuberLoss
            Identity LSTMCell LogSigmoid Mish ModuleDict MultiheadAttention PReLU
            RMSNorm RNN ReLU6 ReplicationPad1d ReplicationPad2d ReplicationPad3d SELU SiLU
            SmoothL1Loss Softplus Softsign Threshold Transformer TransformerDecoder TransformerDecoderLayer
            Unflatten Unfold Upsample ZeroPad1d ZeroPad2d ZeroPad3d
        torch.nn.functional: adaptive_avg_pool1d adaptive_avg_pool2d
            affine_grid avg_pool1d avg_pool2d avg_pool3d conv_transpose1d conv_transpose2d conv_transpose3d
            batch_norm dropout2d embedding grid_sample group_norm
            huber_loss kl_div
            mish pad prelu relu6 rms_norm smooth_l1_loss
            softsign
        torch.nn.utils.rnn: PackedSequence pack_padded_sequence pad_packed_sequence
    """,
    "courses on variational, Bayesian and policy methods sample from it": """
        torch.distributions: Bernoulli Distribution Independent Uniform kl_divergence
    """,
    "courses on linear algebra and calculus compute with it": """
        torch: e adaptive_avg_pool1d addcdiv addmm amin avg_pool1d baddbmm bitwise_and
            bitwise_not bitwise_or bitwise_xor broadcast_tensors ceil
            clamp_max conv_transpose1d conv_transpose2d conv_transpose3d
            cumprod diag_embed diagonal empty_like exp2 fix floor_divide full_like hstack
            index_select isinf kron lerp logaddexp logdet logical_and logical_not logical_or logical_xor
            masked_select median mm moveaxis movedim mv nan_to_num narrow nonzero
            prelu randint_like reciprocal remainder repeat_interleave rms_norm rsqrt
            slogdet tile tril triu trunc unflatten unique vstack
            xlogy is_complex is_floating_point
        torch.linalg: diagonal slogdet svd vector_norm
        torch.special: exp2 xlogy
        torch.func: grad_and_value
    """,
    "lessons use the layers and operators of these": """
        torch: bitwise_left_shift bitwise_right_shift
        torch.nn.functional: poisson_nll_loss
    """,
    "old scripts still have it": """
        torch: BoolTensor ByteTensor CharTensor DoubleTensor HalfTensor IntTensor ShortTensor short int16
            contiguous_format preserve_format newaxis
        torch.autograd: Variable
        torch.autograd.forward_ad: UnpackedDualTensor exit_dual_level
        torch.autograd.graph: Node
        torch.utils.checkpoint: CheckpointError
    """,
    "scripts measure, name, keep and check with it": """
        abc: ABC ABCMeta abstractmethod
        collections: namedtuple
        dataclasses: FrozenInstanceError
        functools: lru_cache
        gc: isenabled
        json: JSONDecodeError
        logging: CRITICAL DEBUG ERROR INFO NOTSET WARNING basicConfig critical debug error getLogger info log warning
        os: getenv listdir makedirs mkdir remove
        os.path: dirname exists isdir isfile join sep split splitext
        sys: float_info maxsize version version_info
        time: ctime monotonic_ns perf_counter_ns process_time_ns time_ns
        warnings: filterwarnings resetwarnings warn
    """,
}
# Other names of a module, under which everything in it stands again.
AGAIN = r"torch\.nn\.modules|torch\.distributions\.\w+|tqdm\.\w+"


def named() -> set[str]:
    """Return the names that a reason is given for."""
    words = " ".join(REASONS.values()).split()
    modules = [word.rstrip(":") if word[-1] == ":" else "" for word in words]
    place, found = "", set()
    for word, module in zip(words, modules, strict=True):
        place = module or place
        if not module:
            found.add(f"{place}.{word}")
    return found


def public_names() -> Iterator[tuple[str, str]]:
    """Yield the module and the name of everything that a snippet can import."""
    machine = Machine(Limits(), lambda text: None)
    run([Source("import torch", "names.py")], machine)
    waiting = [(name, machine.modules.get(name)) for name in MODULES]
    seen: set[int] = set()
    while waiting:
        place, module = waiting.pop()
        if id(module) in seen or re.fullmatch(AGAIN, place):
            continue
        seen.add(id(module))
        for name in module.names:
            try:
                member = attribute(module, name)
            except UnsupportedError:
                continue
            if isinstance(member, Namespace):
                waiting.append((f"{place}.{name}", member))
            else:
                yield place, name.removesuffix("_") if place == "torch.nn.functional" else name


def is_used(place: str, name: str) -> bool:
    """Return whether a lesson uses a name, another spelling of it, or its sibling in another number of dimensions."""
    siblings = [re.sub("[123]d", f"{count}d", name) for count in (1, 2, 3)]
    operation = OPERATIONS.get(name) if place.startswith("torch") else None
    spellings = [name, *siblings, *([operation.name, *operation.aliases] if operation else [])]
    if any(f"{place}.{spelling}" in used_names() for spelling in spellings):
        return True
    return place.startswith("torch") and any(f".{spelling}" in used_names() for spelling in spellings)


def test_every_public_name_is_used_or_has_a_reason() -> None:
    names = [(place, name) for place, name in public_names() if place not in GIVEN_WHOLE.split()]
    unused = {f"{place}.{name}" for place, name in names if not is_used(place, name)}
    assert unused - named() == set(), "refuse these by name, or say why they stand"
    assert named() - {f"{place}.{name}" for place, name in names} == set(), "these are gone: no reason is needed"


def test_the_index_knows_the_lessons() -> None:
    used = index()
    assert len([names for names in used.values() if any(name.startswith("torch.") for name in names)]) > 150
    assert {"torch.nn.Linear", "torch.optim.SGD", ".backward", "math.sqrt"} <= used_names()
