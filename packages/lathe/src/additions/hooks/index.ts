// Command hooks as an addition to a session: found through discovery, run at the seams, at its start and its end.

import type { SessionEvent } from "@lathe/agent";
import type { Workspace } from "../../config/workspace/workspace.ts";
import type { SessionAddition } from "../../conversation/additions.ts";
import type { OpenSession, SessionRequest } from "../../conversation/open-session.ts";
import { discoveryOf } from "../../found/discovery/discovery.ts";
import { CommandHooks, readHooks } from "./command-hooks.ts";
import { hookMiddleware } from "./middleware.ts";
import { programFiles } from "./program-files.ts";

/** A session that ends does not wait longer for its hooks. */
const AT_END_MS = 10_000;
/** Our modes in the words that hooks know. */
const MODES: Readonly<Record<string, string>> = {
  "read-only": "plan",
  plan: "plan",
  ask: "default",
  "auto-edit": "acceptEdits",
  full: "bypassPermissions",
};

export async function hooksFor(workspace: Workspace, request: SessionRequest): Promise<SessionAddition | undefined> {
  const { active } = await discoveryOf(workspace).of("hook");
  const { hooks: list, warnings } = readHooks(active);
  if (list.length === 0 && warnings.length === 0) return undefined;
  // What programs answer is in no recording.
  if (request.tape) return undefined;
  let open: OpenSession | undefined;
  let started: Promise<string | undefined> | undefined;
  const never = new AbortController().signal;
  const tell = (message: string): void => open?.session.warn(message, "hook");
  const hooks = new CommandHooks(list, {
    workspace,
    tell,
    common: () => ({
      session_id: request.opened.journal.header.id,
      transcript_path: request.opened.path ?? "",
      cwd: workspace.cwd,
      permission_mode: MODES[open?.permissions.mode ?? ""] ?? "default",
    }),
  });
  const start = async (source: "startup" | "resume" | "clear" | "compact"): Promise<string | undefined> => {
    const { context } = await hooks.run({
      event: "SessionStart",
      names: [source],
      fields: () => ({ source }),
      signal: never,
    });
    return context;
  };
  /** A person is waited for, or older talk has been replaced. */
  const follow = (event: SessionEvent): void => {
    if (event.kind === "approval_request") {
      const message = `Lathe needs your permission: ${event.data.summary}`;
      void hooks.run({
        event: "Notification",
        fields: () => ({ message, notification_type: "permission_prompt" }),
        signal: never,
      });
    }
    if (event.kind === "compaction_end" && event.data.error === undefined && hooks.has("SessionStart"))
      started = start("compact");
  };
  return {
    name: "hooks",
    middleware: [
      hookMiddleware({
        hooks,
        cwd: workspace.cwd,
        startContext: async () => {
          const said = started;
          started = undefined;
          return said;
        },
        end: (why) => {
          tell(why);
          void open?.session.interrupt();
        },
        allowed: (agentId, callId, by, reason) =>
          open?.permissions.recordHookAnswer(agentId, callId, { by: `the hook ${by}`, reason }),
      }),
    ],
    opened: async (opened, { reason }) => {
      open = opened;
      const commands = list.map(({ command }) => command);
      opened.permissions.protect(programFiles(commands, workspace.cwd));
      for (const { path, line, message } of warnings)
        tell(`${path}${line === undefined ? "" : `:${line}`}: ${message}`);
      if (hooks.has("SessionStart")) started = start(sourceOf(opened, reason));
      if (hooks.has("Notification", "SessionStart")) for await (const event of opened.session.events()) follow(event);
    },
    close: async () => {
      if (hooks.has("SessionEnd"))
        await hooks.run({ event: "SessionEnd", fields: () => ({ reason: "other" }), signal: never, mostMs: AT_END_MS });
    },
  };
}

function sourceOf({ session }: OpenSession, reason: string): "startup" | "resume" | "clear" {
  if (reason === "new") return "clear";
  return session.journal.context.messages.length > 0 ? "resume" : "startup";
}
