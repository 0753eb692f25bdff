"""Long work: a task, where its results are kept, how far it is, and what carries it out.

* :class:`~equiform.runs.task.Task`: a function by name and plain-data arguments, identified by its content.
* :class:`~equiform.runs.store.Store`: one folder of results, a record per finished task.
* :class:`~equiform.runs.progress.Progress`: the event that every long run reports, to any listener.
* :class:`~equiform.runs.executor.Executor`: in this process (``local``), in several (``processes:N``) or on ``ray``.
* :func:`~equiform.runs.crew.make_crew`: members that keep a state between calls, on the same executors.
* :func:`~equiform.runs.batch.run_tasks`: tasks, an executor, a store and a listener put together.

Iterative solvers save their state in the same record format (:mod:`equiform.runs.record`).
"""

from equiform.models.common.files import require_writable, require_writable_folder
from equiform.runs.batch import Batch, run_tasks
from equiform.runs.executor import EXECUTORS, Executor, Local, Processes, make_executor
from equiform.runs.fingerprint import fingerprint, game_fingerprint
from equiform.runs.progress import Listener, Progress, log_progress
from equiform.runs.record import Record, read_record, write_record
from equiform.runs.store import Store
from equiform.runs.task import Task

__all__ = [
    "EXECUTORS",
    "Batch",
    "Executor",
    "Listener",
    "Local",
    "Processes",
    "Progress",
    "Record",
    "Store",
    "Task",
    "fingerprint",
    "game_fingerprint",
    "log_progress",
    "make_executor",
    "read_record",
    "require_writable",
    "require_writable_folder",
    "run_tasks",
    "write_record",
]
