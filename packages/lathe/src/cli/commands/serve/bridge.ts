// `lathe --mode bridge` (G-18): what it needs comes in variables, and it refuses to start without.

import { startBridge } from "../../../doors/serve/bridge.ts";
import { SCOPES } from "../../../doors/serve/guard/token-file.ts";
import type { Machine } from "../../../platform/machine/machine.ts";
import type { ParsedArgs } from "../../../platform/options/parse.ts";
import { commaList } from "../../../platform/options/values.ts";
import { EXIT, type ExitCode, usageError } from "../../../platform/usage/exit.ts";
import { portOf, readTls, untilSignal } from "./given.ts";

const PORT = "4077";

export async function bridgeMode({ words, options }: ParsedArgs, machine: Machine): Promise<ExitCode> {
  const extra = words[0] ?? options.print?.[0];
  if (extra !== undefined) throw usageError(`--mode bridge takes no prompt. Leave out: ${extra}`);
  const { env } = machine;
  const needed = (name: string): string => {
    const value = env[name];
    if (value) return value;
    throw usageError(
      `--mode bridge needs ${name}. It takes LATHE_BRIDGE_TOKEN, LATHE_BRIDGE_TLS_CERT, LATHE_BRIDGE_TLS_KEY.`,
    );
  };
  const token = needed("LATHE_BRIDGE_TOKEN");
  const tls = readTls(machine, { cert: needed("LATHE_BRIDGE_TLS_CERT"), key: needed("LATHE_BRIDGE_TLS_KEY") });
  const bridge = await startBridge({
    version: LATHE_VERSION,
    host: env["LATHE_BRIDGE_HOST"] || "127.0.0.1",
    port: portOf("LATHE_BRIDGE_PORT", env["LATHE_BRIDGE_PORT"] || PORT),
    token,
    tls,
    scopes: scopesIn(env["LATHE_BRIDGE_SCOPES"] || "prompt"),
    deps: machine.deps,
  });
  const signal = untilSignal();
  machine.stderr.write(`lathe: The bridge listens at ${bridge.url}\n`);
  await signal;
  await bridge.close();
  machine.exit?.(EXIT.done);
  return EXIT.done;
}

function scopesIn(value: string) {
  const wanted = commaList(value);
  const unknown = wanted.find((scope) => !SCOPES.some((known) => known === scope));
  if (unknown !== undefined) throw usageError(`LATHE_BRIDGE_SCOPES takes ${SCOPES.join(", ")}, not "${unknown}".`);
  return SCOPES.filter((scope) => wanted.includes(scope));
}
