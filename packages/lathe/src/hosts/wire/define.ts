// One definition of what goes over a wire: a JSON Schema that is published and, from the same words, the TypeScript type. Plain
// data, so that a start does not pay for a schema library.

export type JsonSchema = { readonly [keyword: string]: unknown };

export interface Shape<T> {
  readonly schema: JsonSchema;
  /** Carries the type only. */
  readonly type?: T;
}

export interface OptionalShape<T> extends Shape<T> {
  readonly optional: true;
}

export type TypeOf<S> = S extends Shape<infer T> ? T : never;

export type Fields = Readonly<Record<string, Shape<unknown>>>;

type OptionalKeys<F extends Fields> = { [K in keyof F]: F[K] extends OptionalShape<unknown> ? K : never }[keyof F];
type Flat<T> = { [K in keyof T]: T[K] };

export type FieldsOf<F extends Fields> = Flat<
  { readonly [K in Exclude<keyof F, OptionalKeys<F>>]: TypeOf<F[K]> } & {
    readonly [K in OptionalKeys<F>]?: TypeOf<F[K]>;
  }
>;

export const text: Shape<string> = { schema: { type: "string" } };
export const integer: Shape<number> = { schema: { type: "integer" } };
export const decimal: Shape<number> = { schema: { type: "number" } };
export const flag: Shape<boolean> = { schema: { type: "boolean" } };
/** Any JSON value. */
export const anything: Shape<unknown> = { schema: {} };
/** Any JSON object. */
export const anyObject: Shape<Readonly<Record<string, unknown>>> = { schema: { type: "object" } };

export const exactly = <const V extends string | number | boolean>(value: V): Shape<V> => ({
  schema: { const: value },
});
export const choice = <const C extends string>(choices: readonly C[]): Shape<C> => ({
  schema: { type: "string", enum: [...choices] },
});
export const listOf = <T>(item: Shape<T>): Shape<readonly T[]> => ({ schema: { type: "array", items: item.schema } });
export const optional = <T>(shape: Shape<T>): OptionalShape<T> => ({ schema: shape.schema, optional: true });
export const orNull = <T>(shape: Shape<T>): Shape<T | null> => ({
  schema: { anyOf: [shape.schema, { type: "null" }] },
});
export const oneOf = <S extends readonly Shape<unknown>[]>(...shapes: S): Shape<TypeOf<S[number]>> => ({
  schema: { anyOf: shapes.map((shape) => shape.schema) },
});

export function object<F extends Fields>(fields: F): Shape<FieldsOf<F>> {
  return {
    schema: {
      type: "object",
      properties: Object.fromEntries(Object.entries(fields).map(([name, shape]) => [name, shape.schema])),
      required: Object.keys(fields).filter((name) => !isOptional(fields[name])),
      additionalProperties: false,
    },
  };
}

function isOptional(shape: Shape<unknown> | undefined): boolean {
  return shape !== undefined && "optional" in shape;
}
