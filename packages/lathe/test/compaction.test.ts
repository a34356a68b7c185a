// Compaction in a conversation: by hand, while idle, undone, and by a service of the user.

import { existsSync } from "node:fs";
import { readdir, readFile, writeFile } from "node:fs/promises";
import { createServer } from "node:http";
import type { AddressInfo } from "node:net";
import { join } from "node:path";
import { type RecordedRequest, turn } from "@lathe/testkit";
import { expect, it } from "vitest";
import { briefing, conversation, NOTES } from "./conversation-kit.ts";

it("CO-01 /compact summarizes, /uncompact sends everything again, and what came in between stays", async () => {
  const c = await conversation();
  c.server.push(
    turn.text("word ".repeat(3000)),
    turn.text("short"),
    turn.text(NOTES),
    turn.text("fine"),
    turn.text("all"),
  );
  await c.say("tell me everything");
  await c.say("briefly");
  await c.say("/compact the first half");
  expect(c.lines.slice(-2)).toEqual([
    "Compacted: 1 message summarized, 1 of yours kept word for word.",
    expect.stringMatching(/^About \d+ tokens before, \d+ now\. Undo: \/uncompact$/),
  ]);
  await c.say("go on");
  expect(c.lastSent()).not.toContain("word word");
  expect(c.lastSent()).toContain("The second half.");
  await c.say("/uncompact");
  await c.say("and now?");
  expect(c.lastSent()).toContain("word word");
  expect(c.lastSent()).not.toContain("The second half.");
  expect(c.lastSent()).toContain("go on");
  await expect(c.say("/uncompact")).rejects.toThrow("Nothing was compacted on this branch.");
  await c.talk.close();
  await c.server.close();
});

it("CO-07 CO-08 snapcompact: /compact asks no model, and pictures from the blob folder go with the next request", async () => {
  const c = await conversation({ "compaction.strategy": "snapcompact" });
  c.server.push(turn.text("word ".repeat(6000)), turn.text("short"), turn.text("fine"));
  await c.say("tell me everything");
  await c.say("briefly");
  await c.say("/compact");
  expect(c.lines.at(-2)).toBe("Compacted: 1 message rendered as images, 1 of yours kept word for word.");
  expect(c.warnings).toEqual([]);
  await c.say("go on");
  expect(c.server.requests).toHaveLength(3);
  expect(c.server.requests[2]?.view.messages.some(({ images }) => images === 2)).toBe(true);
  expect(c.lastSent()).not.toContain("word word");
  expect((await readdir(join(c.root, ".lathe-home", "blobs"))).length).toBeGreaterThanOrEqual(2);
  await c.talk.close();
  await c.server.close();
});

it("CO-01 idle: a large context is compacted while nothing is going on, and nothing is sent after it", async () => {
  const c = await conversation({
    "compaction.idleEnabled": true,
    "compaction.idleTimeoutSeconds": 0.05,
    "compaction.idleThresholdTokens": 2000,
    "compaction.keepRecentTokens": 1000,
  });
  await writeFile(join(c.root, "long.txt"), "word word word\n".repeat(1500));
  const read = turn.calls([{ name: "read_file", args: { file_path: "long.txt" } }]);
  // A split turn has its own notes.
  c.server.push(read, turn.text("short"), turn.text(NOTES), turn.text("It read the file."));
  await c.say("tell me everything");
  await expect.poll(() => c.ends.length).toBe(1);
  expect(c.ends).toMatchObject([{ entry_id: expect.any(String) }]);
  expect(c.server.requests).toHaveLength(4);
  await c.talk.close();
  await c.server.close();
});

