// Extensions as an addition to sessions.

import type { AdditionMaker, SessionPart } from "../../conversation/session-contract.ts";
import type { ExtensionHosts } from "./extension-hosts.ts";

export const extensionAddition =
  (hosts: ExtensionHosts): AdditionMaker =>
  async (workspace, request) => {
    const host = await hosts.enter(workspace);
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
      closing: () => (hosts.isLast(workspace) ? host.shutDown() : host.flush()),
      close: () => hosts.leave(workspace),
    };
    return addition;
  };
