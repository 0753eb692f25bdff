"""A Ray cluster of three nodes on this machine: the same results, with workers and a node lost on the way."""

from __future__ import annotations

import os
import signal
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest

from equiform.models.common.errors import EquiformError, ParameterError
from equiform.runs.batch import run_tasks
from equiform.runs.executor import make_executor
from equiform.runs.progress import Progress
from equiform.runs.ray_cluster import Ray
from equiform.runs.task import Task
from equiform.solvers_iterative.partitioned.solver import PartitionedMCCFR

ray = pytest.importorskip("ray")
pytestmark = pytest.mark.skipif(not hasattr(signal, "SIGKILL"), reason="needs kill -9")

LEDUC = "equiform.abstraction.partition.small_decks:leduc_dealer"


@pytest.fixture(scope="module")
def cluster() -> Iterator[Any]:
    from ray.cluster_utils import Cluster

    soon = {
        "health_check_period_ms": 500,
        "health_check_timeout_ms": 500,
        "health_check_failure_threshold": 2,
        "worker_niceness": 0,
    }
    nodes = Cluster(
        initialize_head=True, head_node_args={"num_cpus": 1, "include_dashboard": False, "_system_config": soon}
    )
    for _ in range(2):
        nodes.add_node(num_cpus=2)
    ray.init(address=nodes.address, log_to_driver=False, logging_level="ERROR")
    yield nodes
    ray.shutdown()
    nodes.shutdown()


def tables(solver: PartitionedMCCFR) -> list[bytes]:
    return [array.tobytes() for array in solver.averages().values()]


@pytest.fixture(scope="module")
def alone() -> list[bytes]:
    """What one process learns."""
    solver = PartitionedMCCFR(LEDUC, {"clusters": 3}, batch=10, seed=3)
    solver.run(150)
    return tables(solver)


def test_tasks_run_on_the_cluster(cluster: Any) -> None:
    tasks = [Task("tests.runs.test_ray:square", {"number": n}) for n in range(5)]
    batch = run_tasks(tasks, on="ray")
    assert [v["square"] for v in batch.values if v is not None] == [0, 1, 4, 9, 16]
    with pytest.raises(EquiformError, match="odd"):
        run_tasks([Task("tests.runs.test_ray:refuse")], on="ray")


def square(number: int) -> dict[str, int]:
    return {"square": number * number}


def refuse() -> dict[str, int]:
    raise ParameterError("this is odd", fix="use another")


def test_a_lost_worker_and_a_lost_node_change_nothing(cluster: Any, alone: list[bytes], tmp_path: Path) -> None:
    lost: list[str] = []

    def harm(event: Progress) -> None:
        if event.done == 50:
            os.kill(ray.get(crew._actors[1].process_id.remote()), signal.SIGKILL)
            lost.append("worker")
        if event.done == 90:
            cluster.remove_node(next(iter(cluster.worker_nodes)))
            lost.append("node")

    solver = PartitionedMCCFR(LEDUC, {"clusters": 3}, batch=10, seed=3, on="ray", folder=tmp_path)
    crew: Any = solver.crew._crew
    try:
        reached = solver.run(150, checkpoint_every=4, progress=harm)
        assert lost == ["worker", "node"] and reached.losses >= 1 and reached.iterations == 150
        assert tables(solver) == alone
    finally:
        solver.close()


def test_addresses_that_nobody_answers_are_refused() -> None:
    assert make_executor("ray:10.0.0.7:6379") == Ray("10.0.0.7:6379")
