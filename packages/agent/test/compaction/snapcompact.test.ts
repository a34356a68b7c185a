// A session whose older history is kept as images.

import { ContextLengthError, InvalidRequestError, ServerError } from "@lathe/llm";
import { describe, expect, it } from "vitest";
import { MemoryBlobs } from "../../src/base/blobs/store.ts";
import type { CompactionEntry } from "../../src/contract/journal.ts";
import { idSource } from "../../src/record/journal/ids.ts";
import { Journal } from "../../src/record/journal/journal.ts";
import { MemoryStore } from "../../src/record/journal/store.ts";
import { testDeps, testProfile } from "../support/session.ts";
import { readText } from "./read-frame.ts";
import {
  big,
  type Compacting,
  type CompactingOptions,
  compacting,
  lorem,
  NOTES,
  seeing,
  sentPictures,
  sentText,
} from "./support.ts";

const at = { provider: "test" };
const rounds = (calls: number) => (_request: unknown, index: number) =>
  index < calls
    ? {
        text: `w${index}. ${lorem(2000)}`,
        calls: [{ name: "big", id: `c${index}`, args: { tokens: 10, word: `o${index}.` } }],
      }
    : { text: "done" };
/** Ten requests per input. */
const stepwise = (request: unknown, index: number) =>
  index % 10 === 9 ? { text: "done" } : rounds(Number.POSITIVE_INFINITY)(request, index);
const refuses = () => ({ error: new ServerError("no summaries here", at) });

function snapping(options: Partial<CompactingOptions> = {}): Compacting {
  return compacting({
    profile: testProfile([big], { contextWindowSize: 100_000, modelInfo: seeing() }),
    work: rounds(50),
    summary: refuses,
    ...options,
    settings: { strategy: "snapcompact", keepRecentTokens: 8000, ...options.settings },
    config: { retry: { baseDelay: 0.001, maxRetries: 1 } },
  });
}

const compactionsOf = ({ session: { journal } }: Compacting): CompactionEntry[] =>
  [...journal.entryIds()]
    .map((id) => journal.entry(id))
    .filter((entry): entry is CompactionEntry => entry.type === "compaction");

const readAll = (pictures: ReturnType<typeof sentPictures>): string =>
  pictures.map(({ data }) => readText(data!, "plain")).join("");

describe("CO-08 older history as pictures", () => {
  it("no model is asked, every later request has the pictures, and the work goes on", async () => {
    const s = snapping();
    expect(await s.session.submit("remember: the door is green")).toMatchObject({ reason: "completed", text: "done" });
    expect(s.summaries()).toEqual([]);
    expect(s.of("warning").filter(({ data }) => data.code !== "context_usage")).toEqual([]);
    const last = s.work().at(-1)!;
    const pictures = sentPictures(last);
    expect(pictures.length).toBeGreaterThan(0);
    expect(sentText(last)).toContain("printed on the pictures below");
    expect(sentText(last)).toContain("remember: the door is green");
    expect(sentText(last)).not.toContain("w0.");
    const read = readAll(pictures);
    expect(read).toContain("[User]: remember: the door is green\n[Assistant]: w0. ");
    expect(read).toContain('[Assistant calls]: big(tokens=10, word="o0.")\n[Result]: o0. ');
    expect(compactionsOf(s).at(-1)?.details).toMatchObject({ strategy: "snapcompact" });
    await s.finish();
  });

  it("later compactions add to the pictures, whose bytes stay the same", async () => {
    const s = snapping({ work: stepwise });
    for (let n = 0; n < 2; n++) {
      await s.session.submit(`part ${n}`);
      expect(await s.session.compact(s.compaction.demand({ trigger: "manual" }))).toEqual({});
    }
    const [first, second] = compactionsOf(s).map(({ preserveData }) => preserveData?.snapcompact?.frames ?? []);
    expect(second!.length).toBeGreaterThan(first!.length);
    expect(second!.slice(0, first!.length)).toEqual(first);
    await s.finish();
  });

  it("an overflow is answered with pictures too", async () => {
    let failed = false;
    const s = snapping({
      settings: { thresholdTokens: 95_000 },
      work: (request, index) => {
        if (index !== 30 || failed) return rounds(30)(request, index);
        failed = true;
        return { error: new ContextLengthError("too long", at) };
      },
    });
    expect(await s.session.submit("go")).toMatchObject({ reason: "completed", text: "done" });
    expect(s.of("compaction_start").map(({ data }) => data.reason)).toEqual(["overflow"]);
    expect(sentPictures(s.work().at(-1)!).length).toBeGreaterThan(0);
    await s.finish();
  });

  it("a session that is opened again sends the same pictures", async () => {
    const deps = testDeps();
    const journalDeps = { blobs: new MemoryBlobs(), now: deps.now, newId: idSource(deps.random) };
    const store = new MemoryStore();
    const s = snapping({ journal: Journal.create({ id: "s", cwd: "/work" }, () => store, journalDeps) });
    await s.session.submit("go");
    const sent = sentPictures(s.work().at(-1)!);
    await s.finish();
    const bytes = Buffer.from(store.read(0, store.size));
    // The images are beside the journal, not in its lines.
    expect(bytes.length).toBeLessThan(1_000_000);
    const again = Journal.open(new MemoryStore(bytes), journalDeps);
    const [first] = again.context.messages;
    const pictures = first!.content.flatMap((part) => (part.kind === "image" ? [part.image] : []));
    expect(pictures.map(({ data }) => Buffer.from(data!))).toEqual(sent.map(({ data }) => Buffer.from(data!)));
    const lost = Journal.open(new MemoryStore(bytes), { ...journalDeps, blobs: new MemoryBlobs() });
    expect(lost.context.messages[0]!.content).toHaveLength(1);
  });
});

