// Debuggers as an addition to sessions: the service behind the tool `debug`. The engine is loaded with the first call.

import type { Debuggers } from "@lathe/agent/tools";
import { isTrusted } from "../../config/trust/trust.ts";
import type { AdditionMaker } from "../../conversation/session-contract.ts";
import type { DebugPrograms } from "./debuggers.ts";

export const debugAddition: AdditionMaker = async ({ cwd, roots, machine, paths }) => {
  let leftOut: () => ((path: string) => boolean) | undefined = () => undefined;
  let engine: Promise<DebugPrograms> | undefined;
  const load = (): Promise<DebugPrograms> => {
    engine ??= import("./debuggers.ts").then(({ DebugPrograms: Made }) => {
      const isLeftOut = leftOut();
      return new Made({
        isTrusted: () => isTrusted(paths.trust, cwd, machine.userHome),
        mayShow: (path) => [cwd, ...roots].some((root) => path.startsWith(`${root}/`)) && !(isLeftOut?.(path) ?? false),
        now: machine.deps.now,
        newId: () => machine.deps.uuid(),
      });
    });
    return engine;
  };
  const debuggers: Debuggers = {
    commands: async (request, env) => (await load()).commands(request, env),
    run: async (request, env, signal) => (await load()).run(request, env, signal),
  };
  return {
    name: "debuggers",
    services: { debuggers },
    opened: ({ permissions }) => {
      leftOut = () => permissions.leftOutOfSearch(cwd, undefined);
    },
    close: async () => (await engine)?.close(),
  };
};
