// The least a program can do for one tool round: build the body, send it, read the stream, run the call. No journal, no
// events, no checks. The loop's cost is measured against it.

import { readFile } from "node:fs/promises";
import { Agent, request } from "node:http";

interface Block {
  type: string;
  id?: string;
  name?: string;
  text?: string;
  input?: unknown;
  json?: string;
}

type RunTool = (input: Readonly<Record<string, string>>, folder: string) => Promise<string>;

const readSmallFile: RunTool = ({ path }, folder) => readFile(`${folder}/${path}`, "utf8");

/** The text of the first answer that calls nothing, if one comes within these rounds. */
export async function plainRounds(
  url: string,
  folder: string,
  rounds: number,
  runTool: RunTool = readSmallFile,
): Promise<string> {
  const agent = new Agent({ keepAlive: true });
  const messages: unknown[] = [{ role: "user", content: "go" }];
  const tools = [{ name: "read", description: "Reads a file.", input_schema: { type: "object", properties: {} } }];
  for (let round = 0; round < rounds; round++) {
    const body = JSON.stringify({ model: "m", max_tokens: 1000, stream: true, tools, messages });
    const blocks = await ask(url, body, agent);
    messages.push({ role: "assistant", content: blocks.map(({ json: _json, ...block }) => block) });
    const results = [];
    for (const block of blocks) {
      if (block.type !== "tool_use") continue;
      results.push({
        type: "tool_result",
        tool_use_id: block.id,
        content: await runTool(block.input as Record<string, string>, folder),
      });
    }
    if (results.length === 0) {
      agent.destroy();
      return blocks.map((block) => block.text ?? "").join("");
    }
    messages.push({ role: "user", content: results });
  }
  agent.destroy();
  return "";
}

function ask(url: string, body: string, agent: Agent): Promise<Block[]> {
  return new Promise((resolve, reject) => {
    const headers = {
      "content-type": "application/json",
      "x-api-key": "key",
      "content-length": Buffer.byteLength(body),
    };
    const sent = request(`${url}/v1/messages`, { method: "POST", headers, agent }, (response) => {
      const blocks: Block[] = [];
      let rest = "";
      response.setEncoding("utf8");
      response.on("data", (chunk: string) => {
        rest += chunk;
        const lines = rest.split("\n");
        rest = lines.pop() ?? "";
        for (const line of lines) if (line.startsWith("data: ")) take(blocks, JSON.parse(line.slice(6)));
      });
      response.on("end", () => resolve(blocks));
      response.on("error", reject);
    });
    sent.on("error", reject);
    sent.end(body);
  });
}

function take(
  blocks: Block[],
  event: { type: string; index: number; content_block: Block; delta: Block & { partial_json?: string } },
) {
  if (event.type === "content_block_start") blocks[event.index] = { ...event.content_block, json: "" };
  const block = blocks[event.index];
  if (!block) return;
  if (event.type === "content_block_delta") {
    if (event.delta.text !== undefined) block.text = (block.text ?? "") + event.delta.text;
    if (event.delta.partial_json !== undefined) block.json += event.delta.partial_json;
  }
  if (event.type === "content_block_stop" && block.type === "tool_use") block.input = JSON.parse(block.json || "{}");
}
