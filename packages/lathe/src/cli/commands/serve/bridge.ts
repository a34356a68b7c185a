// `lathe --mode bridge` (G-18): it is configured by variables, and refuses to start without them.

import { realpathSync } from "node:fs";
import { startBridge } from "../../../doors/serve/bridge/bridge.ts";
import { SCOPES } from "../../../doors/serve/guard/token-file.ts";
import type { LiveSessions } from "../../../doors/serve/sessions/live-sessions.ts";
import type { Machine } from "../../../platform/machine/machine.ts";
import type { ParsedArgs } from "../../../platform/options/parse.ts";
import { commaList } from "../../../platform/options/values.ts";
import { EXIT, type ExitCode, usageError } from "../../../platform/usage/exit.ts";
import { portOf, readTls, untilSignal } from "./server-options.ts";

const PORT = "4077";
const IDLE_MS = 600_000;

export async function bridgeMode({ words, options }: ParsedArgs, machine: Machine): Promise<ExitCode> {
  const extra = words[0] ?? options.print?.[0];
  if (extra !== undefined) throw usageError(`--mode bridge takes no prompt. Leave out: ${extra}`);
  const { env } = machine;
  const requiredVariable = (name: string): string => {
    const value = env[name];
    if (value) return value;
    throw usageError(
      `--mode bridge needs ${name}. It takes LATHE_BRIDGE_TOKEN, LATHE_BRIDGE_TLS_CERT, LATHE_BRIDGE_TLS_KEY.`,
    );
  };
  const token = requiredVariable("LATHE_BRIDGE_TOKEN");
  const tls = readTls(machine, {
    cert: requiredVariable("LATHE_BRIDGE_TLS_CERT"),
    key: requiredVariable("LATHE_BRIDGE_TLS_KEY"),
  });
  const scopes = scopesIn(env["LATHE_BRIDGE_SCOPES"] || "prompt");
  const place = {
    host: env["LATHE_BRIDGE_HOST"] || "127.0.0.1",
    port: portOf("LATHE_BRIDGE_PORT", env["LATHE_BRIDGE_PORT"] || PORT),
  };
  const sessions = hasGates(env["LATHE_BRIDGE_GATES"]) ? await sessionsHere(machine) : undefined;
  const parts = { ...place, version: LATHE_VERSION, token, tls, scopes, sessions, deps: machine.deps };
  try {
    const bridge = await startBridge(parts);
    const signal = untilSignal();
    machine.stderr.write(`lathe: The bridge listens at ${bridge.url}\n`);
    await signal;
    await bridge.close();
  } finally {
    await sessions?.closeAll({ forgets: false });
  }
  machine.exit?.(EXIT.done);
  return EXIT.done;
}

/** Serves the sessions of the current folder and below. */
async function sessionsHere(machine: Machine): Promise<LiveSessions> {
  const { sessionsInChildren } = await import("../../../doors/serve/serve-children.ts");
  const { Run } = await import("../../../hosts/run.ts");
  const roots = [realpathSync.native(machine.cwd)];
  return sessionsInChildren({ machine, roots, idleMs: IDLE_MS, workspace: () => new Run(machine).open({}) });
}

function hasGates(value = ""): boolean {
  if (value === "1") return true;
  if (value === "" || value === "0") return false;
  throw usageError(`LATHE_BRIDGE_GATES is 1 to switch gates on, or left out; not "${value}".`);
}

function scopesIn(value: string) {
  const wanted = commaList(value);
  const unknown = wanted.find((scope) => !SCOPES.some((known) => known === scope));
  if (unknown !== undefined) throw usageError(`LATHE_BRIDGE_SCOPES takes ${SCOPES.join(", ")}, not "${unknown}".`);
  return SCOPES.filter((scope) => wanted.includes(scope));
}
