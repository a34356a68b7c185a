"""From a wish to proven work: an interview, a plan and a goal, each decision made by this program.

    python3 clients/python/examples/workflows.py "a command that prints the weather" lathe --model anthropic/claude-sonnet-4-5
"""
import os
import sys

sys.path.insert(0, os.path.join(os.path.dirname(os.path.abspath(__file__)), ".."))
from lathe_rpc import RpcClient  # noqa: E402


def decide(gate):
    print(gate.kind, gate.context["title"])
    if gate.kind == "question":
        return {"selected": [gate.options[-1].value]} if gate.options else "as you like"
    return "approve"


wish, executable, *args = sys.argv[1:]
with RpcClient(executable, args) as agent:
    agent.set_custom_tools([{"name": "lookup", "description": "Looks a key up.", "tier": "read",
                             "parameters": {"type": "object", "properties": {"key": {"type": "string"}}},
                             "execute": lambda key: {"colour": "blue"}[key]}])
    agent.run_workflow_gate_policy(decide)
    for workflow in ("deep-interview", "ralplan", "ultragoal"):
        agent.prompt("/skill:%s %s" % (workflow, wish))
        agent.wait_for_idle()
        print(agent.get_last_assistant_text())
