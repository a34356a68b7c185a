// Loads one file and lets it register what it adds: extensions and hooks register through the API, a tool file by the
// tools that its factory returns.

import type { ExtensionFlag } from "../../platform/extension-api/api.ts";
import type { CustomTool, ExtensionApi } from "../../platform/extension-api/index.ts";
import { ExtensionError } from "./errors.ts";
import { runAsLathe } from "./guard/current.ts";
import { loadExtension } from "./load.ts";
import { piApi } from "./pi-api.ts";
import type { RunningExtension } from "./running.ts";
import type { ExtensionTools } from "./tools-for-extensions.ts";

export interface StartParts {
  readonly tools: ExtensionTools;
  readonly cwd: string;
  readonly cacheFolder: string;
  /** The value of an option from the command line. */
  readonly flag: (name: string, spec: ExtensionFlag | undefined) => string | boolean | undefined;
}

/** Throws an error of one line that names the file or the extension. */
export async function startExtension(extension: RunningExtension, parts: StartParts): Promise<void> {
  const { file, kind, dialect } = extension.source;
  const exports = await loadExtension(file, {
    cacheFolder: parts.cacheFolder,
    deadlineMs: extension.timeoutMs,
    run: (work) => extension.runNow(work),
  });
  const factory = exports["default"];
  if (typeof factory !== "function")
    throw new ExtensionError(file, `The default export of ${file} is not a function. See docs/extensions.md.`);
  const own = apiFor(extension, parts);
  const api = dialect === "pi" ? piApi(own) : own;
  if (kind !== "tool") return void (await extension.call("its factory", () => factory(api)));
  const made: unknown = await extension.call("its factory", () => factory(api));
  const tools = Array.isArray(made) ? made : [made];
  extension.callNow("its factory", () => {
    for (const tool of tools) extension.added.tool(tool as CustomTool);
  });
}

function apiFor({ name, added }: RunningExtension, { tools, cwd, flag: value }: StartParts): ExtensionApi {
  const exec = tools.execFor(undefined);
  return {
    name,
    cwd,
    storage: tools.storage,
    exec: (command, args, options) => runAsLathe(() => exec(command, args, options)),
    on: (event, handler) => added.on(event, handler),
    registerTool: (tool) => added.tool(tool),
    registerCommand: (command, spec) => added.command(command, spec),
    registerFlag: (flag, spec) => added.flag(flag, spec),
    getFlag: (flag) => value(flag, added.flags.get(flag)) ?? added.flags.get(flag)?.default,
    registerShortcut: (key, shortcut) => added.shortcut(key, shortcut),
    registerMessageRenderer: (kind, render) => added.renderer(kind, render),
    registerProvider: (provider, spec) => added.provider(provider, spec),
    registerTheme: (theme) => added.theme(theme),
  };
}
