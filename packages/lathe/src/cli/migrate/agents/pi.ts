// pi: `~/.pi/agent` (or PI_CODING_AGENT_DIR) and `.pi` of the project. Discovery does not cover pi, so its files are
// found here.

import { isJsonObject, type ProviderConfig } from "@lathe/llm";
import { type AgentFolders, inHomes } from "../../../found/discovery/homes.ts";
import { markdownFolder, skillFolder } from "../../../found/discovery/layouts.ts";
import type { Provider } from "../../../found/discovery/search.ts";
import { readJson } from "../../../found/discovery/structured.ts";
import { variableFor } from "../secrets.ts";
import { NOTHING, type TakenSettings } from "../types.ts";

const FOLDERS: AgentFolders = {
  user: ({ place }) => place.env["PI_CODING_AGENT_DIR"] || `${place.userHome}/.pi/agent`,
  project: ".pi",
};

export const piFiles: Provider = {
  id: "pi",
  name: "pi",
  priority: 0,
  loaders: {
    command: inHomes(FOLDERS, "project", (search, { path, level }) => markdownFolder(search, `${path}/prompts`, level)),
    skill: inHomes(FOLDERS, "project", (search, { path, level }) => skillFolder(search, `${path}/skills`, level)),
    settings: inHomes(FOLDERS, "project", (search, { path: home, level }) => {
      for (const name of ["settings.json", "models.json"]) {
        const path = `${home}/${name}`;
        const read = readJson(search, path, level);
        if (read) search.add(name, { level, path }, { settings: read.value });
      }
    }),
  },
};

/** Reads the settings of either of pi's two files. */
export function fromPi(settings: Readonly<Record<string, unknown>>): TakenSettings {
  const { defaultProvider: provider, defaultModel: model, defaultThinkingLevel: level, providers } = settings;
  return {
    ...NOTHING,
    settings: {
      ...(typeof provider === "string" && typeof model === "string" ? { model: `${provider}/${model}` } : {}),
      ...(typeof level === "string" ? { defaultThinkingLevel: level } : {}),
    },
    providers: isJsonObject(providers)
      ? Object.fromEntries(
          Object.entries(providers).flatMap(([id, value]) =>
            isJsonObject(value) ? [[id, providerOf(id, value)]] : [],
          ),
        )
      : {},
  };
}

/** Its entries resemble ours. A key is not copied, but the name of a variable is. */
function providerOf(id: string, { apiKey, ...rest }: Readonly<Record<string, unknown>>): ProviderConfig {
  if (typeof apiKey !== "string") return rest as ProviderConfig;
  const variable = /^[A-Z][A-Z0-9_]*$/.test(apiKey) ? apiKey : variableFor(id);
  return { ...(rest as ProviderConfig), apiKeyEnv: variable };
}
