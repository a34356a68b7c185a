// Web search as an addition to sessions: the engines behind the tool `web_search`, loaded with the first search.

import type { SearchProvider } from "@lathe/agent/files";
import type { AdditionMaker, OpenSession } from "../../conversation/session-contract.ts";

export const searchAddition: AdditionMaker = async (workspace, { model, overrides }) => {
  const { settings, env, machine } = workspace;
  if (!settings["web_search.enabled"]) return undefined;
  let open: OpenSession | undefined;
  /** Engines that the user did not choose but accepted in this session, by name. */
  const accepted = new Set<string>();
  const engines = async (): Promise<readonly SearchProvider[]> => {
    const [{ availableEngines }, { connectEngine }] = await Promise.all([
      import("./available-engines.ts"),
      import("./connect-engine.ts"),
    ]);
    const keyed =
      overrides?.apiKey === undefined ? {} : { runKey: { provider: model.provider, key: overrides.apiKey } };
    const { provider } = open?.model ?? model;
    const available = await availableEngines(workspace, { provider, ...keyed, baseUrl: overrides?.baseUrl });
    return available.map((one) => {
      const { id, isKeyless, name } = one.row;
      const isChosen = isKeyless !== true || id === settings["providers.webSearch"] || accepted.has(name);
      return connectEngine(one, {
        env,
        isChosen,
        now: machine.deps.now,
        sleep: (ms, signal) => machine.deps.sleep(ms, signal),
        searxng: {
          categories: settings["searxng.categories"],
          language: settings["searxng.language"],
          username: settings["searxng.basicUsername"] || (env["SEARXNG_BASIC_USERNAME"] ?? ""),
          password: env["SEARXNG_BASIC_PASSWORD"] ?? "",
        },
      });
    });
  };
  return {
    name: "web search",
    services: { webSearch: { engines, accept: ({ name }) => void accepted.add(name) } },
    opened: (opened) => {
      open = opened;
    },
  };
};
