// `lathe auth-broker serve|token|login|logout|list|import|migrate|status`.

import { usageError } from "../../platform/usage/exit.ts";
import type { Command } from "./command.ts";

const VERBS: Readonly<Record<string, () => Promise<Command>>> = {
  serve: async () => (await import("./auth-broker/serve.ts")).serveBroker,
  token: async () => (await import("./auth-broker/token.ts")).brokerToken,
  login: async () => (await import("./auth-broker/login.ts")).brokerLogin,
  logout: async () => (await import("./auth-broker/logout.ts")).brokerLogout,
  list: async () => (await import("./auth-broker/list.ts")).brokerList,
  import: async () => (await import("./auth-broker/import.ts")).brokerImport,
  migrate: async () => (await import("./auth-broker/migrate.ts")).brokerMigrate,
  status: async () => (await import("./auth-broker/status.ts")).brokerStatus,
};

export const authBrokerCommand: Command = async ([verb, ...argv], machine) => {
  const load = verb !== undefined && Object.hasOwn(VERBS, verb) ? VERBS[verb] : undefined;
  const known = Object.keys(VERBS).join(", ");
  if (load === undefined)
    throw usageError(
      verb === undefined
        ? `Say what to do: lathe auth-broker ${known.replace(/, /g, "|")}`
        : `Unknown command "lathe auth-broker ${verb}". Choose one of ${known}. See: lathe auth-broker --help`,
    );
  return (await load())(argv, machine);
};
