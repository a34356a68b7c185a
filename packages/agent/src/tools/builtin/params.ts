// A tool's parameters, written once: the JSON Schema the model sees and the type its executor gets. Plain data, because
// schemas are part of the first request and a schema library would be paid for at every start.

import type { JsonObject, JsonSchema } from "@lathe/llm";

export interface Param<T, Required extends boolean = true> {
  readonly schema: JsonSchema;
  readonly required: Required;
  /** Carries the type only. */
  readonly type?: T;
}

type Params = Readonly<Record<string, Param<unknown, boolean>>>;

export type ArgsOf<P extends Params> = {
  readonly [K in keyof P as P[K] extends Param<unknown, true> ? K : never]: P[K] extends Param<infer T, boolean>
    ? T
    : never;
} & {
  readonly [K in keyof P as P[K] extends Param<unknown, true> ? never : K]?: P[K] extends Param<infer T, boolean>
    ? T
    : never;
};

const param = <T>(type: string, description: string, extra: JsonObject = {}): Param<T> => ({
  schema: { type, description, ...extra },
  required: true,
});

export const text = (description: string): Param<string> => param("string", description);
export const integer = (description: string, extra: JsonObject = {}): Param<number> =>
  param("integer", description, extra);
export const number = (description: string, extra: JsonObject = {}): Param<number> =>
  param("number", description, extra);
export const flag = (description: string): Param<boolean> => param("boolean", description);
export const choice = <const C extends string>(choices: readonly C[], description: string): Param<C> =>
  param("string", description, { enum: [...choices] });
export const listOf = <T>(item: Param<T>, description: string, extra: JsonObject = {}): Param<readonly T[]> =>
  param("array", description, { items: item.schema, ...extra });
export const record = <P extends Params>(properties: P, description: string): Param<ArgsOf<P>> => ({
  schema: { ...parameters(properties), description },
  required: true,
});
export const optional = <T>(given: Param<T>): Param<T, false> => ({ schema: given.schema, required: false });

export function parameters(properties: Params): JsonSchema {
  const schemas: Record<string, JsonSchema> = {};
  const required: string[] = [];
  for (const [name, param] of Object.entries(properties)) {
    schemas[name] = param.schema;
    if (param.required) required.push(name);
  }
  return { type: "object", properties: schemas, required, additionalProperties: false };
}

type DefinedOptions<T> = { [K in keyof T as undefined extends T[K] ? never : K]: T[K] } & {
  [K in keyof T as undefined extends T[K] ? K : never]?: Exclude<T[K], undefined>;
};

/** Omits what was not given, so that the receiver's defaults apply. */
export function definedOptions<T extends object>(values: T): DefinedOptions<T> {
  return Object.fromEntries(Object.entries(values).filter(([, value]) => value !== undefined)) as DefinedOptions<T>;
}
