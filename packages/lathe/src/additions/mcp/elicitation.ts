// Questions of a server to the user: a form becomes one question per field; an address is shown and confirmed.
// Unanswered fields are not sent.

import type { Answer, Answerer, Question } from "@lathe/agent";
import type {
  ElicitRequest,
  ElicitRequestFormParams,
  ElicitResult,
  PrimitiveSchemaDefinition,
} from "@modelcontextprotocol/client";

const YES = "Yes";
const NO = "No";
const SKIP = "Leave it out";
const MOST_QUESTION_CHARS = 2_000;

export async function elicit(
  server: string,
  request: ElicitRequest["params"],
  answer: Answerer,
  signal: AbortSignal,
): Promise<ElicitResult> {
  const lead = `The MCP server ${server} asks: ${request.message.slice(0, MOST_QUESTION_CHARS)}`;
  const fields = "requestedSchema" in request ? fieldsOf(request) : [];
  if (fields.length === 0) {
    const address = "url" in request ? `\nOpen this address yourself if you trust it: ${request.url}` : "";
    const answers = await answer(
      [{ id: "accept", question: `${lead}${address}`, options: [{ label: YES }, { label: NO }] }],
      signal,
    );
    if (!answers) return { action: "cancel" };
    return answers[0]?.selected[0] === YES ? { action: "accept", content: {} } : { action: "decline" };
  }
  const answers = await answer(
    fields.map((field, i) => questionOf(field, i === 0 ? `${lead}\n` : "")),
    signal,
  );
  if (!answers) return { action: "cancel" };
  const content: Record<string, string | number | boolean | string[]> = {};
  for (const field of fields) {
    const value = valueFor(
      field,
      answers.find(({ id }) => id === field.name),
    );
    if (value !== undefined) content[field.name] = value;
    // The server could not use a form without it.
    else if (field.isRequired) return { action: "decline" };
  }
  return { action: "accept", content };
}

interface Field {
  readonly name: string;
  readonly isRequired: boolean;
  readonly schema: PrimitiveSchemaDefinition;
  /** The choices: the value by the label that the user sees. */
  readonly choices: ReadonlyMap<string, string>;
  readonly isMulti: boolean;
}

function fieldsOf({ requestedSchema: { properties, required = [] } }: ElicitRequestFormParams): Field[] {
  return Object.entries(properties).map(([name, schema]) => ({
    name,
    schema,
    isRequired: required.includes(name),
    isMulti: schema.type === "array",
    choices: choicesOf(schema),
  }));
}

/** Choices may be plain values or values with titles, and one or several may be selected. */
function choicesOf(schema: PrimitiveSchemaDefinition): ReadonlyMap<string, string> {
  const from = (schema.type === "array" ? schema.items : schema) as {
    readonly enum?: readonly string[];
    readonly enumNames?: readonly string[];
    readonly oneOf?: readonly { readonly const: string; readonly title: string }[];
    readonly anyOf?: readonly { readonly const: string; readonly title: string }[];
  };
  const titled = from.oneOf ?? from.anyOf;
  if (titled) return new Map(titled.map((one) => [one.title, one.const]));
  return new Map((from.enum ?? []).map((value, i) => [from.enumNames?.[i] ?? value, value]));
}

function questionOf({ name, isRequired, isMulti, schema, choices }: Field, lead: string): Question {
  const { title = name, description } = schema;
  const labels = schema.type === "boolean" ? [YES, NO] : [...choices.keys()];
  const preset = (schema as { readonly default?: unknown }).default;
  if (labels.length === 0 && preset !== undefined) labels.push(String(preset));
  if (!isRequired && !isMulti) labels.push(SKIP);
  const about = description === undefined ? "" : `: ${description}`;
  return {
    id: name,
    question: `${lead}${title}${about}`.slice(0, MOST_QUESTION_CHARS * 2),
    options: labels.map((label) => ({ label })),
    ...(isMulti ? { multi: true } : {}),
  };
}

/** Undefined if left out, or of a type that the server did not ask for. */
function valueFor(
  { schema, choices, isMulti }: Field,
  answer: Answer | undefined,
): string | number | boolean | string[] | undefined {
  if (isMulti) return answer?.selected.flatMap((label) => choices.get(label) ?? []);
  const said = answer?.custom ?? answer?.selected[0];
  if (said === undefined || said === SKIP) return undefined;
  if (schema.type === "boolean")
    return /^(y|yes|true)$/i.test(said) ? true : /^(n|no|false)$/i.test(said) ? false : undefined;
  if (schema.type === "number" || schema.type === "integer") {
    const number = Number(said);
    return said.trim() === "" || !Number.isFinite(number) ? undefined : number;
  }
  return choices.size === 0 ? said : (choices.get(said) ?? ([...choices.values()].includes(said) ? said : undefined));
}
