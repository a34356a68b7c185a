// The environments where a session can work, each with its requirements: another machine, a container, the sandbox, an
// isolated copy.

import { mkdtempSync, realpathSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { ContainerEnvironment, type ExecutionEnvironment, SshEnvironment } from "@lathe/agent/world";
import { CAN_CONTAIN, makePodman } from "../../agent/test/isolate/container-image.ts";
import { CAN_ISOLATE, makeProject, NEEDS as NEEDS_VIEW } from "../../agent/test/isolate/project.ts";
import { has } from "../../agent/test/programs.ts";
import { CAN_CONFINE, makeCell, NEEDS as NEEDS_CELL } from "../../agent/test/sandbox/cell.ts";
import { startSshd } from "../../agent/test/sshd.ts";
import { REPOSITORY } from "./lsp-projects.ts";

export interface OpenPlace {
  readonly env: ExecutionEnvironment;
  /** Reads a file of the project that an isolated copy was made of. */
  readonly original?: (name: string) => string;
  close(): Promise<void>;
}

export interface Place {
  readonly name: string;
  readonly isThere: boolean;
  /** `files` are those of the project, if the environment is made from one. */
  open(files: Readonly<Record<string, string>>): Promise<OpenPlace>;
}

async function openMachine(): Promise<OpenPlace> {
  const sshd = await startSshd();
  const there = realpathSync(mkdtempSync(join(tmpdir(), "lathe-place-ssh-")));
  const env = new SshEnvironment(sshd.options(there));
  const close = async (): Promise<void> => {
    await env.cleanup();
    sshd.stop();
    rmSync(there, { recursive: true, force: true });
  };
  return { env, close };
}

/** The container has the host's programs. */
async function openContainer(): Promise<OpenPlace> {
  const podman = makePodman();
  const { baseEnv, container } = podman;
  const shown = ["/usr", "/lib", "/lib64", REPOSITORY].flatMap((path) => ["-v", `${path}:${path}:ro`]);
  const loop = ["/bin/sh", "-c", "while :; do sleep 60; done"];
  const id = podman.run(["run", "-d", "--network=none", ...shown, container.image, ...loop]).trim();
  podman.run(["exec", id, "mkdir", "/project"]);
  const { cliArgs = [] } = container;
  const env = new ContainerEnvironment({ cwd: "/project", baseEnv, container: id, cli: "podman", cliArgs });
  const close = async (): Promise<void> => {
    await env.cleanup();
    podman.run(["rm", "-f", "-t", "0", id]);
    podman.remove();
  };
  return { env, close };
}

async function openSandbox(): Promise<OpenPlace> {
  const { env, dispose } = makeCell();
  return { env, close: dispose };
}

async function openCopy(files: Readonly<Record<string, string>>): Promise<OpenPlace> {
  const project = makeProject(files);
  const { env } = await project.open("overlay");
  return { env, original: project.read, close: project.dispose };
}

export const PLACES = {
  machine: { name: "over ssh (needs sshd)", isThere: has("sshd", "ssh", "ssh-keygen"), open: openMachine },
  container: { name: "in a container (needs podman, runc, busybox)", isThere: CAN_CONTAIN, open: openContainer },
  sandbox: { name: `in the sandbox ${NEEDS_CELL}`, isThere: CAN_CONFINE, open: openSandbox },
  copy: { name: `in an isolated copy ${NEEDS_VIEW}`, isThere: CAN_ISOLATE, open: openCopy },
} satisfies Record<string, Place>;