describe("CO-08 a summary instead", () => {
  it("for a model that cannot read pictures, and the person is told", async () => {
    const s = snapping({
      profile: testProfile([big], { contextWindowSize: 100_000, modelInfo: { ...seeing(), supportsVision: false } }),
      summary: () => ({ text: NOTES }),
    });
    expect(await s.session.submit("go")).toMatchObject({ reason: "completed" });
    expect(s.summaries().length).toBeGreaterThan(0);
    expect(sentPictures(s.work().at(-1)!)).toEqual([]);
    expect(s.of("warning").map(({ data }) => data)).toContainEqual({
      code: "pictures_unavailable",
      message: "Older messages are summarized instead of kept as pictures: the model cannot read pictures.",
    });
    await s.finish();
  });

  it("when there is something to pay attention to; what the pictures showed is given to the model as text", async () => {
    const s = snapping({ work: stepwise, summary: () => ({ text: NOTES }) });
    await s.session.submit("go");
    expect(await s.session.compact(s.compaction.demand({ trigger: "manual" }))).toEqual({});
    await s.session.submit("and?");
    expect(sentPictures(s.work().at(-1)!).length).toBeGreaterThan(0);
    expect(s.summaries()).toEqual([]);
    expect(await s.session.compact(s.compaction.demand({ trigger: "manual", focus: "the tests" }))).toEqual({});
    const asked = s.summaries().map(sentText).join("\n");
    expect(asked).toContain("special attention to: the tests");
    expect(asked).toContain("[User]: go\n\n[Assistant]: w0. ");
    expect(asked).not.toContain("printed on the pictures");
    await s.session.submit("and?");
    expect(sentPictures(s.work().at(-1)!)).toEqual([]);
    await s.finish();
  });

  it("its notes are on the first of the pictures that follow", async () => {
    const s = snapping({ work: stepwise, summary: () => ({ text: `${NOTES} Note the blue door.` }) });
    await s.session.submit("go");
    await s.session.compact(s.compaction.demand({ trigger: "manual", focus: "doors" }));
    await s.session.submit("on");
    await s.session.compact(s.compaction.demand({ trigger: "manual" }));
    await s.session.submit("and?");
    const pictures = sentPictures(s.work().at(-1)!);
    expect(readAll(pictures.slice(0, 1))).toMatch(
      /^\[Summary of earlier history\]: ## Goal[\s\S]*Note the blue door\./,
    );
    expect(sentText(s.work().at(-1)!)).not.toContain("Note the blue door.");
    await s.finish();
  });

  it.each(["Could not process image", "Invalid value: 'original'. Supported values are: 'low', 'high', and 'auto'."])(
    "once the provider has refused pictures (%s): the session goes on without them",
    async (reason) => {
      const s = snapping({
        work: (request, index) =>
          sentPictures(request).length > 0
            ? { error: new InvalidRequestError(reason, at) }
            : rounds(120)(request, index),
        summary: () => ({ text: NOTES }),
      });
      expect(await s.session.submit("go")).toMatchObject({ reason: "completed", text: "done" });
      expect(s.of("warning").map(({ data }) => data.code)).toEqual(
        expect.arrayContaining(["media_refused", "pictures_unavailable"]),
      );
      // More than the summarizer can take, including what was in the images.
      expect(sentText(s.summaries()[0]!)).toMatch(/\[\d+ older messages left out\]/);
      await s.finish();
    },
  );
});
