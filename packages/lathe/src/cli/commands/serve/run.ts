// `lathe serve`: reads its options, starts the server, and ends it together with everything it started.

import { realpathSync, writeFileSync } from "node:fs";
import { resolve } from "node:path";
import type { Workspace } from "../../../config/workspace/workspace.ts";
import { serveChildren } from "../../../doors/serve/serve-children.ts";
import { signInLink } from "../../../doors/serve/sign-in-link.ts";
import { homePaths } from "../../../platform/home/paths.ts";
import { shownPath } from "../../../platform/home/shown-path.ts";
import { isDirectory } from "../../../platform/home/small-file.ts";
import type { Machine } from "../../../platform/machine/machine.ts";
import { duration } from "../../../platform/options/values.ts";
import { EXIT, usageError } from "../../../platform/usage/exit.ts";
import type { Command } from "../command.ts";
import { verbArgs } from "../verb-args.ts";
import { DEFAULT_PORT, printLink } from "./link.ts";
import { portOf, tlsFor, untilSignal } from "./server-options.ts";

const IDLE = "10m";
/**
 * The link needs a hash and a lock, which take as long to load as a request takes; programs that wait for the address
 * come first.
 */
const LINK_AFTER_MS = 50;

export const runServer: Command = async (argv, machine) => {
  const { values, positionals } = verbArgs(
    argv,
    {
      root: { type: "string", multiple: true },
      host: { type: "string" },
      port: { type: "string" },
      "tls-cert": { type: "string" },
      "tls-key": { type: "string" },
      idle: { type: "string" },
    },
    "serve",
  );
  if (positionals[0] !== undefined)
    throw usageError(`lathe serve takes folders with --root: lathe serve --root ${positionals[0]}`);
  const roots = (values.root ?? ["."]).map((path) => folderAt(machine, path));
  let workspace: Promise<Workspace> | undefined;
  const server = await serveChildren({
    machine,
    version: LATHE_VERSION,
    host: values.host ?? "127.0.0.1",
    port: values.port === undefined ? DEFAULT_PORT : portOf("--port", values.port),
    tls: tlsFor(machine, values["tls-cert"], values["tls-key"]),
    roots,
    idleMs: duration("idle", values.idle ?? IDLE),
    workspace: () => {
      workspace ??= openWorkspaceOf(machine);
      return workspace;
    },
  });
  const signal = untilSignal();
  const shown = roots.map((root) => shownPath(root, machine.userHome)).join(", ");
  machine.stdout.write(`Serving sessions of ${shown} at ${server.url}\n`);
  try {
    await new Promise<void>((resolve) => machine.deps.setTimer(resolve, LINK_AFTER_MS));
    await printLink(machine, await signInLink(server.url, server.tokens));
    writeFileSync(homePaths(machine.env, machine.userHome).serveAddress, `${server.url}\n`, { mode: 0o600 });
  } catch (error) {
    // For example a full disk. If the server kept listening, the process would stay alive after its last message.
    await server.end({ forgets: false });
    throw error;
  }
  // A user who presses Ctrl+C wants the work to end; a system that stops the service will start it again.
  await server.end({ forgets: (await signal) === "SIGINT" });
  machine.exit?.(EXIT.done);
  return EXIT.done;
};

/** Loaded when a session is requested, so that the server answers sooner. */
async function openWorkspaceOf(machine: Machine): Promise<Workspace> {
  const { Run } = await import("../../../hosts/run.ts");
  return new Run(machine).open({});
}

function folderAt(machine: Machine, path: string): string {
  const folder = resolve(machine.cwd, path);
  if (!isDirectory(folder)) throw usageError(`--root: ${path} is not a directory. Give an existing directory.`);
  return realpathSync.native(folder);
}
