// `lathe sessions move`, killed at every change it makes: the session is in one place, and moving it again completes
// the move.

import { once } from "node:events";
import { mkdirSync, readdirSync, readFileSync, writeFileSync } from "node:fs";
import { basename, join } from "node:path";
import { fileURLToPath } from "node:url";
import { turn } from "@lathe/testkit";
import { expect, it } from "vitest";
import { stage } from "./contract-kit.ts";

const preload = {
  NODE_OPTIONS: `--require ${fileURLToPath(new URL("./die-at-change.cjs", import.meta.url))}`,
  // The first line of the copy: nothing has changed before it.
  DIE_AFTER: '{"type":"session"',
};

it("SP-03 G-28 SIGKILL at any change: one session, found by its id, with all its lines, output and agents; asking again leaves nothing behind", {
  timeout: 300_000,
}, async () => {
  const scene = await stage(() => turn.text("hello there"));
  const { box } = scene;
  const sessions = join(box.env["LATHE_HOME"] ?? "", "sessions");
  const locks = join(box.env["LATHE_HOME"] ?? "", "locks");
  const files = (): string[] => readdirSync(sessions, { recursive: true }).map(String).sort();
  const journals = (): string[] => files().filter((name) => /^[^/]+\/[^/]+\.jsonl$/.test(name));
  const folders = ["one", "two"].map((name) => join(box.home, name));
  for (const folder of folders) mkdirSync(folder);
  try {
    await scene.run(["begin"]);
    const [path = ""] = journals();
    const id = basename(path, ".jsonl").split("_")[1] ?? "";
    const beside = join(sessions, path.replace(/\.jsonl$/, ""));
    mkdirSync(beside, { recursive: true });
    writeFileSync(join(beside, "0.shell.log"), "the output");
    writeFileSync(join(beside, "abc.jsonl"), "an agent\n");
    let killed = 0;
    const step = process.env["LATHE_LONG"] ? 1 : 5;
    for (let at = 1; ; at += step) {
      const to = folders[(killed + 1) % 2] ?? "";
      const child = box.start(["sessions", "move", id, to], { ...preload, DIE_AT: String(at) });
      child.stdin.end();
      child.stdout.resume();
      child.stderr.resume();
      await once(child, "close");
      if (child.signalCode !== "SIGKILL") break;
      expect(journals(), `killed at ${at}`).toHaveLength(1);
      expect((await box.run(["sessions", "show", id])).stdout, `killed at ${at}`).toContain("hello there");
      const again = await box.run(["sessions", "move", id, to]);
      expect([0, 2], `${at}: ${again.stderr}`).toContain(again.code);
      if (again.code === 2) expect(again.stderr).toContain("already");
      const [now = ""] = journals();
      const folder = now.replace(/\.jsonl$/, "");
      const isFolder = (name: string): boolean => !name.includes("/");
      expect(
        files().filter((name) => !isFolder(name)),
        `moved after ${at}`,
      ).toEqual([folder, now, `${folder}/0.shell.log`, `${folder}/abc.jsonl`]);
      expect(readdirSync(locks), `moved after ${at}`).toEqual([]);
      expect(readFileSync(join(sessions, now), "utf8").split(`is now ${to}.`)).toHaveLength(2 + Math.floor(killed / 2));
      expect((await box.run(["sessions", "list"], { cwd: to })).stdout).toContain(id.slice(0, 8));
      killed++;
    }
    expect(killed).toBeGreaterThan(8 / step);
  } finally {
    await scene.close();
  }
});
