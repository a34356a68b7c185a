// An editor in a process of its own, to be killed: it starts the agent that its arguments name, lets it run a command, and prints the
// agent's process when the command has printed something.
import { spawn } from "node:child_process";
import { createInterface } from "node:readline";

const [command, ...args] = process.argv.slice(2);
const agent = spawn(command, args, { stdio: ["pipe", "pipe", "ignore"] });
const send = (message) => agent.stdin.write(`${JSON.stringify({ jsonrpc: "2.0", ...message })}\n`);
const next = {
  1: () => send({ id: 2, method: "session/new", params: { cwd: process.cwd(), mcpServers: [] } }),
  2: ({ sessionId }) =>
    send({ id: 3, method: "session/prompt", params: { sessionId, prompt: [{ type: "text", text: "run" }] } }),
};
createInterface({ input: agent.stdout }).on("line", (line) => {
  const { id, result } = JSON.parse(line);
  if (result) next[id]?.(result);
  if (line.includes("begun\\n")) process.stdout.write(`${agent.pid}\n`);
});
send({ id: 1, method: "initialize", params: { protocolVersion: 1, clientCapabilities: {} } });
