"""Near misses of the port to torch: one mistake each, of the kind people make with tensors."""

from . import (
    decoys,
    decoys_train,
    frozen_old,
    group_baseline,
    log_ratio,
    loss_sign,
    padding_mask,
    pessimism,
    zero_std,
)

__all__ = ["NEAR_MISSES"]

NEAR_MISSES = [
    *group_baseline.MISSES,
    *zero_std.MISSES,
    *log_ratio.MISSES,
    *pessimism.MISSES,
    *loss_sign.MISSES,
    *padding_mask.MISSES,
    *frozen_old.MISSES,
    *decoys.MISSES,
    *decoys_train.MISSES,
]
