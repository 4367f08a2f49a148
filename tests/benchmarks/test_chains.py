"""The chains' goals, with room for a busy machine: twice the accepted ratio is a regression."""

from tests.benchmarks.bench_chains import GOALS, show, table


def test_small_ops_keep_up_with_pytorch() -> None:
    rows = table(rounds=7)
    print("\n" + show(rows))
    assert all(ratio <= 2 * GOALS[traced] for _, traced, _, _, ratio in rows), show(rows)
