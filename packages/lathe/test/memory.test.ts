// A whole run, the command and all its processes, within 512 MB enforced by the kernel.

import { execFileSync, spawn } from "node:child_process";
import { existsSync, mkdirSync, mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { type RecordedRequest, type Turn, turn } from "@lathe/testkit";
import { describe, expect, it } from "vitest";
import { makeCommandGroup } from "../../agent/src/world/process/control-groups.ts";
import { has } from "../../agent/test/programs.ts";
import { CLI, collect } from "./command.ts";
import { stage } from "./contract-kit.ts";

/** Together they want more than there is. */
const CHILDREN = process.env["LATHE_LONG"] === undefined ? 6 : 16;
const group = makeCommandGroup({ memoryMb: 512 }, `lathe-test-${process.pid}`);
/** Takes 90 MB, really, for as long as others may need to start. */
const HUNGRY = `python3 -c 'import time; b = bytearray(b"x") * (90 << 20); time.sleep(0.7); print("ate", len(b) >> 20)'`;

/** The parent starts them all and waits; each child eats once and says so. */
function script(request: RecordedRequest): Turn {
  const text = JSON.stringify((request.body as { messages: unknown }).messages);
  if (!text.includes("EAT NOW")) {
    const spawns = Array.from({ length: CHILDREN }, (_, n) => ({
      name: "spawn_agent",
      args: { task: `EAT NOW ${n}`, max_turns: 3 },
    }));
    return turn.calls(spawns);
  }
  if (text.includes("go parent")) {
    const ids = [...new Set(text.match(/(?<=agent_id\\+":\\+")[\w-]+/g))];
    return text.includes('"name":"wait"')
      ? turn.text(`${ids.length} children, ${(text.match(/CHILD FULL/g) ?? []).length} full`)
      : turn.calls(ids.map((agent_id) => ({ name: "wait", args: { agent_id } })));
  }
  const [, seen] = /ate (\d+)/.exec(text) ?? [];
  if (seen !== undefined) return turn.text(`CHILD FULL ${seen}`);
  return text.includes("tool_result")
    ? turn.text(`CHILD DIED`)
    : turn.calls([{ name: "shell", args: { command: HUNGRY } }]);
}

const FULL = { code: 0, stdout: `${CHILDREN} children, ${CHILDREN} full\n`, stderr: "" };
const ARGS = ["--permission-mode", "full", "go parent"];

describe.skipIf(group === undefined)("G under 512 MB (needs a memory control group that can be written)", () => {
  it(`${CHILDREN} children that want 90 MB each wait for their turn, and none dies of memory`, async () => {
    const scene = await stage(script);
    try {
      const run = scene.start(ARGS);
      for (const door of group!.doors) writeFileSync(door, String(run.pid));
      run.stdin.end();
      expect(await collect(run)).toEqual(FULL);
      expect(group!.memoryKills()).toBe(0);
    } finally {
      await scene.close();
      group!.remove();
    }
  });
});

/** The system's own programs, shown in a container that has none. */
const SYSTEM = ["/usr", "/etc", ...["/bin", "/lib", "/lib64"].filter((path) => existsSync(path))];

describe.skipIf(!has("podman", "runc", "python3"))("G in a container of 512 MB (needs podman, runc, python3)", () => {
  it(`${CHILDREN} children that want 90 MB each all finish, and the kernel ends none of them`, async () => {
    const folder = mkdtempSync(join(tmpdir(), "lathe-podman-"));
    const scene = await stage(script);
    const settings = join(folder, "containers.conf");
    writeFileSync(
      settings,
      '[containers]\ndefault_ulimits = ["nofile=1024:1024", "nproc=1024:1024"]\n[engine]\nruntime = "runc"\n',
    );
    const storage = ["--root", join(folder, "root"), "--runroot", join(folder, "run"), "--storage-driver", "vfs"];
    const env = { ...process.env, CONTAINERS_CONF: settings };
    try {
      const image = join(folder, "image");
      for (const name of ["usr", "etc", "bin", "lib", "lib64", "tmp", "proc", "sys", "dev"])
        mkdirSync(join(image, name), { recursive: true });
      const archive = execFileSync("tar", ["-C", image, "-c", "."]);
      execFileSync("podman", [...storage, "import", "-", "localhost/lathe-memory:1"], { env, input: archive });
      const shown = [...SYSTEM, process.execPath, join(CLI, "../../../..")].map((path) => ["-v", `${path}:${path}:ro`]);
      const own = join(scene.box.dir, "..");
      const variables = Object.entries({ ...scene.box.env, ...scene.env }).map(
        ([name, value]) => `--env=${name}=${value}`,
      );
      const limits = ["--memory=512m", "--memory-swap=512m", "--network=host", "--workdir", scene.box.dir];
      const run = spawn(
        "podman",
        [
          ...[...storage, "run", "--rm", ...limits, ...shown.flat(), "-v", `${own}:${own}`, ...variables],
          ...["localhost/lathe-memory:1", process.execPath, CLI, ...scene.args, ...ARGS],
        ],
        { env },
      );
      run.stdin.end();
      const { code, stdout } = await collect(run);
      expect({ code, stdout }).toEqual({ code: FULL.code, stdout: FULL.stdout });
    } finally {
      await scene.close();
      rmSync(folder, { recursive: true, force: true, maxRetries: 20 });
    }
  });
});
