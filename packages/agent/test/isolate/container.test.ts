// A view in a real container.

import { readFileSync } from "node:fs";
import { join } from "node:path";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { land } from "../../src/files/isolate/land.ts";
import { readView } from "../../src/files/isolate/open-view.ts";
import { landingCheck } from "../../src/verify/landing-check.ts";
import { CAN_CONTAIN, makePodman, type Podman } from "./container-image.ts";
import { COMMANDS } from "./escapes.ts";
import { makeProject, type Project, pictureOf } from "./project.ts";

describe.skipIf(!CAN_CONTAIN)("a view in a container (needs podman, runc, busybox)", () => {
  let podman: Podman;
  let project: Project;

  beforeAll(() => {
    podman = makePodman();
    project = makeProject({ "a.txt": "1\n", "d/b.txt": "2\n", "twin-a.txt": "t\n" });
  });
  afterAll(async () => {
    await project?.dispose();
    podman?.remove();
  });

  it("SA-07 works at the project's path, keeps changes apart, lands them, and no container is left", async () => {
    const { baseEnv, container } = podman;
    project.write("new.txt", "untracked\n");
    const before = pictureOf(project.root);
    const host = { baseEnv };
    const agent = { id: "One", patches: project.store };
    const view = await project.open("container", { host, container, id: "one", isKept: true, agent });
    expect(await view.env.readFile(join(project.root, "new.txt"))).toBe("untracked\n");
    const { output } = await view.env.execCommand(`echo 2 > ${project.root}/a.txt; pwd`, 30_000);
    expect(output).toBe(`${project.root}\n`);
    expect(pictureOf(project.root)).toEqual(before);
    const request = { root: project.root, store: project.store, host, signal: new AbortController().signal };
    // The check runs in the container: what an agent wrote there must not run on the host.
    const command = "test -e /bin/busybox && ! test -e /usr/bin/git && grep -q 2 a.txt";
    const verify = landingCheck({
      place: { ...request, container, id: "check", kinds: [view.kind] },
      checks: [{ command, timeoutMs: 60_000, source: "verify" }],
      signal: request.signal,
    });
    const where = { verify, mode: "patch" as const };
    expect(await land({ ...request, ...where, id: "x", deltas: [await view.delta()] })).toMatchObject({
      kind: "landed",
    });
    expect(readFileSync(join(project.root, "a.txt"), "utf8")).toBe("2\n");
    // The changes are on the disk and can be read without the container.
    await view.env.execCommand("echo late > late.txt", 30_000);
    await view.leave();
    expect(podman.run(["ps", "-aq"])).toBe("");
    const left = await readView({ ...request, id: "one" });
    const names = (await left.delta()).parts.flatMap(({ changes }) => changes.map(({ path }) => path));
    expect(names).toEqual(["a.txt", "late.txt"]);
    await left.close();
  });

  it(`SA-07 G-77 nothing gets out of a container: ${Object.keys(COMMANDS).length} commands`, async () => {
    const { baseEnv, container } = podman;
    const view = await project.open("container", { host: { baseEnv }, container });
    const before = pictureOf(project.root);
    const outside = join(project.folder, "outside");
    const env = { P: project.root, O: outside, S: project.store };
    // Each in its own shell, all in one call, because starting a process in a container takes long.
    const all = Object.values(COMMANDS).map((command) => `( ${command}\n) </dev/null >/dev/null 2>&1`);
    await view.env.execCommand(`mkdir -p $O\n${all.join("\n")}`, 60_000, { env });
    expect(pictureOf(project.root)).toEqual(before);
    await view.env.writeFile(join(project.root, ".git/HEAD"), "evil");
    await view.env.writeFile("../project/a.txt", "evil").catch(() => {});
    await view.close();
    expect(pictureOf(project.root)).toEqual(before);
  });
});
