"""Near misses of the language-model loop: one mistake each, of the kind people make in PyTorch.

NEAR_MISSES turn the test of their bug red. UNGUARDED are as wrong, but sit where no bug is planted
and no kata test looks: they are for the tests of fixed/lm.py itself.
"""

from near_misses_table import Miss

from . import (
    advantages,
    decoys_model,
    decoys_sample,
    decoys_train,
    kl,
    logps,
    masks,
    metrics,
    ratio,
    rows,
    sampling,
    steps,
    surrogate,
    unguarded_model,
    unguarded_train,
)

__all__ = ["NEAR_MISSES", "UNGUARDED", "Miss"]

NEAR_MISSES = [
    *rows.MISSES,
    *masks.MISSES,
    *sampling.MISSES,
    *logps.MISSES,
    *advantages.MISSES,
    *ratio.MISSES,
    *surrogate.MISSES,
    *kl.MISSES,
    *steps.MISSES,
    *metrics.MISSES,
    *decoys_model.MISSES,
    *decoys_sample.MISSES,
    *decoys_train.MISSES,
]
UNGUARDED = [
    *unguarded_model.MISSES,
    *unguarded_train.MISSES,
    *metrics.UNGUARDED,
]
