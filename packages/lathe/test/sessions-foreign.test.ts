// Sessions of another owner, as `sudo lathe` leaves them, seen by a plain user; only root can run this.

import { execFileSync } from "node:child_process";
import { chmodSync, chownSync, readdirSync } from "node:fs";
import { dirname, join } from "node:path";
import { afterEach, beforeAll, beforeEach, describe, expect, it } from "vitest";
import { type Box, makeBox } from "./sessions-box.ts";
import { saySomething } from "./sessions-fixture.ts";

const NOBODY = 65_534;

let box: Box;
beforeEach(() => {
  box = makeBox();
});

// What a verb loads when it runs, another user may not be able to read.
beforeAll(async () => {
  const other = makeBox();
  await saySomething(other.maker, "a heron", "ok");
  for (const args of [
    ["list", "--all"],
    ["search", "heron"],
  ])
    await other.run("sessions", ...args, "--json");
  other.remove();
});
afterEach(() => box.remove());

async function asNobody<T>(work: () => Promise<T>): Promise<T> {
  process.setegid!(NOBODY);
  process.seteuid!(NOBODY);
  try {
    return await work();
  } finally {
    process.seteuid!(0);
    process.setegid!(0);
  }
}

describe.skipIf(process.getuid?.() !== 0)("sessions of another owner (needs root)", () => {
  it("do not keep the own ones from being listed and found, and show once they are given back", async () => {
    const own = await saySomething(box.maker, "my heron", "ok");
    const file = await saySomething(box.maker, "root's heron", "ok");
    const folder = await saySomething(box.maker, "heron elsewhere", "ok", { cwd: "/somewhere/else" });
    execFileSync("chown", ["-R", `${NOBODY}:${NOBODY}`, dirname(box.home)]);
    chmodSync(dirname(box.home), 0o755);
    chownSync(file.path, 0, 0);
    chownSync(dirname(folder.path), 0, 0);
    const ids = async (...args: string[]): Promise<string[]> => {
      const { stdout, stderr, code } = await asNobody(() => box.run("sessions", ...args, "--json"));
      expect({ args, stderr, code }).toEqual({ args, stderr: "", code: 0 });
      return (JSON.parse(stdout) as { id: string }[]).map(({ id }) => id);
    };
    for (const args of [["list"], ["list", "--all"], ["search", "heron"], ["search", "heron"]])
      expect(await ids(...args)).toEqual([own.id]);
    chownSync(file.path, NOBODY, NOBODY);
    chownSync(dirname(folder.path), NOBODY, NOBODY);
    const all = [own.id, file.id, folder.id].sort();
    for (const args of [
      ["list", "--all"],
      ["search", "heron"],
    ])
      expect((await ids(...args)).sort()).toEqual(all);
  });

  it("keep their blobs: nothing is collected while a folder cannot be read", async () => {
    const { path } = await saySomething(box.maker, "long ".repeat(20_000), "ok", { cwd: "/somewhere/else" });
    execFileSync("chown", ["-R", `${NOBODY}:${NOBODY}`, dirname(box.home)]);
    execFileSync("find", [join(box.home, "blobs"), "-type", "f", "-exec", "touch", "-d", "2001-01-01", "{}", "+"]);
    chmodSync(dirname(box.home), 0o755);
    chownSync(dirname(path), 0, 0);
    await expect(asNobody(() => box.run("sessions", "doctor", "--gc"))).rejects.toThrow(/EACCES/);
    expect(readdirSync(join(box.home, "blobs"))).toHaveLength(1);
  });
});
