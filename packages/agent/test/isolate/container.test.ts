// A view in a real container: podman with runc, and an image made of busybox alone.

import { execFileSync } from "node:child_process";
import { copyFileSync, mkdirSync, mkdtempSync, readFileSync, rmSync, symlinkSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { land } from "../../src/isolate/land.ts";
import { has, program } from "../programs.ts";
import { makeProject, type Project, pictureOf } from "./project.ts";

describe.skipIf(!has("podman", "runc", "busybox"))("a view in a container (needs podman, runc, busybox)", () => {
  const folder = mkdtempSync(join(tmpdir(), "lathe-podman-"));
  const baseEnv = { ...process.env, CONTAINERS_CONF: join(folder, "containers.conf") };
  const cliArgs = ["--root", join(folder, "root"), "--runroot", join(folder, "run"), "--storage-driver", "vfs"];
  const podman = (args: string[], input?: Buffer): string =>
    execFileSync("podman", [...cliArgs, ...args], { env: baseEnv, input, stdio: ["pipe", "pipe", "pipe"] }).toString();
  let project: Project;

  beforeAll(() => {
    const limits =
      '[containers]\ndefault_ulimits = ["nofile=1024:1024", "nproc=1024:1024"]\n[engine]\nruntime = "runc"\n';
    writeFileSync(join(folder, "containers.conf"), limits);
    const image = join(folder, "image");
    for (const name of ["bin", "tmp", "proc", "sys", "dev", "etc", "root"])
      mkdirSync(join(image, name), { recursive: true });
    copyFileSync(program("busybox")!, join(image, "bin/busybox"));
    for (const name of execFileSync("busybox", ["--list"]).toString().trim().split("\n")) {
      if (name !== "busybox") symlinkSync("busybox", join(image, "bin", name));
    }
    podman(
      ["import", "-", "localhost/lathe-view:1"],
      execFileSync("tar", ["-C", image, "-c", "."], { maxBuffer: 64 << 20 }),
    );
    project = makeProject({ "a.txt": "1\n" });
  }, 120_000);
  afterAll(async () => {
    await project?.dispose();
    rmSync(folder, { recursive: true, force: true, maxRetries: 20 });
  });

  it("SA-07 works at the project's path, keeps changes apart, lands them, and no container is left", async () => {
    project.write("new.txt", "untracked\n");
    const before = pictureOf(project.root);
    const host = { baseEnv };
    const container = { image: "localhost/lathe-view:1", cliArgs, runArgs: ["--network=none"] };
    const view = await project.open("container", { host, container });
    expect(await view.env.readFile(join(project.root, "new.txt"))).toBe("untracked\n");
    const { output } = await view.env.execCommand(`echo 2 > ${project.root}/a.txt; pwd`, 30_000);
    expect(output).toBe(`${project.root}\n`);
    expect(pictureOf(project.root)).toEqual(before);
    const request = { root: project.root, store: project.store, host, signal: new AbortController().signal };
    expect((await land({ ...request, id: "x", deltas: [await view.delta()], mode: "patch" })).kind).toBe("landed");
    expect(readFileSync(join(project.root, "a.txt"), "utf8")).toBe("2\n");
    await view.close();
    expect(podman(["ps", "-aq"])).toBe("");
  }, 60_000);
});
