// The user behind the editor: approvals become permission requests with the scopes that the permissions offer,
// questions of the model become forms, a plan becomes a choice.

import type {
  AgentContext,
  ClientCapabilities,
  ElicitationPropertySchema,
  PermissionOption,
  RequestPermissionRequest,
} from "@agentclientprotocol/sdk/unstable";
import type { Answer, Question } from "@lathe/agent";
import type { PlanVerdict } from "@lathe/agent/tools";
import { messageOf } from "@lathe/llm";
import type { ApprovalQuestion, ApprovalReply, Approver } from "../../conversation/approvals.ts";
import type { Person } from "../../conversation/session-contract.ts";
import { widerAnswers } from "../../conversation/wider-answers.ts";
import { fencedText, kindOf, locationsOf, textContent } from "./calls.ts";

export interface AcpPersonParts {
  readonly client: AgentContext;
  readonly capabilities: ClientCapabilities;
  readonly sessionId: () => string;
  /** Resolves once the client knows the call. */
  readonly whenAnnounced: (callId: string, signal: AbortSignal) => Promise<void>;
  /** Called when the user closes a question without answering. */
  readonly onGiveUp: () => void;
}

type Reply = { readonly optionId: string } | "cancelled";

export class AcpPerson implements Person {
  readonly #parts: AcpPersonParts;
  /** Absent if the client has no forms: a question then ends the turn, and the next prompt answers it. */
  readonly answer?: NonNullable<Person["answer"]>;
  #plans = 0;

  constructor(parts: AcpPersonParts) {
    this.#parts = parts;
    if (parts.capabilities.elicitation?.form) this.answer = (questions, signal) => this.#ask(questions, signal);
  }

  readonly approve: Approver = async (question, signal) => {
    const { call_id: callId, agentId, access, reason } = question;
    if (agentId === undefined) await this.#parts.whenAnnounced(callId, signal);
    try {
      const reply = await this.#choose(
        {
          toolCallId: agentId === undefined ? callId : `${agentId}/${callId}`,
          title: agentId === undefined ? question.summary : `Agent ${agentId}: ${question.summary}`,
          kind: kindOf(access),
          status: "pending",
          locations: [...locationsOf(access)],
          content: [textContent([...(reason === undefined ? [] : [reason]), previewText(question)].join("\n\n"))],
          rawInput: question.arguments,
        },
        optionsFor(question),
        signal,
      );
      if (reply !== "cancelled") return replyTo(reply.optionId);
      if (agentId === undefined && !signal.aborted) this.#parts.onGiveUp();
      return undefined;
    } catch (error) {
      if (signal.aborted) return undefined;
      return { decision: "deny", by: "host", reason: `The editor could not ask its user: ${messageOf(error)}` };
    }
  };

  readonly decidePlan = async (plan: string, signal: AbortSignal): Promise<PlanVerdict | undefined> => {
    const toolCallId = `plan-${++this.#plans}`;
    const reply = await this.#choose(
      {
        toolCallId,
        title: "Carry out this plan?",
        kind: "switch_mode",
        status: "pending",
        content: [textContent(plan)],
      },
      [
        { optionId: "approve", name: "Carry it out", kind: "allow_once" },
        { optionId: "reject", name: "Keep planning", kind: "reject_once" },
      ],
      signal,
    );
    return reply === "cancelled" ? undefined : { approved: reply.optionId === "approve" };
  };

  async #choose(
    toolCall: RequestPermissionRequest["toolCall"],
    options: PermissionOption[],
    cancellationSignal: AbortSignal,
  ): Promise<Reply> {
    const { client, sessionId } = this.#parts;
    const { outcome } = await client.request(
      "session/request_permission",
      { sessionId: sessionId(), toolCall, options },
      { cancellationSignal, stopWaitingOnCancel: true },
    );
    if (outcome.outcome === "cancelled") return "cancelled";
    const { optionId } = outcome;
    if (!options.some((option) => option.optionId === optionId))
      throw new Error(`it answered "${optionId}", which was not offered`);
    return { optionId };
  }

  async #ask(questions: readonly Question[], cancellationSignal: AbortSignal): Promise<readonly Answer[] | undefined> {
    const { client, sessionId } = this.#parts;
    const [first] = questions;
    const response = await client.request(
      "elicitation/create",
      {
        mode: "form",
        sessionId: sessionId(),
        message: questions.length === 1 && first ? messageFor(first) : "The agent has some questions.",
        requestedSchema: { type: "object", properties: Object.fromEntries(questions.flatMap(fieldsOf)) },
      },
      { cancellationSignal, stopWaitingOnCancel: true },
    );
    if (response.action !== "accept") return undefined;
    const content = (response as { content?: Readonly<Record<string, unknown>> | null }).content ?? {};
    return questions.map((question) => answerTo(question, content));
  }
}

function optionsFor(question: ApprovalQuestion): PermissionOption[] {
  const wider = widerAnswers(question).map(({ width, words }) => ({
    optionId: width,
    name: `${words.slice(0, 1).toUpperCase()}${words.slice(1)}`,
    kind: "allow_always" as const,
  }));
  return [
    { optionId: "once", name: "Allow", kind: "allow_once" },
    ...wider,
    { optionId: "reject", name: "Reject", kind: "reject_once" },
  ];
}

function replyTo(optionId: string): ApprovalReply {
  if (optionId === "reject") return { decision: "deny", by: "user" };
  if (optionId === "once") return { decision: "allow", by: "user" };
  return { decision: "allow", by: "user", remember: optionId as "pattern" | "tool" };
}

const MARKS = { heading: "", question: "", added: "+", removed: "-", note: "# " } as const;

function previewText({ preview }: ApprovalQuestion): string {
  const isDiff = preview.some(({ kind }) => kind === "added" || kind === "removed");
  const lines = preview.map(({ text, kind }) => `${kind === undefined ? (isDiff ? " " : "") : MARKS[kind]}${text}`);
  return fencedText(lines.join("\n"), isDiff ? "diff" : "");
}

const messageFor = ({ question, about }: Question): string =>
  about === undefined ? question : `${about}\n\n${question}`;

/** A choice gets a second field, since forms have no free-text answer next to the options. */
const fieldsOf = (question: Question): [string, ElicitationPropertySchema][] => [
  [question.id, fieldOf(question)],
  ...(question.options.length === 0
    ? []
    : [[ownWords(question), { type: "string", title: "Or in your own words" }] as [string, ElicitationPropertySchema]]),
];
const ownWords = ({ id }: Question): string => `${id}_other`;

function fieldOf({ question, options, multi, recommended }: Question): ElicitationPropertySchema {
  if (options.length === 0) return { type: "string", title: question };
  const choices = options.map(({ label }) => ({ const: label, title: label }));
  const preferred = recommended === undefined ? undefined : options[recommended]?.label;
  if (multi)
    return {
      type: "array",
      title: question,
      items: { anyOf: choices },
      ...(preferred ? { default: [preferred] } : {}),
    };
  return { type: "string", title: question, oneOf: choices, ...(preferred ? { default: preferred } : {}) };
}

/** A value that is not among the options is an answer in the user's own words. */
function answerTo(question: Question, content: Readonly<Record<string, unknown>>): Answer {
  const { id, options } = question;
  const values = [content[id], content[ownWords(question)]]
    .flat()
    .filter((value) => value !== undefined && value !== null && value !== "")
    .map(String);
  const labels = options.map(({ label }) => label);
  const own = values.filter((one) => !labels.includes(one));
  const selected = values.filter((one) => labels.includes(one));
  return own.length > 0 ? { id, selected, custom: own.join(", ") } : { id, selected };
}
