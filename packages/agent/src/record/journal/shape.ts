// Says whether a value that was read back is what its reader expects. A checksum only proves that a line is as somebody
// wrote it, and files come from other programs, other versions and other people.

/** Where and how a value differs (`.content[0].text is not a text`); undefined when it fits. */
export type Shape = (value: unknown) => string | undefined;

export const anything: Shape = () => undefined;
export const text: Shape = (value) => (typeof value === "string" ? undefined : " is not a text");
export const number: Shape = (value) => (Number.isFinite(value) ? undefined : " is not a number");
export const flag: Shape = (value) => (typeof value === "boolean" ? undefined : " is neither true nor false");
export const bytes: Shape = (value) => (value instanceof Uint8Array ? undefined : " is not binary data");
export const record: Shape = (value) => (isRecord(value) ? undefined : " is not an object");

export const oneOf =
  (...words: readonly unknown[]): Shape =>
  (value) =>
    words.includes(value) ? undefined : ` is not one of ${words.join(", ")}`;

export const optional =
  (shape: Shape): Shape =>
  (value) =>
    value === undefined ? undefined : shape(value);

export const either =
  (first: Shape, second: Shape): Shape =>
  (value) =>
    first(value) === undefined ? undefined : second(value);

export const orNull = (shape: Shape): Shape => either(oneOf(null), shape);

export const listOf =
  (shape: Shape): Shape =>
  (value) => {
    if (!Array.isArray(value)) return " is not a list";
    for (let at = 0; at < value.length; at++) {
      const problem = shape(value[at]);
      if (problem !== undefined) return `[${at}]${problem}`;
    }
    return undefined;
  };

/** An object with these own fields; others may be there. */
export function fields(shapes: Readonly<Record<string, Shape>>): Shape {
  const entries = Object.entries(shapes);
  return (value) => {
    if (!isRecord(value)) return " is not an object";
    for (const [key, shape] of entries) {
      const problem = shape(Object.hasOwn(value, key) ? value[key] : undefined);
      if (problem !== undefined) return `.${key}${problem}`;
    }
    return undefined;
  };
}

/** An object whose shape the value of one of its fields decides; a value that is not in the table is refused. */
export function tagged(key: string, shapes: Readonly<Record<string, Shape>>): Shape {
  return (value) => {
    if (!isRecord(value)) return " is not an object";
    const tag = Object.hasOwn(value, key) ? value[key] : undefined;
    const shape = typeof tag === "string" && Object.hasOwn(shapes, tag) ? shapes[tag] : undefined;
    return shape ? shape(value) : `.${key} is not one of ${Object.keys(shapes).join(", ")}`;
  };
}

export const fits = (value: unknown, shape: Shape): boolean => shape(value) === undefined;

function isRecord(value: unknown): value is Record<string, unknown> {
  return typeof value === "object" && value !== null && !Array.isArray(value) && !(value instanceof Uint8Array);
}

/** Of a value that comes from outside, such as the arguments of a call. */
export const MOST_NESTING = 200;

/** False for what is nested deeper than any real value: most code walks values by recursion. */
export function isShallow(value: unknown, depth: number): boolean {
  if (typeof value !== "object" || value === null || value instanceof Uint8Array) return true;
  if (depth === 0) return false;
  // Not Object.values, which would copy every list of numbers.
  if (Array.isArray(value)) return value.every((inner) => isShallow(inner, depth - 1));
  for (const key in value) {
    if (!isShallow((value as Record<string, unknown>)[key], depth - 1)) return false;
  }
  return true;
}
