"""Drives Lathe from Python: starts `lathe --mode rpc`, sends commands, serves tools, answers the questions of workflows.

One file, standard library only, Python 3.9 or later. docs/rpc.md describes the protocol, docs/gates.md the questions.

    with RpcClient(executable="lathe", args=["--model", "anthropic/claude-sonnet-4-5"]) as agent:
        agent.run_workflow_gate_policy(lambda gate: "approve" if gate.kind == "approval" else gate.options[0].value)
        agent.prompt("/skill:deep-interview a command that prints the weather")
        agent.wait_for_idle()
        print(agent.get_last_assistant_text())
"""
import json
import queue
import subprocess
import threading
from dataclasses import dataclass, field
from typing import Any, Callable, Dict, List, Optional, Sequence


class RpcError(Exception):
    """Lathe refused a command. `code` is set where programs need to tell refusals apart."""

    def __init__(self, command: str, error: Any):
        super().__init__(error if isinstance(error, str) else error.get("message", ""))
        self.command = command
        self.code = None if isinstance(error, str) else error.get("code")


@dataclass
class GateOption:
    value: str
    label: str
    description: Optional[str] = None


@dataclass
class WorkflowGate:
    """A question of a workflow; `schema` describes valid answers."""

    gate_id: str
    stage: str
    kind: str
    schema: Dict[str, Any]
    schema_hash: str
    context: Dict[str, Any]
    created_at: str
    options: List[GateOption] = field(default_factory=list)

    @staticmethod
    def of(frame: Dict[str, Any]) -> "WorkflowGate":
        names = ("gate_id", "stage", "kind", "schema", "schema_hash", "context", "created_at")
        options = [GateOption(one["value"], one["label"], one.get("description")) for one in frame.get("options", [])]
        return WorkflowGate(options=options, **{name: frame[name] for name in names})


