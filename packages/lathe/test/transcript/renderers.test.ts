// One log of events, three ways to show it; none of them needs the session that wrote it.

import { turn } from "@lathe/testkit";
import { expect, it } from "vitest";
import { LinePrinter } from "../../src/hosts/interactive/plain/printer.ts";
import { Transcript } from "../../src/hosts/interactive/transcript/transcript.ts";
import { toWireEvents } from "../../src/hosts/wire/map-events.ts";
import { contextOf, grid, world } from "./kit.ts";

it("HD-06 D-090 the same recorded log reads in plain lines without an escape, as JSON, and as rows of the terminal", async () => {
  const read = turn.calls([{ name: "read_file", args: { file_path: "a.txt" } }]);
  const script = [read, turn.text("It says **hello**.")];
  const w = await world(() => script.shift() ?? turn.text("done"), { "a.txt": "hello\n" });
  await w.session.submit("what does a.txt say?");
  await w.close();
  const log = JSON.parse(JSON.stringify(w.events)) as typeof w.events;

  let lines = "";
  const printer = new LinePrinter({ write: (more) => (lines += more) }, { color: false, columns: () => 80 });
  for (const event of log) printer.event(event);
  expect(lines).toMatch(/a\.txt[\s\S]*It says \*\*hello\*\*\./);
  expect(lines).not.toContain("\u001b");

  const wire = log.flatMap(toWireEvents()).map((event) => JSON.stringify(event));
  expect(wire.some((line) => line.includes("It says **hello**."))).toBe(true);

  const transcript = new Transcript({ thinking: "folded", expanded: false, now: () => 0, onChange: () => {} });
  for (const event of log) transcript.event(event);
  const context = contextOf(80);
  const rows = grid([...transcript.takeFinished(context), ...transcript.render(context)], 80);
  expect(rows).toContain("a.txt");
  expect(rows).toContain("It says hello.");
});
