// Everything that one extension has added, by kind, with checks that tell its author in one line what cannot be added.

import { EXTENSION_EVENTS } from "../../platform/extension-api/event-names.ts";
import type {
  CustomTool,
  ExtensionCommand,
  ExtensionEntryRenderer,
  ExtensionEventName,
  ExtensionFlag,
  ExtensionHandler,
  ExtensionProvider,
  ExtensionShortcut,
  ExtensionTheme,
} from "../../platform/extension-api/index.ts";

export type AnyHandler = ExtensionHandler<ExtensionEventName>;

export class Registrations {
  readonly handlers = new Map<ExtensionEventName, AnyHandler[]>();
  readonly tools: CustomTool[] = [];
  readonly commands = new Map<string, ExtensionCommand>();
  readonly flags = new Map<string, ExtensionFlag>();
  readonly shortcuts = new Map<string, ExtensionShortcut>();
  readonly renderers = new Map<string, ExtensionEntryRenderer>();
  readonly providers = new Map<string, ExtensionProvider>();
  readonly themes: ExtensionTheme[] = [];

  on(event: string, handler: unknown): void {
    if (!Object.hasOwn(EXTENSION_EVENTS, event))
      throw new Error(`there is no event "${event}". See docs/extensions.md`);
    mustBeFunction(`the handler of ${event}`, handler);
    const name = event as ExtensionEventName;
    this.handlers.set(name, [...(this.handlers.get(name) ?? []), handler as AnyHandler]);
  }

  tool(tool: CustomTool): void {
    mustBeObject("a tool", tool);
    mustBeText("the name of a tool", tool.name);
    mustBeText(`the description of the tool ${tool.name}`, tool.description);
    mustBeObject(`the parameters of the tool ${tool.name}`, tool.parameters);
    mustBeFunction(`execute of the tool ${tool.name}`, tool.execute);
    if (this.tools.some(({ name }) => name === tool.name)) throw new Error(`the tool ${tool.name} was added twice`);
    this.tools.push(tool);
  }

  command(name: string, command: ExtensionCommand): void {
    if (!/^[\w-]+$/.test(name)) throw new Error(`"${name}" cannot name a command: use letters, digits, _ and -`);
    mustBeObject(`the command ${name}`, command);
    mustBeText(`the description of the command ${name}`, command.description);
    mustBeFunction(`run of the command ${name}`, command.run);
    this.commands.set(name, command);
  }

  flag(name: string, flag: ExtensionFlag): void {
    if (!/^[a-z][a-z0-9-]+$/.test(name)) throw new Error(`"${name}" cannot name an option: use letters, digits, -`);
    mustBeObject(`the option ${name}`, flag);
    mustBeText(`the description of the option ${name}`, flag.description);
    if (flag.type !== "boolean" && flag.type !== "string")
      throw new Error(`the type of the option ${name} must be "boolean" or "string"`);
    this.flags.set(name, flag);
  }

  shortcut(key: string, shortcut: ExtensionShortcut): void {
    mustBeText("the key of a shortcut", key);
    mustBeFunction(`run of the shortcut ${key}`, shortcut?.run);
    this.shortcuts.set(key, shortcut);
  }

  renderer(kind: string, render: ExtensionEntryRenderer): void {
    mustBeText("the kind of an entry", kind);
    mustBeFunction(`the renderer of ${kind}`, render);
    this.renderers.set(kind, render);
  }

  provider(name: string, provider: ExtensionProvider): void {
    if (!/^[a-z][a-z0-9-]*$/.test(name)) throw new Error(`"${name}" cannot name a provider: use letters, digits, -`);
    mustBeObject(`the provider ${name}`, provider);
    if (!Array.isArray(provider.models) || provider.models.length === 0)
      throw new Error(`the provider ${name} has no models`);
    if (provider.baseUrl === undefined && provider.stream === undefined)
      throw new Error(`the provider ${name} needs a baseUrl, or stream()`);
    this.providers.set(name, provider);
  }

  theme(theme: ExtensionTheme): void {
    mustBeObject("a theme", theme);
    mustBeText("the name of a theme", theme.name);
    mustBeObject(`the colors of the theme ${theme.name}`, theme.colors);
    this.themes.push(theme);
  }
}

function mustBeFunction(what: string, value: unknown): void {
  if (typeof value !== "function") throw new Error(`${what} must be a function`);
}
function mustBeObject(what: string, value: unknown): void {
  if (typeof value !== "object" || value === null) throw new Error(`${what} must be an object`);
}
function mustBeText(what: string, value: unknown): void {
  if (typeof value !== "string" || value.trim() === "") throw new Error(`${what} must be a text`);
}
