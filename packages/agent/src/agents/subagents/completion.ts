// How a child agent finishes: it has to call `yield` and is reminded if it stops without. What it yields is checked
// against the schema of its kind.

import {
  type JsonObject,
  type JsonSchema,
  type JsonValue,
  messageOf,
  parseJson,
  type ToolChoice,
  violationOf,
} from "@lathe/llm";
import type { CompletionService, Yielded } from "../../contract/completion.ts";
import type { Middleware } from "../../contract/seams/types.ts";
import { ToolFailure } from "../../contract/tool.ts";
import reminder from "./reminder.md";

const MOST_REMINDERS = 3;
/** After this many outputs that do not fit, the next one is accepted, and the parent is told. */
const MOST_REFUSALS = 3;
const NO_YIELD = "SYSTEM WARNING: Subagent exited without calling yield tool after 3 reminders.";

export interface CompletionParts {
  readonly schema?: JsonSchema | undefined;
  /** Forces the tool choice of the next request; absent if the model does not support that. */
  readonly force?: ((choice: ToolChoice) => void) | undefined;
  /** Ends the input when the calls of this answer are done. */
  readonly endInput: () => void;
}

/** The result of a child's run. */
export interface Result {
  readonly isDone: boolean;
  readonly output: string;
  readonly findings: readonly JsonValue[];
  /** True if the child never called `yield`. */
  readonly hasNotYielded?: true;
}

export class Completion implements CompletionService {
  readonly #schema: JsonSchema | undefined;
  #parts: CompletionParts | undefined;
  #yielded: Yielded | undefined;
  #violation: string | undefined;
  #findings: JsonObject[] = [];
  #reminders = 0;
  #refusals = 0;

  constructor(schema: JsonSchema | undefined) {
    this.#schema = schema;
  }

  /** Called later, because the session is made after this object. */
  attach(parts: CompletionParts): void {
    this.#parts = parts;
  }

  /** Called when another input begins, which has its own result. */
  begin(): void {
    this.#yielded = undefined;
    this.#violation = undefined;
    this.#findings = [];
    this.#reminders = 0;
    this.#refusals = 0;
  }

  async finish(yielded: Yielded): Promise<void> {
    const violation = yielded.status === "success" ? await this.#check(yielded.output) : undefined;
    if (violation !== undefined && this.#refusals < MOST_REFUSALS) {
      this.#refusals += 1;
      throw new ToolFailure(`The output does not fit the schema: ${violation}. Correct it and call yield again.`);
    }
    this.#violation = violation;
    this.#yielded = yielded;
    this.#parts?.endInput();
  }

  addFinding(finding: JsonObject): void {
    this.#findings.push(finding);
  }

  middleware(): Middleware {
    return {
      name: "yield",
      beforeStop: () => {
        if (this.#yielded || this.#reminders >= MOST_REMINDERS) return undefined;
        this.#reminders += 1;
        if (this.#reminders === MOST_REMINDERS) this.#parts?.force?.({ mode: "named", toolName: "yield" });
        const text = reminder.replace("{{n}}", String(this.#reminders)).replace("{{of}}", String(MOST_REMINDERS));
        return { continueWith: text.trim() };
      },
    };
  }

  /** `text`: the last answer, used as the result if the child did not yield one. */
  async result(text: string): Promise<Result> {
    const findings = this.#findings;
    if (this.#yielded) {
      const { status, output } = this.#yielded;
      const note = this.#violation === undefined ? "" : `[The output does not fit the schema: ${this.#violation}]\n`;
      return { isDone: status === "success", output: note + output, findings };
    }
    const violation = await this.#check(text);
    const why = violation === undefined ? "" : `\n[The text does not fit the schema: ${violation}]`;
    const output = `${NO_YIELD}${why}${text && `\n\n${text}`}`;
    return { isDone: violation === undefined, output, findings, hasNotYielded: true };
  }

  async #check(output: string): Promise<string | undefined> {
    if (!this.#schema) return undefined;
    const value = parseJson(output);
    if (value === undefined) return "it is not JSON";
    try {
      return (await violationOf(this.#schema, value))?.message;
    } catch (error) {
      return `the schema itself cannot be used (${messageOf(error)})`;
    }
  }
}
