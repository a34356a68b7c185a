// Shared command-line options of the servers, and the signals that end them.

import { readFileSync } from "node:fs";
import { resolve } from "node:path";
import { createSecureContext } from "node:tls";
import type { Tls } from "../../../doors/http/listen.ts";
import type { Machine } from "../../../platform/machine/machine.ts";
import { onReaderGone } from "../../../platform/machine/reader-gone.ts";
import { ENDING_SIGNALS } from "../../../platform/machine/signals.ts";
import { EXIT, usageError } from "../../../platform/usage/exit.ts";

export function portOf(name: string, text: string): number {
  const port = Number(text);
  if (/^\d+$/.test(text) && port <= 65_535) return port;
  throw usageError(`${name} must be a number from 0 to 65535, not "${text}".`);
}

/** Parses `host:port`, `[::1]:4000`, `:4000`, `host` or a port; `usual` is the default. */
export function placeOf(bind: string | undefined, usual: string): { readonly host: string; readonly port: number } {
  const [usualHost = "", usualPort = ""] = usual.split(":");
  const [, host = "", port] = /^(?:(\[[^\]]+\]|[^:]*):)?(\d+)$/.exec(bind ?? usual) ?? [];
  if (port !== undefined) return { host: host.replace(/^\[|\]$/g, "") || usualHost, port: portOf("--bind", port) };
  if (bind !== undefined && /^[^:\s]+$/.test(bind)) return { host: bind, port: portOf("--bind", usualPort) };
  throw usageError(`--bind takes an address and a port, such as ${usual}, not "${bind}".`);
}

/** Reads a certificate and its key from files. */
export function readTls(machine: Machine, { cert, key }: { readonly cert: string; readonly key: string }): Tls {
  const tls = { cert: readPem(machine, cert), key: readPem(machine, key) };
  try {
    createSecureContext(tls);
  } catch (error) {
    throw usageError(`${cert} and ${key} are not a certificate and its key: ${(error as Error).message}.`);
  }
  return tls;
}

/** Undefined if neither is given. */
export function tlsFor(machine: Machine, cert: string | undefined, key: string | undefined): Tls | undefined {
  if (cert === undefined && key === undefined) return undefined;
  if (cert === undefined || key === undefined)
    throw usageError("TLS needs a certificate and its key: --tls-cert <file> --tls-key <file>");
  return readTls(machine, { cert, key });
}

function readPem(machine: Machine, path: string): string {
  try {
    return readFileSync(resolve(machine.cwd, path), "utf8");
  } catch (error) {
    throw usageError(`${path} cannot be read: ${(error as NodeJS.ErrnoException).code}. Give a file in PEM format.`);
  }
}

/** Resolves with the first signal; a second one ends the process at once. */
export function untilSignal(): Promise<NodeJS.Signals> {
  return new Promise((resolve) => {
    let isEnding = false;
    for (const signal of ENDING_SIGNALS)
      process.on(signal, () => {
        // A closing terminal sends SIGHUP more than once.
        if (isEnding && signal !== "SIGHUP") process.exit(EXIT.interrupted);
        isEnding = true;
        resolve(signal);
      });
  });
}

/**
 * Resolves when the reader of the log has gone. A full disk does not end the server: its answers do not depend on the
 * log.
 */
export function logEnd({ stdout, stderr }: Machine): Promise<void> {
  return new Promise((resolve) => {
    onReaderGone(stdout, ({ code, message }) => {
      stderr.write(`lathe: The log cannot be written any more: ${message}\n`);
      if (code === "EPIPE") resolve();
    });
  });
}
