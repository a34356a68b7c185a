// The models for questions outside the conversation: the session's own and those that the user chose for roles, as far as they can be
// called.

import type { Settings } from "../settings/schema.ts";
import { CliError } from "../usage/exit.ts";
import type { ModelChoice, Models } from "./models.ts";

type Roles = Pick<Settings, "model" | "modelRoles.smol" | "modelRoles.slow">;

export function summaryModels(models: Models, settings: Roles, own: ModelChoice): ModelChoice[] {
  return [
    own,
    ...callableModels(models, [settings.model, settings["modelRoles.smol"], settings["modelRoles.slow"]], own),
  ];
}

/** For a question that any model can answer: the one for small jobs, else the session's own. */
export function smallModels(models: Models, settings: Roles, own: ModelChoice): ModelChoice[] {
  return [...callableModels(models, [settings["modelRoles.smol"]], own), own];
}

function callableModels(models: Models, selectors: readonly string[], own: ModelChoice): ModelChoice[] {
  const chosen: ModelChoice[] = [];
  for (const selector of selectors) {
    const choice = selector === "" ? undefined : choiceOf(models, selector);
    if (!choice || [own, ...chosen].some(({ provider, id }) => provider === choice.provider && id === choice.id))
      continue;
    if (models.registry.isAvailable(choice.provider) && !models.disabled.includes(choice.provider)) chosen.push(choice);
  }
  return chosen;
}

/** One that is not known is not an error here: nobody asked for it now. */
function choiceOf(models: Models, selector: string): ModelChoice | undefined {
  try {
    return models.choose(selector);
  } catch (error) {
    if (error instanceof CliError) return undefined;
    throw error;
  }
}
