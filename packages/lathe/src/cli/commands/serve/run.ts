// `lathe serve`: reads what it is given, starts the server, and ends it with everything it has started.

import { readFileSync, realpathSync } from "node:fs";
import { resolve } from "node:path";
import { createSecureContext } from "node:tls";
import type { Tls } from "../../../doors/serve/http/listen.ts";
import { serveChildren } from "../../../doors/serve/serve-children.ts";
import { signInLink } from "../../../doors/serve/sign-in-link.ts";
import { Run } from "../../../hosts/run.ts";
import { shownPath } from "../../../platform/home/shown-path.ts";
import { isDirectory } from "../../../platform/home/small-file.ts";
import type { Machine } from "../../../platform/machine/machine.ts";
import { ENDING_SIGNALS } from "../../../platform/machine/signals.ts";
import { duration } from "../../../platform/options/values.ts";
import { EXIT, usageError } from "../../../platform/usage/exit.ts";
import type { Command } from "../command.ts";
import { verbArgs } from "../verb-args.ts";
import { DEFAULT_PORT, printLink } from "./link.ts";

const IDLE = "10m";

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
  const run = new Run(machine);
  let workspace: ReturnType<Run["open"]> | undefined;
  const server = await serveChildren({
    machine,
    version: LATHE_VERSION,
    host: values.host ?? "127.0.0.1",
    port: values.port === undefined ? DEFAULT_PORT : portOf("--port", values.port),
    tls: readTls(machine, { cert: values["tls-cert"], key: values["tls-key"] }),
    roots,
    idleMs: duration("idle", values.idle ?? IDLE),
    workspace: () => {
      workspace ??= run.open({});
      return workspace;
    },
  });
  const signal = untilSignal();
  const shown = roots.map((root) => shownPath(root, machine.userHome)).join(", ");
  machine.stdout.write(`Serving sessions of ${shown} at ${server.url}\n`);
  await printLink(machine, await signInLink(server.url, server.tokens));
  // A person who presses Ctrl+C wants the work to end; a system that stops the service starts it again.
  await server.end({ forgets: (await signal) === "SIGINT" });
  machine.exit?.(EXIT.done);
  return EXIT.done;
};

function folderAt(machine: Machine, path: string): string {
  const folder = resolve(machine.cwd, path);
  if (!isDirectory(folder)) throw usageError(`--root: ${path} is not a directory. Give an existing directory.`);
  return realpathSync.native(folder);
}

export function portOf(name: string, text: string): number {
  const port = Number(text);
  if (/^\d+$/.test(text) && port <= 65_535) return port;
  throw usageError(`${name} must be a number from 0 to 65535, not "${text}".`);
}

/** Undefined when neither is given. */
export function readTls(
  machine: Machine,
  { cert, key }: { readonly cert: string | undefined; readonly key: string | undefined },
): Tls | undefined {
  if (cert === undefined && key === undefined) return undefined;
  if (cert === undefined || key === undefined)
    throw usageError("TLS needs a certificate and its key: --tls-cert <file> --tls-key <file>");
  const tls = { cert: readPem(machine, cert), key: readPem(machine, key) };
  try {
    createSecureContext(tls);
  } catch (error) {
    throw usageError(`${cert} and ${key} are no certificate and its key: ${(error as Error).message}.`);
  }
  return tls;
}

function readPem(machine: Machine, path: string): string {
  try {
    return readFileSync(resolve(machine.cwd, path), "utf8");
  } catch (error) {
    throw usageError(`${path} cannot be read: ${(error as NodeJS.ErrnoException).code}. Give a file in PEM format.`);
  }
}

/** The first one; a second one leaves at once. */
function untilSignal(): Promise<NodeJS.Signals> {
  return new Promise((resolve) => {
    let isEnding = false;
    for (const signal of ENDING_SIGNALS)
      process.on(signal, () => {
        // A terminal that closes says so more than once.
        if (isEnding && signal !== "SIGHUP") process.exit(EXIT.interrupted);
        isEnding = true;
        resolve(signal);
      });
  });
}
