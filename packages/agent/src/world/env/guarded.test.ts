// Between the check and the write: whatever an attacker puts in the way, no file changes where it was not permitted.

import { spawn } from "node:child_process";
import { once } from "node:events";
import {
  existsSync,
  mkdirSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  realpathSync,
  renameSync,
  rmSync,
  symlinkSync,
  unlinkSync,
  writeFileSync,
} from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterEach, beforeEach, describe, expect, it } from "vitest";
import { GuardedEnvironment } from "./guarded.ts";
import { LocalEnvironment } from "./local.ts";
import type { ExecutionEnvironment } from "./types.ts";

let root: string;
let env: LocalEnvironment;
beforeEach(() => {
  root = realpathSync(mkdtempSync(join(tmpdir(), "lathe-guard-")));
  for (const name of ["in/dir", "out/deep"]) mkdirSync(join(root, name), { recursive: true });
  writeFileSync(join(root, "in/dir/f"), "mine");
  writeFileSync(join(root, "out/f"), "theirs");
  writeFileSync(join(root, "out/deep/g"), "theirs");
  env = new LocalEnvironment({ cwd: join(root, "in"), baseEnv: process.env });
});
afterEach(() => rmSync(root, { recursive: true, force: true }));

const outside = () => readdirSync(join(root, "out"), { recursive: true }).sort();

/** Permits what is inside, and lets the attacker act just before the operation. */
function attacked(attack: () => void): ExecutionEnvironment {
  let isDone = false;
  return new GuardedEnvironment(env, {
    mayWrite: (real) => {
      const verdict = real.startsWith(`${root}/in/`);
      if (verdict && !isDone) {
        isDone = true;
        attack();
      }
      return verdict;
    },
  });
}

const swapDirectory = () => {
  renameSync(join(root, "in/dir"), join(root, "in/before"));
  symlinkSync("../out", join(root, "in/dir"));
};
const swapParent = () => {
  renameSync(join(root, "in"), join(root, "before"));
  mkdirSync(join(root, "in"));
  symlinkSync("../out", join(root, "in/dir"));
};
const swapFile = () => {
  unlinkSync(join(root, "in/dir/f"));
  symlinkSync("../../out/f", join(root, "in/dir/f"));
};

describe("EE-02 SB-02 D3 a link that comes after the judgement", () => {
  const operations: Record<string, (guarded: ExecutionEnvironment) => Promise<void>> = {
    "a write over a file": (guarded) => guarded.writeFile("dir/f", "escaped"),
    "a new file": (guarded) => guarded.writeFile("dir/new", "escaped"),
    "a new file in new directories": (guarded) => guarded.writeFile("dir/a/b/new", "escaped"),
    "a delete": (guarded) => guarded.deleteFile("dir/f"),
    "a move away": (guarded) => guarded.moveFile("dir/f", "g"),
    "a move there": (guarded) => guarded.moveFile("dir/f", "dir/deep/g"),
  };
  const before = ["deep", "deep/g", "f"];

  it.each(Object.keys(operations))("in the place of a directory does not let %s out", async (name) => {
    for (const attack of [swapDirectory, swapParent]) {
      await expect(operations[name]!(attacked(attack))).rejects.toMatchObject({ name: "EnvError" });
      expect(outside()).toEqual(before);
      expect(readFileSync(join(root, "out/f"), "utf8")).toBe("theirs");
      rmSync(join(root, "in/dir"));
      if (attack === swapDirectory) renameSync(join(root, "in/before"), join(root, "in/dir"));
    }
  });

  it("in the place of the file is neither followed nor replaced by a write, and a delete takes the link alone", async () => {
    await expect(attacked(swapFile).writeFile("dir/f", "escaped")).rejects.toMatchObject({ code: "changed" });
    await attacked(() => {}).deleteFile("dir/f");
    expect(readFileSync(join(root, "out/f"), "utf8")).toBe("theirs");
    expect(existsSync(join(root, "in/dir/f"))).toBe(false);
  });

  it("comes and goes as fast as another process can: of many writes none lands outside", async () => {
    const script = `
      const fs = require("node:fs");
      process.stdin.once("end", () => process.exit());
      process.stdin.resume();
      let n = 0;
      const flip = () => {
        if (n++ % 2 === 0) {
          fs.renameSync("dir", "aside" + n);
          // A write may make the directory anew before the link is there.
          try { fs.symlinkSync("../out", "dir"); } catch { n++; }
        } else {
          fs.unlinkSync("dir");
          try { fs.renameSync("aside" + (n - 1), "dir"); } catch {}
        }
        setImmediate(flip);
      };
      console.log("ready");
      flip();`;
    const attacker = spawn(process.execPath, ["-e", script], {
      cwd: join(root, "in"),
      stdio: ["pipe", "pipe", "inherit"],
    });
    await once(attacker.stdout, "data");
    const guarded = new GuardedEnvironment(env, { mayWrite: (real) => real.startsWith(`${root}/in/`) });
    const codes = new Map<string, number>();
    // Until each side has won at least once.
    for (let n = 0; n < 600 || !codes.has("written") || codes.size === 1; n++) {
      const end = await guarded.writeFile(`dir/n${n % 7}/f`, String(n)).then(
        () => "written",
        (error: { code: string }) => error.code,
      );
      codes.set(end, (codes.get(end) ?? 0) + 1);
    }
    attacker.stdin.end();
    await once(attacker, "exit");
    expect(outside()).toEqual(["deep", "deep/g", "f"]);
  });
});

describe("a refusal", () => {
  const refusal = (path: string, verdict: false | string) =>
    new GuardedEnvironment(env, { mayWrite: () => verdict })
      .writeFile(path, "x")
      .catch((error: Error) => error.message);

  it("says where a link leads, and what the guard has to say", async () => {
    symlinkSync("../out/f", join(root, "in/link"));
    expect(await refusal("link", false)).toBe(
      `Not permitted to write there: link leads to ${root}/out/f. Ask for permission, or write elsewhere.`,
    );
    const guarded = new GuardedEnvironment(env, { mayWrite: () => false });
    await expect(guarded.localPath(`${root}/out/f`, "write")).rejects.toMatchObject({ code: "not_permitted" });
    expect(await guarded.localPath(`${root}/out/f`, "read")).toBe(`${root}/out/f`);
    expect(await refusal("dir/f", "It is kept.")).toBe(`Not permitted to write there: ${root}/in/dir/f. It is kept.`);
  });
});
