// `lathe auth-broker serve`: reads its options, starts the broker, and stops it on a signal.

import { writeFileSync } from "node:fs";
import { brokerFiles, openBroker } from "../../../doors/broker/open-broker.ts";
import { BROKER_WORDS } from "../../../doors/broker/server/broker.ts";
import { checkReach } from "../../../doors/http/listen.ts";
import { homePaths } from "../../../platform/home/paths.ts";
import type { Machine } from "../../../platform/machine/machine.ts";
import { EXIT, usageError } from "../../../platform/usage/exit.ts";
import type { Command } from "../command.ts";
import { logEnd, placeOf, tlsFor, untilSignal } from "../serve/server-options.ts";
import { verbArgs } from "../verb-args.ts";
import { brokerTokenOf } from "./token.ts";

const DEFAULT_BIND = "127.0.0.1:8765";

export const serveBroker: Command = async (argv, machine) => {
  const options = { bind: { type: "string" }, "tls-cert": { type: "string" }, "tls-key": { type: "string" } } as const;
  const { values, positionals } = verbArgs(argv, options, "auth-broker");
  if (positionals[0] !== undefined) throw usageError("lathe auth-broker serve takes an address with --bind host:port.");
  const place = placeOf(values.bind, DEFAULT_BIND);
  const tls = tlsFor(machine, values["tls-cert"], values["tls-key"]);
  checkReach(place.host, tls, BROKER_WORDS);
  const own = brokerTokenOf(machine);
  await own.token();
  const { stdout, stderr } = machine;
  const broker = await openBroker({
    machine,
    version: LATHE_VERSION,
    ...place,
    tls,
    own,
    log: (line) => void stdout.write(line),
    warn: (message) => void stderr.write(`lathe: ${message}\n`),
  });
  const signal = Promise.race([untilSignal(), logEnd(machine)]);
  tellAddress(machine, broker.url);
  stderr.write(`Broker at ${broker.url}. To show the clients' token: lathe auth-broker token\n`);
  try {
    await signal;
  } finally {
    await broker.close();
  }
  machine.exit?.(EXIT.done);
  return EXIT.done;
};

/** Saves the address for `status`. A full disk must not keep the broker from its clients. */
function tellAddress({ env, userHome, stderr }: Machine, url: string): void {
  const { address } = brokerFiles(homePaths(env, userHome).broker);
  try {
    writeFileSync(address, `${url}\n`, { mode: 0o600 });
  } catch (error) {
    stderr.write(`lathe: ${address} cannot be written: ${(error as Error).message}. Free space.\n`);
  }
}
