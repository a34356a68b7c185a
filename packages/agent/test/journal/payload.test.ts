import { createHash } from "node:crypto";
import { readdirSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { type ContentPart, Message } from "@lathe/llm";
import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { FileBlobs } from "../../src/base/blobs/file-blobs.ts";
import { MemoryBlobs } from "../../src/base/blobs/store.ts";
import { Journal } from "../../src/record/journal/journal.ts";
import { fromStored, toStored } from "../../src/record/journal/payload.ts";
import { MemoryStore } from "../../src/record/journal/store.ts";
import { seeded, tempFolder, testDeps } from "./support.ts";

function bytes(length: number): Uint8Array {
  const random = seeded(length);
  return new Uint8Array(length).map(() => Math.floor(random() * 256));
}
const png = bytes(200_000);
const image: ContentPart = { kind: "image", image: { data: png, mediaType: "image/png" } };
const withImage = { type: "message", message: Message.user([{ kind: "text", text: "look" }, image]) } as const;

function session(blobs: FileBlobs) {
  const store = new MemoryStore();
  const deps = testDeps({ blobs });
  const journal = Journal.create({ id: "s", cwd: "/" }, () => store, deps);
  const lines = () => store.read(0, store.size).toString().trimEnd().split("\n");
  const reopen = () => Journal.open(new MemoryStore(store.read(0, store.size)), deps);
  return { journal, lines, reopen };
}

describe("what goes to blobs", () => {
  it("G-29 SP-06 an image becomes one blob named by its hash, a short line, and the identical bytes after reopening", () => {
    const folder = tempFolder();
    const { journal, lines, reopen } = session(new FileBlobs(folder, "w1"));
    journal.append(withImage);
    journal.append(withImage);
    session(new FileBlobs(folder, "w2")).journal.append(withImage);
    const hash = createHash("sha256").update(png).digest("hex");
    expect(readdirSync(folder)).toEqual([hash]);
    expect(readFileSync(join(folder, hash)).equals(png)).toBe(true);
    expect(lines().every((line) => line.length < 5000)).toBe(true);
    expect(lines()[1]).toContain(`"data":"blob:sha256:${hash}"`);
    expect(reopen().context.messages).toEqual([withImage.message, withImage.message]);
  });

  it.each([
    ["missing", (path: string) => rmSync(path)],
    ["damaged", (path: string) => writeFileSync(path, "other")],
  ])("SP-06 a %s blob is reported, the line keeps its reference, and the session continues", (_what, harm) => {
    const folder = tempFolder();
    const { journal, reopen } = session(new FileBlobs(folder, "w"));
    const result = Message.toolResult({ toolCallId: "c", content: "shot", images: [{ data: png }] });
    const call: ContentPart = { kind: "tool_call", toolCall: { id: "c", name: "t", arguments: {}, type: "function" } };
    const entries = [withImage.message, Message.assistant([call]), result].map((message) =>
      journal.append({ type: "message", message }),
    );
    harm(join(folder, readdirSync(folder)[0]!));
    const opened = reopen();
    expect(opened.losses.map((loss) => loss.kind)).toEqual(["missing_blob", "missing_blob"]);
    const [first, , third] = opened.context.messages;
    expect(first?.content[1]).toMatchObject({
      kind: "text",
      text: expect.stringMatching(/^\[image lost: .* missing\]$/),
    });
    expect(third?.content[0]).toMatchObject({ toolResult: { content: "shot", images: [] } });
    expect(JSON.stringify(opened.storedEntry(entries[0]!.id))).toContain("blob:sha256:");
    opened.append(withImage);
    expect(opened.context.messages[3]).toEqual(withImage.message);
    expect(reopen().context.messages[0]).toEqual(withImage.message);
  });

  it("strings over 64 KiB leave the line and come back whole, thinking signatures too", () => {
    const { journal, lines, reopen } = session(new FileBlobs(tempFolder(), "w"));
    const signature = "s".repeat(600_000);
    const thinking: ContentPart = {
      kind: "thinking",
      thinking: { text: "t".repeat(70_000), signature, redacted: false },
    };
    const message = Message.assistant([thinking]);
    journal.append({ type: "message", message });
    expect(lines()[1]!.length).toBeLessThan(1000);
    expect(reopen().context.messages).toEqual([message]);
  });

  it("SP-06 a data URL of an image is stored as its text", () => {
    const blobs = new MemoryBlobs();
    const url = `data:image/png;base64,${"A".repeat(2000)}`;
    const stored = toStored({ url }, blobs) as { url: string };
    expect(stored.url.length).toBeLessThan(100);
    expect(Buffer.from(blobs.get(stored.url.slice(-64))!).toString()).toBe(url);
  });

  it("any value comes back as it was, also text that looks like a reference", () => {
    const text = fc.oneof(
      fc.string({ unit: "binary" }),
      fc.constantFrom(
        "blob:",
        "blob:literal:",
        "blob:literal:blob:",
        `blob:sha256:${"0".repeat(64)}`,
        "blob:base64:AA==",
      ),
      fc.constant("y".repeat(65_537)),
    );
    const leaf = fc.oneof(text, fc.uint8Array({ maxLength: 2000 }), fc.integer(), fc.boolean(), fc.constant(null));
    const value = fc.letrec((tie) => ({
      node: fc.oneof(
        { maxDepth: 3 },
        leaf,
        fc.array(tie("node")),
        fc.dictionary(fc.string(), tie("node"), { noNullPrototype: true }),
      ),
    })).node;
    fc.assert(
      fc.property(value, (original) => {
        const blobs = new MemoryBlobs();
        const line = JSON.stringify([toStored(original, blobs)]);
        const back = fromStored(JSON.parse(line), blobs, (hash) => expect.fail(`missing ${hash}`));
        expect(back).toEqual([original]);
      }),
      { seed: 5 },
    );
  });
});
