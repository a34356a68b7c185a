// Language servers as an addition to sessions: the tool `lsp`, errors after edits, and the command `/lsp`.

import type { ExecutionEnvironment } from "@lathe/agent";
import { lspTool } from "@lathe/agent/tools";
import { isTrusted } from "../../config/trust/trust.ts";
import type { AdditionMaker } from "../../conversation/session-contract.ts";
import { Answers } from "./answers.ts";
import { ErrorsAfterEdit } from "./errors-after-edit.ts";
import { LanguageServers } from "./language-servers.ts";
import { lspCommand } from "./lsp-command.ts";
import { configuredServers } from "./lsp-files.ts";

export const lspAddition: AdditionMaker = async (workspace) => {
  const { settings, machine, paths, cwd, roots } = workspace;
  const { rows, idleMs, warnings } = configuredServers(workspace);
  let warn: (message: string) => void = () => {};
  let isLeftOut: ((path: string) => boolean) | undefined;
  let env: ExecutionEnvironment | undefined;
  const servers = new LanguageServers({
    rows,
    idleMs,
    isTrusted: () => isTrusted(paths.trust, cwd, machine.userHome),
    now: machine.deps.now,
    warn: (message) => warn(message),
  });
  const mayShow = (path: string): boolean =>
    [cwd, ...roots].some((root) => path.startsWith(`${root}/`)) && !(isLeftOut?.(path) ?? false);
  const errors = new ErrorsAfterEdit(servers, mayShow);
  const tools = [lspTool(new Answers({ servers, mayShow }))];
  return {
    name: "language servers",
    toolProviders: [{ tools: () => tools }],
    middleware: settings["lsp.diagnosticsOnWrite"] ? [errors.middleware()] : [],
    commands: async () => [lspCommand(servers, () => env)],
    opened: ({ session, permissions }) => {
      warn = (message) => session.warn(message, "lsp");
      isLeftOut = permissions.leftOutOfSearch(cwd, undefined);
      env = session.env;
      for (const warning of warnings) warn(warning);
    },
    close: async () => {
      await servers.close();
      await errors.close();
    },
  };
};
