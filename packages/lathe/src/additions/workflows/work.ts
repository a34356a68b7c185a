// A workflow in a session: its state, its moves, and the gate at which it waits.

import type { Session } from "@lathe/agent";
import { renderQuestions, type ToolContext, type ToolResult } from "@lathe/agent/contract";
import type { JsonObject, JsonValue } from "@lathe/llm";
import type { GateDialog, GateRequest, KeptAnswer, WorkflowGate } from "../../conversation/gates/gate.ts";
import type { SessionGates } from "../../conversation/gates/session-gates.ts";
import { noSuchOption } from "../../conversation/no-such-option.ts";
import { WORKFLOWS } from "./definitions.ts";
import {
  hasEnded,
  initialState,
  moveState,
  readWorkflow,
  STOPPED,
  WORKFLOW_FACT,
  type WorkflowDefinition,
  type WorkflowState,
  workflowFact,
} from "./workflow.ts";

/** The question of a state, and the effect of its answer. */
export interface GateStep {
  readonly gate: Omit<GateRequest, "key">;
  readonly dialog: GateDialog;
  /** The move that follows from the answer, and what to tell the model. May run again after a kill. */
  settle(answer: JsonValue): Promise<StepOutcome>;
}

interface StepOutcome {
  readonly to: string;
  readonly data: JsonObject;
  readonly told: string;
}

/** Undefined if the state has no gate. */
export type StepOf = (state: WorkflowState) => GateStep | undefined;

export class WorkflowWork {
  readonly #session: Session;
  readonly #gates: () => SessionGates;

  constructor(session: Session, gates: () => SessionGates) {
    this.#session = session;
    this.#gates = gates;
  }

  /** The state of the branch, including that of an ended workflow. Throws if this version of Lathe cannot read it. */
  get state(): WorkflowState | undefined {
    return readWorkflow(this.#session.facts.read(WORKFLOW_FACT), WORKFLOWS);
  }

  /** Undefined if the branch is in no workflow, or in one that has ended. */
  get current(): WorkflowState | undefined {
    const { state } = this;
    return state && !hasEnded(state, definitionOf(state)) ? state : undefined;
  }

  begin(definition: WorkflowDefinition, data: JsonObject): void {
    this.#write(initialState(definition, data));
  }

  move(to: string, change: Parameters<typeof moveState>[3]): void {
    const { current } = this;
    if (!current) throw new Error("This session is not in a workflow.");
    this.#write(moveState(definitionOf(current), current, to, change));
  }

  /** The result of the call with this id, if it is repeated after a kill. */
  resultOf(callId: string): string | undefined {
    const last = this.state?.last;
    return last?.callId === callId ? last.told : undefined;
  }

  /** Ends the workflow for the user, from any state, including one that this version of Lathe cannot read. */
  stop(): void {
    this.#gates().withdraw();
    const fact = this.#session.facts.read(WORKFLOW_FACT);
    this.#write({ ...(fact as unknown as WorkflowState), state: STOPPED });
  }

  /** Asks the current step's question and moves on with the answer. If no one can answer, the input ends. */
  async decide(stepOf: StepOf, { callId, signal, services }: ToolContext): Promise<string | ToolResult> {
    const { step, gate } = this.#atGate(stepOf);
    const kept = await this.#gates().ask(gate, step.dialog, signal);
    // The user ended the workflow, and the model's next steps would belong to it.
    if (kept?.status === "withdrawn") this.#session.endInput();
    if (kept) return this.#settle(step, kept, callId);
    services.session?.awaitInput({ what: "question", text: renderQuestions([step.dialog.question]) });
    return {
      content: [
        { kind: "text", text: `Asked: ${step.gate.context.title}\nThe answer will come with a later message.` },
      ],
      details: { awaiting: true, gate_id: gate.gate_id },
      effects: "none",
    };
  }

  /**
   * Handles the next input while a gate is open, however the asking call ended. The answer is in the input's words, or
   * a program gave it meanwhile. `tell` informs the model before the move, so that a kill in between loses nothing.
   * Returns what is wrong with the words if they are not an answer.
   */
  async settleOpen(stepOf: StepOf, words: string, tell: (told: string) => void): Promise<string | undefined> {
    const state = this.current;
    const gates = this.#gates();
    const gate = state?.gate && gates.gateOfKey(state.gate.key);
    const step = state && stepOf(state);
    // Without a gate, the process ended before the user saw the question.
    if (!gate || !step) return undefined;
    if (gates.isOpen(gate) && words !== "") {
      const { dialog } = step;
      const answer = dialog.answerOf(answerIn(words, dialog));
      const problem = noSuchOption(dialog.question, words) ?? dialog.lackOf?.(answer) ?? gates.take(gate, answer);
      if (problem !== undefined) return problem;
    }
    const kept = gates.answerTo(gate.gate_id);
    if (!kept) return undefined;
    await gates.whenKept(gate.gate_id);
    this.#session.abandonUnfinishedInput();
    await this.#settle(step, kept, "", tell);
    return undefined;
  }

  /** The question of the gate that waits for an answer. */
  openAt(stepOf: StepOf): GateDialog | undefined {
    const state = this.current;
    const gate = state?.gate && this.#gates().gateOfKey(state.gate.key);
    const step = state && stepOf(state);
    return gate && step && this.#gates().isOpen(gate) ? step.dialog : undefined;
  }

  #atGate(stepOf: StepOf): { readonly step: GateStep; readonly gate: WorkflowGate } {
    const state = this.current;
    const step = state && stepOf(state);
    if (!step || state.gate === undefined) throw new Error("The workflow is not waiting at a gate.");
    return { step, gate: this.#gates().openGate({ ...step.gate, key: state.gate.key }) };
  }

  async #settle(
    step: GateStep,
    { status, answer }: KeptAnswer,
    callId: string,
    tell?: (told: string) => void,
  ): Promise<string> {
    if (status === "withdrawn") return "The user has ended the workflow.";
    const { to, data, told } = await step.settle(answer);
    tell?.(told);
    this.move(to, { data, last: { callId, told } });
    return told;
  }

  #write(state: WorkflowState): void {
    void this.#session.facts.write(WORKFLOW_FACT, workflowFact(state), { isAnnounced: true });
  }
}

export const definitionOf = ({ workflow }: WorkflowState): WorkflowDefinition =>
  WORKFLOWS[workflow] as WorkflowDefinition;

/**
 * Matches words with an option's label or its number, counted from 1 (several numbers if allowed); otherwise the words
 * themselves are the answer.
 */
function answerIn(words: string, { question }: GateDialog): Parameters<GateDialog["answerOf"]>[0] {
  const { id, options, multi } = question;
  const said = words.trim();
  // A label may itself be a number.
  const named = options.find(({ label }) => label.toLowerCase() === said.toLowerCase());
  if (named) return { id, selected: [named.label] };
  const numbers = multi ? said.split(/[\s,]+/).filter((one) => one !== "") : [said];
  const chosen = numbers.flatMap((one) => options[/^\d+$/.test(one) ? Number(one) - 1 : -1]?.label ?? []);
  const isChoice = chosen.length > 0 && chosen.length === numbers.length;
  return isChoice ? { id, selected: [...new Set(chosen)] } : { id, selected: [], custom: said };
}
