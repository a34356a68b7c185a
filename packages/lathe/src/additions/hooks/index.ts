// Command hooks as an addition to a session: found through discovery, run at the seams, at its start and its end.

import type { Middleware, SessionEvent } from "@lathe/agent";
import type { OpenSession, SessionPart, SessionRequest } from "../../conversation/session-contract.ts";
import type { SessionWorkspace } from "../../conversation/session-workspace.ts";
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

export async function hooksFor(workspace: SessionWorkspace, request: SessionRequest): Promise<SessionPart | undefined> {
  const { active } = await (await workspace.discovery()).of("hook");
  const { hooks: list, warnings } = readHooks(active);
  if (list.length === 0 && warnings.length === 0) return undefined;
  // What programs answer is in no recording.
  if (request.tape) return undefined;
  const session = new HookedSession(workspace, request, list);
  return {
    name: "hooks",
    middleware: [session.middleware()],
    opened: async (opened, { reason }) => {
      const commands = list.map(({ command }) => command);
      opened.permissions.protect(programFiles(commands, workspace.cwd));
      await session.begin(opened, reason, warnings);
    },
    close: () => session.end(),
  };
}

const NEVER = new AbortController().signal;

/** The hooks of one session, and what they have said. */
class HookedSession {
  readonly #hooks: CommandHooks;
  readonly #cwd: string;
  #open: OpenSession | undefined;
  /** What hooks at the start had to say, until it is passed on. */
  #started: Promise<string | undefined> | undefined;

  constructor(workspace: SessionWorkspace, { opened }: SessionRequest, list: ReturnType<typeof readHooks>["hooks"]) {
    this.#cwd = workspace.cwd;
    this.#hooks = new CommandHooks(list, {
      workspace,
      tell: (message) => this.#tell(message),
      common: () => ({
        session_id: opened.journal.header.id,
        transcript_path: opened.path ?? "",
        cwd: workspace.cwd,
        permission_mode: MODES[this.#open?.permissions.mode ?? ""] ?? "default",
      }),
    });
  }

  middleware(): Middleware {
    return hookMiddleware({
      hooks: this.#hooks,
      cwd: this.#cwd,
      startContext: async () => {
        const said = this.#started;
        this.#started = undefined;
        return said;
      },
      end: (why) => {
        this.#tell(why);
        void this.#open?.session.interrupt();
      },
      recordAllowed: (agentId, callId, by, reason) =>
        this.#open?.permissions.recordHookAnswer(agentId, callId, { by: `the hook ${by}`, reason }),
    });
  }

  async begin(open: OpenSession, reason: string, warnings: ReturnType<typeof readHooks>["warnings"]): Promise<void> {
    this.#open = open;
    for (const { path, line, message } of warnings)
      this.#tell(`${path}${line === undefined ? "" : `:${line}`}: ${message}`);
    if (this.#hooks.has("SessionStart")) this.#started = this.#start(sourceOf(open, reason));
    if (this.#hooks.has("Notification", "SessionStart"))
      for await (const event of open.session.events()) this.#follow(event);
  }

  async end(): Promise<void> {
    if (!this.#hooks.has("SessionEnd")) return;
    const fields = () => ({ reason: "other" });
    await this.#hooks.run({ event: "SessionEnd", fields, signal: NEVER, mostMs: AT_END_MS });
  }

  async #start(source: "startup" | "resume" | "clear" | "compact"): Promise<string | undefined> {
    const { context } = await this.#hooks.run({
      event: "SessionStart",
      names: [source],
      fields: () => ({ source }),
      signal: NEVER,
    });
    return context;
  }

  /** Hooks hear that a person is waited for, and start again when older talk has been replaced. */
  #follow(event: SessionEvent): void {
    if (event.kind === "approval_request") {
      const message = `Lathe needs your permission: ${event.data.summary}`;
      void this.#hooks.run({
        event: "Notification",
        fields: () => ({ message, notification_type: "permission_prompt" }),
        signal: NEVER,
      });
    }
    if (event.kind === "compaction_end" && event.data.error === undefined && this.#hooks.has("SessionStart"))
      this.#started = this.#start("compact");
  }

  #tell(message: string): void {
    this.#open?.session.warn(message, "hook");
  }
}

function sourceOf({ session }: OpenSession, reason: string): "startup" | "resume" | "clear" {
  if (reason === "new") return "clear";
  return session.journal.context.messages.length > 0 ? "resume" : "startup";
}
