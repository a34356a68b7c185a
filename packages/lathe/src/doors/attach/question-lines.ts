// Asks the user at this terminal the questions of a followed session, in the words of plain mode.

import { isNo, isYes } from "../../hosts/interactive/plain/answers.ts";
import type { PlainView } from "../../hosts/interactive/plain/plain-view.ts";
import type { Dialog, DialogAnswer } from "../door/door.ts";

type Confirm = Extract<Dialog, { method: "confirm" }>;
export type AskingView = Pick<PlainView<never>, "ask" | "approve" | "answer" | "line">;

/** Undefined if another client answered first. */
export async function askUser(
  view: AskingView,
  question: Dialog,
  signal: AbortSignal,
): Promise<DialogAnswer | undefined> {
  const answer = await answerTo(view, question, signal);
  return signal.aborted ? undefined : (answer ?? { cancelled: true });
}

async function answerTo(view: AskingView, question: Dialog, signal: AbortSignal): Promise<DialogAnswer | undefined> {
  if (question.method === "confirm")
    return question.toolName === undefined ? confirm(view, question, signal) : approve(view, question, signal);
  const { id, title = "", message: about } = question;
  if (question.method !== "select") {
    const value = await view.ask(title, signal, () => {
      if (about !== undefined) view.line(about);
    });
    return value === undefined ? undefined : { value };
  }
  const { options, multi, recommended } = question;
  const asked = { id, question: title, about, options: options.map((label) => ({ label })), multi, recommended };
  const [said] = (await view.answer([asked], signal)) ?? [];
  if (said === undefined) return undefined;
  if (said.custom !== undefined) return { value: said.custom };
  return { value: multi === true ? [...said.selected] : (said.selected[0] ?? "") };
}

async function approve(view: AskingView, question: Confirm, signal: AbortSignal): Promise<DialogAnswer | undefined> {
  const { toolName: tool_name = "", message = "", preview, reason, agentId, remember = [] } = question;
  const pattern = remember.find(({ width }) => width === "pattern")?.rules;
  const reply = await view.approve(
    {
      tool_name,
      preview: preview ?? message.split("\n").map((text) => ({ text })),
      offers: { tool: remember.some(({ width }) => width === "tool"), ...(pattern ? { pattern } : {}) },
      ...(reason === undefined ? {} : { reason }),
      ...(agentId === undefined ? {} : { agentId }),
    },
    signal,
  );
  if (!reply) return undefined;
  return {
    confirmed: reply.decision === "allow",
    ...(reply.remember === undefined ? {} : { remember: reply.remember }),
    ...(reply.reason === undefined ? {} : { value: reply.reason }),
  };
}

/** An answer other than yes or no tells the agent what to do instead. */
async function confirm(
  view: AskingView,
  { title = "", message = "" }: Confirm,
  signal: AbortSignal,
): Promise<DialogAnswer | undefined> {
  const show = (): void => {
    if (message !== "") view.line(message);
  };
  const said = (await view.ask(`${title} [y/N, or what to do instead] `, signal, show))?.trim();
  if (said === undefined) return undefined;
  if (isYes(said)) return { confirmed: true };
  return { confirmed: false, ...(said === "" || isNo(said) ? {} : { value: said }) };
}
