// A slash command as data: its name, what it takes, how that is completed, and what it does. Hosts list, complete and run
// commands without knowing any of them.

import type { InputContent, Session } from "@lathe/agent";
import { sentence } from "@lathe/agent/base";
import { messageOf } from "@lathe/llm";
import { CliError, EXIT, type ExitCode, usageError } from "../../platform/usage/exit.ts";
import { listing, nameRoom } from "../../sessions/tables/listing.ts";
import type { Conversation } from "../conversation.ts";
import type { OpenSession } from "../open-session.ts";
import type { Choice } from "./choice.ts";
import { nearMiss } from "./near-miss.ts";

/** What a command may do besides changing the conversation. */
export interface CommandView {
  /** Width of the screen; absent where lines have no limit. */
  readonly columns?: number;
  line(text: string, style?: "dim" | "yellow"): void;
  /** One line of text; undefined when the person gave up, or the signal did. */
  ask(question: string, signal?: AbortSignal): Promise<string | undefined>;
  /** The same for a secret: nobody who looks at the screen can read it. Absent: none can be typed here. */
  askSecret?(question: string): Promise<string | undefined>;
  /** A list to choose from, where the host can draw one; else `chooseFrom` asks by number. */
  choose?<T>(choice: Choice<T>): Promise<T | undefined>;
  /** Text that may be longer than the screen. Absent: it is printed. */
  page?(title: string, text: string): void;
  /** A unified diff that may be longer than the screen. Absent: it is printed. */
  pageDiff?(title: string, diff: string): void;
  /** The agents of the session, where the host can draw them. Absent: they are listed. */
  showAgents?(): void;
  /** Puts text on the clipboard. */
  copy?(text: string): void;
  /** Says something in the person's name, as if it were typed. Absent: the command waits for the answer. */
  submit?(text: string): void;
  /** Shows the end of a resumed session. */
  showPast(session: Session): Promise<void>;
  /** Puts text before the person, to be edited and sent. */
  prefill(text: string): void;
  /** Ends the host. */
  leave(code: ExitCode): void;
}

/** What every command says of itself. */
interface CommandHead {
  readonly name: string;
  readonly aliases?: readonly string[];
  /** As help shows them, such as `[provider/id]`. */
  readonly arguments?: string;
  readonly description: string;
  /** May run while the agent works. */
  readonly whileWorking?: boolean;
  /** What is typed after it is meant for its questions, and must not be sent to a model. */
  readonly takesSecrets?: boolean;
  /** Only until the session brings a command of this name. */
  readonly yields?: boolean;
  /** Values that begin with what was typed. */
  complete?(conversation: Conversation, typed: string): Promise<readonly string[]> | readonly string[];
}

/** Does something for the person, in hosts that have one. */
interface ActingCommand extends CommandHead {
  run(conversation: Conversation, argument: string, view: CommandView): Promise<void> | void;
}

/** Stands for a text: what it gives is sent in the place of the line, by every host, also while the agent works. */
export interface PromptCommand extends CommandHead {
  /** Runs code instead of giving a text: it is no steering and cannot wait in a queue. */
  readonly acts?: boolean;
  /** Undefined: the command has done its work, and nothing is sent. */
  expand(argument: string, open: OpenSession): Promise<InputContent | undefined> | InputContent | undefined;
}

export type SlashCommand = ActingCommand | PromptCommand;

/** A path may begin a sentence as well, and a pasted text is no command. */
const COMMAND = /^\/([\w:.-]*)(?:[ \t]+(.*))?$/;

export class CommandRegistry {
  readonly #commands = new Map<string, SlashCommand>();
  #added: readonly SlashCommand[] = [];
  #loading: Promise<void> = Promise.resolve();

  constructor(commands: Iterable<SlashCommand> = []) {
    for (const command of commands) this.add(command);
  }

  /** Registering a name again replaces the command. */
  add(command: SlashCommand): void {
    this.#commands.set(command.name, command);
  }

  /** What the present session's files and extensions bring, in place of what the last one's did. The built-in names stay. */
  setAdded(commands: Promise<readonly SlashCommand[]>): void {
    const loading = commands.then((added) => {
      if (this.#loading === loading) this.#added = added;
    });
    this.#loading = loading;
  }

  /** Every command is known. */
  get ready(): Promise<void> {
    return this.#loading;
  }

  list(): readonly SlashCommand[] {
    const brought = new Set(this.#added.map(({ name }) => name));
    const own = [...this.#commands.values()].filter(({ name, yields }) => !(yields && brought.has(name)));
    const taken = new Set(own.flatMap(({ name, aliases = [] }) => [name, ...aliases]));
    // Of those with the same name the first is used.
    const added = this.#added.filter(({ name }) => !taken.has(name) && taken.add(name));
    return [...own, ...added];
  }

  /** Every name that can be typed: those of the commands, then their aliases. */
  named(): readonly { readonly name: string; readonly command: SlashCommand }[] {
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
   * The command that a line runs, or was probably meant to run; undefined for what is sent: other text, and commands that stand for
   * a text. `/` and a word that is no command may be a path, or mean something to the model.
   */
  parse(line: string): { readonly name: string; readonly argument: string } | undefined {
    const [whole, name = "", argument = ""] = COMMAND.exec(line.trim()) ?? [];
    if (whole === undefined) return undefined;
    const command = this.get(name);
    const isRun = command ? "run" in command : name === "" || this.#meant(name) !== undefined;
    return isRun ? { name, argument: argument.trim() } : undefined;
  }

  #meant(name: string): string | undefined {
    return nearMiss(
      name,
      this.named().map((one) => one.name),
    );
  }

  async run(
    conversation: Conversation,
    { name, argument }: { readonly name: string; readonly argument: string },
    view: CommandView,
  ): Promise<void> {
    await this.ready;
    const command = this.get(name);
    if (!command || !("run" in command)) {
      const meant = this.#meant(name);
      throw usageError(`There is no /${name}. ${meant === undefined ? "See /help." : `Did you mean /${meant}?`}`);
    }
    if (conversation.isBusy && !command.whileWorking) throw usageError("The agent is working. Interrupt it first.");
    if (command.arguments === undefined && argument !== "")
      throw usageError(`/${name} takes no argument, but got "${argument}".`);
    try {
      await command.run(conversation, argument, view);
    } catch (error) {
      // Hosts go on after a command that failed, whatever the reason was (a provider, the disk).
      if (error instanceof CliError) throw error;
      throw new CliError(EXIT.failed, `/${name} failed: ${sentence(messageOf(error))}`, { cause: error });
    }
  }

  /** Completions of a line that is being typed: names of commands, then values of the one that was named. */
  async completions(conversation: Conversation, line: string): Promise<readonly string[]> {
    const [, name = "", gap = "", typed = ""] = /^\/([\w:.-]*)(\s*)(.*)$/.exec(line) ?? [];
    if (!line.startsWith("/")) return [];
    await this.ready;
    if (gap === "")
      return this.named()
        .filter((one) => one.name.startsWith(name))
        .map((one) => `/${one.name}`);
    const values = (await this.get(name)?.complete?.(conversation, typed)) ?? [];
    return values.map((value) => `/${name} ${value}`);
  }
}

/** Every command and what it does, in two columns. What it takes stands beside its name if there is room, else after its description. */
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
