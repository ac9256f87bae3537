"""Runners, the agents that solve tasks over documents: their interface, those that exist, and the tools of a solve."""

from quire.core.plugin_checks import check_runner as check_runner
from quire.core.runner import BriefDocument as BriefDocument
from quire.core.runner import Budget as Budget
from quire.core.runner import Runner as Runner
from quire.core.runner import RunnerFailed as RunnerFailed
from quire.core.runner import RunnerOutput as RunnerOutput
from quire.core.runner import RunnerTools as RunnerTools
from quire.core.runner import RunnerUsage as RunnerUsage
from quire.core.runner import RunnerWork as RunnerWork
from quire.core.runner import TaskBrief as TaskBrief
from quire.core.runner import TimelineEntry as TimelineEntry
from quire.core.runner import ToolAnswer as ToolAnswer
from quire.core.runner import ToolSpec as ToolSpec
from quire.solving.answers import claimed_files as claimed_files
from quire.solving.runners.offline_runner import OfflineRunner as OfflineRunner
from quire.solving.runners.runner_registry import find_runner as find_runner
from quire.solving.runners.runner_registry import runner_names as runner_names
from quire.solving.runners.tool_loop import ToolRunner as ToolRunner
from quire.solving.tools.toolbox import SolveTools as SolveTools
