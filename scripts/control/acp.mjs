// An editor's first minute: initialize, a session, a prompt, and nothing but the protocol on stdout.
import { Started } from "./started.mjs";

export async function smokeAcp(cli) {
  const agent = new Started(cli, ["acp", "--model", "practice/basic"]);
  const problems = [];
  const ask = async (id, method, params) => {
    agent.send({ jsonrpc: "2.0", id, method, params });
    const { result, error } = await agent.line(`the answer to ${method}`, (message) => message.id === id);
    if (error) problems.push(`${method}: ${error.message}`);
    return result ?? {};
  };
  const { protocolVersion } = await ask(1, "initialize", { protocolVersion: 1, clientCapabilities: {} });
  if (protocolVersion !== 1) problems.push(`protocol ${protocolVersion} instead of 1`);
  const { sessionId } = await ask(2, "session/new", { cwd: process.cwd(), mcpServers: [] });
  const prompt = [{ type: "text", text: "hello" }];
  const { stopReason } = await ask(3, "session/prompt", { sessionId, prompt });
  if (stopReason !== "end_turn") problems.push(`the prompt ended with ${stopReason}`);
  const code = await agent.end();
  if (code !== 0) problems.push(`exit code ${code}. ${agent.stderr}`);
  return problems;
}
