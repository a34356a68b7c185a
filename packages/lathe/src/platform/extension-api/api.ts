// What an extension is, and what it can add.

import type { ExtensionCommandContext, ExtensionContext, ExtensionExec, ExtensionStorage } from "./context.ts";
import type { ExtensionEventName, ExtensionHandler } from "./events.ts";
import type { ExtensionProvider } from "./provider.ts";
import type { ExtensionEntryRenderer, ExtensionTheme } from "./rendering.ts";
import type { CustomTool } from "./tool.ts";

/** The default export of an extension or a module hook. It runs once, when Lathe starts or reads its extensions again. */
export type Extension = (api: ExtensionApi) => void | Promise<void>;

/** What an extension adds to Lathe. Everything it adds is gone when the extension is turned off or reloaded. */
export interface ExtensionApi {
  /** Name of this extension: that of its file or folder. */
  readonly name: string;
  /** Folder that the agent works in. */
  readonly cwd: string;
  /** Calls the handler whenever the event happens, in the order in which handlers were added. */
  on<Name extends ExtensionEventName>(event: Name, handler: ExtensionHandler<Name>): void;
  /** A tool that the model can call. Its name must be free. */
  registerTool(tool: CustomTool): void;
  /** A slash command. */
  registerCommand(name: string, command: ExtensionCommand): void;
  /** An option of the command line: `--name`, or `--name value` when it takes one. */
  registerFlag(name: string, flag: ExtensionFlag): void;
  /** What the option was set to; its default when it was not given. */
  getFlag(name: string): string | boolean | undefined;
  /** A key at the terminal, such as `ctrl+shift+k`. Keys that Lathe uses itself cannot be taken. */
  registerShortcut(key: string, shortcut: ExtensionShortcut): void;
  /** How entries of this kind look in the transcript; see `appendEntry` and `sendMessage`. */
  registerMessageRenderer(kind: string, render: ExtensionEntryRenderer): void;
  /** Models of a provider that Lathe does not know. */
  registerProvider(name: string, provider: ExtensionProvider): void;
  /** A theme that can be chosen with `/theme`. */
  registerTheme(theme: ExtensionTheme): void;
  /** Runs a program. It is ended with the session at the latest. */
  readonly exec: ExtensionExec;
  /** Small values that are kept from one run to the next, for this extension only. */
  readonly storage: ExtensionStorage;
}

/** The default export of a file in `tools/`. */
export type CustomToolFactory = (
  api: Pick<ExtensionApi, "name" | "cwd" | "exec" | "storage">,
) => CustomTool | readonly CustomTool[] | Promise<CustomTool | readonly CustomTool[]>;

/** A slash command of an extension. */
export interface ExtensionCommand {
  /** For `/help` and the completion. */
  readonly description: string;
  /** What it takes, as help shows it: `<file>`. */
  readonly arguments?: string | undefined;
  /** Values that begin with what was typed. */
  complete?(typed: string): readonly string[] | Promise<readonly string[]>;
  /** A returned text is sent to the model in place of the command; without one the command has done everything itself. */
  run(
    argument: string,
    context: ExtensionCommandContext,
  ): // biome-ignore lint/suspicious/noConfusingVoidType: a command need not return anything
  string | undefined | void | Promise<string | undefined | void>;
}

/** An option of the command line. */
export interface ExtensionFlag {
  readonly description: string;
  /** `string`: it takes a value. */
  readonly type: "boolean" | "string";
  readonly default?: string | boolean | undefined;
}

/** What a key does. */
export interface ExtensionShortcut {
  readonly description: string;
  run(context: ExtensionContext): void | Promise<void>;
}
