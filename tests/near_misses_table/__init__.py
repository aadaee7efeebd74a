"""Near misses of the table trainer: one mistake each, of the kind people make while fixing it."""

from . import (
    decoys,
    decoys_rollout,
    decoys_train,
    frozen_old,
    group_baseline,
    log_ratio,
    loss_sign,
    padding_mask,
    pessimism,
    zero_std,
)
from .miss import Miss

__all__ = ["NEAR_MISSES", "Miss"]

NEAR_MISSES = [
    *group_baseline.MISSES,
    *zero_std.MISSES,
    *log_ratio.MISSES,
    *pessimism.MISSES,
    *loss_sign.MISSES,
    *padding_mask.MISSES,
    *frozen_old.MISSES,
    *decoys.MISSES,
    *decoys_rollout.MISSES,
    *decoys_train.MISSES,
]
