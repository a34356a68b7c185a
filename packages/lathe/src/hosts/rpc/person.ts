// The user behind a host: approvals, questions and plans become dialogs that the host shows.

import type { Answer, Question } from "@lathe/agent";
import type { PlanVerdict } from "@lathe/agent/tools";
import type { JsonValue } from "@lathe/llm";
import { approvalHeadline } from "../../conversation/approval-title.ts";
import type { ApprovalQuestion, Approver } from "../../conversation/approvals.ts";
import type { CallAnswers } from "../../conversation/call-answers.ts";
import type { Person } from "../../conversation/session-contract.ts";
import { widerAnswers } from "../../conversation/wider-answers.ts";
import type { ExtensionError, ExtensionScreen } from "../../platform/extension-api/screen.ts";
import { type Dialog, type DialogHost, rpcScreen, type Sign } from "./extension-screen.ts";
import type { UiRequest, UiResponse } from "./frames.ts";
import { HostGone, HostRequests } from "./host-requests.ts";

type ConfirmDialog = Extract<UiRequest, { method: "confirm" }>;

interface Shown {
  readonly reply: UiResponse | undefined;
  /** Confirms the reply to the host; called when it is in the journal. */
  readonly confirmTaken: () => void;
}

export interface HostPersonOptions {
  readonly newId: () => string;
  readonly send: (frame: object) => void;
  /** A dialog without an answer for this long counts as cancelled. */
  readonly timeoutMs: number;
}

export class HostPerson implements Person, DialogHost {
  readonly #newId: () => string;
  readonly #dialogs: HostRequests<UiResponse>;
  readonly #send: (frame: object) => void;
  readonly #timeoutMs: number;
  readonly extensionUi: ExtensionScreen = rpcScreen(this);
  /** Set once there is a conversation. */
  conversation: ExtensionScreen["conversation"] = () => undefined;
  /** Ends the process; set once that is possible. */
  shutdown: () => void = () => {};

  constructor({ newId, send, timeoutMs }: HostPersonOptions) {
    this.#send = send;
    this.#newId = newId;
    this.#timeoutMs = timeoutMs;
    this.#dialogs = new HostRequests(newId, (targetId, id, by) =>
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
  /** Shows something that needs no answer. */
  sign(sign: Sign): void {
    this.#send({ type: "extension_ui_request", id: this.#newId(), ...sign });
  }
  /** Shows an extension's dialog; undefined when the host or the signal closed it. */
  async dialog(dialog: Dialog, signal: AbortSignal, timeoutMs = this.#timeoutMs): Promise<UiResponse | undefined> {
    try {
      const { reply, confirmTaken } = await this.#show(dialog, signal, timeoutMs);
      confirmTaken();
      return reply;
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
    _touched?: () => void,
    given?: CallAnswers,
  ): Promise<readonly Answer[] | undefined> => {
    const answers: Answer[] = [];
    for (const question of questions) {
      const answer = await this.#askUnlessJournalled(question.id, given, async () => {
        const { reply, confirmTaken } = await this.#show(dialogOf(question), signal);
        const { value } = reply ?? {};
        if (value === undefined) return { confirmTaken };
        return { confirmTaken, answer: answerTo(question, typeof value === "string" ? [value] : value) };
      });
      if (answer === undefined) return undefined;
      answers.push(answer);
    }
    return answers;
  };

  /** A program may answer with `workflow_gate_response` and cancel or ignore the dialog. */
  readonly decideGate: NonNullable<Person["decideGate"]> = async ({ gate, question }, signal, given) => {
    let timer: NodeJS.Timeout | undefined;
    const late = new Promise<undefined>((resolve) => {
      if (this.#timeoutMs > 0) timer = setTimeout(() => resolve(undefined), this.#timeoutMs);
      signal.addEventListener("abort", () => resolve(undefined), { once: true });
    });
    this.#send(gate);
    try {
      const answers = await this.answer([question], signal, undefined, given);
      // Without a time limit the host has users, who have closed the question.
      return answers ?? (this.#timeoutMs === 0 ? undefined : await late);
    } catch (error) {
      if (!signal.aborted && !(error instanceof HostGone)) throw error;
      return undefined;
    } finally {
      clearTimeout(timer);
    }
  };

  readonly decidePlan = (plan: string, signal: AbortSignal, given?: CallAnswers): Promise<PlanVerdict | undefined> =>
    this.#askUnlessJournalled("plan", given, async () => {
      const dialog = { method: "confirm", title: "Carry out this plan?", message: plan } as const;
      const { reply, confirmTaken } = await this.#show(dialog, signal);
      if (reply?.confirmed === undefined) return { confirmTaken };
      const feedback = typeof reply.value === "string" ? { feedback: reply.value } : {};
      return { confirmTaken, answer: { approved: reply.confirmed, ...feedback } };
    });

