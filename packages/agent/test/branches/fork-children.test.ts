// A copy of a session and its children: it can send them further input, and they remember what the copied history knows
// about them.

import { existsSync } from "node:fs";
import { join } from "node:path";
import { type Request, textOf } from "@lathe/llm";
import { expect, it } from "vitest";
import { forkChildren } from "../../src/agents/subagents/fork-children.ts";
import { MemoryBlobs } from "../../src/base/blobs/store.ts";
import type { ChildHeader } from "../../src/contract/journal.ts";
import type { ToolDef } from "../../src/contract/tool.ts";
import { FileStore } from "../../src/record/journal/file-store.ts";
import { forkJournal } from "../../src/record/journal/fork.ts";
import { idSource } from "../../src/record/journal/ids.ts";
import { Journal } from "../../src/record/journal/journal.ts";
import { sendInputTool } from "../../src/tools/builtin/send-input/index.ts";
import { spawnAgentTool } from "../../src/tools/builtin/spawn-agent/index.ts";
import { waitTool } from "../../src/tools/builtin/wait/index.ts";
import { tempFolder, testOwner } from "../journal/support.ts";
import { resultText, type ScriptedTurn } from "../support/scripted-client.ts";
import { setUp, testDeps, testProfile } from "../support/session.ts";

const isChild = (request: Request) => textOf(request.messages[1]!) === "child";
const answers = (request: Request) => request.messages.filter(({ role }) => role === "assistant").length;

it("SP-03 G-32 SB-01 a fork's children answer further input and know their past, but not what came after the branch", async () => {
  const deps = testDeps();
  const journalDeps = { blobs: new MemoryBlobs(), now: deps.now, newId: idSource(deps.random) };
  const folder = tempFolder();
  const session = (name: string, journal: Journal) => {
    const childJournal = (header: ChildHeader): Journal => {
      const path = join(folder, name, `${header.agentId}.jsonl`);
      const isKnown = existsSync(path);
      const store = () => new FileStore(path, { owner: testOwner(), create: true });
      if (isKnown) return Journal.open(store(), journalDeps);
      return Journal.create({ id: deps.uuid(), ...header }, store, journalDeps);
    };
    let turns: ((agent: string) => ScriptedTurn)[] = [];
    const s = setUp({
      deps,
      journal,
      subagents: { journal: childJournal },
      profile: testProfile([spawnAgentTool, sendInputTool, waitTool] as unknown as ToolDef[]),
      script: (request) => {
        if (isChild(request)) return { text: `heard ${answers(request) + 1}: ${textOf(request.messages.at(-1)!)}` };
        return turns.shift()!(agentOf(request));
      },
    });
    const say = async (text: string, ...script: typeof turns): Promise<string> => {
      turns = script;
      await s.session.submit(text);
      return resultText(s.client.requests.at(-1)!, text);
    };
    return { s, say };
  };
  const agentOf = (request: Request): string => {
    const spawned = request.messages.flatMap(({ content }) =>
      content.flatMap((part) => (part.kind === "tool_result" ? [String(part.toolResult.content)] : [])),
    );
    return spawned.length === 0 ? "" : (JSON.parse(spawned[0]!) as { agent_id: string }).agent_id;
  };
  const wait =
    (id: string) =>
    (agent: string): ScriptedTurn => ({ calls: [{ name: "wait", args: { agent_id: agent }, id }] });
  const send =
    (message: string) =>
    (agent: string): ScriptedTurn => ({
      calls: [{ name: "send_input", args: { agent_id: agent, message }, id: message }],
    });
  const done = (): ScriptedTurn => ({ text: "done" });

  const journal = Journal.create(
    { id: "s", cwd: "/work" },
    () => new FileStore(join(folder, "a.jsonl"), { owner: testOwner(), create: true }),
    journalDeps,
  );
  const original = session("a", journal);
  await original.say(
    "one",
    () => ({ calls: [{ name: "spawn_agent", args: { task: "child" }, id: "s" }] }),
    wait("one"),
    done,
  );
  const branchAt = journal.leaf;
  await original.say("two", send("later"), wait("two"), done);
  await original.s.finish();

  const source = Journal.open(new FileStore(join(folder, "a.jsonl")), journalDeps);
  for (const [name, upTo, expected] of [
    ["branch", branchAt, "heard 2: and now?"],
    ["fork", source.leaf, "heard 3: and now?"],
  ] as const) {
    const store = new FileStore(join(folder, `${name}.jsonl`), { owner: testOwner(), create: true });
    const copy = forkJournal(source, { upTo, header: { id: name, cwd: "/work" }, store }, journalDeps);
    forkChildren(
      source,
      copy,
      {
        read: (agentId) => new FileStore(join(folder, "a", `${agentId}.jsonl`)),
        create: (agentId) =>
          new FileStore(join(folder, name, `${agentId}.jsonl`), { owner: testOwner(), create: true }),
      },
      { ...journalDeps, uuid: deps.uuid },
    );
    const other = session(name, copy);
    const report = await other.say("three", send("and now?"), wait("three"), done);
    expect(JSON.parse(report)).toMatchObject({ success: true, output: expected });
    await other.s.finish();
  }
});
