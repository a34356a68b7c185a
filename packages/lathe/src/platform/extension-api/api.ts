// The interface of an extension.

import type { ExtensionCommandContext, ExtensionContext, ExtensionExec, ExtensionStorage } from "./context.ts";
import type { ExtensionEventName, ExtensionHandler } from "./events.ts";
import type { ExtensionProvider } from "./provider.ts";
import type { ExtensionEntryRenderer, ExtensionTheme } from "./rendering.ts";
import type { CustomTool } from "./tool.ts";

/** The default export of an extension or a module hook. It runs once, when Lathe starts or reloads its extensions. */
export type Extension = (api: ExtensionApi) => void | Promise<void>;

/** Adds things to Lathe. Everything an extension adds is gone when it is turned off or reloaded. */
export interface ExtensionApi {
  /** Name of this extension: the name of its file or folder. */
  readonly name: string;
  /** Folder that the agent works in. */
  readonly cwd: string;
  /** Calls the handler whenever the event happens, in the order in which handlers were added. */
  on<Name extends ExtensionEventName>(event: Name, handler: ExtensionHandler<Name>): void;
  /** Adds a tool that the model can call. Its name must be free. */
  registerTool(tool: CustomTool): void;
  /** Adds a slash command. */
  registerCommand(name: string, command: ExtensionCommand): void;
  /** Adds a command-line option: `--name`, or `--name value` if it takes a value. */
  registerFlag(name: string, flag: ExtensionFlag): void;
  /** The value the option was set to, or its default. */
  getFlag(name: string): string | boolean | undefined;
  /** Adds a key binding for the terminal, such as `ctrl+shift+k`. Keys that Lathe itself uses cannot be taken. */
  registerShortcut(key: string, shortcut: ExtensionShortcut): void;
  /** Sets how entries of this kind look in the transcript; see `appendEntry` and `sendMessage`. */
  registerMessageRenderer(kind: string, render: ExtensionEntryRenderer): void;
  /** Adds the models of a provider that Lathe does not know. */
  registerProvider(name: string, provider: ExtensionProvider): void;
  /** Adds a theme that the user can choose with `/theme`. */
  registerTheme(theme: ExtensionTheme): void;
  /** Runs a program. Lathe ends it with the session at the latest. */
  readonly exec: ExtensionExec;
  /** Small values of this extension that are kept between runs. */
  readonly storage: ExtensionStorage;
}

/** The default export of a file in `tools/`. */
export type CustomToolFactory = (
  api: Pick<ExtensionApi, "name" | "cwd" | "exec" | "storage">,
) => CustomTool | readonly CustomTool[] | Promise<CustomTool | readonly CustomTool[]>;

/** A slash command of an extension. */
export interface ExtensionCommand {
  /** Shown in `/help` and in completions. */
  readonly description: string;
  /** The arguments as help shows them: `<file>`. */
  readonly arguments?: string | undefined;
  /** Completions that begin with the typed text. */
  complete?(typed: string): readonly string[] | Promise<readonly string[]>;
  /**
   * A returned text is sent to the model instead of the command. If nothing is returned, the command has done
   * everything itself.
   */
  run(
    argument: string,
    context: ExtensionCommandContext,
  ): // biome-ignore lint/suspicious/noConfusingVoidType: a command need not return anything
  string | undefined | void | Promise<string | undefined | void>;
}

/** A command-line option. */
export interface ExtensionFlag {
  readonly description: string;
  /** `string` means that the option takes a value. */
  readonly type: "boolean" | "string";
  readonly default?: string | boolean | undefined;
}

/** A key binding. */
export interface ExtensionShortcut {
  readonly description: string;
  run(context: ExtensionContext): void | Promise<void>;
}
