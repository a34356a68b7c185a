// Commands about the model and how hard it thinks.

import { clampLevel, isThinkingLevel, offeredLevels } from "@lathe/llm";
import type { Conversation } from "../../conversation/conversation.ts";
import type { ModelChoice } from "../../models/connect.ts";
import { PRACTICE_PROVIDER } from "../../models/models.ts";
import { LEVELS } from "./commands.ts";
import type { Handlers } from "./handler.ts";
import { rowOfChoice } from "./models.ts";

type Level = (typeof LEVELS)[number];

/** The level of the next request. */
export function thinkingLevel({ session, model }: Conversation): Level {
  const level = session.config.reasoningEffort ?? model.info?.thinking?.defaultLevel ?? "off";
  return isThinkingLevel(level) ? level : "off";
}

async function changeModel(current: Conversation, provider: string, id: string): Promise<ModelChoice> {
  const { registry } = await current.workspace.models();
  if (provider !== PRACTICE_PROVIDER && !registry.knows(provider)) {
    throw new Error(`Model not found: ${provider}/${id}`);
  }
  const effort = current.session.config.reasoningEffort;
  await current.switchModel(effort === undefined ? `${provider}/${id}` : `${provider}/${id}:${effort}`);
  return current.model;
}

/** The levels to cycle through; undefined if the model does not think. */
export function levelsOf({ info }: ModelChoice): readonly Level[] | undefined {
  if (info && !info.supportsReasoning) return undefined;
  return offeredLevels(info?.thinking) ?? (info ? LEVELS : undefined);
}

export const modelHandlers: Handlers<
  "set_model" | "cycle_model" | "get_available_models" | "set_thinking_level" | "cycle_thinking_level"
> = {
  set_model: async ({ provider, modelId }, { current: { conversation } }) =>
    rowOfChoice(await changeModel(conversation, provider, modelId)),

  cycle_model: async (_params, { current: { conversation }, models }) => {
    const rows = await models.list(conversation.model);
    const at = rows.findIndex(
      ({ provider, id }) => provider === conversation.model.provider && id === conversation.model.id,
    );
    const next = rows[(at + 1) % rows.length];
    if (!next || rows.length < 2) return null;
    const model = rowOfChoice(await changeModel(conversation, next.provider, next.id));
    return { model, thinkingLevel: thinkingLevel(conversation), isScoped: models.isScoped };
  },

  get_available_models: async (_params, { current: { conversation }, models }) => ({
    models: await models.list(conversation.model),
  }),

  set_thinking_level: ({ level }, { current: { conversation } }) => {
    conversation.setEffort(clampLevel(conversation.model.info?.thinking, level));
    return { level: thinkingLevel(conversation) };
  },

  cycle_thinking_level: (_params, { current: { conversation } }) => {
    const levels = levelsOf(conversation.model);
    if (!levels || levels.length < 2) return null;
    const level = levels[(levels.indexOf(thinkingLevel(conversation)) + 1) % levels.length] ?? "off";
    conversation.setEffort(level);
    return { level };
  },
};
