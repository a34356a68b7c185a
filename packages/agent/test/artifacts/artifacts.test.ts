import { mkdtempSync, readdirSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { describe, expect, it, onTestFinished } from "vitest";
import type { WantedPart } from "../../src/contract/seams/schemes.ts";
import { FileArtifacts } from "../../src/record/artifacts/file-artifacts.ts";
import { artifactResolver } from "../../src/record/artifacts/resolve.ts";
import { type ArtifactStore, MemoryArtifacts } from "../../src/record/artifacts/store.ts";

function tempFolder(): string {
  const folder = mkdtempSync(join(tmpdir(), "lathe-artifacts-"));
  onTestFinished(() => rmSync(folder, { recursive: true }));
  return folder;
}

async function put(store: ArtifactStore, name: string, text: string): Promise<number> {
  const writer = store.open(name);
  for (let at = 0; at < text.length; at += 1000) writer.write(Buffer.from(text.slice(at, at + 1000)));
  const ref = await writer.close();
  expect(ref).toEqual({ id: writer.id, bytes: Buffer.byteLength(text) });
  return ref.id;
}
async function read(store: ArtifactStore, url: string, part?: WantedPart): Promise<string> {
  const { signal } = new AbortController();
  const content = await artifactResolver(() => store).read!(url, signal, part);
  return typeof content === "string" ? content : Buffer.from(content.bytes).toString();
}
const lines = (first: number, last?: number): WantedPart => ({ unit: "lines", first, last });

describe.each([
  ["file", (): ArtifactStore => new FileArtifacts(join(tempFolder(), "session"))],
  ["memory", (): ArtifactStore => new MemoryArtifacts()],
])("artifacts in %s", (_kind, make) => {
  it("SP-07 are numbered from 0 and read back whole, by bytes and by lines", async () => {
    const store = make();
    expect(await store.ids()).toEqual([]);
    const text = Array.from({ length: 300_000 }, (_, at) => `line ${at + 1}\n`).join("");
    expect([await put(store, "bash", text), await put(store, "grep", "x")]).toEqual([0, 1]);
    expect(await read(store, "artifact://0")).toBe(text);
    expect(await read(store, "artifact://0", lines(1, 3))).toBe("line 1\nline 2\nline 3\n");
    expect(await read(store, "artifact://0", lines(250_000, 250_000))).toBe("line 250000\n");
    expect(await read(store, "artifact://1", lines(2, 3))).toBe("");
    expect(Buffer.from((await store.read(0, { start: 5, end: 8 }))!).toString()).toBe("1\nl");
  });

  it("a wrong address says what is right, a missing number says what is there", async () => {
    const store = make();
    await expect(read(store, "artifact://abc")).rejects.toThrow("artifact://<number>");
    await expect(read(store, "artifact://7")).rejects.toThrow("There is no artifact 7; this session has none.");
    await put(store, "bash", "x");
    await expect(read(store, "artifact://7", lines(1, 2))).rejects.toThrow("this session has 0");
  });
});

describe("artifact files", () => {
  it("SP-07 continue from the highest number after a resume, and parent and child share the numbers", async () => {
    const folder = tempFolder();
    for (const name of ["0.bash.log", "2.grep.log", "agent-1.jsonl", "7.patch"]) writeFileSync(join(folder, name), "");
    const parent = new FileArtifacts(folder);
    const child = new FileArtifacts(folder);
    const open = parent.open("bash");
    expect([open.id, await put(child, "mcp/x tool", "y")]).toEqual([3, 4]);
    await open.close();
    expect(readdirSync(folder)).toContain("4.mcp_x_tool.log");
  });

  it("in memory keep a bounded amount and count all", async () => {
    const store = new MemoryArtifacts(10);
    await put(store, "bash", "0123456789abc");
    expect(await read(store, "artifact://0")).toBe("0123456789");
  });
});
