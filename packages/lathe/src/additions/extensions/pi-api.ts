// The registration API in the form that extensions for pi expect: commands and keys have a `handler`, and tools get
// their arguments one by one.

import type {
  CustomTool,
  ExtensionApi,
  ExtensionCommand,
  ExtensionShortcut,
} from "../../platform/extension-api/index.ts";

interface PiTool extends Omit<CustomTool, "execute"> {
  execute(...call: unknown[]): ReturnType<CustomTool["execute"]>;
}

const withRun = <T extends { readonly run?: unknown }>(spec: T): T => {
  const { handler } = spec as { readonly handler?: unknown };
  return spec.run === undefined && handler !== undefined ? { ...spec, run: handler } : spec;
};

export const piApi = (api: ExtensionApi): ExtensionApi => ({
  ...api,
  registerCommand: (name, command: ExtensionCommand) => api.registerCommand(name, withRun(command)),
  registerShortcut: (key, shortcut: ExtensionShortcut) => api.registerShortcut(key, withRun(shortcut)),
  registerTool: (tool) => {
    const { execute } = tool as unknown as PiTool;
    api.registerTool({
      ...tool,
      execute: ({ toolCallId, input, signal, onUpdate, context }) => {
        const update = (partial: { readonly content?: readonly { readonly text?: string }[] }): void =>
          onUpdate((partial.content ?? []).map(({ text = "" }) => text).join(""));
        return execute.call(tool, toolCallId, input, signal, update, context);
      },
    });
  },
});
