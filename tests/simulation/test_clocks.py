"""The clocks of a simulated machine: rules that depend on two of them compare times of the same one."""

from simulation.machine import ClockPlan, Machine, Suspension
from simulation.plans import make_plan
from simulation.sites import Network
from simulation.store_rules import StoreRules
from simulation.virtual_time import later

# The first suspension ends at the second one. The monotonic clock does not count the time of the second and the last.
SUSPENSIONS = (
    Suspension(10.0, 90.0, counts=True),
    Suspension(50.0, 1000.0, counts=False),
    Suspension(200.0, 30.0, counts=True),
    Suspension(300.0, 5000.0, counts=False),
)


def test_a_machine_wakes_in_true_time() -> None:
    assert ClockPlan((), SUSPENSIONS).wakes == [100.0, 1100.0, 1230.0, 6300.0]
    now = 0.0
    with Machine(0, ClockPlan((), SUSPENSIONS), monotonic=lambda: now) as machine:
        for now, wake in ((100.0, 1100.0), (230.0, 1230.0), (300.0, 6300.0)):  # noqa: B007 - read by the machine
            assert machine.world() == wake


def test_rules_pause_only_while_a_clock_is_set_or_the_machine_sleeps() -> None:
    # The clock is set at a time that its machine, which slept for longer, never shows on its monotonic clock.
    clocks = ClockPlan(((3000.0, 60.0),), (Suspension(10.0, 10_000.0, counts=False),))
    with Machine(0, clocks, monotonic=lambda: 2990.0) as machine:
        rules = StoreRules(make_plan(1)._replace(clocks=clocks), Network([], machine.world, print), machine)
        assert machine.world() == 12_990.0
        assert rules._is_undisturbed(12_900.0)
        assert not rules._is_undisturbed(10_060.0)


def test_a_suspension_during_another_one_comes_after_it() -> None:
    suspensions = (Suspension(0.5, 100.0, counts=True), Suspension(50.0, 1000.0, counts=True))
    clocks = ClockPlan((), suspensions)
    assert later(0.0, 1.0, clocks.jumps) == clocks.wakes[-1] == 1100.5
    jumps = clocks.jumps
    assert later(later(0.0, 0.5, jumps), 0.0, jumps) == 1100.5