class RpcClient:
    def __init__(self, executable: str = "lathe", args: Sequence[str] = (), timeout: float = 30, **popen: Any):
        """`popen` is passed to subprocess.Popen, for example `cwd` and `env`. `timeout`: seconds to wait for a reply."""
        self._command = [executable, *args, "--mode", "rpc"]
        self._popen = popen
        self._timeout = timeout
        self._lock = threading.Lock()
        self._replies: Dict[str, "queue.Queue[Dict[str, Any]]"] = {}
        self._frames: "queue.Queue[Optional[Dict[str, Any]]]" = queue.Queue()
        self._tools: Dict[str, Callable[..., str]] = {}
        self._resolver: Optional[Callable[[WorkflowGate], Any]] = None
        self._listeners: List[Callable[[Dict[str, Any]], None]] = []
        self._idle = threading.Condition()
        self._ends = 0
        self._problem: Optional[BaseException] = None
        self._ready = threading.Event()
        self._ended = threading.Event()
        self._requests = 0
        self._process: Optional["subprocess.Popen[str]"] = None

    def __enter__(self) -> "RpcClient":
        return self.start()

    def __exit__(self, *_: Any) -> None:
        self.close()

    def start(self) -> "RpcClient":
        if self._process is None:
            self._process = subprocess.Popen(
                self._command, stdin=subprocess.PIPE, stdout=subprocess.PIPE, encoding="utf-8", **self._popen
            )
            threading.Thread(target=self._read, daemon=True).start()
            threading.Thread(target=self._serve, daemon=True).start()
            if not self._ready.wait(self._timeout) or self._ended.is_set():
                self.close()
                raise RuntimeError("lathe ended or was not ready in time")
        return self

    def close(self) -> Optional[int]:
        """Closes the input, which ends the agent; the session can be resumed."""
        if self._process is None:
            return None
        if self._process.stdin and not self._process.stdin.closed:
            try:
                self._process.stdin.close()
            except BrokenPipeError:
                pass
        try:
            return self._process.wait(self._timeout)
        except subprocess.TimeoutExpired:
            self._process.kill()
            return self._process.wait()

    def request(self, command: str, **params: Any) -> Any:
        """Sends any command and returns the data of its reply."""
        with self._lock:
            self._requests += 1
            ident = "req_%d" % self._requests
        reply: "queue.Queue[Dict[str, Any]]" = queue.Queue()
        self._replies[ident] = reply
        self._send({"id": ident, "type": command, **params})
        try:
            answer = reply.get(timeout=self._timeout)
        except queue.Empty:
            raise TimeoutError("%s was not answered within %s s" % (command, self._timeout)) from None
        finally:
            self._replies.pop(ident, None)
        if not answer["success"]:
            raise RpcError(command, answer["error"])
        return answer.get("data")

    def prompt(self, message: str, **params: Any) -> None:
        """Returns when the prompt is accepted, not when it is finished: see `wait_for_idle`."""
        self.request("prompt", message=message, **params)

    def wait_for_idle(self, timeout: Optional[float] = None) -> None:
        """Returns when the agent has nothing more to do. Raises an error that a resolver raised meanwhile."""
        while True:
            seen = self._ends
            if self._problem is None and not self.request("get_state")["isStreaming"]:
                return
            with self._idle:
                is_over = self._idle.wait_for(
                    lambda: self._ends != seen or self._problem or self._ended.is_set(), timeout
                )
                problem, self._problem = self._problem, None
            if problem:
                raise problem
            if self._ended.is_set():
                raise RuntimeError("lathe ended while it worked")
            if not is_over:
                raise TimeoutError("the agent is still working")

    def get_last_assistant_text(self) -> Optional[str]:
        return self.request("get_last_assistant_text")["text"]

    def on_event(self, listener: Callable[[Dict[str, Any]], None]) -> None:
        self._listeners.append(listener)

    def set_custom_tools(self, tools: Sequence[Dict[str, Any]]) -> Any:
        """Each tool is {name, description, parameters, tier?} and `execute`, which is called with keyword arguments."""
        self._tools = {tool["name"]: tool["execute"] for tool in tools}
        specs = [{key: value for key, value in tool.items() if key != "execute"} for tool in tools]
        return self.request("set_host_tools", tools=specs)

    def run_workflow_gate_policy(self, resolver: Callable[[WorkflowGate], Any]) -> None:
        """Calls the resolver for every gate and answers with its result; None leaves the gate to another client."""
        self._resolver = resolver

    def respond_gate(self, gate_id: str, answer: Any, idempotency_key: Optional[str] = None) -> Dict[str, Any]:
        """Returns the outcome: `status` is "accepted", or "rejected" with the reason in `error`."""
        key = {} if idempotency_key is None else {"idempotency_key": idempotency_key}
        return self.request("workflow_gate_response", gate_id=gate_id, answer=answer, **key)

    def _send(self, frame: Dict[str, Any]) -> None:
        if self._process is None or self._process.stdin is None:
            raise RuntimeError("lathe has not been started")
        with self._lock:
            self._process.stdin.write(json.dumps(frame) + "\n")
            self._process.stdin.flush()

    def _read(self) -> None:
        assert self._process and self._process.stdout
        for line in self._process.stdout:
            frame = json.loads(line)
            kind = frame["type"]
            if kind == "ready":
                self._ready.set()
            elif kind == "response":
                reply = self._replies.get(frame.get("id", ""))
                if reply is not None:
                    reply.put(frame)
                elif not frame["success"]:
                    self._fail(RpcError(frame["command"], frame["error"]))
            else:
                self._frames.put(frame)
        self._ended.set()
        self._ready.set()
        self._frames.put(None)
        with self._idle:
            self._idle.notify_all()
        for reply in list(self._replies.values()):
            reply.put({"success": False, "error": "lathe has ended"})

    def _serve(self) -> None:
        """Handles the agent's requests one after the other, in its own thread: a handler may send commands."""
        while True:
            frame = self._frames.get()
            if frame is None:
                return
            try:
                self._take(frame)
            except BaseException as problem:  # raised by wait_for_idle
                self._fail(problem)

    def _take(self, frame: Dict[str, Any]) -> None:
        kind = frame["type"]
        if kind == "event":
            event = frame["payload"]["event"]
            for listener in self._listeners:
                listener(event)
            if event["type"] == "agent_end":
                with self._idle:
                    self._ends += 1
                    self._idle.notify_all()
        elif kind == "workflow_gate" and self._resolver:
            gate = WorkflowGate.of(frame)
            answer = self._resolver(gate)
            if answer is None:
                return
            try:
                reply = self.respond_gate(gate.gate_id, answer)
            except RpcError as refusal:
                if refusal.code == "already_resolved":
                    return
                raise
            if reply["status"] == "rejected":
                raise ValueError("the answer to %s was rejected: %s" % (gate.gate_id, reply["error"]["errors"]))
        elif kind == "host_tool_call":
            self._send({"type": "host_tool_result", "id": frame["id"], **self._call(frame)})
        elif kind == "extension_ui_request" and frame["method"] in ("select", "confirm", "input", "editor"):
            self._send({"type": "extension_ui_response", "id": frame["id"], "cancelled": True})

    def _call(self, frame: Dict[str, Any]) -> Dict[str, Any]:
        try:
            text, failed = str(self._tools[frame["toolName"]](**frame["arguments"])), False
        except Exception as problem:
            text, failed = str(problem), True
        return {"result": {"content": [{"type": "text", "text": text}]}, "isError": failed}

    def _fail(self, problem: BaseException) -> None:
        with self._idle:
            self._problem = problem
            self._idle.notify_all()
