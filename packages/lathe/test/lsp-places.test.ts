// The suite of the language servers in every place where a session can work, with one real server in each.

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
import { checkLanguage } from "./lsp-harness.ts";
import { PROJECTS, REPOSITORY } from "./lsp-projects.ts";

const { clangd, gopls, bashls } = PROJECTS;

describe.skipIf(!has("sshd", "ssh", "ssh-keygen"))("over ssh (needs sshd)", () => {
  it("LP-02 LP-03 LP-04 clangd on another machine", async () => {
    const sshd = await startSshd();
    const there = realpathSync(mkdtempSync(join(tmpdir(), "lathe-lsp-ssh-")));
    const env = new SshEnvironment(sshd.options(there));
    try {
      await checkLanguage(clangd!, env);
    } finally {
      await env.cleanup();
      sshd.stop();
      rmSync(there, { recursive: true, force: true });
    }
  }, 240_000);
});

describe.skipIf(!CAN_CONTAIN)("in a container (needs podman, runc, busybox)", () => {
  it("LP-02 LP-03 LP-04 bash-language-server in a container, with the host's programs", async () => {
    const podman = makePodman();
    const { baseEnv, container } = podman;
    const shown = ["/usr", "/lib", "/lib64", REPOSITORY].flatMap((path) => ["-v", `${path}:${path}:ro`]);
    const loop = ["/bin/sh", "-c", "while :; do sleep 60; done"];
    const id = podman.run(["run", "-d", "--network=none", ...shown, container.image, ...loop]).trim();
    try {
      podman.run(["exec", id, "mkdir", "/project"]);
      const { cliArgs = [] } = container;
      const env = new ContainerEnvironment({ cwd: "/project", baseEnv, container: id, cli: "podman", cliArgs });
      await checkLanguage(bashls!, env);
      await env.cleanup();
    } finally {
      podman.run(["rm", "-f", "-t", "0", id]);
      podman.remove();
    }
  }, 240_000);
});

describe.skipIf(!CAN_CONFINE)(`in the sandbox ${NEEDS_CELL}`, () => {
  it("LP-02 LP-03 LP-04 clangd confined like the commands", async () => {
    const cell = makeCell();
    try {
      await checkLanguage(clangd!, cell.env);
    } finally {
      await cell.dispose();
    }
  }, 240_000);
});

describe.skipIf(!CAN_ISOLATE)(`in an isolated copy ${NEEDS_VIEW}`, () => {
  it("LP-02 LP-03 LP-04 gopls in the copy, which the project does not see", async () => {
    const project = makeProject(gopls!.files);
    try {
      const view = await project.open("overlay");
      await checkLanguage(gopls!, view.env);
      expect(project.read("a.go")).toBe(gopls!.files["a.go"]);
    } finally {
      await project.dispose();
    }
  }, 240_000);
});
