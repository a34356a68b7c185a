// Git hosts as an addition to sessions: the service behind the tool `github`, if the user has a token, and the
// addresses `issue://` and `pr://`. The engine is loaded with the first call.

import { existsSync } from "node:fs";
import type { SchemeResolver } from "@lathe/agent/contract";
import type { GitHosts } from "@lathe/agent/tools";
import type { AdditionMaker } from "../../conversation/session-contract.ts";
import type { LoadedHosts } from "./loaded-hosts.ts";
import { ghHostsFile, TOKEN_VARIABLES } from "./token-names.ts";

export const gitHostAddition: AdditionMaker = async (workspace) => {
  const { env, userEnv, machine } = workspace;
  const added: string[] = [];
  let addFolder = (path: string): void => void added.push(path);
  let loading: Promise<LoadedHosts> | undefined;
  const load = (): Promise<LoadedHosts> => {
    loading ??= import("./loaded-hosts.ts").then(
      ({ LoadedHosts: Made }) => new Made(workspace, (path) => addFolder(path)),
    );
    return loading;
  };
  const gitHosts: GitHosts = {
    reach: async (args, scope) => (await load()).engine.reach(args, scope),
    run: async (args, context) => (await load()).engine.run(args, context),
  };
  const threads: SchemeResolver = {
    hasSelectors: true,
    readAccess: async (url, scope) => (await load()).threads.readAccess(url, scope),
    read: async (url, signal, part, scope) => (await load()).threads.read(url, signal, part, scope),
  };
  const hasToken = TOKEN_VARIABLES.some((name) => env[name]) || existsSync(ghHostsFile(userEnv, machine.userHome));
  return {
    name: "git hosts",
    schemes: { issue: threads, pr: threads },
    ...(hasToken ? { services: { gitHosts } } : {}),
    opened: ({ permissions }) => {
      addFolder = (path) => permissions.addRoot(path);
      for (const path of added) addFolder(path);
    },
    // A refresh in progress still needs the session's web access.
    closing: async () => (await loading)?.close(),
  };
};
