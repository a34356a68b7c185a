// The session file as the command writes it: format, appending, images.

import { createHash } from "node:crypto";
import { readdir, readFile, rm, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { turn } from "@lathe/testkit";
import { afterEach, beforeEach, describe, expect, it } from "vitest";
import { jsonLines, type Stage, stage } from "./contract-kit.ts";

let scene: Stage;
beforeEach(async () => {
  scene = await stage(() => turn.text("ok"));
});
afterEach(() => scene.close());

const below = (name: string): string => join(scene.box.env["LATHE_HOME"] ?? "", name);

async function sessionFiles(): Promise<string[]> {
  const names = await readdir(below("sessions"), { recursive: true });
  return names.filter((name) => name.endsWith(".jsonl")).map((name) => join(below("sessions"), name));
}

describe("a session file", () => {
  it("G-24 two runs with --continue are one file: one header, one chain, and what was there is not touched", async () => {
    await scene.run(["-c", "-p", "one"]);
    const [file = "", ...others] = await sessionFiles();
    expect(others).toEqual([]);
    const before = await readFile(file);
    await scene.run(["-c", "-p", "two"]);
    expect(await sessionFiles()).toEqual([file]);
    const after = await readFile(file);
    expect(after.subarray(0, before.length).equals(before)).toBe(true);
    expect(after.length).toBeGreaterThan(before.length);

    expect(file).toMatch(
      new RegExp(`/--${scene.box.dir.slice(1).replaceAll("/", "-")}--/[0-9T-]+-\\d{3}Z_[0-9a-f-]{36}\\.jsonl$`),
    );
    const [header, ...lines] = jsonLines(after.toString("utf8"));
    expect(header).toMatchObject({ type: "session", version: 4, cwd: scene.box.dir });
    expect(lines.filter(({ type }) => type === "session")).toEqual([]);
    const entries = lines.filter((line) => "parentId" in line);
    const ids = entries.map(({ id }) => id as string);
    expect(new Set(ids).size).toBe(ids.length);
    for (const id of ids) expect(id).toMatch(/^\w{8}$/);
    for (const [i, { parentId }] of entries.entries())
      expect(parentId === null || ids.slice(0, i).includes(parentId as string)).toBe(true);
    expect(entries.filter(({ parentId }) => parentId === null)).toHaveLength(1);
    const said = entries
      .filter(({ type }) => type === "message")
      .map(({ message }) => (message as { role: string }).role);
    expect(said).toEqual(["user", "assistant", "user", "assistant"]);
  });

  it("SP-06 one picture in two sessions is one blob; continued, it is sent byte for byte; without the blob the session goes on", async () => {
    const picture = Buffer.concat([PIXEL, Buffer.alloc(3000, "metadata")]);
    await writeFile(join(scene.box.dir, "dot.png"), picture);
    await scene.run(["@dot.png", "what is this"]);
    await scene.run(["@dot.png", "and this"]);
    const hash = createHash("sha256").update(picture).digest("hex");
    expect((await readdir(below("blobs"))).filter((name) => name === hash)).toHaveLength(1);
    expect(await sessionFiles()).toHaveLength(2);

    await scene.run(["-c", "-p", "look again"]);
    const sent = JSON.stringify(scene.server.requests.at(-1)?.body);
    expect(sent).toContain(picture.toString("base64"));

    await rm(below(join("blobs", hash)));
    const { code, stderr } = await scene.run(["-c", "-p", "and now"]);
    expect(code).toBe(0);
    expect(stderr).toContain(hash.slice(0, 8));
    expect(JSON.stringify(scene.server.requests.at(-1)?.body)).toContain("and now");
  });
});

/** A whole PNG of one pixel. */
const PIXEL = Buffer.from(
  "iVBORw0KGgoAAAANSUhEUgAAAAEAAAABCAYAAAAfFcSJAAAADUlEQVR42mNk+M9QDwADhgGAWjR9awAAAABJRU5ErkJggg==",
  "base64",
);
