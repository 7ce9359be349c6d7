"""BenchExec's tool-info module for wmbmc.

    python3 -m benchexec.test_tool_info scripts.benchexec.wmbmc --tool-directory target/release
    PYTHONPATH=. benchexec scripts/benchexec/wmbmc.xml --tool-directory target/release

in the root of the repository. A task's property file and data model become options; limits of
the run become limits of the tool, a little smaller, so that it ends by itself and says so.
"""

import benchexec.result as result
import benchexec.tools.template
from benchexec.tools.sv_benchmarks_util import get_data_model_from_task

# Exit codes of wmbmc that are no answer.
ERRORS = {1: "ERROR (command line)", 2: "ERROR (input)", 6: "ERROR (internal)"}


class Tool(benchexec.tools.template.BaseTool2):
    """A model checker for concurrent C programs on weak memory."""

    def name(self):
        return "wmbmc"

    def executable(self, tool_locator):
        return tool_locator.find_executable("wmbmc")

    def version(self, executable):
        return self._version_from_tool(executable, line_prefix="wmbmc")

    def cmdline(self, executable, options, task, rlimits):
        command = [executable]
        if task.property_file:
            command += ["--svcomp", "--property", task.property_file]
        data_model = get_data_model_from_task(task, {"ILP32": "ILP32", "LP64": "LP64"})
        if data_model and "--data-model" not in options:
            command += ["--data-model", data_model]
        seconds = rlimits.walltime or rlimits.cputime
        if seconds and "--timeout" not in options:
            command += ["--timeout", str(max(1, int(seconds * 0.95)))]
        if rlimits.memory and "--memory" not in options:
            command += ["--memory", str(max(1, int(rlimits.memory * 0.9) >> 20))]
        return command + list(options) + [task.single_input_file]

    def determine_result(self, run):
        if run.was_timeout:
            return result.RESULT_TIMEOUT
        lines = [line.strip() for line in run.output if line.strip()]
        answer = lines[-1] if lines else ""
        if run.exit_code.value in ERRORS:
            return ERRORS[run.exit_code.value]
        if answer == "TRUE":
            return result.RESULT_TRUE_PROP
        if answer == "FALSE":
            return result.RESULT_FALSE_PROP
        if answer.startswith("FALSE(") and answer.endswith(")"):
            return result.RESULT_FALSE_PROP + answer[len("FALSE") :]
        if answer == "UNKNOWN":
            if any(line.startswith("UNKNOWN: no answer within") for line in lines):
                return result.RESULT_TIMEOUT
            if any(line.startswith("UNKNOWN: the memory limit") for line in lines):
                return "OUT OF MEMORY"
            return result.RESULT_UNKNOWN
        # Without a property file the verdict is the first line.
        verdict = next((line for line in lines if line.startswith(("SAFE", "UNSAFE"))), "")
        if verdict == "SAFE":
            return result.RESULT_TRUE_PROP
        if verdict == "UNSAFE":
            return result.RESULT_FALSE_PROP
        return result.RESULT_UNKNOWN if run.exit_code.value == 5 else result.RESULT_ERROR

    def get_value_from_output(self, output, identifier):
        """The number that stands last in a line of `--stats`, by what stands before it."""
        for line in output:
            name, _, value = line.strip().rpartition(" ")
            if name.strip() == identifier:
                return value
        return None
