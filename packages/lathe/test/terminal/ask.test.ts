// Questions of the model at a real terminal: several at once, going back, and what happens without an answer.

import { writeFile } from "node:fs/promises";
import { join } from "node:path";
import { turn } from "@lathe/testkit";
import { afterEach, beforeEach, expect, it } from "vitest";
import { SONNET, TerminalBench } from "./bench.ts";
import { KEY } from "./emulator.ts";

let bench: TerminalBench;
beforeEach(async () => {
  bench = await TerminalBench.open();
});
afterEach(() => bench.close());

const question = (id: string, text: string, labels: readonly string[], more: object = {}) => ({
  id,
  question: text,
  options: labels.map((label) => ({ label })),
  ...more,
});
const asks = (...questions: object[]) => turn.calls([{ name: "ask_user", args: { questions } }]);
const sent = (n: number): string => JSON.stringify(bench.server.requests[n]?.body);

it("T-ASK-1 G-70 an answer can be changed by going back with the left arrow; the others are kept, marks in the order they were made", async () => {
  bench.server.push(
    asks(
      question("db", "Which database?", ["SQLite", "Postgres"]),
      question("parts", "Which parts?", ["api", "web", "docs"], { multi: true }),
    ),
    turn.text("thanks"),
  );
  const run = await bench.open();
  run.type(`go${KEY.enter}`);
  await run.see(/\(1\/2\) Which database\?[\s\S]*Esc to stop/);
  run.type(`1${KEY.enter}`);
  await run.see(/\(2\/2\) Which parts\?[\s\S]*Esc to stop/);
  run.type("31");
  run.type(KEY.left);
  await run.see(/\(1\/2\) Which database\?[\s\S]*Esc to stop/);
  run.type(`2${KEY.enter}`);
  await run.see(/\(2\/2\) Which parts\?[\s\S]*Esc to stop/);
  run.type(KEY.enter);
  await run.see("thanks");
  expect(sent(1)).toContain("User answers:\\ndb: User selected: Postgres\\nparts: User selected: docs, api");
});

it("T-ASK-1 G-70 nobody answers within ask.timeout: what the model recommends is taken", async () => {
  const settings = join(bench.box.dir, "ask.yml");
  await writeFile(settings, "ask:\n  timeout: 1\n");
  bench.server.push(
    asks(question("db", "Which database?", ["SQLite", "Postgres"], { recommended: 1 })),
    turn.text("fine"),
  );
  const run = await bench.open([...SONNET, "--config", settings]);
  run.type(`go${KEY.enter}`);
  await run.see("fine");
  expect(sent(1)).toContain("User selected: Postgres");
});
