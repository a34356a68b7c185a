"""Interview, plan and goal through their gates: python3 gates_program.py <folder of lathe_rpc.py> <command...>"""
import sys

sys.path.insert(0, sys.argv[1])
from lathe_rpc import RpcClient  # noqa: E402


def answer(gate):
    print(gate.gate_id.split("_", 2)[2], gate.kind, gate.context["title"])
    if gate.kind == "question":
        return {"selected": [gate.options[-1].value]} if gate.options else "as you like"
    return "approve"


with RpcClient(sys.argv[2], sys.argv[3:]) as agent:
    agent.set_custom_tools([{"name": "lookup", "description": "Looks a key up.", "tier": "read",
                             "parameters": {"type": "object", "properties": {"key": {"type": "string"}}},
                             "execute": lambda key: {"colour": "blue"}[key]}])
    agent.run_workflow_gate_policy(answer)
    for step in ("deep-interview", "ralplan", "ultragoal"):
        agent.prompt("/skill:%s a wall" % step)
        agent.wait_for_idle()
        print(agent.get_last_assistant_text())
