// The models as the user chooses among them: those that can be called first, each with its price and its window.

import { signInCommand } from "../config/credentials/source.ts";
import type { ModelWorkspace } from "./connect.ts";
import { type ListedModel, listModels } from "./list.ts";

export interface OfferedModel {
  /** `provider/id`. */
  readonly selector: string;
  readonly name: string;
  /** Window, price and abilities; each is "" if unknown. */
  readonly facts: readonly string[];
  /** Why it cannot be chosen now, and what to do about it. */
  readonly problem?: string;
  readonly isCurrent: boolean;
}

/** `current` is the `provider/id` of the model in use, which comes first. */
export async function offeredModels(workspace: ModelWorkspace, current?: string): Promise<readonly OfferedModel[]> {
  const models = await workspace.models();
  await models.discover();
  const listed = await listModels(workspace, models, undefined);
  const rank = (model: ListedModel): number => {
    if (selectorOf(model) === current) return 0;
    return model.available ? 1 : 2;
  };
  return listed
    .filter(({ tools }) => tools)
    .map((model, at) => ({ model, at }))
    .sort((a, b) => rank(a.model) - rank(b.model) || a.at - b.at)
    .map(({ model }) => offeredModel(model, current, signInCommand(workspace.accounts().place)));
}

const selectorOf = ({ provider, id }: ListedModel): string => `${provider}/${id}`;

function offeredModel(model: ListedModel, current: string | undefined, login: string): OfferedModel {
  const selector = selectorOf(model);
  return {
    selector,
    name: model.name,
    facts: factsOf(model),
    isCurrent: selector === current,
    ...(model.available ? {} : { problem: `no credential: ${login} ${model.provider}` }),
  };
}

function factsOf({ contextWindow, cost, thinking, vision }: ListedModel): string[] {
  const isFree = cost !== undefined && cost.input + cost.output === 0;
  return [
    contextWindow === 0 ? "" : `${short(contextWindow)} window`,
    cost === undefined ? "" : isFree ? "free" : `$${cost.input} in, $${cost.output} out`,
    [thinking.length === 0 ? "" : "thinks", vision ? "sees" : ""].filter((part) => part !== "").join(", "),
  ];
}

export function short(tokens: number): string {
  if (tokens >= 1_000_000) return `${Number((tokens / 1_000_000).toFixed(2))}M`;
  return tokens >= 1_000 ? `${Math.round(tokens / 1_000)}k` : String(tokens);
}