it("CO-04 a service of the user makes the summary; when it fails, the context stays and the reason is said", async () => {
  const asked: { systemPrompt?: string; prompt?: string }[] = [];
  let status = 200;
  const service = createServer((request, response) => {
    let body = "";
    request.on("data", (chunk) => (body += chunk));
    request.on("end", () => {
      asked.push(JSON.parse(body) as object);
      response.writeHead(status, { "content-type": "application/json" }).end(JSON.stringify({ summary: NOTES }));
    });
  });
  await new Promise<void>((resolve) => service.listen(0, "127.0.0.1", resolve));
  const { port } = service.address() as AddressInfo;
  const c = await conversation({ "compaction.remoteEndpoint": `http://127.0.0.1:${port}/summary` });
  c.server.push(turn.text("word ".repeat(3000)), turn.text("short"), turn.text("fine"));
  await c.say("tell me everything");
  await c.say("briefly");
  status = 500;
  await c.say("/compact");
  expect(c.warnings.at(-1)).toContain("compaction.remoteEndpoint answered 500");
  status = 200;
  await c.say("/compact");
  expect(Object.keys(asked[0]!)).toEqual(["systemPrompt", "prompt"]);
  await c.say("go on");
  expect(c.lastSent()).toContain("The second half.");
  expect(c.server.requests).toHaveLength(3);
  await c.talk.close();
  await c.server.close();
  service.close();
});

it("G-42 CO-07 /handoff: the request continues the last one byte for byte, and a new session begins with the briefing", async () => {
  const c = await conversation();
  c.server.push(turn.text("first"), turn.text("second"), turn.text(briefing("Do the tests next.")), turn.text("on it"));
  await expect(c.say("/handoff")).rejects.toThrow("Nothing to hand off (no messages yet)");
  await c.say("one");
  await c.say("two");
  const before = c.talk.open.journal.path!;
  const bytes = await readFile(before, "utf8");
  await c.say("/handoff focus on tests");
  expect(c.lines.at(-1)).toBe("New session started with handoff context");
  const [, second, third] = c.server.requests as [unknown, RecordedRequest, RecordedRequest];
  expect(third.view.messages.slice(0, second.view.messages.length).map(({ text }) => text)).toEqual(
    second.view.messages.map(({ text }) => text),
  );
  const prompt = ({ body }: RecordedRequest): unknown => {
    const { system, tools } = body as { system: unknown; tools: unknown };
    return { system, tools };
  };
  expect(prompt(third)).toEqual(prompt(second));
  expect((third.body as { tool_choice?: unknown }).tool_choice).toEqual(
    (second.body as { tool_choice?: unknown }).tool_choice,
  );
  expect(third.view.messages.at(-1)).toMatchObject({
    role: "user",
    text: expect.stringContaining("attention to: focus on tests"),
  });
  expect((await readFile(before, "utf8")).startsWith(bytes)).toBe(true);
  expect(c.talk.open.journal.path).not.toBe(before);
  expect(c.talk.session.journal.header.parentSession).toBe(before);
  await c.say("go on");
  expect(c.lastSent()).toContain("Do the tests next.");
  expect(c.lastSent()).not.toContain('"second"');
  await c.talk.close();
  await c.server.close();
});

it("CO-07 strategy handoff: a full context becomes a new session after the answer", async () => {
  const c = await conversation();
  c.server.push(
    turn.text("word ".repeat(3000)),
    turn.text("more"),
    turn.text(briefing("The briefing.")),
    turn.text("on it"),
  );
  await c.say("tell me everything");
  Object.assign(c.settings, {
    "compaction.strategy": "handoff",
    "compaction.thresholdTokens": c.talk.session.contextTokens,
  });
  await c.say("and more");
  await c.say("go on");
  expect(c.server.requests).toHaveLength(4);
  expect(c.lastSent()).toContain("The briefing.");
  expect(c.lastSent()).not.toContain("word word");
  await c.talk.close();
  await c.server.close();
});

