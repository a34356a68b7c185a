// Reads the answer of a hook's program: its exit code, or a JSON object on its stdout.

import { isJsonObject, type JsonObject } from "@lathe/llm";

export interface ProgramEnd {
  readonly stdout: string;
  readonly stderr: string;
  /** -1 if a signal ended it. */
  readonly exitCode: number;
  readonly isLate?: boolean;
  readonly isTooMuch?: boolean;
}

export interface HookAnswer {
  /** Refuses the action, with the reason: for the model, or for the user if no model reads it. */
  readonly block?: string;
  /** Whether the user need not be asked about this call, or must be. */
  readonly permission?: "allow" | "ask";
  readonly permissionReason?: string;
  /** Arguments that replace those of the call. */
  readonly input?: JsonObject;
  /** Text for the model. */
  readonly context?: string;
  /** Ends the work, with the reason for the user. */
  readonly stop?: string;
  /** Text for the user. */
  readonly message?: string;
  /** What the program did wrong; its answer then has no effect. */
  readonly failure?: string;
}

/** By convention, this exit code refuses the action, and stderr has the reason. */
const BLOCKS = 2;
/** Characters of a program's output that messages show. */
const SHOWN = 2_000;

/** `plainIsContext`: whether stdout that is not JSON is text for the model. */
export function answerOf(end: ProgramEnd, { plainIsContext = false } = {}): HookAnswer {
  if (end.isLate) return { failure: "did not end in time" };
  if (end.isTooMuch) return { failure: "printed more than 64 KiB and was ended" };
  if (end.exitCode === BLOCKS) return { block: short(end.stderr) || "A hook refused, without a reason." };
  if (end.exitCode !== 0) {
    const why = end.exitCode === -1 ? "was ended by a signal" : `ended with code ${end.exitCode}`;
    const said = short(end.stderr);
    return { failure: said === "" ? why : `${why}: ${said}` };
  }
  const text = end.stdout.trim();
  if (!text.startsWith("{")) return plainIsContext && text !== "" ? { context: text } : {};
  try {
    return fromJson(JSON.parse(text) as JsonObject);
  } catch {
    return plainIsContext ? { context: text } : { failure: "printed something that begins like JSON but is not valid" };
  }
}

function fromJson(value: JsonObject): HookAnswer {
  const specific = isJsonObject(value["hookSpecificOutput"]) ? value["hookSpecificOutput"] : {};
  const message = firstText(value, "systemMessage", "user_message", "userMessage");
  // The form of an answer to PermissionRequest.
  const permit = isJsonObject(specific["decision"]) ? specific["decision"] : {};
  const reason =
    firstText(permit, "message") ??
    firstText(value, "reason", "permissionDecisionReason", "agent_message", "agentMessage") ??
    firstText(specific, "permissionDecisionReason");
  // `decision` is the older form, `permission` is Cursor's; some agents say approve where others say allow.
  const written = [
    permit["behavior"],
    specific["permissionDecision"],
    value["permissionDecision"],
    value["permission"],
    value["decision"],
  ];
  const unknown = written.map(unknownDecision).find((problem) => problem !== undefined);
  if (unknown !== undefined) return { failure: unknown };
  const said = written.filter((decision) => nonBlankText(decision) !== undefined);
  const isRefused = said.includes("block") || said.includes("deny");
  const input = permit["updatedInput"] ?? specific["updatedInput"] ?? specific["tool_input"] ?? value["updated_input"];
  const context =
    firstText(specific, "additionalContext") ?? firstText(value, "additionalContext", "additional_context");
  const followUp = firstText(value, "followup_message");
  const stop =
    value["continue"] === false ? (firstText(value, "stopReason") ?? message ?? "A hook ended the work.") : undefined;
  const block = isRefused ? (reason ?? message ?? "A hook refused, without a reason.") : followUp;
  return {
    ...(block === undefined ? {} : { block }),
    ...(said.includes("ask")
      ? { permission: "ask" as const }
      : said.includes("allow") || said.includes("approve")
        ? { permission: "allow" as const }
        : {}),
    ...(reason === undefined ? {} : { permissionReason: reason }),
    ...(isJsonObject(input) ? { input } : {}),
    ...(context === undefined ? {} : { context }),
    ...(stop === undefined ? {} : { stop }),
    ...(message === undefined ? {} : { message }),
  };
}

/** An unknown decision is a failure, because a hook that means to refuse must not pass for one without an opinion. */
function unknownDecision(decision: unknown): string | undefined {
  if (decision === undefined || decision === null || decision === "" || DECISIONS.has(decision)) return undefined;
  return `answered with the decision ${JSON.stringify(decision)}, which has no effect: write block, ask or allow`;
}

const DECISIONS: ReadonlySet<unknown> = new Set([
  "block",
  "deny",
  "ask",
  "allow",
  "approve",
  "defer",
  "undefined",
  "continue",
]);

const nonBlankText = (value: unknown): string | undefined =>
  typeof value === "string" && value.trim() !== "" ? value : undefined;
const firstText = (value: JsonObject, ...keys: readonly string[]): string | undefined =>
  keys.map((key) => nonBlankText(value[key])).find((text) => text !== undefined);
const short = (text: string): string => text.trim().slice(0, SHOWN);
