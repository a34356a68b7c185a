// Commands about who answers, and how hard it thinks.

import { modelsOf } from "../../models/connect.ts";
import { usageError } from "../../usage/exit.ts";
import type { Conversation } from "../conversation.ts";
import { chooseFrom } from "./choice.ts";
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

async function chosenModel(conversation: Conversation, view: CommandView): Promise<string | undefined> {
  const { offeredModels } = await import("../../models/offered.ts");
  const offered = await offeredModels(conversation.workspace, nameOf(conversation));
  const details = aligned(offered.map(({ facts, name, selector }) => [...facts, selector.endsWith(name) ? "" : name]));
  const items = offered.map(({ selector, problem }, i) => ({
    value: selector,
    label: selector,
    detail: details[i] ?? "",
    ...(problem === undefined ? {} : { disabled: problem }),
  }));
  const current = offered.findIndex(({ isCurrent }) => isCurrent);
  return chooseFrom(view, { title: "Model", items, ...(current < 0 ? {} : { current }) });
}

/** Rows of cells as lines whose columns stand below one another. */
function aligned(rows: readonly (readonly string[])[]): string[] {
  const widths = (rows[0] ?? []).map((_, column) => Math.max(...rows.map((cells) => cells[column]?.length ?? 0)));
  return rows.map((cells) =>
    cells
      .map((cell, column) => cell.padEnd(widths[column] ?? 0))
      .join("  ")
      .trimEnd(),
  );
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
