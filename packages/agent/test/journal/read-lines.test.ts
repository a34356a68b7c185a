import { appendFileSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterEach, beforeEach, describe, expect, it } from "vitest";
import { MemoryBlobs } from "../../src/base/blobs/store.ts";
import { decodeLine, readLine } from "../../src/record/journal/decode.ts";
import { encodeLine } from "../../src/record/journal/line.ts";
import { lockHolder, processStartTime } from "../../src/record/journal/lock.ts";
import { toStored } from "../../src/record/journal/payload.ts";
import { readLines } from "../../src/record/journal/read-lines.ts";

let folder: string;
let path: string;
beforeEach(() => {
  folder = mkdtempSync(join(tmpdir(), "lathe-lines-"));
  path = join(folder, "s.jsonl");
});
afterEach(() => rmSync(folder, { recursive: true }));

function read(from = 0): { readonly types: string[]; readonly offsets: number[]; readonly next: number } {
  const types: string[] = [];
  const offsets: number[] = [];
  const next = readLines(path, from, (line, offset) => {
    types.push(String(readLine(line, new MemoryBlobs())?.type));
    offsets.push(offset);
  });
  return { types, offsets, next };
}

describe("lines for projections", () => {
  it("continue where the last reading stopped, and wait for the end of a line", () => {
    const [a, b, c] = ["a", "b", "c"].map((type) => encodeLine({ type }));
    writeFileSync(path, Buffer.concat([a!, b!, c!.subarray(0, 5)]));
    const first = read();
    expect(first).toEqual({ types: ["a", "b"], offsets: [0, a!.length], next: a!.length + b!.length });
    appendFileSync(path, c!.subarray(5));
    expect(read(first.next)).toEqual({ types: ["c"], offsets: [first.next], next: first.next + c!.length });
    expect(read(first.next + c!.length)).toEqual({ types: [], offsets: [], next: first.next + c!.length });
  });

  it("a damaged line is passed over", () => {
    writeFileSync(path, Buffer.concat(["a", "b", "c"].map((type) => encodeLine({ type }))));
    writeFileSync(path, readFileSync(path, "latin1").replace('"b"', '"x"'), "latin1");
    expect(read().types).toEqual(["a", "c"]);
  });

  it("bring back what lies in blobs, and say when it is lost", () => {
    const blobs = new MemoryBlobs();
    const text = "long ".repeat(20_000);
    const line = encodeLine(toStored({ type: "x", text }, blobs) as object).subarray(0, -1);
    expect(line.length).toBeLessThan(200);
    expect(decodeLine(line, blobs)).toEqual({ value: { type: "x", text }, spare: [] });
    expect(decodeLine(line, new MemoryBlobs())).toMatchObject({ value: { text: expect.stringMatching(/^\[lost: /) } });
  });
});

describe("who holds a lock", () => {
  const lock = (owner: object | string): void =>
    writeFileSync(path, typeof owner === "string" ? owner : JSON.stringify(owner));
  const here = { pid: process.pid, host: "here", startTime: processStartTime(process.pid), token: "t" };
  const ask = () => lockHolder(path, { host: "here" });

  it("nobody, a living process, one that is gone, one of another machine", () => {
    expect(ask()).toBeUndefined();
    lock(here);
    expect(ask()).toEqual({ pid: process.pid, dead: false });
    lock({ ...here, startTime: "another process had this pid" });
    expect(ask()).toEqual({ pid: process.pid, dead: true });
    lock({ ...here, host: "there", startTime: "" });
    expect(ask()).toEqual({ pid: process.pid, dead: false });
    lock("");
    expect(ask()).toEqual({ dead: true });
  });
});
