// Settings of Codex: model, effort, approvals, and the user's own providers.

import { isJsonObject, type ProviderConfig } from "@lathe/llm";
import { NOTHING, type TakenSettings } from "../types.ts";

const EFFORTS: Readonly<Record<string, string>> = {
  none: "off",
  minimal: "minimal",
  low: "low",
  medium: "medium",
  high: "high",
  xhigh: "xhigh",
};
const MODES: Readonly<Record<string, string>> = {
  untrusted: "ask",
  "on-request": "auto-edit",
  "on-failure": "auto-edit",
};

export function fromCodex(settings: Readonly<Record<string, unknown>>): TakenSettings {
  const {
    model,
    model_provider: provider = "openai",
    model_reasoning_effort: effort,
    approval_policy: policy,
  } = settings;
  const { sandbox_mode: sandbox, model_providers: written } = settings;
  const providers = isJsonObject(written)
    ? Object.fromEntries(
        Object.entries(written).flatMap(([id, value]) => {
          const config = isJsonObject(value) ? providerOf(value, id === provider ? model : undefined) : undefined;
          return config ? [[id, config]] : [];
        }),
      )
    : {};
  const mode = sandbox === "read-only" ? "read-only" : MODES[String(policy)];
  const level = EFFORTS[String(effort)];
  return {
    ...NOTHING,
    providers,
    settings: {
      ...(typeof model === "string" ? { model: `${String(provider)}/${model}` } : {}),
      ...(level === undefined ? {} : { defaultThinkingLevel: level }),
      ...(mode === undefined ? {} : { permissionMode: mode }),
    },
    left: [
      ...(policy === "never"
        ? [
            {
              name: "approval_policy never",
              reason: "choose a mode without questions yourself: --permission-mode full, best with --sandbox",
            },
          ]
        : []),
      ...(settings["profiles"] === undefined
        ? []
        : [{ name: "profiles", reason: "write them as profiles of models.yml" }]),
    ],
  };
}

function providerOf(
  { base_url: baseUrl, env_key: key, wire_api: wire }: Readonly<Record<string, unknown>>,
  model: unknown,
): ProviderConfig | undefined {
  if (typeof baseUrl !== "string") return undefined;
  return {
    baseUrl,
    api: wire === "responses" ? "openai-responses" : "openai-completions",
    ...(typeof key === "string" ? { apiKeyEnv: key } : { auth: "none" as const }),
    ...(typeof model === "string" ? { models: [{ id: model }] } : {}),
  };
}
