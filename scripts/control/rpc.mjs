// One RPC run with the built-in practice model: ready, a prompt that calls a tool, its end, a refusal, and the end of
// the input.
import { readFileSync, writeFileSync } from "node:fs";
import { Started } from "./started.mjs";

export async function smokeRpc(cli) {
  writeFileSync("notes.txt", "one\n");
  const agent = new Started(cli, ["--mode", "rpc", "--model", "practice/basic", "--permission-mode", "full"]);
  const problems = [];
  await agent.line("ready", ({ type }) => type === "ready");
  agent.send({ id: "1", type: "prompt", message: 'replace "one" with "two" in notes.txt' });
  const taken = await agent.line("the reply", ({ type, id }) => type === "response" && id === "1");
  if (taken.success !== true) problems.push(`prompt was refused: ${JSON.stringify(taken.error)}`);
  await agent.line("agent_end", ({ payload }) => payload?.event_type === "agent_end");
  if (readFileSync("notes.txt", "utf8") !== "two\n") problems.push("the practice model has not changed notes.txt");
  agent.send({ id: "2", type: "no_such_command" });
  const refused = await agent.line("a refusal", ({ id }) => id === "2");
  if (refused.success !== false) problems.push("an unknown command was not refused");
  const code = await agent.end();
  if (code !== 0) problems.push(`exit code ${code}. ${agent.stderr}`);
  return problems;
}
