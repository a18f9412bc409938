"""Says whether two builds differ, from times that were taken in rounds: A B B A, then B A A B, and so on.

A round's ratio is that of the geometric means of its two times each, so a machine that drifts steadily leaves no trace
in it. The noise is measured, not assumed: the two times of one build in one round should be the same, and what they
differ by is what the machine does by itself (A against A, B against B). Drawing rounds from these differences again
and again shows how far the median of so many rounds strays when nothing has changed."""

import math
import random
import statistics
from dataclasses import dataclass

RESAMPLE_COUNT = 4000
# The chance that at least one row of a whole comparison of equal builds is called a change.
FALSE_ALARM = 0.05
# The position of code in memory moves times by up to this from build to build without any change of ours.
SMALLEST_CHANGE = 0.01


@dataclass(frozen=True)
class Round:
    a: tuple
    b: tuple


@dataclass(frozen=True)
class Verdict:
    # B's time over A's: the median of the rounds.
    ratio: float
    # The bound of the ratio of two equal builds, as a part: 0.02 is 0.98 to 1.02.
    noise: float
    # "faster" and "slower" refer to B; "same" means that no difference can be told from noise.
    word: str


def log_mean(times):
    return statistics.fmean(math.log(time) for time in times)


def null_differences(rounds):
    """The differences of two times of one build in one round, as logarithms, and their negatives."""
    found = []
    for one in rounds:
        for first, second in (one.a, one.b):
            found += [math.log(second / first), math.log(first / second)]
    return found


def noise_of(rounds, comparison_count):
    differences = null_differences(rounds)
    # A seed of its own: the same times get the same verdict.
    generator = random.Random(1)

    def median_of_equal_rounds():
        # Half the sum of two such differences varies as the ratio of a round: four times with equal weights.
        drawn = generator.choices(differences, k=2 * len(rounds))
        return abs(statistics.median(0.5 * (x + y) for x, y in zip(drawn[::2], drawn[1::2])))

    medians = sorted(median_of_equal_rounds() for _ in range(RESAMPLE_COUNT))
    allowed = int(RESAMPLE_COUNT * FALSE_ALARM / comparison_count)
    return math.exp(medians[RESAMPLE_COUNT - 1 - allowed]) - 1


def judge(rounds, comparison_count=1):
    """`comparison_count` is the number of rows judged together: the more, the more evidence a single one needs."""
    ratio = math.exp(statistics.median(log_mean(one.b) - log_mean(one.a) for one in rounds))
    noise = max(noise_of(rounds, comparison_count), SMALLEST_CHANGE)
    word = "same"
    if ratio > 1 + noise:
        word = "slower"
    elif ratio < 1 / (1 + noise):
        word = "faster"
    return Verdict(ratio, noise, word)
