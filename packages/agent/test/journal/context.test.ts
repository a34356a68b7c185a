import { type ContentPart, Message } from "@lathe/llm";
import { describe, expect, it } from "vitest";
import { buildContext } from "../../src/record/journal/context.ts";
import { modelFor } from "../../src/record/journal/context-state.ts";
import { Journal } from "../../src/record/journal/journal.ts";
import { MemoryStore } from "../../src/record/journal/store.ts";
import { testDeps } from "./support.ts";

function newJournal(): Journal {
  return Journal.create({ id: "s", cwd: "/" }, () => new MemoryStore(), testDeps());
}
const user = (text: string) => ({ type: "message", message: Message.user(text) }) as const;
const calls = (...ids: string[]) => {
  const parts = ids.map(
    (id): ContentPart => ({ kind: "tool_call", toolCall: { id, name: "t", arguments: {}, type: "function" } }),
  );
  return { type: "message", message: Message.assistant(parts), provider: "p", model: "m" } as const;
};
const result = (toolCallId: string, content = `of ${toolCallId}`) =>
  ({ type: "message", message: Message.toolResult({ toolCallId, content }) }) as const;

describe("the context of a leaf", () => {
  it("SN-05 puts results in call order whatever order they came in, and steering behind them", () => {
    const journal = newJournal();
    for (const entry of [user("go"), calls("a", "b", "c"), result("c"), user("steer"), result("a"), result("b")]) {
      journal.append(entry);
    }
    expect(journal.context.messages.slice(2)).toEqual([
      result("a").message,
      result("b").message,
      result("c").message,
      Message.user("steer"),
    ]);
  });

  it("SN-05 fills a missing result, drops a second one, and one whose call is not there", () => {
    const journal = newJournal();
    for (const entry of [calls("a", "b"), result("a"), result("a", "again"), result("z"), user("next")]) {
      journal.append(entry);
    }
    expect(journal.context.messages.slice(1)).toEqual([
      result("a").message,
      Message.toolResult({ toolCallId: "b", content: "[interrupted before this call finished]", isError: true }),
      Message.user("next"),
    ]);
    expect(journal.context.entryIds.filter((id) => id === undefined)).toHaveLength(1);
  });

  it("G-30 a compaction gives its summary, the kept entries, its tail and what follows, and nothing else", () => {
    const journal = newJournal();
    const entries = ["one", "two", "three", "four"].map((text) => journal.append(user(text)));
    journal.append({
      type: "compaction",
      summary: "one to three happened",
      firstKeptEntryId: entries[3]!.id,
      tokensBefore: 9,
      details: { keep: [entries[1]!.id, entries[3]!.id] },
    });
    journal.append(user("five"));
    expect(journal.context.messages).toEqual([
      Message.user("<compaction_summary>\none to three happened\n</compaction_summary>"),
      Message.user("two"),
      Message.user("four"),
      Message.user("five"),
    ]);
  });

  it("a custom message reaches the model as user text, custom state does not", () => {
    const journal = newJournal();
    journal.append({ type: "custom", customType: "x", data: { secret: 1 } });
    journal.append({ type: "custom_message", customType: "x", content: "note", display: false, attribution: "agent" });
    journal.append({ type: "message", message: Message.developer("rule") });
    expect(journal.context.messages).toEqual([Message.user("note"), Message.user("rule")]);
  });

  it("keeps the very same message objects for unchanged entries through compaction, pruning and branching", () => {
    const journal = newJournal();
    const first = journal.append(user("one"));
    journal.append(calls("a"));
    const answer = journal.append(result("a"));
    const last = journal.append(user("two"));
    const before = [...journal.context.messages];
    journal.append({ type: "prune", prune: [answer.id] });
    const after = journal.context.messages;
    expect([after[0] === before[0], after[1] === before[1], after[3] === before[3]]).toEqual([true, true, true]);
    expect(after[2]).toEqual(result("a", expect.stringMatching(/^\[Output truncated - \d+ tokens\]$/)).message);
    journal.setLeaf(answer.id);
    expect(journal.context.messages[0]).toBe(before[0]);
    journal.setLeaf(last.id);
    journal.append({ type: "compaction", summary: "s", firstKeptEntryId: first.id, tokensBefore: 1 });
    expect(journal.context.messages[1]).toBe(before[0]);
  });

  it("G-30 carries model per role, thinking level, tier, mode, rules and tool selection along the path only", () => {
    const journal = newJournal();
    journal.append(user("one"));
    const answer = journal.append({ ...calls(), provider: "p", model: "old" });
    expect(modelFor(journal.context.state, "default")).toBe("p/old");
    expect(modelFor(journal.context.state, "smol")).toBeUndefined();
    journal.append({ type: "model_change", model: "p/new" });
    journal.append({ type: "model_change", model: "p/small", role: "smol" });
    journal.append({ type: "thinking_level_change", thinkingLevel: "high" });
    journal.append({ type: "service_tier_change", serviceTier: "flex" });
    journal.append({ type: "mode_change", mode: "plan", data: { file: "p.md" } });
    journal.append({ type: "ttsr_injection", injectedRules: ["a", "b"] });
    journal.append({ type: "ttsr_injection", injectedRules: ["b", "c"] });
    journal.append({ type: "mcp_tool_selection", selectedToolNames: ["s.t"] });
    expect(journal.context.state).toEqual({
      models: { default: "p/new", smol: "p/small" },
      lastModel: "p/old",
      thinkingLevel: "high",
      chosenLevel: "high",
      serviceTier: "flex",
      mode: "plan",
      modeData: { file: "p.md" },
      injectedRules: ["a", "b", "c"],
      mcpTools: ["s.t"],
    });
    journal.setLeaf(answer.id);
    expect(journal.context.state).toMatchObject({ models: {}, thinkingLevel: "off", mode: "none", injectedRules: [] });
  });

  it("what was emptied stays empty when its pictures are omitted later", () => {
    const journal = newJournal();
    const long = journal.append({ type: "message", message: Message.user("a long text") });
    journal.append({ type: "prune", prune: [long.id] });
    journal.append({ type: "prune", prune: [long.id], media: "[picture omitted]" });
    expect(journal.context.messages).toEqual([Message.user("[pruned to save context]")]);
  });

  it("pictures, sound and documents are all omitted, and the text stays", () => {
    const journal = newJournal();
    const data = new Uint8Array([1]);
    const parts: ContentPart[] = [
      { kind: "text", text: "look" },
      { kind: "image", image: { data, mediaType: "image/png" } },
      { kind: "audio", audio: { data, mediaType: "audio/wav" } },
      { kind: "document", document: { data, mediaType: "application/pdf" } },
    ];
    const { id } = journal.append({ type: "message", message: Message.user(parts) });
    journal.append({ type: "prune", prune: [id], media: "[omitted]" });
    expect(journal.context.messages[0]?.content).toEqual(
      ["look", "[omitted]", "[omitted]", "[omitted]"].map((text) => ({ kind: "text", text })),
    );
  });

  it("a result that is an object stays readable when its pictures are omitted", () => {
    const journal = newJournal();
    journal.append(calls("a"));
    const images = [{ data: new Uint8Array([1]), mediaType: "image/png" }];
    const message = Message.toolResult({ toolCallId: "a", content: { width: 5 }, isError: false, images });
    const { id } = journal.append({ type: "message", message });
    journal.append({ type: "prune", prune: [id], media: "[omitted]" });
    const toolResult = { toolCallId: "a", content: '{"width":5}\n[omitted]', isError: false };
    expect(journal.context.messages[1]!.content).toEqual([{ kind: "tool_result", toolResult }]);
  });

  it("nothing but the notice is left of a result that was only a picture", () => {
    const journal = newJournal();
    journal.append(calls("a"));
    const images = [{ data: new Uint8Array([1]), mediaType: "image/png" }];
    const message = Message.toolResult({ toolCallId: "a", content: "", images });
    const { id } = journal.append({ type: "message", message });
    journal.append({ type: "prune", prune: [id], media: "[omitted]" });
    const toolResult = { toolCallId: "a", content: "[omitted]", isError: false };
    expect(journal.context.messages[1]!.content).toEqual([{ kind: "tool_result", toolResult }]);
  });

  it("an answer of nothing but thoughts is not sent once they are refused", () => {
    const journal = newJournal();
    journal.append(user("go"));
    const message = Message.assistant([
      { kind: "thinking", thinking: { text: "hm", signature: "s", redacted: false } },
    ]);
    const { id } = journal.append({ type: "message", message });
    journal.append({ type: "prune", prune: [id], thoughts: true });
    expect(journal.context.messages).toEqual([Message.user("go")]);
  });

  it("a restored history is sent whole, except for what a provider refused", () => {
    const journal = newJournal();
    const picture: ContentPart = { kind: "image", image: { data: new Uint8Array([1]), mediaType: "image/png" } };
    const first = journal.append(user("a long text"));
    const second = journal.append({ type: "message", message: Message.user([picture]) });
    expect(journal.context.isShortened).toBe(false);
    journal.append({ type: "prune", prune: [first.id] });
    journal.append({ type: "prune", prune: [second.id], media: "[refused]" });
    expect(journal.context.isShortened).toBe(true);
    journal.append({ type: "compaction", summary: "", firstKeptEntryId: first.id, tokensBefore: 1 });
    expect(journal.context.messages).toEqual([Message.user("a long text"), Message.user("[refused]")]);
  });

  it("thoughts that were left out are sent again on a branch that goes on from before", () => {
    const journal = newJournal();
    const thinking: ContentPart = { kind: "thinking", thinking: { text: "hm", signature: "s", redacted: false } };
    const message = Message.assistant([thinking, { kind: "text", text: "so" }]);
    const answer = journal.append({ type: "message", message });
    journal.append({ type: "prune", prune: [answer.id], thoughts: true });
    expect(journal.context.messages).toEqual([Message.assistant("so")]);
    journal.setLeaf(answer.id);
    expect(journal.context.messages).toEqual([message]);
  });

  it.each<ContentPart>([
    { kind: "thinking", thinking: { text: "hm", signature: "s", redacted: false } },
    { kind: "redacted_thinking", thinking: { text: "gAAA", redacted: true } },
    { kind: "unknown", raw: { type: "compaction" }, origin: { provider: "p", model: "m" } },
    { kind: "text", text: "signed ", signature: "s" },
  ])("what only one model can read is left out when it is refused: $kind", (part) => {
    const journal = newJournal();
    const plain = Message.assistant("so");
    const answer = journal.append({ type: "message", message: Message.assistant([part, ...plain.content]) });
    journal.append({ type: "prune", prune: [answer.id], thoughts: true });
    const kept: ContentPart[] = part.kind === "text" ? [{ kind: "text", text: part.text }] : [];
    expect(journal.context.messages).toEqual([{ ...plain, content: [...kept, ...plain.content] }]);
  });

  it("keeps them also for entries that have to be read from the store again", () => {
    const journal = newJournal();
    const first = journal.append(user("message 0"));
    for (let at = 1; at < 300; at++) journal.append(user(`message ${at}`));
    const before = [...journal.context.messages];
    journal.append({ type: "prune", prune: [first.id] });
    expect(journal.context.messages.map((message, at) => message === before[at])).toEqual([
      false,
      ...Array.from({ length: 299 }, () => true),
    ]);
  });

  it("G-30 remembers the model of the last answer when it was compacted away", () => {
    const journal = newJournal();
    journal.append({ ...calls(), provider: "p", model: "gone" });
    const tail = journal.append(user("go on"));
    journal.append({ type: "compaction", summary: "s", firstKeptEntryId: tail.id, tokensBefore: 1 });
    expect(journal.context.messages).toHaveLength(2);
    expect(modelFor(journal.context.state, "default")).toBe("p/gone");
  });

  it("G-30 null is empty, an unknown leaf means the last entry", () => {
    const journal = newJournal();
    const entries = [journal.append(user("one")), journal.append(user("two"))];
    expect(buildContext(entries, null).messages).toEqual([]);
    expect(buildContext(entries, entries[0]!.id).messages).toHaveLength(1);
    expect(buildContext(entries, "nowhere").messages).toHaveLength(2);
    expect(buildContext(entries).messages).toHaveLength(2);
  });

  it("a host that has only the last entries of a session gets the context of those", () => {
    const journal = newJournal();
    const entries = ["one", "two", "three"].map((text) => journal.append(user(text)));
    expect(buildContext(entries.slice(1)).messages).toEqual([Message.user("two"), Message.user("three")]);
  });

  it("extends without touching earlier entries: one more entry reads none of a long history", () => {
    let reads = 0;
    class CountingStore extends MemoryStore {
      override read(offset: number, length: number): Buffer {
        reads++;
        return super.read(offset, length);
      }
    }
    const journal = Journal.create({ id: "s", cwd: "/" }, () => new CountingStore(), testDeps());
    for (let at = 0; at < 1000; at++) journal.append(user(`message ${at}`));
    expect(journal.context.messages).toHaveLength(1000);
    reads = 0;
    journal.append(user("one more"));
    expect(journal.context.messages).toHaveLength(1001);
    expect(reads).toBe(0);
  });
});
