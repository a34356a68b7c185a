// What a workflow is: states, the legal moves between them, and what each move needs. A session's state in one is a
// fact of its branch.

import { isJsonObject, type JsonObject, type JsonValue } from "@lathe/llm";
import { usageError } from "../../platform/usage/exit.ts";

/** The session fact with a workflow's state. */
export const WORKFLOW_FACT = "lathe:workflow";

interface WorkflowMove {
  readonly from: string;
  readonly to: string;
  /** The gate or verdict that allows the move, in words. */
  readonly needs: string;
}

export interface WorkflowDefinition {
  readonly name: string;
  /** The version of the shape of `data`. */
  readonly version: number;
  /** The command's arguments, as shown in help. */
  readonly arguments: string;
  /** One line for lists. */
  readonly description: string;
  readonly states: readonly string[];
  readonly start: string;
  /** The final states. */
  readonly ends: readonly string[];
  readonly moves: readonly WorkflowMove[];
  /** Upgrades of a state to the next version, by its version. A state of a version without one cannot continue. */
  readonly upgrades?: Readonly<Record<number, (state: WorkflowState) => Pick<WorkflowState, "state" | "data">>>;
}

/** The state of a session in a workflow. */
export interface WorkflowState {
  readonly workflow: string;
  readonly version: number;
  readonly state: string;
  readonly data: JsonObject;
  /** The workflow waits at the gate with this key, a call's id. */
  readonly gate?: { readonly key: string };
  /** The call that made the last move, and its result: a call that is repeated after a kill must not move again. */
  readonly last?: { readonly callId: string; readonly told: string };
}

/** The user ended the workflow, from any state. */
export const STOPPED = "stopped";

export const initialState = (definition: WorkflowDefinition, data: JsonObject): WorkflowState => ({
  workflow: definition.name,
  version: definition.version,
  state: definition.start,
  data,
});

export const hasEnded = ({ state }: WorkflowState, { ends }: WorkflowDefinition): boolean =>
  state === STOPPED || ends.includes(state);

/** The state after a legal move. Throws an error that names any other move. */
export function moveState(
  definition: WorkflowDefinition,
  at: WorkflowState,
  to: string,
  change: Partial<Pick<WorkflowState, "data" | "gate" | "last">> = {},
): WorkflowState {
  const isLegal = definition.moves.some((move) => move.from === at.state && move.to === to);
  if (!isLegal) {
    const open = definition.moves.filter(({ from }) => from === at.state).map((move) => move.to);
    const ways = open.length === 0 ? "it has ended" : `from there it goes to ${[...new Set(open)].join(" or ")}`;
    throw new Error(`The workflow ${definition.name} cannot go from ${at.state} to ${to}: ${ways}.`);
  }
  const { gate: _, ...rest } = at;
  return { ...rest, ...change, state: to };
}

/**
 * Undefined if the branch is in no workflow. Throws one line for the user if this version of Lathe cannot read the
 * state.
 */
export function readWorkflow(
  fact: JsonValue | undefined,
  definitions: Readonly<Record<string, WorkflowDefinition>>,
): WorkflowState | undefined {
  if (fact === undefined) return undefined;
  // A stopped workflow is over, whichever it was.
  if (isJsonObject(fact) && fact["state"] === STOPPED && !isKnown(fact, definitions)) return undefined;
  const known = Object.keys(definitions).join(", ");
  if (!isJsonObject(fact) || typeof fact["workflow"] !== "string" || !isJsonObject(fact["data"]))
    throw usageError(`The workflow of this session cannot be read. ${TO_END}`);
  const { workflow, version } = fact as unknown as WorkflowState;
  const definition = Object.hasOwn(definitions, workflow) ? definitions[workflow] : undefined;
  if (!definition)
    throw usageError(
      `This session is in the workflow ${workflow}, which this Lathe does not have. It has: ${known}. ${TO_END}`,
    );
  const read = upgradeState(fact as unknown as WorkflowState, definition);
  if (read.version !== definition.version)
    throw usageError(
      `This session is in version ${String(version)} of the workflow ${workflow}; this Lathe knows version ${definition.version}. ${TO_END}`,
    );
  if (read.state !== STOPPED && !definition.states.includes(read.state))
    throw usageError(`The workflow ${workflow} has no state ${String(read.state)}. ${TO_END}`);
  return read;
}

/** Upgrades a state as far as possible; the next move stores the result. A stopped workflow stays stopped. */
function upgradeState(from: WorkflowState, { version, upgrades = {} }: WorkflowDefinition): WorkflowState {
  let at = from;
  while (Number.isSafeInteger(at.version) && at.version < version) {
    const upgrade = Object.hasOwn(upgrades, at.version) ? upgrades[at.version] : undefined;
    if (!upgrade) break;
    const { state, data } = upgrade(at);
    at = { ...at, version: at.version + 1, state: at.state === STOPPED ? STOPPED : state, data };
  }
  return at;
}

const isKnown = (
  { workflow, version, data }: JsonObject,
  definitions: Readonly<Record<string, WorkflowDefinition>>,
): boolean =>
  isJsonObject(data) &&
  Object.hasOwn(definitions, String(workflow)) &&
  definitions[String(workflow)]?.version === version;

const TO_END = "Use the Lathe that began it, or end it with /workflow stop.";

export const workflowFact = (state: WorkflowState): JsonValue => state as unknown as JsonValue;
