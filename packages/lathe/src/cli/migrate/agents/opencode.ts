// Settings of OpenCode: models, permissions, and the user's own providers.

import { isJsonObject, type ProviderConfig } from "@lathe/llm";
import { rulesIn } from "../rules.ts";
import { variableFor } from "../secrets.ts";
import { NOTHING, type TakenSettings } from "../types.ts";

const SUBJECTS: Readonly<Record<string, string>> = { bash: "shell", edit: "write", read: "read", webfetch: "network" };

export function fromOpencode(settings: Readonly<Record<string, unknown>>): TakenSettings {
  const { model, small_model: small, permission, provider } = settings;
  const { rules, left } = rulesIn(permissionRules(permission));
  const providers = isJsonObject(provider)
    ? Object.entries(provider).flatMap(([id, value]) => {
        const config = isJsonObject(value) ? providerOf(id, value) : undefined;
        return config ? [[id, config] as const] : [];
      })
    : [];
  return {
    rules,
    left,
    providers: Object.fromEntries(providers),
    settings: {
      ...NOTHING.settings,
      ...(typeof model === "string" ? { model } : {}),
      ...(typeof small === "string" ? { "modelRoles.smol": small } : {}),
    },
  };
}

/** `{"bash": {"git *": "allow", "*": "ask"}, "edit": "ask"}` */
function permissionRules(permission: unknown): Record<"allow" | "ask" | "deny", string[]> {
  const rules = { allow: [] as string[], ask: [] as string[], deny: [] as string[] };
  const add = (decision: unknown, rule: string): void => {
    if (decision === "allow" || decision === "ask" || decision === "deny") rules[decision].push(rule);
  };
  for (const [name, value] of Object.entries(isJsonObject(permission) ? permission : {})) {
    const subject = Object.hasOwn(SUBJECTS, name) ? SUBJECTS[name] : name;
    if (!isJsonObject(value)) add(value, `${subject}`);
    // Of several matching patterns the last decides there. "ask" for everything else is our default anyway.
    else
      for (const [pattern, decision] of Object.entries(value))
        if (pattern !== "*") add(decision, `${subject}(${pattern})`);
  }
  return rules;
}

/** Known providers need no entry, unless they have their own address. */
function providerOf(id: string, { options, models }: Readonly<Record<string, unknown>>): ProviderConfig | undefined {
  const { baseURL: baseUrl, apiKey } = isJsonObject(options) ? options : {};
  if (typeof baseUrl !== "string") return undefined;
  const variable = typeof apiKey === "string" ? (/^\{env:(\w+)\}$/.exec(apiKey)?.[1] ?? variableFor(id)) : undefined;
  return {
    baseUrl,
    api: "openai-completions",
    ...(variable === undefined ? { auth: "none" as const } : { apiKeyEnv: variable }),
    ...(isJsonObject(models) ? { models: Object.keys(models).map((model) => ({ id: model })) } : {}),
  };
}
