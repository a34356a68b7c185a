// The result of a child's run: what it yielded, otherwise its last text, or why it failed.

import type { InputOutcome } from "../../contract/events/types.ts";
import type { Child } from "./child.ts";
import type { RunOutcome } from "./records.ts";

type Own = Pick<RunOutcome, "status" | "output" | "findings" | "hasNotYielded">;
type Result = Own & Pick<RunOutcome, "stderr" | "retryFailure" | "work">;

/** `ended`: how its input ended, or why it was not accepted. */
export async function resultOf(child: Child, ended: InputOutcome | string): Promise<Result> {
  const { troubles } = child.run ?? {};
  const retryFailure = typeof ended === "string" ? undefined : troubles?.retryFailure(ended.error?.message);
  const result: Result = {
    ...(await ownResult(child, ended)),
    ...(troubles && troubles.stderr !== "" ? { stderr: troubles.stderr } : {}),
    ...(retryFailure === undefined ? {} : { retryFailure }),
    ...(child.landed?.work === undefined ? {} : { work: child.landed.work }),
  };
  const { landed } = child;
  if (landed === undefined) return result;
  const status = landed.outcome === "kept" ? "failed" : result.status;
  return { ...result, status, output: landed.text === "" ? result.output : `${result.output}\n\n${landed.text}` };
}

/** A note for a run that ended before it began: the child still has the content that it did not read. */
export const unreadNote = ({ unread, run }: Child): string =>
  unread === undefined || run?.isAborted ? "" : "\n[It had not started. Send it a message to start its original task.]";

async function ownResult(child: Child, ended: InputOutcome | string): Promise<Own> {
  const text = child.session?.lastText() ?? "";
  if (typeof ended === "string" || ended.reason !== "completed") {
    const why = child.run?.stopped ?? (typeof ended === "string" ? ended : (ended.error?.message ?? ended.reason));
    return { status: "failed", output: `${why}${unreadNote(child)}${text && `\n\n${text}`}` };
  }
  if (ended.awaiting)
    return {
      status: "completed",
      output: `It is asking you a question, and continues when you send the answer:\n${ended.awaiting.text}`,
    };
  if (!child.completion) return { status: "completed", output: text };
  const { isDone, findings, ...rest } = await child.completion.result(text);
  return { status: isDone ? "completed" : "failed", ...rest, ...(findings.length > 0 ? { findings } : {}) };
}
