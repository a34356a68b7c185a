// A slash command as data: its name, its arguments, their completion, and what it does. Hosts list, complete and run
// commands without knowing any of them.

import { sentence } from "@lathe/agent/base";
import { messageOf } from "@lathe/llm";
import { CliError, EXIT, usageError } from "../../platform/usage/exit.ts";
import { listing, nameRoom } from "../../sessions/tables/listing.ts";
import type { Conversation } from "../conversation.ts";
import type { PromptCommand } from "../session-contract.ts";
import type { ActingCommand, CommandView } from "./command-view.ts";
import { isPath, noSuchCommand } from "./near-miss.ts";

export type SlashCommand = ActingCommand<Conversation> | PromptCommand<Conversation>;

/** A path may begin a sentence too, and pasted text with several lines is not a command. */
const COMMAND = /^\/([\w:.-]*)(?:[ \t]+(.*))?$/;

export class CommandRegistry {
  readonly #commands = new Map<string, SlashCommand>();
  #added: readonly SlashCommand[] = [];
  #loading: Promise<void> = Promise.resolve();

  constructor(commands: Iterable<SlashCommand> = []) {
    for (const command of commands) this.add(command);
  }

  /** Adds a command; one with the same name is replaced. */
  add(command: SlashCommand): void {
    this.#commands.set(command.name, command);
  }

  /**
   * Sets the commands from the session's files and extensions, replacing those of the previous session. Built-in names
   * win.
   */
  setSessionCommands(commands: Promise<readonly SlashCommand[]>): void {
    const loading = commands.then((added) => {
      if (this.#loading === loading) this.#added = added;
    });
    this.#loading = loading;
  }

  /** Resolves once every command is known. */
  get ready(): Promise<void> {
    return this.#loading;
  }

  list(): readonly SlashCommand[] {
    const brought = new Set(this.#added.map(({ name }) => name));
    const own = [...this.#commands.values()].filter(({ name, yields }) => !(yields && brought.has(name)));
    const taken = new Set(own.flatMap(({ name, aliases = [] }) => [name, ...aliases]));
    // If several commands share a name, the first one is used.
    const added = this.#added.filter(({ name }) => !taken.has(name) && taken.add(name));
    return [...own, ...added];
  }

  /** Every name that can be typed: first the commands' names, then their aliases. */
  namedCommands(): readonly { readonly name: string; readonly command: SlashCommand }[] {
    const commands = this.list();
    const own = commands.map((command) => ({ name: command.name, command }));
    const others = commands.flatMap((command) => (command.aliases ?? []).map((name) => ({ name, command })));
    return [...own, ...others];
  }

  get(name: string): SlashCommand | undefined {
    const commands = this.list();
    return (
      commands.find((command) => command.name === name) ?? commands.find(({ aliases = [] }) => aliases.includes(name))
    );
  }

  /**
   * The command that a line runs or tries to run; undefined for lines that are sent to the model: other text, paths,
   * and commands that expand to a prompt.
   */
  parse(line: string): { readonly name: string; readonly argument: string } | undefined {
    const [whole, name = "", argument = ""] = COMMAND.exec(line.trim()) ?? [];
    if (whole === undefined) return undefined;
    const command = this.get(name);
    const isRun = command ? "run" in command : !isPath(name) || name === "";
    return isRun ? { name, argument: argument.trim() } : undefined;
  }

  async run(
    conversation: Conversation,
    { name, argument }: { readonly name: string; readonly argument: string },
    view: CommandView,
  ): Promise<void> {
    await this.ready;
    const command = this.get(name);
    if (!command || !("run" in command)) {
      const names = this.namedCommands().map((one) => one.name);
      throw usageError(noSuchCommand(name, names));
    }
    if (conversation.isBusy && !command.whileWorking) throw usageError("The agent is working. Interrupt it first.");
    if (command.arguments === undefined && argument !== "")
      throw usageError(`/${name} takes no argument, but got "${argument}".`);
    try {
      await command.run(conversation, argument, view);
    } catch (error) {
      // A failed command must not end the host, whatever the reason was (a provider, the disk).
      if (error instanceof CliError) throw error;
      throw new CliError(EXIT.failed, `/${name} failed: ${sentence(messageOf(error))}`, { cause: error });
    }
  }

  /** Completions for a line being typed: command names, then values for the named command. */
  async completions(conversation: Conversation, line: string): Promise<readonly string[]> {
    const [, name = "", gap = "", typed = ""] = /^\/([\w:.-]*)(\s*)(.*)$/.exec(line) ?? [];
    if (!line.startsWith("/")) return [];
    await this.ready;
    if (gap === "")
      return this.namedCommands()
        .filter((one) => one.name.startsWith(name))
        .map((one) => `/${one.name}`);
    const values = (await this.get(name)?.complete?.(conversation, typed)) ?? [];
    return values.map((value) => `/${name} ${value}`);
  }
}

/**
 * All commands with descriptions, in two columns. Arguments stay next to the name if there is room, otherwise they
 * follow the description.
 */
export function commandHelp(commands: readonly SlashCommand[], columns?: number): string {
  const usages = commands.map(({ name, arguments: taken }) => `/${name}${taken === undefined ? "" : ` ${taken}`}`);
  const room = nameRoom(usages, columns ?? Number.POSITIVE_INFINITY);
  return listing(
    commands.map(({ name, arguments: taken, description }, i) => {
      const usage = usages[i] ?? "";
      return usage.length <= room ? [usage, description] : [`/${name}`, `${description}; takes ${taken}`];
    }),
    columns,
  );
}
