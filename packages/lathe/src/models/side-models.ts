// The models for questions outside the conversation: the session's own and those the user chose for roles, if they can
// be called.

import { CliError } from "../platform/usage/exit.ts";
import type { ModelChoice, Models } from "./models.ts";

export function summaryModels(models: Models, own: ModelChoice): ModelChoice[] {
  return [own, ...callableModels(models, ["default", "smol", "slow"], own)];
}

/** For a question that any model can answer: the model for small jobs, otherwise the session's own. */
export function smallModels(models: Models, own: ModelChoice): ModelChoice[] {
  return [...callableModels(models, ["smol"], own), own];
}

/** For reading past sessions: the default model, otherwise the session's own. */
export function usualModels(models: Models, own: ModelChoice): ModelChoice[] {
  return [...callableModels(models, ["default"], own), own];
}

/** For summarizing notes: the model for small jobs, the default model, then the session's own. */
export function digestModels(models: Models, own: ModelChoice): ModelChoice[] {
  return [...callableModels(models, ["smol", "default"], own), own];
}

/**
 * For a question about an image: the model for that role, the default model, the session's own, then any that can see.
 */
export function visionModels(models: Models, own: ModelChoice): ModelChoice[] {
  const chosen = [...callableModels(models, ["vision", "default"], own), own];
  const seeing = chosen.filter(({ info }) => info?.supportsVision);
  if (seeing.length > 0) return seeing;
  const any = models.registry
    .available()
    .find(({ provider, supportsVision }) => supportsVision && !models.disabled.includes(provider));
  return any ? [models.choose(`${any.provider}/${any.id}`)] : [];
}

function callableModels(models: Models, roles: readonly string[], own: ModelChoice): ModelChoice[] {
  const chosen: ModelChoice[] = [];
  for (const role of roles) {
    const selector = models.chosenFor(role);
    const choice = selector === "" ? undefined : choiceOf(models, selector);
    if (!choice || [own, ...chosen].some(({ provider, id }) => provider === choice.provider && id === choice.id))
      continue;
    if (models.registry.isAvailable(choice.provider) && !models.disabled.includes(choice.provider)) chosen.push(choice);
  }
  return chosen;
}

/** An unknown model is not an error here, because the user did not ask for it now. */
function choiceOf(models: Models, selector: string): ModelChoice | undefined {
  try {
    return models.choose(selector);
  } catch (error) {
    if (error instanceof CliError) return undefined;
    throw error;
  }
}
