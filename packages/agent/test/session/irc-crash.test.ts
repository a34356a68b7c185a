import { type Request, textOf } from "@lathe/llm";
import { describe, expect, it } from "vitest";
import { MemoryBlobs } from "../../src/base/blobs/store.ts";
import { idSource } from "../../src/record/journal/ids.ts";
import { Journal } from "../../src/record/journal/journal.ts";
import { MemoryStore } from "../../src/record/journal/store.ts";
import { ircTool } from "../../src/tools/builtin/irc/index.ts";
import { agentProfile, answersIn, batch, firstText, types, yields } from "../support/agents.ts";
import type { ScriptedTurn } from "../support/scripted-client.ts";
import { setUp, testDeps } from "../support/session.ts";

const isLong = process.env["LATHE_LONG"] !== undefined;
/** The writes after which the first and the second process die; other runs of the suite try others. */
const EVERY = isLong ? [1, 4] : [1, 40];
const QUESTION = "What is the name?";
const ANSWER = "It is lathe.";
const deps = testDeps();
const journalDeps = { blobs: new MemoryBlobs(), now: deps.now, newId: idSource(deps.random) };

/** The files of a session, and their state after each write. */
class Disk {
  readonly #files = new Map<string, MemoryStore>();
  readonly moments: ReadonlyMap<string, number>[] = [];

  constructor(files: ReadonlyMap<string, Uint8Array> = new Map()) {
    for (const [name, bytes] of files) this.#add(name, bytes);
  }

  journal(name: string, header: object): Journal {
    const left = this.#files.get(name);
    const store = this.#add(name, left ? left.read(0, left.size) : new Uint8Array());
    if (store.size > 0) return Journal.open(store, journalDeps);
    return Journal.create({ id: deps.uuid(), cwd: "/work", ...header }, () => store, journalDeps);
  }

  at(moment: ReadonlyMap<string, number>): Disk {
    return new Disk(new Map([...moment].map(([name, size]) => [name, this.#files.get(name)!.read(0, size)])));
  }

  #add(name: string, bytes: Uint8Array): MemoryStore {
    const disk = this;
    const store = new (class extends MemoryStore {
      override append(more: Uint8Array): void {
        super.append(more);
        disk.moments.push(new Map([...disk.#files].map(([one, { size }]) => [one, size])));
      }
    })(bytes as never);
    this.#files.set(name, store);
    return store;
  }
}

const irc = (message: string, to: string): ScriptedTurn => ({
  calls: [{ name: "irc", args: { op: "send", to, message, await: to === "A", timeoutMs: 0 }, id: "m" }],
});
const all = (request: Request) => JSON.stringify(request.messages);
const script = (request: Request): ScriptedTurn => {
  if (firstText(request).includes("You are A")) {
    const isAsked = all(request).includes(QUESTION);
    return isAsked && !all(request).includes(ANSWER) ? irc(ANSWER, "Main") : yields("ok");
  }
  const turns = [batch([{ id: "A", assignment: "look" }]), irc(QUESTION, "A"), { text: "done" }];
  return turns[answersIn(request)] ?? { text: "done" };
};

async function run(disk: Disk) {
  const journal = disk.journal("s", {});
  const s = setUp({
    deps,
    journal,
    script,
    profile: agentProfile([ircTool as never]),
    subagents: { types, irc: {}, journal: (header) => disk.journal(header.agentId, header) },
  });
  if (s.session.hasUnfinishedInput) await s.session.continue();
  else if (journal.leaf === null) await s.session.submit("go on");
  // Waiting messages are read with the next input.
  await s.session.submit("and now");
  await s.session.close();
}

/** How often the model of this journal has read a text, or will. */
function readingsOf(journal: Journal, text: string): number {
  const seen = journal.context.messages.filter(
    (message) => message.role !== "assistant" && JSON.stringify(message).includes(text),
  );
  const taken = new Set<string>();
  const waits: string[] = [];
  for (const { kind, data } of journal.outside("host")) {
    const { change, id } = data as { change: string; id: string };
    if (kind !== "queue" || !JSON.stringify(data).includes(text)) {
      if (kind === "queue" && change === "cancelled") taken.add(id);
      continue;
    }
    if (change === "added") waits.push(id);
    taken.delete(id);
  }
  // If no call took it in between, a message is put into the queue once, whether it was read since or not.
  const twice = waits.length - new Set(waits).size;
  const unread = new Set(waits.filter((id) => !journal.has(id) && !taken.has(id)));
  const wasTaken = [...journal.outside("host")].some(({ data }) => (data as { call?: string }).call === "m");
  return seen.length + unread.size + (wasTaken ? 0 : twice);
}

function judge(disk: Disk): string | undefined {
  const main = disk.journal("s", {});
  const last = main.context.messages;
  const results = last.flatMap(({ content }) =>
    content.flatMap((part) =>
      part.kind === "tool_result" && part.toolResult.toolCallId === "m" ? [String(part.toolResult.content)] : [],
    ),
  );
  const receipt = results[0] ?? "none";
  const child = disk.journal("A", { agentId: "A", parentSession: "s", parentCall: "t" });
  const asked = readingsOf(child, QUESTION);
  const wasSent = /^A: (injected|woken|revived)/.test(receipt);
  const answers = readingsOf(main, ANSWER);
  const answered = child.context.messages.some((message) =>
    /Main: (injected|woken)/.test(textOf(message) || JSON.stringify(message)),
  );
  if (asked !== (wasSent ? 1 : 0)) return `the question was read ${asked} times after ${receipt}`;
  if (answered ? answers !== 1 : answers > 1) return `the answer was read ${answers} times`;
  return undefined;
}

describe("messages and the end of the process", () => {
  it("T-IRC-1 a message with a receipt is read exactly once, whichever write the process died after, and the next one", {
    timeout: 300_000,
  }, async () => {
    const first = new Disk();
    await run(first);
    expect(judge(first)).toBeUndefined();
    const problems: string[] = [];
    let tried = 0;
    const attempt = async (disk: Disk, name: string): Promise<Disk> => {
      tried += 1;
      await run(disk).catch((error: unknown) => problems.push(`${name}: ${String(error)}`));
      const problem = judge(disk);
      if (problem) problems.push(`${name}: ${problem}`);
      return disk;
    };
    const [every, everySecond] = EVERY as [number, number];
    let nth = 0;
    for (const [at, moment] of first.moments.entries()) {
      if (at % every !== 0) continue;
      const second = await attempt(first.at(moment), `after write ${at}`);
      for (const [again, later] of second.moments.entries()) {
        nth += 1;
        if (nth % everySecond === 0) await attempt(second.at(later), `after write ${at}, then after write ${again}`);
      }
    }
    expect(problems).toEqual([]);
    expect(tried).toBeGreaterThan(60);
  });
});
