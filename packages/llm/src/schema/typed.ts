// Schemas as programs write them (TypeBox, zod and other standard schemas, plain JSON Schema): their static type, the
// JSON Schema that goes to the model, and the check of its answer.

import type { Static, TSchema } from "typebox";
import { ConfigurationError } from "../types/errors.ts";
import type { JsonSchema, JsonValue } from "../types/json.ts";
import { isSchema } from "./inline.ts";
import { placeText, pointerOf } from "./problem.ts";
import { type Violation, violationOf, withoutOptionalNulls } from "./validate.ts";

/** The interface that zod, valibot, arktype and others share (standardschema.dev), as far as we use it. */
export interface StandardSchema<Output = unknown> {
  readonly "~standard": {
    readonly version: 1;
    readonly vendor: string;
    readonly validate: (value: unknown) => StandardResult<Output> | Promise<StandardResult<Output>>;
    readonly types?: { readonly input: unknown; readonly output: Output } | undefined;
    readonly jsonSchema?:
      | { readonly input: (options: { readonly target: "draft-2020-12" }) => Record<string, unknown> }
      | undefined;
  };
}

/** The verdict of a standard schema on a value. */
export type StandardResult<Output> =
  | { readonly value: Output; readonly issues?: undefined | undefined }
  | { readonly issues: readonly StandardIssue[] };

/** One thing that is wrong with a value, and where. */
export interface StandardIssue {
  readonly message: string;
  readonly path?: readonly (PropertyKey | { readonly key: PropertyKey })[] | undefined;
}

/** A schema in any of the forms that calls take: TypeBox, a standard schema such as zod's, plain JSON Schema. */
export type SchemaInput = StandardSchema | TSchema | JsonSchema;

/** The type of the values that a schema allows. For plain JSON Schema it is unknown at compile time: any JSON. */
export type InferSchema<S extends SchemaInput> =
  S extends StandardSchema<infer Output>
    ? Output
    : string extends keyof S
      ? JsonValue
      : unknown extends Static<S>
        ? JsonValue
        : Static<S>;

/** The schema as it is sent to the model. */
export function jsonSchemaOf(schema: SchemaInput): JsonSchema {
  if (!isStandard(schema)) return schema as JsonSchema;
  const { vendor, jsonSchema } = schema["~standard"];
  if (jsonSchema === undefined)
    throw new ConfigurationError(
      `This ${vendor} schema has no JSON Schema: use a version of ${vendor} that gives one, or pass JSON Schema.`,
    );
  const { $schema: _, ...rest } = jsonSchema.input({ target: "draft-2020-12" });
  return rest as JsonSchema;
}

/** The result of `checkValue`: the value, or the first problem. */
export type Checked<T> =
  | { readonly value: T; readonly violation?: undefined | undefined }
  | { readonly violation: Violation; readonly value?: undefined | undefined };

/** The value as the schema wants it: without nulls for omitted fields, and with the schema's own conversions. */
export async function checkValue<S extends SchemaInput>(
  schema: S,
  sent: JsonSchema,
  given: JsonValue,
): Promise<Checked<InferSchema<S>>> {
  const value = withoutOptionalNulls(sent, given);
  if (!isStandard(schema)) {
    const violation = await violationOf(sent, value);
    return violation === undefined ? { value: value as InferSchema<S> } : { violation };
  }
  const result = await schema["~standard"].validate(value);
  if (result.issues === undefined) return { value: result.value as InferSchema<S> };
  const [first] = result.issues;
  const path = (first?.path ?? []).map(keyOf);
  const why = first?.message ?? "does not match the schema";
  return { violation: { path: pointerOf(path), message: `${placeText(path) || "the value"}: ${why}` } };
}

export function isStandard(schema: SchemaInput): schema is StandardSchema {
  return "~standard" in schema && isSchema(schema["~standard"] as JsonValue);
}

function keyOf(step: NonNullable<StandardIssue["path"]>[number]): string | number {
  const key = typeof step === "object" ? step.key : step;
  return typeof key === "number" ? key : String(key);
}
