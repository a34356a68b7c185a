// `lathe auth-gateway serve`: reads its options, starts the gateway, and stops it on a signal.

import { writeFileSync } from "node:fs";
import { mkdir } from "node:fs/promises";
import { dirname } from "node:path";
import { openGateway } from "../../../doors/gateway/open-gateway.ts";
import { GATEWAY_WORDS } from "../../../doors/gateway/server/gateway.ts";
import { logLine } from "../../../doors/gateway/server/request-log.ts";
import { checkReach } from "../../../doors/http/listen.ts";
import { isLoopback } from "../../../doors/http/origin.ts";
import { Run } from "../../../hosts/run.ts";
import { homePaths } from "../../../platform/home/paths.ts";
import { EXIT, usageError } from "../../../platform/usage/exit.ts";
import type { Command } from "../command.ts";
import { logEnd, placeOf, tlsFor, untilSignal } from "../serve/server-options.ts";
import { verbArgs } from "../verb-args.ts";
import { keysOf } from "./key.ts";
import { DEFAULT_BIND } from "./running.ts";
import { ownTokenOf } from "./token.ts";

export const serveGateway: Command = async (argv, machine) => {
  const { values, positionals } = verbArgs(
    argv,
    {
      bind: { type: "string" },
      "tls-cert": { type: "string" },
      "tls-key": { type: "string" },
      "no-auth": { type: "boolean" },
    },
    "auth-gateway",
  );
  if (positionals[0] !== undefined)
    throw usageError("lathe auth-gateway serve takes an address with --bind host:port.");
  const place = placeOf(values.bind, DEFAULT_BIND);
  const needsKey = !values["no-auth"];
  if (!needsKey && !isLoopback(place.host))
    throw usageError("--no-auth works on this machine only: leave it out, or bind to 127.0.0.1.");
  const tls = tlsFor(machine, values["tls-cert"], values["tls-key"]);
  checkReach(place.host, tls, GATEWAY_WORDS);
  const own = ownTokenOf(machine);
  if (needsKey) await own.token();
  const { stdout, stderr } = machine;
  const gateway = await openGateway({
    machine,
    version: LATHE_VERSION,
    ...place,
    tls,
    needsKey,
    own,
    keys: keysOf(machine),
    workspace: await new Run(machine).open({}),
    log: (request) => void stdout.write(logLine(request)),
    warn: (message) => void stderr.write(`lathe: ${message}\n`),
  });
  const signal = Promise.race([untilSignal(), logEnd(machine)]);
  const how = needsKey ? "Keys for clients: lathe auth-gateway key add <name>" : "Anyone on this machine may use it.";
  stderr.write(`Gateway at ${gateway.url}. ${how}\n`);
  try {
    const { gatewayAddress } = homePaths(machine.env, machine.userHome);
    await mkdir(dirname(gatewayAddress), { recursive: true, mode: 0o700 });
    writeFileSync(gatewayAddress, `${gateway.url}\n`, { mode: 0o600 });
    await signal;
  } finally {
    await gateway.close();
  }
  machine.exit?.(EXIT.done);
  return EXIT.done;
};
