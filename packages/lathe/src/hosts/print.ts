// One-shot text: stdout gets the last answer and nothing else; everything about the run goes to stderr.

import type { EventData, SessionEvent } from "@lathe/agent";
import { visibleText } from "@lathe/agent/base";
import { isLostTerminal } from "../platform/machine/lost-terminal.ts";
import type { Machine } from "../platform/machine/machine.ts";
import { onReaderGone } from "../platform/machine/reader-gone.ts";
import { verificationLine } from "../sessions/verdict.ts";
import { type HeadlessRun, runHeadless } from "./headless/headless.ts";
import { joinLines } from "./headless/outcome.ts";
import type { RunResult } from "./headless/result.ts";
import { COMMAND_ANSWER_CODES, REPEATED_AT_END } from "./headless/warning-codes.ts";

export async function printMode(machine: Machine, run: HeadlessRun): Promise<RunResult> {
  const result = await runHeadless(run, (event) => note(machine, event));
  const { verification: verdict, verificationReasons: reasons } = result;
  const line = verificationLine({ verdict, reasons });
  // If the run failed, its error already says it.
  if (line !== undefined && result.error !== line) machine.stderr.write(`lathe: ${joinLines(line)}\n`);
  printResult(machine, result);
  return result;
}

/** Also prints a result that an earlier run left. */
export function printResult(machine: Machine, result: RunResult): void {
  const { stdout } = machine;
  // The work is done: if the reader of the answer is gone, the run still ends normally with its own exit code. A full
  // disk is an error.
  onReaderGone(stdout, (error) => {
    if (error.code !== "EPIPE" && !isLostTerminal(stdout, error)) throw error;
  });
  // A terminal would obey control characters that a model wrote; a file or a program gets the text unchanged.
  const text = stdout.isTTY ? visibleText(result.text) : result.text;
  if (text !== "") stdout.write(text.endsWith("\n") ? text : `${text}\n`);
  if (result.error !== undefined) machine.stderr.write(`lathe: ${result.error}\n`);
}

/**
 * `agent` is set for events of a child agent. stderr is only used if there is something to print, because Node creates
 * the stream on first use.
 */
function note(machine: Machine, event: SessionEvent, agent?: string): void {
  if (event.kind === "subagent_event") note(machine, event.data.event, event.data.agent_id);
  if (agent === undefined && event.kind === "warning" && !REPEATED_AT_END.has(event.data.code))
    machine.stderr.write(`lathe: ${noticeText(event.data)}\n`);
  if (event.kind === "retry") {
    const { message, delay_ms } = event.data;
    const who = agent === undefined ? "" : `agent ${agent}: `;
    machine.stderr.write(
      `lathe: ${who}${joinLines(message).replace(/\.$/, "")}; trying again${delay_ms > 0 ? ` in ${Math.ceil(delay_ms / 1000)} s` : ""}\n`,
    );
  }
}

const noticeText = ({ code, message }: EventData["warning"]): string =>
  COMMAND_ANSWER_CODES.has(code) ? visibleText(message) : joinLines(message);
