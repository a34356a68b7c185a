// Commands that choose the model and how hard it thinks.

import { PRESET } from "../../models/presets.ts";
import { usageError } from "../../platform/usage/exit.ts";
import type { Conversation } from "../conversation.ts";
import type { SlashCommand } from "./command.ts";
import type { CommandView } from "./command-view.ts";

const model: SlashCommand = {
  name: "model",
  arguments: "[provider/id[:effort]|preset/name]",
  description: "show or change the model or preset",
  complete: async ({ workspace }, typed) => {
    const models = await workspace.models();
    const { listPresets } = await import("../../models/list-presets.ts");
    const presets = listPresets(models).filter(({ missing }) => missing.length === 0);
    return [
      ...models.registry.available().map(({ provider, id }) => `${provider}/${id}`),
      ...presets.map(({ name }) => PRESET + name),
    ].filter((selector) => selector.startsWith(typed));
  },
  run: async (conversation, selector, view) => {
    const chosen = selector === "" && view.choose ? await chooseModel(conversation, view) : selector;
    if (chosen?.startsWith(PRESET)) await switchPreset(conversation, chosen.slice(PRESET.length), view);
    else if (chosen !== undefined && chosen !== "") await conversation.switchModel(chosen);
    view.line(`Model: ${nameOf(conversation)}`, "dim");
  },
};

async function chooseModel(conversation: Conversation, view: CommandView): Promise<string | undefined> {
  const { chooseModelOrPreset } = await import("./model-choice.ts");
  return chooseModelOrPreset(conversation.workspace, nameOf(conversation), view);
}

async function switchPreset(conversation: Conversation, name: string, view: CommandView): Promise<void> {
  const { usePreset } = await import("../../models/use-preset.ts");
  const { mapping } = await usePreset(conversation.workspace, name);
  if (mapping["default"] !== undefined) await conversation.switchModel(mapping["default"]);
  const { rolesText } = await import("../../models/list-presets.ts");
  view.line(`Preset ${name}: ${rolesText(mapping)}`, "dim");
}

const nameOf = ({ session: { profile } }: Conversation): string => `${profile.provider ?? profile.id}/${profile.model}`;

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
    if (level) conversation.setEffort(level === "default" ? await ownLevel(conversation) : level);
    view.line(`Effort: ${conversation.session.config.reasoningEffort ?? "default"}`, "dim");
  },
};

/** The level that models.yml sets for the model; undefined: the vendor's default. */
const ownLevel = async ({ workspace, model: { provider, id } }: Conversation): Promise<string | undefined> =>
  (await workspace.models()).registry.configuredLevel(provider, id);

export const EFFORTS: readonly string[] = ["default", "off", "minimal", "low", "medium", "high", "xhigh", "max"];

export const modelCommands: readonly SlashCommand[] = [model, thinking];
