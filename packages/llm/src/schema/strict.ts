// What the strict forms of all vendors share: references are inlined, and a schema may have no such form.

import type { JsonSchema } from "../types/json.ts";
import { inlineReferences } from "./inline.ts";

/** Thrown inside a translation when the schema has no strict form. */
export class NotStrict extends Error {}

/** Undefined if there is no strict form. */
export function strictForm<T>(schema: JsonSchema, translate: (flat: JsonSchema) => T): T | undefined {
  const refuse = (): never => {
    throw new NotStrict();
  };
  try {
    return translate(inlineReferences(schema, { onCycle: refuse, onMissing: refuse }));
  } catch (error) {
    if (error instanceof NotStrict) return undefined;
    throw error;
  }
}
