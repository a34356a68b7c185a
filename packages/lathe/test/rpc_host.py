"""Drives the agent over stdio: python3 rpc_host.py <command...>"""
import json
import subprocess
import sys

agent = subprocess.Popen(sys.argv[1:] + ["--mode", "rpc"], stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True)


def send(**frame):
    agent.stdin.write(json.dumps(frame) + "\n")
    agent.stdin.flush()


tool = {"name": "lookup", "description": "Looks a key up.", "tier": "read",
        "parameters": {"type": "object", "properties": {"key": {"type": "string"}}, "required": ["key"]}}
for line in agent.stdout:
    frame = json.loads(line)
    if frame["type"] == "ready":
        send(type="set_host_tools", tools=[tool])
        send(type="prompt", message="Which colour is it?")
    elif frame["type"] == "host_tool_call":
        answer = {"colour": "blue"}[frame["arguments"]["key"]]
        send(type="host_tool_result", id=frame["id"], result={"content": [{"type": "text", "text": answer}]})
    elif frame["type"] == "event" and frame["payload"]["event_type"] == "agent_end":
        send(type="get_last_assistant_text")
    elif frame["type"] == "response" and frame["command"] == "get_last_assistant_text":
        print(frame["data"]["text"])
        agent.stdin.close()
sys.exit(agent.wait())
