"""The verdict of a comparison, on made-up times: it must not cry wolf, and must see a wolf."""

import random
import sys
import unittest
from pathlib import Path

sys.dont_write_bytecode = True  # Nothing is left in the checkout.
sys.path.insert(0, str(Path(__file__).resolve().parents[2] / "tools/bench"))
from verdict import Round, judge  # noqa: E402

ROUND_COUNT = 8


def make_rounds(generator, change, noise, drift=0.0):
    """Times of two builds: noise with a tail of slow outliers, as other programs cause them, and a machine that becomes
    slower by `drift` from one measurement to the next."""
    rounds = []
    speed = 1.0
    for index in range(ROUND_COUNT):
        times = {"A": [], "B": []}
        for side in "ABBA" if index % 2 == 0 else "BAAB":
            speed *= 1 + drift
            outlier = generator.uniform(0.1, 0.5) if generator.random() < 0.05 else 0.0
            base = change if side == "B" else 1.0
            times[side].append(base * speed * (1 + abs(generator.gauss(0, noise)) + outlier))
        rounds.append(Round(tuple(times["A"]), tuple(times["B"])))
    return rounds


def share_of(word, trials=40, comparison_count=1, **how):
    generator = random.Random(7)
    verdicts = [judge(make_rounds(generator, **how), comparison_count) for _ in range(trials)]
    return sum(verdict.word == word for verdict in verdicts) / trials


class VerdictTest(unittest.TestCase):
    def test_equal_builds_are_the_same(self):
        for noise in (0.005, 0.03, 0.1):
            with self.subTest(noise=noise):
                self.assertGreaterEqual(share_of("same", change=1.0, noise=noise), 0.92)

    def test_equal_builds_are_the_same_in_a_comparison_of_many_rows(self):
        self.assertGreaterEqual(share_of("same", change=1.0, noise=0.03, comparison_count=50), 0.98)

    def test_a_change_beyond_the_noise_is_named_by_its_direction(self):
        self.assertGreaterEqual(share_of("slower", change=1.06, noise=0.01), 0.9)
        self.assertGreaterEqual(share_of("faster", change=1 / 1.06, noise=0.01), 0.9)
        self.assertGreaterEqual(share_of("slower", change=1.5, noise=0.05, comparison_count=50), 0.95)

    def test_a_steady_drift_is_no_change(self):
        self.assertEqual(share_of("same", change=1.0, noise=0.002, drift=0.01), 1.0)

    def test_an_effect_of_code_layout_is_no_change(self):
        generator = random.Random(3)
        self.assertEqual(judge(make_rounds(generator, change=1.005, noise=0.0001)).word, "same")

    def test_the_same_times_get_the_same_verdict_and_swapped_builds_the_opposite(self):
        rounds = make_rounds(random.Random(5), change=1.2, noise=0.01)
        self.assertEqual(judge(rounds), judge(rounds))
        swapped = judge([Round(one.b, one.a) for one in rounds])
        self.assertEqual(swapped.word, "faster")
        self.assertAlmostEqual(swapped.ratio, 1 / judge(rounds).ratio)


if __name__ == "__main__":
    unittest.main()
