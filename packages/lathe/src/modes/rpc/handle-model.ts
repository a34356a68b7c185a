// Commands about the model and how hard it thinks.

import { clampLevel, isThinkingLevel, offeredLevels } from "@lathe/llm";
import { PRACTICE_PROVIDER } from "../../models/models.ts";
import { type ModelChoice, modelsOf } from "../../run/model.ts";
import { LEVELS } from "./commands.ts";
import type { Handlers } from "./handler.ts";
import { rowOfChoice } from "./models.ts";
import type { RpcSession } from "./session.ts";

type Level = (typeof LEVELS)[number];

/** In force for the next request. */
export function thinkingLevel({ session, model }: RpcSession): Level {
  const level = session.config.reasoningEffort ?? model.info?.thinking?.defaultLevel ?? "off";
  return isThinkingLevel(level) ? level : "off";
}

async function changeModel(current: RpcSession, provider: string, id: string): Promise<ModelChoice> {
  const { registry } = await modelsOf(current.workspace);
  if (provider !== PRACTICE_PROVIDER && !registry.knows(provider)) {
    throw new Error(`Model not found: ${provider}/${id}`);
  }
  const effort = current.session.config.reasoningEffort;
  await current.switchModel(effort === undefined ? `${provider}/${id}` : `${provider}/${id}:${effort}`);
  return current.model;
}

/** The levels to go through; undefined when the model does not think. */
function levelsOf({ info }: ModelChoice): readonly Level[] | undefined {
  if (info && !info.supportsReasoning) return undefined;
  return offeredLevels(info?.thinking) ?? (info ? LEVELS : undefined);
}

export const modelHandlers: Handlers<
  "set_model" | "cycle_model" | "get_available_models" | "set_thinking_level" | "cycle_thinking_level"
> = {
  set_model: async ({ provider, modelId }, { current }) => rowOfChoice(await changeModel(current, provider, modelId)),

  cycle_model: async (_params, { current, models }) => {
    const rows = await models.list(current.model);
    const at = rows.findIndex(({ provider, id }) => provider === current.model.provider && id === current.model.id);
    const next = rows[(at + 1) % rows.length];
    if (!next || rows.length < 2) return null;
    const model = rowOfChoice(await changeModel(current, next.provider, next.id));
    return { model, thinkingLevel: thinkingLevel(current), isScoped: models.isScoped };
  },

  get_available_models: async (_params, { current, models }) => ({ models: await models.list(current.model) }),

  set_thinking_level: ({ level }, { current }) => {
    current.session.config.reasoningEffort = clampLevel(current.model.info?.thinking, level);
    return { level: thinkingLevel(current) };
  },

  cycle_thinking_level: (_params, { current }) => {
    const levels = levelsOf(current.model);
    if (!levels || levels.length < 2) return null;
    const level = levels[(levels.indexOf(thinkingLevel(current)) + 1) % levels.length] ?? "off";
    current.session.config.reasoningEffort = level;
    return { level };
  },
};
