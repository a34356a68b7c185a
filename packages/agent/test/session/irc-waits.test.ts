import type { Request } from "@lathe/llm";
import { describe, expect, it } from "vitest";
import { ircTool } from "../../src/tools/builtin/irc/index.ts";
import { agentProfile, answersIn, batch, type Play, yields } from "../support/agents.ts";
import { A, irc, lastOf, send, start, textsIn } from "../support/irc.ts";
import { resultText } from "../support/scripted-client.ts";
import { tool } from "../support/session.ts";

describe("agents that wait for each other", () => {
  const circle = (names: readonly string[]) =>
    Object.fromEntries(
      names.map((name, at) => [
        `wait ${name}`,
        [
          irc({ op: "wait", from: names[(at + 1) % names.length], timeoutMs: 0 }),
          (request: Request) => yields(resultText(request, "m")),
        ],
      ]),
    );

  it.each([[["A", "B"]], [["A", "B", "C"]]])(
    "T-IRC-1 a circle of waits is refused at once and named: %j",
    async (names) => {
      const s = start({
        "go on": [batch(names.map((id) => ({ id, assignment: `wait ${id}` }))), { text: "done" }],
        ...circle(names),
      });
      await s.session.submit("go on");
      const outputs = s.session.subagents.list().map(({ output }) => output);
      const last = names.at(-1)!;
      // The agent that would have closed the circle is told at once; the others when no agent is left that could send.
      expect(
        outputs.filter(
          (output) => output.includes(`${last} waits for A, A waits for B`) || output.includes("is not at work"),
        ),
      ).toHaveLength(names.length);
      expect(outputs.some((output) => names.every((name) => output.includes(`${name} waits for`)))).toBe(true);
      await s.finish();
    },
  );

  it("T-IRC-1 with one agent at a time, waiting for one that has not begun is refused, and it gets the message", async () => {
    const s = start(
      {
        "go on": [
          batch([
            { id: "A", assignment: "asks" },
            { id: "B", assignment: "answers" },
          ]),
          { text: "done" },
        ],
        asks: [
          send("B", "Are you there?", { await: true, timeoutMs: 0 }),
          (request) => yields(resultText(request, "m")),
        ],
        answers: [(request) => yields(textsIn(request).join("\n"))],
      },
      { subagents: { limits: () => ({ concurrency: 1 }) } },
    );
    await s.session.submit("go on");
    const [a, b] = s.session.subagents.list();
    expect(a!.output).toContain("Not waiting: A waits for B, B waits for its turn after A.");
    expect(b!.output).toContain("Are you there?");
    await s.finish();
  });

  it("T-IRC-1 one that waits for Main while Main waits for its end is refused, and its question is read afterwards", async () => {
    const s = start({
      "go on": [A, { text: "done" }],
      assignment: [
        send("Main", "Which one?", { await: true, timeoutMs: 0 }),
        (request) => yields(resultText(request, "m")),
      ],
    });
    await s.session.submit("go on");
    const main = lastOf(s, "go on");
    expect(resultText(main, "t")).toContain("Not waiting: A waits for Main, Main waits for the end of A.");
    expect(textsIn(main).at(-1)).toContain("Which one?");
    await s.finish();
  });

  it("T-IRC-1 a wait ends when the awaited agent ends without a message, and says so", async () => {
    const s = start({
      "go on": [A, send("A", "Tell me", { await: true, timeoutMs: 0 }), { text: "done" }],
      assignment: [yields("looked"), { calls: [{ name: "echo" }] }, yields("no message")],
    });
    await s.session.submit("go on");
    expect(resultText(lastOf(s, "go on"), "m")).toMatch(
      /\nNot waiting: Main waits for A, A is not at work\. What it has finished is at agent:\/\/A\./,
    );
    await s.finish();
  });

  it("T-IRC-1 waiting ends at its time limit as a normal result, also while the other waits for an approval", async () => {
    const risky = tool("risky", () => "ran", { tier: "exec" });
    const s = start(
      {
        "go on": [A, send("A", "Tell me", { await: true, timeoutMs: 30 }), { text: "done" }],
        assignment: [yields("looked"), { calls: [{ name: "risky" }] }],
      },
      {
        profile: agentProfile([ircTool as never, risky]),
        subagents: { limits: () => ({ runMs: 400 }) },
        middleware: [
          { name: "rules", approve: ({ tool: { name } }) => ({ decision: name === "risky" ? "ask" : "allow" }) },
        ],
      },
    );
    await s.session.submit("go on");
    expect(resultText(lastOf(s, "go on"), "m")).toContain("\nNo message within 30 ms.");
    const ended = await s.session.subagents.wait("A", new AbortController().signal);
    expect(ended).toMatchObject({
      status: "failed",
      output: expect.stringContaining("it did not finish within 400 ms"),
    });
    await s.finish();
  });

  it("T-IRC-1 irc.timeoutMs is the limit where a call gives none; what is no time means the default", async () => {
    const limits: number[] = [];
    const s = start(
      {
        "go on": [
          batch([{ id: "A", assignment: "look" }], {}),
          send("A", "Tell me", { await: true }, "a"),
          send("A", "Tell me", { await: true, timeoutMs: -5 }, "b"),
          { text: "done" },
        ],
        assignment: [yields("looked"), { text: "", before: () => new Promise(() => {}) }],
      },
      { subagents: { irc: { timeoutMs: () => 25 }, limits: () => ({ runMs: 1000 }) } },
    );
    await s.session.submit("go on");
    for (const id of ["a", "b"]) limits.push(Number(/within (\d+) ms/.exec(resultText(lastOf(s, "go on"), id))![1]));
    expect(limits).toEqual([25, 25]);
    await s.finish();
  });

  it("T-IRC-1 agents that only talk are stopped with the reason", async () => {
    const chat =
      (to: string): Play =>
      (request) =>
        answersIn(request) === 0 && to === "A"
          ? irc({ op: "wait", from: "A" }, "w")
          : send(to, `${answersIn(request)}`, { await: true }, `m${answersIn(request)}`);
    const s = start(
      {
        "go on": [
          batch([
            { id: "A", assignment: "talk to B" },
            { id: "B", assignment: "talk to A" },
          ]),
          { text: "done" },
        ],
        "talk to B": chat("B"),
        "talk to A": chat("A"),
      },
      { config: { enableLoopDetection: false } },
    );
    await s.session.submit("go on");
    const reports = s.session.subagents.list();
    expect(reports.map(({ status }) => status)).toContain("failed");
    expect(reports.map(({ output }) => output).join("\n")).toContain(
      "it only talked: 16 messages answered each other and no agent did anything else",
    );
    await s.finish();
  });

  it("T-IRC-1 agents that work between their messages may go on", async () => {
    const s = start(
      {
        "go on": [
          batch([
            { id: "A", assignment: "talk to B" },
            { id: "B", assignment: "talk to A" },
          ]),
          { text: "done" },
        ],
        "talk to B": (request) => {
          const n = answersIn(request);
          if (n >= 80) return yields("enough");
          return n % 2 === 0
            ? { calls: [{ name: "echo", args: { n } }] }
            : send("B", `${n}`, { timeoutMs: 0 }, `m${n}`);
        },
        "talk to A": (request) => {
          const n = answersIn(request);
          return n >= 40 ? yields("enough") : send("A", `${n}`, {}, `m${n}`);
        },
      },
      { config: { enableLoopDetection: false } },
    );
    await s.session.submit("go on");
    expect(s.session.subagents.list().map(({ output }) => output)).toEqual(["enough", "enough"]);
    await s.finish();
  });

  it("T-IRC-1 a mailbox holds 100 messages: the oldest makes room, and its reader is told", async () => {
    const s = start(
      {
        "go on": [
          { calls: [{ name: "spawn_agent", args: { task: "blocked" }, id: "s" }] },
          (request) => ({
            calls: Array.from({ length: 103 }, (_, n) => ({
              name: "irc",
              id: `m${n}`,
              args: { op: "send", to: JSON.parse(resultText(request, "s")).agent_id, message: `number ${n}.` } as never,
            })),
          }),
          irc({ op: "list" }, "list"),
          (request) => ({
            calls: [{ name: "wait", args: { agent_id: JSON.parse(resultText(request, "s")).agent_id } }],
          }),
          { text: "done" },
        ],
        blocked: [{ calls: [{ name: "hold" }] }, { text: "read" }],
      },
      {
        profile: agentProfile([
          ircTool as never,
          tool("hold", async () => {
            await held;
            return "free";
          }),
        ]),
        onEvent: ({ kind, data }) => {
          if (kind === "tool_call_end" && (data as { call_id: string }).call_id === "list") free();
        },
      },
    );
    let free = (): void => {};
    const held = new Promise<void>((resolve) => {
      free = resolve;
    });
    await s.session.submit("go on");
    expect(resultText(lastOf(s, "go on"), "list")).toContain("100 unread");
    expect(resultText(lastOf(s, "go on"), "m102")).toContain("(its mailbox was full: the oldest message was dropped)");
    const read = textsIn(lastOf(s, "blocked")).filter((text) => text.includes("number "));
    expect(read).toHaveLength(100);
    expect(read[0]).toContain("number 3.");
    expect(read.at(-1)).toContain("number 102.\n[1 older unread message was dropped: a mailbox holds 100]");
    await s.finish();
  });
});
