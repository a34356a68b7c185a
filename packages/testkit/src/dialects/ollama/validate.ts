import type { Refusal } from "../../dialect.ts";

export function validate(): Refusal | undefined {
  return undefined;
}
