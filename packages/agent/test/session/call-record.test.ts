// What is stored and reported about a call in addition to its text: details, effects, what it accesses, and why it
// could not begin.

import { describe, expect, it } from "vitest";
import { PlanChanged } from "../../src/contract/tool.ts";
import { EnvError } from "../../src/world/env/types.ts";
import { type Setup, setUp, testProfile, tool } from "../support/session.ts";

const called = (name: string) => [{ calls: [{ name, id: "c" }] }, { text: "done" }];

async function run(one: ReturnType<typeof tool>, more: Partial<Parameters<typeof setUp>[0]> = {}): Promise<Setup> {
  const s = setUp({ script: called(one.name), profile: testProfile([one]), ...more });
  await s.session.submit("go");
  await s.finish();
  return s;
}

const resultEntry = ({ session }: Setup) => {
  const { entryIds, messages } = session.journal.context;
  return session.journal.entry(entryIds[messages.findIndex(({ role }) => role === "tool")] as string);
};

describe("the record of a call", () => {
  it("leaves details out that no journal can hold, wherever in them the reason is, and says so", async () => {
    const details = { fine: 1, deep: [{ total: 10n }] } as never;
    const s = await run(tool("count", () => ({ content: [{ kind: "text", text: "ok" }], details })));
    expect(s.of("tool_call_end")[0]?.data).not.toHaveProperty("details");
    expect(s.of("warning").map(({ data }) => data.code)).toEqual(["tool_details"]);
    expect(resultEntry(s)).not.toHaveProperty("details");
  });

  it("keeps details, and effects that nobody knows", async () => {
    const returned = {
      content: [{ kind: "text" as const, text: "?" }],
      details: { n: [1, null] },
      effects: "unknown" as const,
    };
    const s = await run(tool("deploy", () => returned));
    expect(resultEntry(s)).toMatchObject({ details: { n: [1, null] }, effects: "unknown" });
    expect(s.of("tool_call_end")[0]?.data).toMatchObject({ details: { n: [1, null] }, effects: "unknown" });
    const plain = await run(tool("look", () => "seen"));
    expect(Object.keys(resultEntry(plain))).not.toEqual(expect.arrayContaining(["effects"]));
  });

  it("says in the environment's own words why a call could not begin", async () => {
    const access = () => {
      throw new EnvError("not_found", "There is no file a.txt.");
    };
    const s = await run(tool("write", () => "written", { tier: "write", access }));
    expect(s.of("tool_call_end")[0]?.data.error).toBe("There is no file a.txt.");
  });

  it("a question says what the call touches, and is answered once", async () => {
    const answers: boolean[] = [];
    const access = () => [{ kind: "write" as const, path: "/srv/a" }];
    const s: Setup = setUp({
      script: called("write"),
      profile: testProfile([tool("write", () => "written", { tier: "write", access })]),
      middleware: [{ name: "asks", approve: () => ({ decision: "ask", reason: "It writes." }) }],
      onEvent: (event) => {
        if (event.kind !== "approval_request") return;
        for (let i = 0; i < 2; i++)
          answers.push(s.session.answerApproval(event.data.call_id, { decision: "allow", by: "test" }));
      },
    });
    await s.session.submit("go");
    await s.finish();
    expect(answers).toEqual([true, false]);
    expect(s.of("approval_request")[0]?.data.access).toEqual([{ kind: "write", path: "/srv/a" }]);
    const decided = [...s.session.journal.outside("decision")];
    expect(decided).toMatchObject([{ callId: "c", decision: "allow", by: "test", asked: "It writes." }]);
  });

  it("a question without a reason is recorded as asked, and as remembering nothing", async () => {
    const s: Setup = setUp({
      script: called("write"),
      profile: testProfile([tool("write", () => "written", { tier: "write" })]),
      middleware: [{ name: "asks", approve: () => ({ decision: "ask" }) }],
      onEvent: ({ kind }) => {
        if (kind === "approval_request") s.session.answerApproval("c", { decision: "allow", by: "test" });
      },
    });
    await s.session.submit("go");
    await s.finish();
    const line = { type: "decision", callId: "c", decision: "allow", by: "test", asked: "" };
    expect([...s.session.journal.outside("decision")]).toEqual([{ ...line, timestamp: expect.any(String) }]);
  });

  it("names the files whose content the call showed, and none when it showed none", async () => {
    const shows = tool("shows", (_args, { paths }) => {
      paths.shown.add("/srv/a");
      return "text";
    });
    const s = await run(shows);
    expect(resultEntry(s)).toMatchObject({ reads: ["/srv/a"] });
    expect(resultEntry(await run(tool("look", () => "seen")))).not.toHaveProperty("reads");
  });

  it("a file that changes after it was approved is planned and asked about again, never written unasked", async () => {
    let file = 0;
    const shown: number[] = [];
    const edit = tool(
      "edit",
      (_args, { approvedPlan }) => {
        if (approvedPlan !== `plan ${file}`) throw new PlanChanged();
        return `wrote ${file}`;
      },
      {
        tier: "write",
        access: () => [{ kind: "write", path: "/srv/a" }],
        preview: async () => ({ lines: [], shows: [], plan: `plan ${file}` }),
      },
    );
    const s: Setup = setUp({
      script: called("edit"),
      profile: testProfile([edit]),
      middleware: [
        {
          name: "asks",
          approve: async (call) => {
            await call.preview();
            return { decision: "ask" };
          },
        },
      ],
      onEvent: (event) => {
        if (event.kind !== "approval_request") return;
        shown.push(file);
        if (shown.length === 1) file++;
        s.session.answerApproval(event.data.call_id, { decision: "allow", by: "test" });
      },
    });
    await s.session.submit("go");
    await s.finish();
    expect(shown).toEqual([0, 1]);
    expect(s.of("tool_call_end")[0]?.data).toMatchObject({ is_error: false, output: "wrote 1" });
  });
});
