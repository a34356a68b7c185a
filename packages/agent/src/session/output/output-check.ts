// An answer as data: the schema is sent with the input, the answer is checked against it, and if it does not fit, the
// model is told what is wrong and asked again.

import { checkValue, type InferSchema, jsonSchemaOf, messageOf, type SchemaInput } from "@lathe/llm";
import type { InputContent, InputError } from "../../contract/events/types.ts";
import { SessionError } from "../../contract/session-error.ts";
import { jsonIn } from "./json-in.ts";
import { schemaProblem } from "./schema-problem.ts";

const MOST_RETRIES = 2;

/** Ends after which asking again would cost the same and end the same way. */
const CUT_OFF: Readonly<Record<string, string>> = {
  length: "it was cut off at the output limit",
  content_filter: "the vendor's content filter ended it",
};

/** `json`: the value as the model wrote it. */
export type JudgedOutput<T = unknown> = { readonly value: T; readonly json: string } | { readonly problem: string };

/** The only value in an answer that fits the schema, or why there is none. */
export async function judgeOutput<const S extends SchemaInput>(
  answer: string,
  schema: S,
): Promise<JudgedOutput<InferSchema<S>>> {
  const sent = jsonSchemaOf(schema);
  const { found, problem } = jsonIn(answer);
  const judged = await Promise.all(
    found.map(async ({ value: given, json }) => {
      const { value, violation } = await checkValue(schema, sent, given);
      return violation ? { problem: violation.message } : { value: value as InferSchema<S>, json };
    }),
  );
  const fitting = judged.filter((one) => "value" in one);
  if (fitting.length > 1) return { problem: "it holds several JSON values that fit" };
  return fitting[0] ?? judged.at(-1) ?? { problem: `it is not valid JSON (${problem})` };
}

/** The check of one input's answer. */
export class OutputCheck {
  readonly #schema: SchemaInput;
  #retries = 0;
  /** The verdict about the last answer that was checked. */
  judged: JudgedOutput | undefined;

  constructor(schema: SchemaInput) {
    this.#schema = schema;
  }

  /** Rejects if no answer could be checked against the schema. */
  static async for(schema: SchemaInput): Promise<OutputCheck> {
    const problem = await (async () => schemaProblem(jsonSchemaOf(schema)))().catch(messageOf);
    if (problem !== undefined) throw new SessionError("config", `outputSchema is not a JSON Schema: ${problem}`);
    return new OutputCheck(schema);
  }

  /** A fresh check with the same schema, for the next input. */
  again(): OutputCheck {
    return new OutputCheck(this.#schema);
  }

  addTo(content: InputContent): InputContent {
    const schema = JSON.stringify(jsonSchemaOf(this.#schema));
    const note = `When you are done, give your final answer as JSON only, without any other text, that fits this JSON Schema:\n${schema}`;
    return typeof content === "string" ? `${content}\n\n${note}` : [...content, { kind: "text", text: note }];
  }

  /**
   * What to tell the model so that it answers again; undefined if the answer fits or it has been asked often enough.
   */
  async judge(answer: string, finish: string): Promise<string | undefined> {
    const cut = CUT_OFF[finish];
    this.judged = cut === undefined ? await judgeOutput(answer, this.#schema) : { problem: cut };
    if (!("problem" in this.judged) || cut !== undefined || this.#retries++ === MOST_RETRIES) return undefined;
    return `Your final answer does not fit the JSON Schema: ${this.judged.problem}. Give the answer again as JSON only, without any other text.`;
  }

  /** Why the last answer cannot be used; undefined if it can. */
  get error(): InputError | undefined {
    if (!this.judged || "value" in this.judged) return undefined;
    const message = `The answer does not fit the schema: ${this.judged.problem}`;
    return { message, kind: "output", type: "OutputError" };
  }
}
