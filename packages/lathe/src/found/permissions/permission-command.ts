// `--permission-command`: a program of the user that answers questions about calls. It reads one JSON object from stdin
// and prints one: {"decision": "allow" | "deny" | "ask", "reason"?, "remember"?: "pattern" | "tool"}.

import type { CallInfo } from "@lathe/agent";
import { isJsonObject, messageOf, parseJson } from "@lathe/llm";
import { runUserProgram } from "../../config/workspace/user-program.ts";
import type { Workspace } from "../../config/workspace/workspace.ts";
import type { Offers, Width } from "./offers.ts";

/** There may be a person behind it, on another machine. */
export const COMMAND_PATIENCE_MS = 10 * 60_000;

interface CommandQuestion {
  readonly call: CallInfo;
  readonly reason: string | undefined;
  readonly offers: Offers;
  readonly agentId: string | undefined;
}

interface CommandAnswer {
  /** `ask` means that the program leaves the question to the user. */
  readonly decision: "allow" | "deny" | "ask";
  readonly reason?: string;
  readonly remember?: Width;
}

export type CommandDecider = (question: CommandQuestion, signal: AbortSignal) => Promise<CommandAnswer>;

/** Never rejects: if the program fails, the question stays open. */
export function permissionCommand(workspace: Workspace, command: string): CommandDecider {
  const { cwd, redactor } = workspace;
  return async ({ call, reason, offers, agentId }, signal) => {
    try {
      const { tool, tier, summary, args, access } = call;
      const { lines } = await call.preview();
      const question = {
        tool: tool.name,
        tier,
        summary,
        arguments: args,
        access: access ?? null,
        preview: lines.map(({ text }) => text),
        reason: reason ?? null,
        offers,
        cwd,
        agentId: agentId ?? null,
      };
      const input = `${JSON.stringify(redactor.value(question))}\n`;
      const { stdout, exitCode } = await runUserProgram(workspace, { command, input, signal });
      if (exitCode !== 0 || stdout.trim() === "")
        return failureAnswer(`it ${stdout.trim() === "" ? "printed nothing and " : ""}ended with code ${exitCode}`);
      return answerOf(stdout);
    } catch (error) {
      return failureAnswer(messageOf(error));
    }
  };
}

function answerOf(text: string): CommandAnswer {
  const value = parseJson(text);
  if (value === undefined) return failureAnswer("it did not print one JSON object");
  const { decision, reason, remember } = isJsonObject(value) ? value : {};
  if (decision !== "allow" && decision !== "deny" && decision !== "ask")
    return failureAnswer('its "decision" is not allow, deny or ask');
  return {
    decision,
    ...(typeof reason === "string" ? { reason } : {}),
    ...(remember === "pattern" || remember === "tool" ? { remember } : {}),
  };
}

const failureAnswer = (why: string): CommandAnswer => ({
  decision: "ask",
  reason: `The permission command failed: ${why}.`,
});
