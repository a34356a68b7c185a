// The person behind the host: approvals, questions and plans become dialogs that the host shows.

import type { Answer, Question } from "@lathe/agent";
import type { PlanVerdict } from "@lathe/agent/tools";
import type { ApprovalQuestion, Approver } from "../../conversation/approvals.ts";
import type { Person } from "../../conversation/session-contract.ts";
import type { Offers } from "../../found/permissions/offers.ts";
import type { ExtensionError, ExtensionScreen } from "../../platform/extension-api/screen.ts";
import { type Dialog, type DialogHost, rpcScreen, type Sign } from "./extension-screen.ts";
import type { UiRequest, UiResponse } from "./frames.ts";
import { HostGone, Outstanding } from "./outstanding.ts";

type ConfirmDialog = Extract<UiRequest, { method: "confirm" }>;

export interface HostPersonOptions {
  readonly newId: () => string;
  readonly send: (frame: object) => void;
  /** A dialog without an answer for this long is treated as cancelled. */
  readonly timeoutMs: number;
}

export class HostPerson implements Person, DialogHost {
  readonly #newId: () => string;
  readonly #dialogs: Outstanding<UiResponse>;
  readonly #send: (frame: object) => void;
  readonly #timeoutMs: number;
  readonly extensionUi: ExtensionScreen = rpcScreen(this);
  /** Set when there is one. */
  conversation: ExtensionScreen["conversation"] = () => undefined;
  /** Ends the process; set when it can be. */
  shutdown: () => void = () => {};

  constructor({ newId, send, timeoutMs }: HostPersonOptions) {
    this.#send = send;
    this.#newId = newId;
    this.#timeoutMs = timeoutMs;
    this.#dialogs = new Outstanding(newId, (targetId, id, by) =>
      send({ type: "extension_ui_request", id, method: "cancel", targetId, ...(by === undefined ? {} : { by }) }),
    );
  }

  response(frame: UiResponse): void {
    this.#dialogs.answer(frame.id, frame);
  }
  setTitle(title: string): void {
    this.sign({ method: "setTitle", title });
  }
  fail(failure: ExtensionError): void {
    this.#send({ type: "extension_error", ...failure });
  }
  /** Something to show that needs no answer. */
  sign(sign: Sign): void {
    this.#send({ type: "extension_ui_request", id: this.#newId(), ...sign });
  }
  /** A dialog of an extension; undefined when it was given up, by the host or by the signal. */
  async dialog(dialog: Dialog, signal: AbortSignal, timeoutMs = this.#timeoutMs): Promise<UiResponse | undefined> {
    try {
      return await this.#show(dialog, signal, timeoutMs);
    } catch (error) {
      if (!signal.aborted && !(error instanceof HostGone)) throw error;
      return undefined;
    }
  }
  hostGone(): void {
    this.#dialogs.hostGone();
  }

  readonly answer = async (
    questions: readonly Question[],
    signal: AbortSignal,
  ): Promise<readonly Answer[] | undefined> => {
    const answers: Answer[] = [];
    for (const question of questions) {
      const value = (await this.#show(dialogOf(question), signal))?.value;
      if (value === undefined) return undefined;
      answers.push(answerTo(question, typeof value === "string" ? [value] : value));
    }
    return answers;
  };

  readonly decidePlan = async (plan: string, signal: AbortSignal): Promise<PlanVerdict | undefined> => {
    const reply = await this.#show({ method: "confirm", title: "Carry out this plan?", message: plan }, signal);
    if (reply?.confirmed === undefined) return undefined;
    return typeof reply.value === "string"
      ? { approved: reply.confirmed, feedback: reply.value }
      : { approved: reply.confirmed };
  };

  readonly approve: Approver = async (question, signal) => {
    try {
      const reply = await this.#show(approvalDialog(question), signal);
      const said = typeof reply?.value === "string" ? reply.value : undefined;
      return {
        decision: reply?.confirmed === true ? "allow" : "deny",
        by: reply ? (reply.by ?? "host") : "deadline",
        ...(reply?.confirmed === true && reply.remember !== undefined ? { remember: reply.remember } : {}),
        ...(said === undefined ? {} : { reason: said }),
      };
    } catch (error) {
      // Settled by an interrupt, or the host has gone and the session is being closed.
      if (!signal.aborted && !(error instanceof HostGone)) throw error;
      return undefined;
    }
  };

  /** Undefined when the time was up; a cancelled dialog has neither value nor confirmed. */
  #show(dialog: Dialog, signal: AbortSignal, timeoutMs = this.#timeoutMs): Promise<UiResponse | undefined> {
    const timeout = timeoutMs > 0 ? { timeout: timeoutMs } : {};
    return this.#dialogs.ask((id) => this.#send({ type: "extension_ui_request", id, ...dialog, ...timeout }), {
      signal,
      timeoutMs,
    });
  }
}

function approvalDialog(question: ApprovalQuestion): Dialog {
  const { call_id: toolCallId, tool_name: toolName, arguments: args, preview, reason, offers, agentId } = question;
  return {
    method: "confirm",
    title: agentId === undefined ? `Allow ${toolName}?` : `Agent ${agentId} asks: allow ${toolName}?`,
    message: messageOf(question),
    toolCallId,
    toolName,
    arguments: args,
    preview,
    ...(reason === undefined ? {} : { reason }),
    ...(agentId === undefined ? {} : { agentId }),
    ...widthsOf(toolName, offers),
  };
}

/** Who asks comes first: an agent and its assignment. */
function messageOf({ reason, preview, agentId }: ApprovalQuestion): string {
  const lines = preview.map(({ text }) => text);
  const who = agentId === undefined ? [] : lines.splice(0, 1);
  return [...who, ...(reason === undefined ? [] : [reason]), ...lines].join("\n");
}

function widthsOf(tool: string, { pattern, tool: isToolOffered }: Offers): Pick<ConfirmDialog, "remember"> {
  const remember = [
    ...(pattern ? [{ width: "pattern" as const, rules: [...pattern] }] : []),
    ...(isToolOffered ? [{ width: "tool" as const, rules: [tool] }] : []),
  ];
  return remember.length === 0 ? {} : { remember };
}

function dialogOf({ question, options, multi, recommended }: Question): Dialog {
  if (options.length === 0) return { method: "input", title: question };
  return {
    method: "select",
    title: question,
    options: options.map(({ label }) => label),
    ...(multi ? { multi } : {}),
    ...(recommended === undefined ? {} : { recommended }),
  };
}

/** What is not among the options is an answer in the person's own words. */
function answerTo({ id, options }: Question, values: readonly string[]): Answer {
  const labels = options.map(({ label }) => label);
  const own = values.filter((value) => !labels.includes(value));
  const selected = values.filter((value) => labels.includes(value));
  return own.length > 0 ? { id, selected, custom: own.join(", ") } : { id, selected };
}
