// Command hooks as an addition to sessions: found through discovery, run as middleware and at the session's start and
// end.

import type { EventEnvelope, Middleware, SessionEvent } from "@lathe/agent";
import type { JsonObject } from "@lathe/llm";
import type { OpenSession, SessionPart, SessionRequest } from "../../conversation/session-contract.ts";
import type { SessionWorkspace } from "../../conversation/session-workspace.ts";
import { payloadsOf } from "./call-payloads.ts";
import { CommandHooks, type HookPayload } from "./command-hooks.ts";
import { hookMiddleware, payload } from "./middleware.ts";
import { programFiles } from "./program-files.ts";
import { type CommandHook, readHooks } from "./read-hooks.ts";
import { ClaudeTranscript } from "./transcript.ts";

/** How long a session that ends waits for its hooks. */
const AT_END_MS = 10_000;
/** Our modes by the names that hooks know. */
const MODES: Readonly<Record<string, string>> = {
  "read-only": "plan",
  plan: "plan",
  ask: "default",
  "auto-edit": "acceptEdits",
  full: "bypassPermissions",
};

/**
 * Recordings do not hold the answers of programs, so recorded runs have no hooks. A user who relies on a guard must
 * know.
 */
export async function warnOfUnusedHooks(workspace: SessionWorkspace): Promise<void> {
  const { active } = await (await workspace.discovery()).of("hook");
  if (readHooks(active).some(({ event }) => event === "PreToolUse"))
    workspace.machine.stderr.write("lathe: Hooks do not run in a run that is recorded; nothing is guarded.\n");
}

export async function hooksFor(workspace: SessionWorkspace, request: SessionRequest): Promise<SessionPart | undefined> {
  const { active } = await (await workspace.discovery()).of("hook");
  const list = readHooks(active);
  if (list.length === 0) return undefined;
  const session = new HookedSession(workspace, request, list);
  return {
    name: "hooks",
    middleware: [session.middleware()],
    onEvent: (event) => session.follow(event),
    opened: (opened, { reason }) => {
      const commands = list.map(({ command }) => command);
      opened.permissions.protect(programFiles(commands, workspace.cwd), "a hook");
      session.begin(opened, reason);
    },
    close: () => session.end(),
  };
}

const NEVER = new AbortController().signal;

/** The hooks of one session, with their state. */
class HookedSession {
  readonly #hooks: CommandHooks;
  readonly #cwd: string;
  #open: OpenSession | undefined;
  readonly #agentTypes = new Map<string, string>();
  /** Context from hooks at the start, until it is passed on. */
  #started: Promise<string | undefined> | undefined;

  readonly #transcript: ClaudeTranscript;

  constructor(workspace: SessionWorkspace, { opened }: SessionRequest, list: readonly CommandHook[]) {
    this.#cwd = workspace.cwd;
    const { id } = opened.journal.header;
    this.#transcript = new ClaudeTranscript({
      path: `${workspace.paths.cache}/transcripts/${id}.jsonl`,
      sessionId: id,
      cwd: workspace.cwd,
      now: workspace.machine.deps.now,
      redact: (line) => workspace.redactor.value(line),
    });
    // A session that is not saved has no transcript.
    const transcriptPath = ({ dialect }: CommandHook): string => {
      if (opened.path === undefined || dialect === "lathe") return opened.path ?? "";
      return this.#transcript.update(opened.journal.context);
    };
    this.#hooks = new CommandHooks(list, {
      workspace,
      tell: (message) => this.#tell(message),
      common: (hook) => ({
        session_id: id,
        transcript_path: transcriptPath(hook),
        cwd: workspace.cwd,
        permission_mode: MODES[this.#open?.permissions.mode ?? ""] ?? "default",
        ...(hook.dialect === "cursor" ? this.#cursorFields(id) : {}),
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
      agentType: (agentId) => this.#agentTypes.get(agentId) ?? "general-purpose",
      end: (why) => {
        this.#tell(why);
        void this.#open?.session.interrupt();
      },
      recordAllowed: (agentId, callId, by, reason) =>
        this.#open?.permissions.recordHookAnswer(agentId, callId, { by: `the hook ${by}`, reason }),
    });
  }

  begin(open: OpenSession, reason: string): void {
    this.#open = open;
    if (this.#hooks.has("SessionStart")) this.#started = this.#start(sourceOf(open, reason));
  }

  async end(): Promise<void> {
    const payloadsFor = () => payload({ reason: "other" });
    await this.#hooks.run({ event: "SessionEnd", payloadsFor, signal: NEVER, mostMs: AT_END_MS });
    await this.#hooks.close();
    this.#transcript.remove();
  }

  async #start(source: "startup" | "resume" | "clear" | "compact"): Promise<string | undefined> {
    const { context } = await this.#hooks.run({
      event: "SessionStart",
      payloadsFor: () => payload({ source }, [source]),
      signal: NEVER,
    });
    return context;
  }

  /**
   * Runs hooks when an approval is needed, which they may also answer, and runs start hooks again after a compaction.
   */
  follow(event: SessionEvent): void {
    if (event.kind === "subagent_event") this.follow(event.data.event);
    if (event.kind === "agent_lifecycle" && event.data.agent.agent !== undefined)
      this.#agentTypes.set(event.data.agent.agentId, event.data.agent.agent);
    if (event.kind === "approval_request") {
      const message = `Lathe needs your permission: ${event.data.summary}`;
      const payloadsFor = () => payload({ message, notification_type: "permission_prompt" }, ["permission_prompt"]);
      void this.#hooks.run({ event: "Notification", payloadsFor, signal: NEVER });
      void this.#answerApproval(event);
    }
    if (event.kind === "compaction_end" && event.data.error === undefined && this.#hooks.has("SessionStart"))
      this.#started = this.#start("compact");
  }

  /** If another hook wants the user to decide, hooks can only refuse the call. */
  async #answerApproval({ data, agent_id: agentId }: EventEnvelope<"approval_request">): Promise<void> {
    const { call_id: callId, tool_name: tool, arguments: args, access, asked_by: askedBy } = data;
    const call = { callId, tool, args, schema: {}, access, cwd: this.#cwd, agentId };
    const payloadsFor = (hook: CommandHook): readonly HookPayload[] => payloadsOf(hook, call);
    const { block, stop, permission, permissionReason, by, input } = await this.#hooks.run({
      event: "PermissionRequest",
      payloadsFor,
      signal: NEVER,
    });
    const reason = block ?? stop;
    const isAllowed = permission === "allow" && input === undefined && !askedBy.includes("hooks");
    if (reason !== undefined)
      this.#open?.session.answerApproval(callId, { decision: "deny", by: "hook", reason }, agentId);
    else if (isAllowed)
      this.#open?.session.answerApproval(
        callId,
        { decision: "allow", by: `the hook ${by}`, reason: permissionReason },
        agentId,
      );
  }

  /** Additional fields that Cursor sends to its hooks. */
  #cursorFields(session: string): JsonObject {
    const { provider, id } = this.#open?.model ?? {};
    return {
      conversation_id: session,
      generation_id: session,
      model: provider === undefined ? "" : `${provider}/${id}`,
      cursor_version: "",
      workspace_roots: [this.#cwd],
      user_email: null,
    };
  }

  #tell(message: string): void {
    this.#open?.session.warn(message, "hook");
  }
}

function sourceOf({ session }: OpenSession, reason: string): "startup" | "resume" | "clear" {
  if (reason === "new") return "clear";
  return session.journal.context.messages.length > 0 ? "resume" : "startup";
}
