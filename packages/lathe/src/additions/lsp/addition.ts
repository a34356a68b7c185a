// Language servers as an addition to sessions: the tool `lsp`, errors after edits, and the command `/lsp`.

import type { ExecutionEnvironment, Middleware } from "@lathe/agent";
import { lspTool } from "@lathe/agent/tools";
import { sandboxOptions } from "../../config/workspace/this-machine.ts";
import type { AdditionMaker } from "../../conversation/session-contract.ts";
import { isAnythingHere } from "../../found/discovery/agent-places.ts";
import { placeOf } from "../../found/discovery/place.ts";
import type { SharedCodeIndexes } from "../code-index/shared-code-indexes.ts";
import type { SharedBySessions } from "../shared-by-sessions.ts";
import type { Engine } from "./engine.ts";
import { LastingServers } from "./lasting-servers.ts";
import { lspCommand } from "./lsp-command.ts";

/** An edit waits for its errors, and the first edit also for the server to start. */
const HOOK_MS = 40_000;

/**
 * `shared`: the code index, for answers without a server; `isDelayed`: nothing is searched for or started with the
 * session.
 */
export const lspAddition =
  (
    servers: SharedBySessions<LastingServers>,
    shared: SharedCodeIndexes,
    { isDelayed }: { readonly isDelayed: true | undefined },
  ): AdditionMaker =>
  async (workspace, request) => {
    if (!workspace.settings["lsp.enabled"]) return undefined;
    const {
      opened: { journal },
      person,
    } = request;
    const indexes = shared.enter(workspace);
    const key = JSON.stringify([workspace.cwd, sandboxOptions(workspace)]);
    const { value: lasting, leave } = servers.enter(key, () => new LastingServers(workspace, request));
    let warn: (message: string) => void = () => {};
    let isLeftOut: ((path: string) => boolean) | undefined;
    let env: ExecutionEnvironment | undefined;
    let engine: Promise<Engine> | undefined;
    const load = (): Promise<Engine> => {
      engine ??= import("./engine.ts").then(({ Engine: Made }) =>
        Made.open({
          workspace,
          indexes,
          lasting,
          isLeftOut: (path) => isLeftOut?.(path) ?? false,
          contentOf: (hash) => journal.blobs.get(hash),
          warn: (message) => warn(message),
        }),
      );
      return engine;
    };
    const tools = [
      lspTool({
        answer: async (question, place, signal) => (await load()).answers.answer(question, place, signal),
        plan: async (question, place, signal) => (await load()).refactorings.plan(question, place, signal),
        afterApply: async (plan, place) => (await load()).refactorings.afterApply(plan, place),
      }),
    ];
    return {
      name: "language servers",
      toolProviders: [{ tools: () => tools }],
      services: workspace.settings["lsp.formatOnWrite"]
        ? { formatter: { format: async (file, scope) => (await load()).formatters.format(file, scope) } }
        : {},
      middleware: workspace.settings["lsp.diagnosticsOnWrite"] ? [errorsAfterEdit(load, () => engine)] : [],
      commands: async () => [lspCommand(load, () => env)],
      opened: async (open) => {
        const { session, permissions } = open;
        lasting.use(open);
        warn = (message) => session.warn(message, "lsp");
        isLeftOut = permissions.leftOutOfSearch(workspace.cwd, undefined);
        env = session.env;
        if (isDelayed) return;
        if (!workspace.settings["lsp.lazy"] && person) void load().then((made) => made.servers.warmUp(session.env));
        // Errors in a server's configuration are reported at once.
        if (!isAnythingHere(placeOf(workspace))) return;
        const { active } = await (await workspace.discovery()).of("lsp-server");
        if (active.length > 0) await load();
      },
      close: async () => {
        await (await engine)?.close();
        await leave();
        await indexes.leave();
      },
    };
  };

function errorsAfterEdit(load: () => Promise<Engine>, loaded: () => Promise<Engine> | undefined): Middleware {
  return {
    name: "language servers",
    timeoutMs: HOOK_MS,
    onInput: async (_input, { agentId }) => {
      (await loaded())?.errors.begin(agentId);
      return undefined;
    },
    afterCall: async (_call, result, { env, signal, agentId }) => {
      const { reads = [], changes = [] } = result;
      if (reads.length + changes.length === 0) return undefined;
      return (await load()).errors.after(result, env, signal, agentId);
    },
    beforeStop: async (_info, { env, signal, agentId }) => (await loaded())?.errors.remind(env, signal, agentId),
  };
}
