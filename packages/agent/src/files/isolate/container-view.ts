// A view in a container: a copy of the project, mounted at the project's path in a container of an image that the
// caller chose.

import { ContainerEnvironment } from "../../world/env/container.ts";
import type { Processes } from "../../world/process/processes.ts";
import type { ProgramArgv } from "../../world/process/types.ts";
import { type Copy, copyFiles, copySource, makeReflink, makeWorktree } from "./copies.ts";
import { KindUnavailable, type OpenedKind, type Opening } from "./kinds.ts";
import { writeOwner } from "./view-folder.ts";

const START_PATIENCE_MS = 120_000;
const KEEPER = "trap 'exit 0' TERM; while :; do sleep 3600 & wait $!; done";

export async function openContainer(opening: Opening): Promise<OpenedKind> {
  const { request, folder, processes } = opening;
  const { root, container, host, id } = request;
  if (!container) throw new KindUnavailable("container needs an image");
  const { image, cli = "podman", cliArgs = [], runArgs = [] } = container;
  const copy = await sharedOrCloned(opening);
  const files = copyFiles(folder, copy);
  const name = `lathe-${id}-${process.pid}`;
  const program = [cli, ...cliArgs] as const;
  // Written before it runs, because a process that finds our folder must know what to end.
  writeOwner(folder, { container: { name, cli: program } });
  const volumes = copy.shown.flatMap(({ from, at, isFixed }) => ["-v", `${from}:${at}${isFixed ? ":ro" : ""}`]);
  const argv: ProgramArgv = [
    ...program,
    "run",
    "-d",
    "--rm",
    "--name",
    name,
    ...volumes,
    "-w",
    root,
    ...runArgs,
    image,
    "/bin/sh",
    "-c",
    KEEPER,
  ];
  const started = await runCli(processes, argv, host.baseEnv);
  if (started.exitCode !== 0) throw new KindUnavailable(`${cli}: ${started.stderr.trim().split("\n").at(-1)}`);
  const env = new ContainerEnvironment({
    cwd: root,
    baseEnv: host.baseEnv,
    clock: host.clock,
    container: name,
    cli,
    cliArgs,
  });
  await env.initialize();
  return {
    env,
    files,
    leftAs: copy.hasIgnored ? "reflink" : "worktree",
    source: async (part) => copySource(copy, part, root),
    close: () => removeContainer(processes, { name, cli: program }, host.baseEnv),
  };
}

async function sharedOrCloned(opening: Opening): Promise<Copy> {
  try {
    return await makeReflink(opening);
  } catch (error) {
    if (error instanceof KindUnavailable) return makeWorktree(opening);
    throw error;
  }
}

export async function removeContainer(
  processes: Processes,
  { name, cli }: { readonly name: string; readonly cli: readonly string[] },
  env: Readonly<Record<string, string | undefined>>,
): Promise<void> {
  await runCli(processes, [...cli, "rm", "-f", "-t", "0", "-i", name] as unknown as ProgramArgv, env);
}

function runCli(processes: Processes, argv: ProgramArgv, env: Readonly<Record<string, string | undefined>>) {
  const known = Object.entries(env).filter((pair): pair is [string, string] => pair[1] !== undefined);
  return processes.run({
    argv,
    cwd: "/",
    env: Object.fromEntries(known),
    timeoutMs: START_PATIENCE_MS,
    internal: true,
  });
}
