// Extensions as an addition to sessions. They are loaded once for a workspace and stay while one session follows another.

import type { Workspace } from "../../config/workspace/workspace.ts";
import type { AdditionMaker, SessionPart } from "../../conversation/session-contract.ts";
import { ExtensionHost } from "./host.ts";

interface Shared {
  readonly host: Promise<ExtensionHost>;
  sessions: number;
}

/** By the settings, which a workspace keeps when folders are added to it. */
const hosts = new WeakMap<Workspace["settings"], Shared>();

/** Loads the extensions of a workspace, unless they are loaded. */
export function loadExtensions(workspace: Workspace): Shared {
  const { settings } = workspace;
  const shared = hosts.get(settings) ?? { host: ExtensionHost.load(workspace), sessions: 0 };
  hosts.set(settings, shared);
  return shared;
}

/** Ends those that were loaded and that no session has used. */
export async function endUnused({ settings }: Workspace): Promise<void> {
  const shared = hosts.get(settings);
  if (!shared || shared.sessions > 0) return;
  hosts.delete(settings);
  await (await shared.host).close();
}

export const extensionAddition: AdditionMaker = async (workspace, request) => {
  const { settings } = workspace;
  const shared = loadExtensions(workspace);
  shared.sessions++;
  const host = await shared.host;
  host.workIn(workspace);
  const screen = request.person?.extensionUi;
  if (screen) host.useScreen(screen);
  const addition: SessionPart = {
    name: "extensions",
    middleware: [host.middleware],
    toolProviders: [host],
    commands: async () => host.commands(),
    opened: (open, arrival) => {
      host.onReload = () => addition.onCommands?.();
      return host.attach(open, arrival);
    },
    reload: () => host.reload(),
    closing: () => (shared.sessions > 1 ? host.settled() : host.shutDown()),
    close: async () => {
      shared.sessions--;
      if (shared.sessions > 0) return;
      hosts.delete(settings);
      await host.close();
    },
  };
  return addition;
};
