// `--permission-command`: a program of the user's that answers questions about calls. It gets one JSON object on its stdin and prints
// one: {"decision": "allow" | "deny" | "ask", "reason"?, "remember"?: "pattern" | "tool"}.

import { type CallInfo, LocalEnvironment, shellArgv } from "@lathe/agent";
import type { Workspace } from "../workspace/workspace.ts";
import type { Offers, Width } from "./permissions.ts";

/** A person may be behind it, on another machine. */
export const COMMAND_PATIENCE_MS = 10 * 60_000;
const MOST_OUTPUT = 64 << 10;

interface CommandQuestion {
  readonly call: CallInfo;
  readonly reason: string | undefined;
  readonly offers: Offers;
  readonly agentId: string | undefined;
}

interface CommandAnswer {
  /** `ask`: somebody else is to be asked. */
  readonly decision: "allow" | "deny" | "ask";
  readonly reason?: string;
  readonly remember?: Width;
}

export type CommandDecider = (question: CommandQuestion, signal: AbortSignal) => Promise<CommandAnswer>;

/** Never throws: a program that fails leaves the question open. */
export function permissionCommand(
  { machine, cwd, env: baseEnv, redactor }: Workspace,
  command: string,
): CommandDecider {
  return async ({ call, reason, offers, agentId }, signal) => {
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
    const env = new LocalEnvironment({ cwd, baseEnv, envPolicy: "inherit_all", owner: machine.deps.uuid() });
    try {
      return answerOf(await printedBy(env, command, `${JSON.stringify(redactor.value(question))}\n`, signal));
    } catch (error) {
      return failed(error instanceof Error ? error.message : String(error));
    } finally {
      await env.cleanup();
    }
  };
}

async function printedBy(env: LocalEnvironment, command: string, input: string, signal: AbortSignal): Promise<string> {
  const program = await env.startProcess(shellArgv(command), { signal });
  // A program that does not read its input may have ended before all of it is written; its answer tells.
  const written = program.write(input).then(
    () => program.endInput(),
    () => undefined,
  );
  let text = "";
  for await (const chunk of program.stdout) {
    text += Buffer.from(chunk).toString("utf8");
    if (text.length > MOST_OUTPUT) break;
  }
  await written;
  const { exitCode } = await program.stop(0).then(() => program.exited);
  if (text.trim() === "") throw new Error(`it printed nothing and ended with code ${exitCode}`);
  return text;
}

function answerOf(text: string): CommandAnswer {
  let value: unknown;
  try {
    value = JSON.parse(text);
  } catch {
    return failed("it did not print one JSON object");
  }
  const { decision, reason, remember } = (typeof value === "object" && value !== null ? value : {}) as Record<
    string,
    unknown
  >;
  if (decision !== "allow" && decision !== "deny" && decision !== "ask")
    return failed('its "decision" is not allow, deny or ask');
  return {
    decision,
    ...(typeof reason === "string" ? { reason } : {}),
    ...(remember === "pattern" || remember === "tool" ? { remember } : {}),
  };
}

const failed = (why: string): CommandAnswer => ({
  decision: "ask",
  reason: `The permission command failed: ${why}.`,
});
