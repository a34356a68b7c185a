// Cells in every place where a session can work, with the interpreters that are there.

import { mkdtempSync, realpathSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { ContainerEnvironment, SshEnvironment } from "@lathe/agent/world";
import { describe, expect, it } from "vitest";
import { CAN_CONTAIN, makePodman } from "../../agent/test/isolate/container-image.ts";
import { CAN_ISOLATE, makeProject, NEEDS as NEEDS_VIEW } from "../../agent/test/isolate/project.ts";
import { has } from "../../agent/test/programs.ts";
import { CAN_CONFINE, makeCell, NEEDS as NEEDS_CELL } from "../../agent/test/sandbox/cell.ts";
import { startSshd } from "../../agent/test/sshd.ts";
import { CellHarness, checkCells } from "./eval-harness.ts";

describe.skipIf(!has("sshd", "ssh", "ssh-keygen"))("over ssh (needs sshd)", () => {
  it("T-EVAL-1 cells on another machine", async () => {
    const sshd = await startSshd();
    const there = realpathSync(mkdtempSync(join(tmpdir(), "lathe-cells-ssh-")));
    const env = new SshEnvironment(sshd.options(there));
    try {
      await checkCells(env);
    } finally {
      await env.cleanup();
      sshd.stop();
      rmSync(there, { recursive: true, force: true });
    }
  }, 240_000);
});

describe.skipIf(!CAN_CONTAIN)("in a container (needs podman, runc, busybox)", () => {
  it("T-EVAL-1 cells in a container, with the host's interpreters", async () => {
    const podman = makePodman();
    const { baseEnv, container } = podman;
    const shown = ["/usr", "/lib", "/lib64"].flatMap((path) => ["-v", `${path}:${path}:ro`]);
    const loop = ["/bin/sh", "-c", "while :; do sleep 60; done"];
    const id = podman.run(["run", "-d", "--network=none", ...shown, container.image, ...loop]).trim();
    try {
      podman.run(["exec", id, "mkdir", "/project"]);
      const { cliArgs = [] } = container;
      const env = new ContainerEnvironment({ cwd: "/project", baseEnv, container: id, cli: "podman", cliArgs });
      await checkCells(env);
      await env.cleanup();
    } finally {
      podman.run(["rm", "-f", "-t", "0", id]);
      podman.remove();
    }
  }, 240_000);
});

describe.skipIf(!CAN_CONFINE)(`in the sandbox ${NEEDS_CELL}`, () => {
  it("T-EVAL-1 cells are confined like the commands", async () => {
    const cell = makeCell();
    try {
      await checkCells(cell.env);
      const cells = new CellHarness(cell.env);
      const outside = await cells.run("py", "open('/etc/lathe-cells', 'w')");
      expect(outside).toMatchObject({ status: "failed", text: expect.stringMatching(/Read-only|denied/) });
      await cells.kernels.close();
    } finally {
      await cell.dispose();
    }
  }, 240_000);
});

describe.skipIf(!CAN_ISOLATE)(`in an isolated copy ${NEEDS_VIEW}`, () => {
  it("T-EVAL-1 cells in the copy, which the project does not see", async () => {
    const project = makeProject({ "seen.txt": "own\n" });
    try {
      const view = await project.open("overlay");
      await checkCells(view.env);
      expect(project.read("seen.txt")).toBe("own\n");
    } finally {
      await project.dispose();
    }
  }, 240_000);
});
