// Slash commands in an editor: those that expand to a prompt, and those built-in ones that stay in the session and need
// no screen.

import type { AvailableCommand } from "@agentclientprotocol/sdk/unstable";
import { builtinCommands } from "../../conversation/commands/builtin.ts";
import type { CommandRegistry } from "../../conversation/commands/command.ts";
import type { CommandView } from "../../conversation/commands/command-view.ts";
import type { Conversation } from "../../conversation/conversation.ts";

/**
 * Built-in commands to offer. Editors have their own way to choose a session, a model and a mode, and no screen to draw
 * on.
 */
export const OFFERED: ReadonlySet<string> = new Set([
  "agents",
  "compact",
  "context",
  "cost",
  "diff",
  "jobs",
  "redo",
  "review",
  "rewind",
  "status",
  "todo",
  "uncompact",
  "undo",
]);

export class EditorCommands {
  readonly #conversation: Conversation;
  readonly #registry: CommandRegistry = builtinCommands();

  constructor(conversation: Conversation) {
    this.#conversation = conversation;
  }

  async list(): Promise<AvailableCommand[]> {
    this.#registry.setSessionCommands(this.#conversation.open.parts.commands());
    await this.#registry.ready;
    return this.#registry
      .list()
      .filter((command) => "expand" in command || OFFERED.has(command.name))
      .map(({ name, description, arguments: hint }) => ({
        name,
        description,
        ...(hint === undefined ? {} : { input: { hint } }),
      }));
  }

  /** What the command printed; undefined if the line is not one of the offered commands. */
  async run(line: string): Promise<string | undefined> {
    await this.list();
    const parsed = this.#registry.parse(line);
    if (!parsed || !OFFERED.has(this.#registry.get(parsed.name)?.name ?? "")) return undefined;
    const lines: string[] = [];
    await this.#registry.run(this.#conversation, parsed, viewInto(lines));
    return lines.join("\n");
  }
}

/** Questions get no answer: the command then prints which arguments it takes. */
const viewInto = (lines: string[]): CommandView => ({
  line: (text) => void lines.push(text),
  ask: async () => undefined,
  showPast: async () => {},
  prefill: (text) => void lines.push(text),
  leave: () => {},
});