it("CO-07 strategy handoff: a server that reports no usage to speak of does not keep a full context", async () => {
  const c = await conversation({ "compaction.strategy": "handoff", "compaction.thresholdTokens": 20_000 });
  const usage = { input: 10, output: 1 };
  c.server.push(turn.text("more", { usage }), turn.text(briefing("The briefing.")), turn.text("on it"));
  await c.say("word ".repeat(60_000));
  await c.say("go on");
  expect(c.lastSent()).toContain("The briefing.");
  await c.talk.close();
  await c.server.close();
});

it("CO-07 G-42 compaction.handoffSaveToDisk: the briefing of an automatic handoff is kept as a file, that of /handoff is not", async () => {
  const c = await conversation({ "compaction.handoffSaveToDisk": true });
  c.server.push(
    turn.text("word ".repeat(3000)),
    turn.text(briefing("The briefing.")),
    turn.text("more"),
    turn.text(briefing("By hand.")),
  );
  const before = c.talk.open.journal.folder!;
  c.settings["compaction.strategy"] = "handoff";
  c.settings["compaction.thresholdTokens"] = 1;
  await c.say("tell me everything");
  const [name = "", ...others] = await readdir(before);
  expect([name, others]).toEqual([expect.stringMatching(/^handoff-.*\.md$/), []]);
  expect(await readFile(join(before, name), "utf8")).toBe(`${briefing("The briefing.")}\n`);
  c.settings["compaction.strategy"] = "context-full";
  c.settings["compaction.enabled"] = false;
  c.talk.autoCompaction = false;
  const second = c.talk.open.journal.folder!;
  await c.say("go on");
  await c.say("/handoff");
  expect(existsSync(second)).toBe(false);
  await c.talk.close();
  await c.server.close();
});

it("CO-07 needle: after a handoff every word of the user and the instructions is there, the rest is one recall away; also after two", async () => {
  const facts = (where: string): string[] =>
    Array.from({ length: 10 }, (_, n) => `the code of room ${where}${n} is ${where}-${n * 7919}`);
  const [user, rules, output, files] = ["user", "rule", "output", "file"].map(facts) as [
    string[],
    string[],
    string[],
    string[],
  ];
  const c = await conversation();
  await writeFile(join(c.root, "AGENTS.md"), rules.join("\n"));
  for (const [n, text] of files.entries()) await writeFile(join(c.root, `f${n}.txt`), text);
  c.talk.setPermissionMode("full");
  for (const [n, text] of user.entries()) {
    c.server.push(
      turn.calls([
        { name: "shell", args: { command: `echo '${output[n]}'` } },
        { name: "read_file", args: { file_path: `f${n}.txt` } },
      ]),
      turn.text("done"),
    );
    await c.say(text);
  }
  for (const next of ["Nothing of note.", "Still nothing."]) {
    c.server.push(turn.text(briefing(next)), turn.text("fine"));
    await c.say("/handoff");
    await c.say("and?");
    const sent = c.lastSent();
    expect([...user, ...rules].filter((line) => !sent.includes(line))).toEqual([]);
    expect([...output, ...files].filter((line) => sent.includes(line))).toEqual([]);
    for (const line of [...output, ...files]) {
      c.server.push(turn.calls([{ name: "recall", args: { query: line.split(" is ")[0] ?? "" } }]), turn.text("found"));
      await c.say("look");
      const { messages } = c.server.requests.at(-1)!.body as { messages: object[] };
      expect(JSON.stringify(messages.at(-1))).toContain(line);
    }
  }
  await c.talk.close();
  await c.server.close();
});

it("G-42 a model that calls a tool instead of writing the briefing is asked once more; no tool runs", async () => {
  const c = await conversation();
  const call = turn.calls([{ name: "write_file", args: { file_path: "x", content: "x" } }]);
  c.server.push(turn.text("first"), call, turn.text(briefing("The briefing.")));
  await c.say("one");
  await c.say("/handoff");
  expect(c.lines.at(-1)).toBe("New session started with handoff context");
  expect(existsSync(join(c.root, "x"))).toBe(false);
  await c.talk.close();
  await c.server.close();
});
