// `lathe auth-gateway serve|run|token|status|check|key`.

import { usageError } from "../../platform/usage/exit.ts";
import type { Command } from "./command.ts";

const VERBS: Readonly<Record<string, () => Promise<Command>>> = {
  serve: async () => (await import("./auth-gateway/serve.ts")).serveGateway,
  run: async () => (await import("./auth-gateway/run.ts")).runWithKey,
  token: async () => (await import("./auth-gateway/token.ts")).gatewayToken,
  status: async () => (await import("./auth-gateway/status.ts")).gatewayStatus,
  check: async () => (await import("./auth-gateway/check.ts")).checkGateway,
  key: async () => (await import("./auth-gateway/key.ts")).gatewayKey,
};

export const authGatewayCommand: Command = async ([verb, ...argv], machine) => {
  const load = verb !== undefined && Object.hasOwn(VERBS, verb) ? VERBS[verb] : undefined;
  const known = Object.keys(VERBS).join(", ");
  if (load === undefined)
    throw usageError(
      verb === undefined
        ? `Say what to do: lathe auth-gateway ${known.replace(/, /g, "|")}`
        : `Unknown command "lathe auth-gateway ${verb}". Choose one of ${known}. See: lathe auth-gateway --help`,
    );
  return (await load())(argv, machine);
};
