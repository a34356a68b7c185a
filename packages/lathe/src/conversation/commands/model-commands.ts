// Commands about who answers, and how hard it thinks.

import { modelsOf } from "../../models/connect.ts";
import type { ListedModel } from "../../models/list.ts";
import { tokens } from "../../sessions/numbers.ts";
import { usageError } from "../../usage/exit.ts";
import type { Conversation } from "../conversation.ts";
import { type ChoiceItem, chooseFrom } from "./choice.ts";
import type { CommandView, SlashCommand } from "./command.ts";

const model: SlashCommand = {
  name: "model",
  arguments: "[provider/id[:effort]]",
  description: "show or change the model",
  complete: async ({ workspace }, typed) => {
    const { registry } = await modelsOf(workspace);
    return registry
      .available()
      .map(({ provider, id }) => `${provider}/${id}`)
      .filter((selector) => selector.startsWith(typed));
  },
  run: async (conversation, selector, view) => {
    const chosen = selector === "" && view.choose ? await chosenModel(conversation, view) : selector;
    if (chosen !== undefined && chosen !== "") await conversation.switchModel(chosen);
    view.line(`Model: ${nameOf(conversation)}`, "dim");
  },
};

const nameOf = ({ session: { profile } }: Conversation): string => `${profile.provider ?? profile.id}/${profile.model}`;

/** What can be used comes first. */
async function chosenModel(conversation: Conversation, view: CommandView): Promise<string | undefined> {
  const { workspace } = conversation;
  const { listModels } = await import("../../models/list.ts");
  const models = await modelsOf(workspace);
  const listed = await listModels(workspace, models, undefined);
  const items = [...listed].sort((a, b) => Number(b.available) - Number(a.available)).map(itemOf);
  const current = items.findIndex(({ value }) => value === nameOf(conversation));
  return chooseFrom(view, { title: "Model", items, ...(current < 0 ? {} : { current }) });
}

function itemOf({ provider, id, name, contextWindow, cost, available }: ListedModel): ChoiceItem<string> {
  const window = (contextWindow === 0 ? "" : tokens(contextWindow)).padStart(5);
  const price = (cost ? `$${cost.input}/$${cost.output}` : "").padStart(11);
  return {
    value: `${provider}/${id}`,
    label: `${provider}/${id}`,
    detail: [window, price, name === id ? "" : name].join("  ").trimEnd(),
    ...(available ? {} : { disabled: `no credential: /login ${provider}` }),
  };
}

const thinking: SlashCommand = {
  name: "thinking",
  aliases: ["effort"],
  arguments: "[level|default]",
  description: "show or change how hard the model thinks",
  complete: (_conversation, typed) => EFFORTS.filter((level) => level.startsWith(typed)),
  run: async (conversation, wanted, view) => {
    if (wanted !== "" && !EFFORTS.includes(wanted))
      throw usageError(`There is no effort "${wanted}". Choose one of: ${EFFORTS.join(", ")}.`);
    const now = conversation.session.config.reasoningEffort ?? "default";
    const items = EFFORTS.map((level) => ({ value: level, label: level }));
    const choice = { title: "Thinking", items, current: EFFORTS.indexOf(now) };
    const level = wanted === "" && view.choose ? await view.choose(choice) : wanted;
    if (level) conversation.setEffort(level === "default" ? undefined : level);
    view.line(`Effort: ${conversation.session.config.reasoningEffort ?? "default"}`, "dim");
  },
};

export const EFFORTS: readonly string[] = ["default", "off", "minimal", "low", "medium", "high", "xhigh", "max"];

export const modelCommands: readonly SlashCommand[] = [model, thinking];
