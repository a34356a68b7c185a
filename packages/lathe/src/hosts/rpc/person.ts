// The person behind the host: approvals, questions and plans become dialogs that the host shows.

import type { Answer, Question } from "@lathe/agent";
import type { PlanVerdict } from "@lathe/agent/tools";
import type { JsonValue } from "@lathe/llm";
import { approvalHeadline } from "../../conversation/approval-title.ts";
import type { ApprovalQuestion, Approver } from "../../conversation/approvals.ts";
import type { GivenAnswers } from "../../conversation/given-answers.ts";
import type { Person } from "../../conversation/session-contract.ts";
import { widerAnswers } from "../../conversation/wider-answers.ts";
import type { ExtensionError, ExtensionScreen } from "../../platform/extension-api/screen.ts";
import { type Dialog, type DialogHost, rpcScreen, type Sign } from "./extension-screen.ts";
import type { UiRequest, UiResponse } from "./frames.ts";
import { HostGone, Outstanding } from "./outstanding.ts";

type ConfirmDialog = Extract<UiRequest, { method: "confirm" }>;

interface Shown {
  readonly reply: UiResponse | undefined;
  /** Confirms the reply to the host; to be called when it is in the journal. */
  readonly taken: () => void;
}

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
      const { reply, taken } = await this.#show(dialog, signal, timeoutMs);
      taken();
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
    given?: GivenAnswers,
  ): Promise<readonly Answer[] | undefined> => {
    const answers: Answer[] = [];
    for (const question of questions) {
      const answer = await this.#asked(question.id, given, async () => {
        const { reply, taken } = await this.#show(dialogOf(question), signal);
        const { value } = reply ?? {};
        if (value === undefined) return { taken };
        return { taken, answer: answerTo(question, typeof value === "string" ? [value] : value) };
      });
      if (answer === undefined) return undefined;
      answers.push(answer);
    }
    return answers;
  };

  /** A program may answer with `workflow_gate_response` instead of the dialog, which it cancels then or does not look at. */
  readonly decideGate: NonNullable<Person["decideGate"]> = async ({ gate, question }, signal, given) => {
    let timer: NodeJS.Timeout | undefined;
    const late = new Promise<undefined>((resolve) => {
      if (this.#timeoutMs > 0) timer = setTimeout(() => resolve(undefined), this.#timeoutMs);
      signal.addEventListener("abort", () => resolve(undefined), { once: true });
    });
    this.#send(gate);
    try {
      const answers = await this.answer([question], signal, undefined, given);
      // Without a limit the host stands for people, who have closed the question.
      return answers ?? (this.#timeoutMs === 0 ? undefined : await late);
    } catch (error) {
      if (!signal.aborted && !(error instanceof HostGone)) throw error;
      return undefined;
    } finally {
      clearTimeout(timer);
    }
  };

  readonly decidePlan = (plan: string, signal: AbortSignal, given?: GivenAnswers): Promise<PlanVerdict | undefined> =>
    this.#asked("plan", given, async () => {
      const dialog = { method: "confirm", title: "Carry out this plan?", message: plan } as const;
      const { reply, taken } = await this.#show(dialog, signal);
      if (reply?.confirmed === undefined) return { taken };
      const feedback = typeof reply.value === "string" ? { feedback: reply.value } : {};
      return { taken, answer: { approved: reply.confirmed, ...feedback } };
    });

  /** The answer that is kept already, or one that is kept before it is confirmed. */
  async #asked<T extends object>(
    question: string,
    given: GivenAnswers | undefined,
    ask: () => Promise<{ readonly answer?: T; readonly taken: () => void }>,
  ): Promise<T | undefined> {
    const kept = given?.get(question);
    if (kept !== undefined) return kept as T;
    const { answer, taken } = await ask();
    if (answer !== undefined) given?.keep(question, answer as JsonValue);
    taken();
    return answer;
  }

  readonly approve: Approver = async (question, signal) => {
    try {
      const { reply, taken } = await this.#show(approvalDialog(question), signal);
      // The session settles the question when the decision is in its journal.
      if (signal.aborted) taken();
      else signal.addEventListener("abort", taken, { once: true });
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

  /** No reply when the time was up; a cancelled dialog has neither value nor confirmed. */
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
    const taken = (): void => {
      if (reply) this.#send({ type: "extension_ui_taken", targetId });
    };
    return { reply, taken };
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

/** Who asks comes first: an agent and its assignment. */
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

/** What is not among the options is an answer in the person's own words. */
function answerTo({ id, options }: Question, values: readonly string[]): Answer {
  const labels = options.map(({ label }) => label);
  const own = values.filter((value) => !labels.includes(value));
  const selected = values.filter((value) => labels.includes(value));
  return own.length > 0 ? { id, selected, custom: own.join(", ") } : { id, selected };
}
