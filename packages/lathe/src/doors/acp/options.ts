// What users can choose in a session from their editor: permission mode, model and effort.

import type { SessionConfigOption, SessionModeState } from "@agentclientprotocol/sdk/unstable";
import { PERMISSION_MODES, type PermissionMode } from "@lathe/agent/policy";
import { clampLevel } from "@lathe/llm";
import type { Conversation } from "../../conversation/conversation.ts";
import { levelsOf, thinkingLevel } from "../../hosts/rpc/handle-model.ts";
import { ModelList } from "../../hosts/rpc/models.ts";
import { usageError } from "../../platform/usage/exit.ts";

const MODES: Readonly<Record<PermissionMode, { readonly name: string; readonly description: string }>> = {
  "read-only": { name: "Read only", description: "Changes nothing and runs nothing" },
  ask: { name: "Ask", description: "Asks before each change and command" },
  "auto-edit": { name: "Auto edit", description: "Edits files of the project; asks before commands" },
  full: { name: "Full", description: "Runs everything without asking" },
  plan: { name: "Plan", description: "Reads and plans, then asks to carry the plan out" },
};

export function modesOf({ permissions }: Conversation): SessionModeState {
  return {
    currentModeId: permissions.mode,
    availableModes: PERMISSION_MODES.map((id) => ({ id, ...MODES[id] })),
  };
}

export function setMode(conversation: Conversation, modeId: string): void {
  const mode = PERMISSION_MODES.find((one) => one === modeId);
  if (!mode) throw usageError(`There is no mode "${modeId}". Choose one of: ${PERMISSION_MODES.join(", ")}.`);
  conversation.setPermissionMode(mode);
}

export class ConfigOptions {
  readonly #conversation: Conversation;
  readonly #models: ModelList;

  constructor(conversation: Conversation, scope: string | undefined) {
    this.#conversation = conversation;
    this.#models = new ModelList(() => conversation.workspace, scope);
  }

  async list(): Promise<SessionConfigOption[]> {
    const { model, permissions } = this.#conversation;
    const rows = await this.#models.list(model);
    const levels = levelsOf(model) ?? [];
    const current = thinkingLevel(this.#conversation);
    return [
      {
        type: "select",
        id: "mode",
        name: "Permissions",
        category: "mode",
        currentValue: permissions.mode,
        options: PERMISSION_MODES.map((value) => ({ value, ...MODES[value] })),
      },
      {
        type: "select",
        id: "model",
        name: "Model",
        category: "model",
        currentValue: `${model.provider}/${model.id}`,
        options: rows.map(({ provider, id, name }) => ({ value: `${provider}/${id}`, name, description: provider })),
      },
      ...(levels.length === 0
        ? []
        : [
            {
              type: "select" as const,
              id: "effort",
              name: "Effort",
              category: "thought_level",
              currentValue: current,
              options: [...new Set([...levels, current])].map((value) => ({ value, name: value })),
            },
          ]),
    ];
  }

  async set(configId: string, value: string | boolean): Promise<void> {
    const option = (await this.list()).find(({ id }) => id === configId);
    if (option?.type !== "select")
      throw usageError(`There is no option "${configId}". Choose one of: mode, model, effort.`);
    const values = option.options.flatMap((one) => ("value" in one ? [one.value] : []));
    if (typeof value !== "string" || !values.includes(value))
      throw usageError(`"${String(value)}" is no value of "${configId}". Choose one of: ${values.join(", ")}.`);
    if (configId === "mode") setMode(this.#conversation, value);
    else if (configId === "model") await this.#setModel(value);
    else this.#conversation.setEffort(clampLevel(this.#conversation.model.info?.thinking, value as never));
  }

  async #setModel(selector: string): Promise<void> {
    const effort = this.#conversation.session.config.reasoningEffort;
    await this.#conversation.switchModel(effort === undefined ? selector : `${selector}:${effort}`);
  }
}