  /** Returns an answer already in the journal, or asks and journals the answer before confirming it. */
  async #askUnlessJournalled<T extends object>(
    question: string,
    given: CallAnswers | undefined,
    ask: () => Promise<{ readonly answer?: T; readonly confirmTaken: () => void }>,
  ): Promise<T | undefined> {
    const kept = given?.get(question);
    if (kept !== undefined) return kept as T;
    const { answer, confirmTaken } = await ask();
    if (answer !== undefined) given?.keep(question, answer as JsonValue);
    confirmTaken();
    return answer;
  }

  readonly approve: Approver = async (question, signal) => {
    try {
      const { reply, confirmTaken } = await this.#show(approvalDialog(question), signal);
      // The signal aborts once the decision is in the session's journal.
      if (signal.aborted) confirmTaken();
      else signal.addEventListener("abort", confirmTaken, { once: true });
      const said = typeof reply?.value === "string" ? reply.value : undefined;
      return {
        decision: reply?.confirmed === true ? "allow" : "deny",
        by: reply ? (reply.by ?? "host") : "deadline",
        ...(reply?.confirmed === true && reply.remember !== undefined ? { remember: reply.remember } : {}),
        ...(said === undefined ? {} : { reason: said }),
      };
    } catch (error) {
      // The question ended by an interrupt, or the host has gone and the session is closing.
      if (!signal.aborted && !(error instanceof HostGone)) throw error;
      return undefined;
    }
  };

  /** There is no reply when the time was up; a cancelled dialog has neither `value` nor `confirmed`. */
  async #show(dialog: Dialog, signal: AbortSignal, timeoutMs = this.#timeoutMs): Promise<Shown> {
    const timeout = timeoutMs > 0 ? { timeout: timeoutMs } : {};
    let targetId = "";
    const reply = await this.#dialogs.ask(
      (id) => {
        targetId = id;
        this.#send({ type: "extension_ui_request", id, ...dialog, ...timeout });
      },
      { signal, timeoutMs },
    );
    const confirmTaken = (): void => {
      if (reply) this.#send({ type: "extension_ui_taken", targetId });
    };
    return { reply, confirmTaken };
  }
}

function approvalDialog(question: ApprovalQuestion): Dialog {
  const { call_id: toolCallId, tool_name: toolName, arguments: args, preview, reason, agentId } = question;
  return {
    method: "confirm",
    title: approvalHeadline(question),
    message: messageOf(question),
    toolCallId,
    toolName,
    arguments: args,
    preview,
    ...(reason === undefined ? {} : { reason }),
    ...(agentId === undefined ? {} : { agentId }),
    ...widthsOf(question),
  };
}

/** The agent that asks and its assignment come first. */
function messageOf({ reason, preview, agentId }: ApprovalQuestion): string {
  const lines = preview.map(({ text }) => text);
  const who = agentId === undefined ? [] : lines.splice(0, 1);
  return [...who, ...(reason === undefined ? [] : [reason]), ...lines].join("\n");
}

function widthsOf(question: ApprovalQuestion): Pick<ConfirmDialog, "remember"> {
  const { tool_name: tool, offers } = question;
  const remember = widerAnswers(question).map(({ width, words }) => ({
    width,
    rules: width === "tool" ? [tool] : [...(offers.pattern ?? [])],
    label: `Yes, and ${words}`,
  }));
  return remember.length === 0 ? {} : { remember };
}

function dialogOf({ question, about, options, multi, recommended }: Question): Dialog {
  const message = about === undefined ? {} : { message: about };
  if (options.length === 0) return { method: "input", title: question, ...message };
  return {
    method: "select",
    title: question,
    ...message,
    options: options.map(({ label }) => label),
    ...(multi ? { multi } : {}),
    ...(recommended === undefined ? {} : { recommended }),
  };
}

/** Values that are no option are the user's own words. */
function answerTo({ id, options }: Question, values: readonly string[]): Answer {
  const labels = options.map(({ label }) => label);
  const own = values.filter((value) => !labels.includes(value));
  const selected = values.filter((value) => labels.includes(value));
  return own.length > 0 ? { id, selected, custom: own.join(", ") } : { id, selected };
}
