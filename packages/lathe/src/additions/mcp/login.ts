// Signs in to a server and out of it, from a command or a conversation: shows the address and takes a pasted one.

import type { Workspace } from "../../config/workspace/workspace.ts";
import type { CommandView } from "../../conversation/commands/command-view.ts";
import { CliError, EXIT, usageError } from "../../platform/usage/exit.ts";
import { signInDeps } from "./configs.ts";
import type { ServerConfig } from "./types.ts";

/** How long the user has to sign in with a browser. */
const PATIENCE_MS = 10 * 60_000;

/**
 * Signs in during a conversation. The question stays until the sign-in ends: dismissing it cancels, and an address can
 * be pasted into it.
 */
export async function logInTo(
  config: ServerConfig,
  workspace: Workspace,
  view: Pick<CommandView, "line" | "ask">,
  scope?: string,
): Promise<void> {
  const givenUp = new AbortController();
  async function* pastedLines(signal: AbortSignal): AsyncIterable<string> {
    while (!signal.aborted) {
      const line = await view.ask(`Signing in to ${config.name}. Address to paste, if any:`, signal);
      if (line === undefined && !signal.aborted) givenUp.abort();
      if (line === undefined) return;
      yield line;
    }
  }
  await logIn(config, workspace, {
    show: (line) => view.line(line),
    signal: givenUp.signal,
    pastedLines: pastedLines,
    scope,
  });
}

export interface LoginPlace {
  show(line: string): void;
  readonly signal: AbortSignal;
  /** The additional scope that the server asked for. */
  readonly scope?: string | undefined;
  readonly pastedLines?: (signal: AbortSignal) => AsyncIterable<string>;
}

export async function logIn(
  config: ServerConfig,
  workspace: Workspace,
  { show, ...waiting }: LoginPlace,
): Promise<void> {
  requireSignIn(config);
  const { signInTo } = await import("./with-package.ts");
  try {
    await signInTo(config, signInDeps(workspace, config), {
      ...waiting,
      patienceMs: PATIENCE_MS,
      open: (url) => {
        show(`Open ${url}\nWaiting for you to sign in with your browser.`);
        if (waiting.pastedLines)
          show(
            "If the browser is on another machine and ends at a page it cannot open, paste that page's address here.",
          );
      },
    });
  } catch (error) {
    if (error instanceof CliError) throw error;
    throw new CliError(EXIT.provider, `Signing in to ${config.name} failed: ${(error as Error).message}`, {
      cause: error,
    });
  }
}

export async function logOutOf(config: ServerConfig, workspace: Workspace): Promise<string> {
  requireSignIn(config);
  const { signOutOf } = await import("./with-package.ts");
  const wasThere = await signOutOf(config, signInDeps(workspace, config));
  return wasThere ? `Signed out of ${config.name}.` : `There was no sign-in for ${config.name}.`;
}

function requireSignIn({ name, transport, oauth }: ServerConfig): void {
  if (transport === "stdio" || oauth === false) throw usageError(`${name} does not use a sign-in.`);
}
