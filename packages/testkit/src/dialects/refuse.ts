// Checks stop at the first thing that the vendor would refuse, by throwing.

import type { Refusal, ValidateOptions } from "../dialect.ts";
import type { RecordedRequest } from "../record.ts";

class Refused extends Error {
  readonly refusal: Refusal;

  constructor(refusal: Refusal) {
    super(refusal.message);
    this.refusal = refusal;
  }
}

export function refuse(message: string, details: Partial<Omit<Refusal, "message">> = {}): never {
  throw new Refused({ status: 400, ...details, message });
}

export type Fields = { readonly [name: string]: unknown };

export interface Checked {
  readonly request: RecordedRequest;
  readonly body: Fields;
  readonly options: ValidateOptions;
}

/** Makes a dialect's `validate` from a function that calls `refuse`. */
export function validatorOf(check: (checked: Checked) => void) {
  return (request: RecordedRequest, options: ValidateOptions): Refusal | undefined => {
    const body: unknown = request.body;
    if (!isFields(body)) return { status: 400, message: "The request body is not a JSON object." };
    if (/\\ud[89a-f]/i.test(request.rawBody.toString("latin1")) && holdsHalfCharacters(body))
      return { status: 400, message: "The request body is not valid JSON: half of a surrogate pair stands alone." };
    try {
      check({ request, body, options });
    } catch (error) {
      if (error instanceof Refused) return error.refusal;
      throw error;
    }
    return undefined;
  };
}

function holdsHalfCharacters(value: unknown): boolean {
  if (typeof value === "string") return /\p{Surrogate}/u.test(value);
  if (Array.isArray(value)) return value.some(holdsHalfCharacters);
  return isFields(value) && Object.entries(value).some((entry) => entry.some(holdsHalfCharacters));
}

export function isFields(value: unknown): value is Fields {
  return typeof value === "object" && value !== null && !Array.isArray(value);
}

/** The value as a list of objects; empty if it is anything else. */
export function objects(value: unknown): readonly Fields[] {
  return Array.isArray(value) ? value.filter(isFields) : [];
}

export function unknownField(value: Fields, known: readonly string[]): string | undefined {
  return Object.keys(value).find((name) => !known.includes(name));
}

export function duplicate(values: readonly string[]): string | undefined {
  return values.find((value, i) => values.indexOf(value) !== i);
}

export const string = (value: unknown): string => (typeof value === "string" ? value : "");
