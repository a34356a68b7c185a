// A host that is killed in the middle: the project is as before or as after, and nothing of the view is left.

import { spawn } from "node:child_process";
import { existsSync, mkdirSync, readdirSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { beforeAll, expect, it } from "vitest";
import { recoverStore } from "../../src/files/isolate/recover.ts";
import { program } from "../programs.ts";
import { bundleOf } from "../support/bundle.ts";
import { CAN_ISOLATE, makeProject, NEEDS, pictureOf } from "./project.ts";

let hostProgram: string;
beforeAll(async () => {
  hostProgram = await bundleOf("./landing-host.ts", import.meta.url);
});
const FILES_ONLY = (path: string): boolean => path === ".git";

/** Kills the host when this many files have been written to the project. */
async function killAt(root: string, store: string, written: number): Promise<void> {
  const host = spawn(process.execPath, [hostProgram, root, store], {
    stdio: ["ignore", "pipe", "inherit"],
  });
  const exited = new Promise((resolve) => host.once("exit", resolve));
  let said = "";
  host.stdout.on("data", (chunk) => {
    said += chunk;
  });
  const isFar = (): boolean => {
    if (said.includes("landed")) return true;
    if (!said.includes("landing")) return false;
    if (written < 0) return existsSync(join(store, "landing-child"));
    const files = Array.from({ length: 150 }, (_, number) => join(root, `f${number}.txt`));
    return files.filter((file) => readFileSync(file, "utf8") === "new\n").length >= written;
  };
  while (!isFar()) await new Promise((resolve) => setTimeout(resolve, 1));
  host.kill("SIGKILL");
  await exited;
}

it.skipIf(!CAN_ISOLATE)(
  `SA-07 a host killed while it lands leaves nothing half, and nothing of the view ${NEEDS}`,
  async () => {
    const outcomes: string[] = [];
    for (const written of process.env["LATHE_LONG"]
      ? Array.from({ length: 40 }, (_, round) => round * 4 - 1)
      : [-1, 60]) {
      const files = Object.fromEntries(Array.from({ length: 150 }, (_, number) => [`f${number}.txt`, `${number}\n`]));
      const project = makeProject({ ...files, "old1.txt": "old\n", "old2.txt": "old\n" });
      try {
        const [before, git] = [pictureOf(project.root, FILES_ONLY), pictureOf(join(project.root, ".git"))];
        await killAt(project.root, project.store, written);
        const { inDoubt } = await recoverStore(project.store, { baseEnv: process.env });
        expect(inDoubt).toEqual([]);
        const after = pictureOf(project.root, FILES_ONLY);
        const isLanded = after.has("link");
        outcomes.push(isLanded ? "landed" : "undone");
        if (!isLanded) expect(after).toEqual(before);
        else expect([...after.keys()].filter((name) => /^old|lathe/.test(name))).toEqual([]);
        expect(pictureOf(join(project.root, ".git"))).toEqual(git);
        expect(readdirSync(project.store)).toEqual([]);
        expect(readFileSync("/proc/self/mountinfo", "utf8")).not.toContain(project.folder);
        const alive = readdirSync("/proc").filter(
          (pid) => /^\d+$/.test(pid) && commandOf(pid).includes(project.folder),
        );
        expect(alive).toEqual([]);
      } finally {
        await project.dispose();
      }
    }
    expect(outcomes).toContain("undone");
  },
  process.env["LATHE_LONG"] ? 1_200_000 : 60_000,
);

it.skipIf(!CAN_ISOLATE)(
  `a holder of a view that its killed host left behind is ended with the view ${NEEDS}`,
  async () => {
    const project = makeProject();
    try {
      // As it is if the host dies while bubblewrap starts: the folder has no owner, and a process that names it waits.
      const folder = join(project.store, "left");
      mkdirSync(join(folder, "layers"), { recursive: true });
      const holder = ["--bind", "/", "/", "--tmpfs", join(folder, "layers"), "sleep", "600"];
      const [left, other] = [spawn(program("bwrap")!, holder), spawn("sleep", ["600"])];
      const ended = new Promise((resolve) => left.once("exit", (_code, signal) => resolve(signal)));
      await new Promise((resolve) => left.once("spawn", resolve));
      await recoverStore(project.store, { baseEnv: process.env });
      expect(await ended).toBe("SIGKILL");
      expect(readdirSync(project.store)).toEqual([]);
      expect(other.exitCode ?? other.signalCode).toBeNull();
      other.kill();
    } finally {
      await project.dispose();
    }
  },
);

function commandOf(pid: string): string {
  try {
    return readFileSync(`/proc/${pid}/cmdline`, "utf8");
  } catch {
    return ""; // ended in the meantime
  }
}
