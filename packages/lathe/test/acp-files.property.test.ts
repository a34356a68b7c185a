// Editor, command and agent change one file in any order. After each edit of the agent, the file is what `git
// merge-file` makes of all changes, or the edit was refused and nothing has changed; no line written by a user or a
// command is ever lost.

import { spawnSync } from "node:child_process";
import { mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import fc from "fast-check";
import { afterAll, beforeAll, expect, it } from "vitest";
import { ShownFiles } from "../../agent/src/files/edit/shown-files.ts";
import { editFileTool } from "../../agent/src/tools/builtin/edit-file/index.ts";
import { readFileTool } from "../../agent/src/tools/builtin/read-file/index.ts";
import { MemoryEnvironment } from "../../agent/src/world/env/memory.ts";
import { EnvError } from "../../agent/src/world/env/types.ts";
import { contextFor, run } from "../../agent/test/edit/harness.ts";
import { AcpEnvironment } from "../src/doors/acp/acp-environment.ts";

const RUNS = process.env["LATHE_LONG"] === undefined ? 110 : 1000;
const NAME = "/memory/a.txt";
const START = Array.from({ length: 14 }, (_, i) => `l${i}\n`).join("");

let folder = "";
beforeAll(() => {
  folder = mkdtempSync(join(tmpdir(), "lathe-merge-"));
});
afterAll(() => rmSync(folder, { recursive: true }));

/** Undefined for a conflict. */
function mergeFile(ours: string, base: string, theirs: string): string | undefined {
  if (ours === base || ours === theirs) return theirs;
  if (theirs === base) return ours;
  const names = [ours, base, theirs].map((text, i) => {
    const name = join(folder, `${i}`);
    writeFileSync(name, text);
    return name;
  });
  const { status, stdout } = spawnSync("git", ["merge-file", "-p", ...names], { encoding: "utf8" });
  return status === 0 ? stdout : undefined;
}

/** Inserts a unique line before line `at`. */
function insert(text: string, at: number, line: string): string {
  const lines = text.split("\n");
  lines.splice(at % lines.length, 0, line);
  return lines.join("\n");
}

/** One file in a typical editor: it is reloaded if nothing was typed, and never saved over a newer version. */
class World {
  readonly disk = new MemoryEnvironment({ files: { [NAME]: START } });
  readonly env = new AcpEnvironment(this.disk, {
    isShared: () => true,
    editor: {
      read: async () => {
        this.snapshot = this.buffer;
        return this.buffer;
      },
      write: async (_path, text) => this.take(text),
    },
  });
  readonly context = contextFor(this.env, { shownFiles: new ShownFiles() });
  buffer = START;
  snapshot = START;
  /** What was on the disk when the editor last read or saved the file. */
  loaded = START;
  /** The common ancestor of both sides. */
  agreed = START;
  isSeen = false;
  /** Typed between the agent's last read and its write. */
  typesMeanwhile: (() => void) | undefined;
  written: { readonly over: string; readonly text: string } | undefined;

  text(): Promise<string> {
    return this.disk.readFile(NAME);
  }

  /** The change since the agent's last read is applied to the user's current text. */
  async take(text: string): Promise<void> {
    this.typesMeanwhile?.();
    this.written = { over: this.snapshot, text };
    const merged = mergeFile(this.buffer, this.snapshot, text);
    if (merged === undefined) throw new Error("the buffer has changed");
    this.buffer = merged;
    await this.save();
  }

  async save(): Promise<void> {
    if ((await this.text()) !== this.loaded) return;
    await this.disk.writeFile(NAME, this.buffer);
    this.loaded = this.buffer;
  }

  async reload(): Promise<void> {
    if (this.buffer !== this.loaded) return;
    this.buffer = await this.text();
    this.loaded = this.buffer;
  }

  /** Any difference on first sight was typed in the editor, since the session has seen no other text. */
  async firstLook(): Promise<void> {
    if (!this.isSeen) this.agreed = await this.text();
    this.isSeen = true;
  }

  async settle(): Promise<void> {
    if (this.buffer === (await this.text())) this.agreed = this.buffer;
  }
}

const steps = fc.array(
  fc.record({
    kind: fc.constantFrom("type", "type", "command", "command", "reload", "save", "read", "edit", "edit", "race"),
    at: fc.nat(40),
  }),
  { minLength: 3, maxLength: 9 },
);

it("MO-08 G-17 random interleavings of editor, command and agent: merged as git merges, or refused; no text of either side is lost", async () => {
  const outcomes = { made: 0, refused: 0, merged: 0 };
  await fc.assert(
    fc.asyncProperty(steps, async (list) => {
      const world = new World();
      const tokens: string[] = [];
      for (const [i, { kind, at }] of list.entries()) {
        const line = `${kind[0]}${i}`;
        const type = (): void => {
          tokens.push(line);
          world.buffer = insert(world.buffer, at, line);
        };
        if (kind === "type") type();
        if (kind === "command") {
          tokens.push(line);
          await world.disk.writeFile(NAME, insert(await world.text(), at, line));
        }
        if (kind === "reload") await world.reload();
        if (kind === "save") await world.save();
        if (kind === "read" || kind === "edit" || kind === "race") await world.firstLook();
        if (kind === "read") await attempt(() => run(readFileTool, { file_path: NAME } as never, world.context));
        if (kind === "edit" || kind === "race")
          await edit(world, { at, line: `a${i}`, meanwhile: kind === "race" ? type : undefined }, outcomes);
        await world.settle();
        const all = new Set([...world.buffer.split("\n"), ...(await world.text()).split("\n")]);
        expect(tokens.filter((token) => !all.has(token))).toEqual([]);
      }
    }),
    { numRuns: RUNS },
  );
  expect(outcomes.made).toBeGreaterThan(RUNS / 2);
  expect(outcomes.merged).toBeGreaterThan(RUNS / 20);
  expect(outcomes.refused).toBeGreaterThan(RUNS / 20);
}, 300_000);

/** The session turns a refusal of the environment into a tool result. */
async function attempt(
  work: () => ReturnType<typeof run>,
): Promise<Pick<Awaited<ReturnType<typeof run>>, "failed" | "text">> {
  try {
    return await work();
  } catch (error) {
    if (!(error instanceof EnvError)) throw error;
    return { failed: true, text: error.message };
  }
}

async function edit(
  world: World,
  { at, line, meanwhile }: { readonly at: number; readonly line: string; readonly meanwhile: (() => void) | undefined },
  outcomes: Record<"made" | "refused" | "merged", number>,
): Promise<void> {
  const [buffer, disk] = [world.buffer, await world.text()];
  const present = mergeFile(buffer, world.agreed, disk);
  const shown = world.context.services.shownFiles?.latest(NAME)?.text ?? present;
  const old = (shown ?? "").split("\n").filter((one) => /^l\d+$/.test(one))[at % 10] ?? "l0";
  world.written = undefined;
  world.typesMeanwhile = meanwhile;
  const args = { file_path: NAME, old_string: `${old}\n`, new_string: `${line}\n` };
  const { failed, text } = await attempt(() => run(editFileTool, args as never, world.context));
  world.typesMeanwhile = undefined;
  if (failed) {
    outcomes.refused++;
    if (world.written === undefined) expect([world.buffer, await world.text()], text).toEqual([buffer, disk]);
    return;
  }
  outcomes.made++;
  if (buffer !== disk || shown !== present) outcomes.merged++;
  const wanted =
    present === undefined || shown === undefined
      ? undefined
      : mergeFile(present, shown, shown.replace(`${old}\n`, `${line}\n`));
  expect((world.written as { readonly text: string } | undefined)?.text, text).toBe(wanted);
  world.agreed = disk;
}
