// The base cycle over the wire: answer, calls, results, next request; what a model reads about failed calls, and what
// is left if the session ends in the middle of one.

import { turn } from "@lathe/testkit";
import { describe, expect, it } from "vitest";
import { MemoryBlobs } from "../../src/base/blobs/store.ts";
import { idSource } from "../../src/record/journal/ids.ts";
import { Journal } from "../../src/record/journal/journal.ts";
import { MemoryStore } from "../../src/record/journal/store.ts";
import { testDeps, tool } from "../support/session.ts";
import { DIALECTS, profileFor, wire } from "../support/wire.ts";

const count = tool("count", ({ to }) => `counted to ${to}`, {
  schema: { type: "object", properties: { to: { type: "integer" } }, required: ["to"], additionalProperties: false },
});
const explode = tool("explode", () => {
  throw new Error("it went off");
});

describe.each(DIALECTS)("LS-00 a turn loop in %s", (dialect) => {
  it("LS-00 bad arguments and a tool that throws are errors under their own ids, in order; then the good call and the text", async () => {
    const w = await wire(
      dialect,
      [
        turn.calls([{ name: "count", id: "bad", args: { to: "three" } }]),
        turn.calls([{ name: "explode", id: "thrown" }]),
        turn.calls([{ name: "count", id: "good", args: { to: 3 } }]),
        turn.text("done"),
      ],
      { profile: profileFor(dialect, [count, explode]) },
    );
    await w.session.submit("go");
    expect(w.server.requests).toHaveLength(4);
    expect(w.result(1, "bad", "count").text).toContain('to must be a whole number, not "three"');
    expect(w.result(2, "thrown", "explode").text).toContain("it went off");
    // The Responses API has no field for it.
    const isTold = dialect !== "openai";
    expect([w.result(1, "bad", "count").isError, w.result(2, "thrown", "explode").isError]).toEqual([isTold, isTold]);
    expect(w.server.requests[3]?.view.messages.flatMap(({ results }) => results).at(-1)).toMatchObject({
      isError: false,
      text: "counted to 3",
    });
    await w.finish();
    const started = w.of("tool_call_start").map(({ data }) => data.call_id);
    expect(w.of("tool_call_end").map(({ data }) => data.call_id)).toEqual(started);
    expect(w.of("tool_call_end").map(({ data }) => data.error !== undefined)).toEqual([true, true, false]);
  });

  it("LS-00 a session that ends during a call is taken up again: the call has its answer, and the next request is accepted", async () => {
    const store = new MemoryStore();
    const blobs = new MemoryBlobs();
    const deps = testDeps();
    const journalDeps = { blobs, now: deps.now, newId: idSource(deps.random) };
    const journal = Journal.create({ id: deps.uuid(), cwd: "/work" }, () => store, journalDeps);
    const hang = tool(
      "hang",
      (_args, { signal }) =>
        new Promise<string>((_, reject) => {
          signal.addEventListener("abort", () => reject(signal.reason as Error));
          queueMicrotask(() => void first.session.abort());
        }),
      { replay: "never" },
    );
    const profile = profileFor(dialect, [count, hang]);
    const first = await wire(
      dialect,
      [turn.calls([{ name: "count", id: "one", args: { to: 1 } }]), turn.calls([{ name: "hang", id: "two" }])],
      { journal, deps, profile },
    );
    await first.session.submit("go");
    await first.finish();

    const reopened = Journal.open(new MemoryStore(store.read(0, store.size).toString("utf8")), journalDeps);
    const second = await wire(dialect, [turn.text("where were we")], { journal: reopened, deps, profile });
    await second.session.submit("and?");
    await second.finish();
    const results = second.server.requests[0]?.view.messages.flatMap((message) => message.results) ?? [];
    expect(results.map(({ text }) => text)).toEqual(["counted to 1", expect.stringContaining("interrupted")]);
  });

  it("LS-00 the next tool choice can be forced once", async () => {
    const w = await wire(dialect, [turn.calls([{ name: "count", args: { to: 1 } }]), turn.text("ok")], {
      profile: profileFor(dialect, [count, explode]),
    });
    w.session.forceToolChoice({ mode: "named", toolName: "count" });
    await w.session.submit("go");
    await w.finish();
    const choices = w.server.requests.map(
      ({ body }) => JSON.stringify(body).match(/"(?:tool_choice|toolConfig)":.{0,80}/)?.[0],
    );
    expect(choices[0]).toContain("count");
    expect(choices[1] ?? "").not.toContain("count");
  });
});
