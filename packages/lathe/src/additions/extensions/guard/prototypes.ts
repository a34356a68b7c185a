// Notices changes of what all code shares: prototypes and functions of the language. A change is undone and belongs to whoever ran.

const SHARED: Readonly<Record<string, object>> = {
  "Object.prototype": Object.prototype,
  "Function.prototype": Function.prototype,
  "Array.prototype": Array.prototype,
  "String.prototype": String.prototype,
  "Number.prototype": Number.prototype,
  "Boolean.prototype": Boolean.prototype,
  "Promise.prototype": Promise.prototype,
  "Map.prototype": Map.prototype,
  "Set.prototype": Set.prototype,
  "WeakMap.prototype": WeakMap.prototype,
  "Date.prototype": Date.prototype,
  "RegExp.prototype": RegExp.prototype,
  "Error.prototype": Error.prototype,
  "Uint8Array.prototype": Uint8Array.prototype,
  "AbortSignal.prototype": AbortSignal.prototype,
  Object,
  Array,
  Promise,
  JSON,
  Math,
  Reflect,
  Date,
};

interface Remembered {
  readonly name: string;
  readonly target: object;
  readonly keys: readonly PropertyKey[];
  readonly values: ReadonlyMap<PropertyKey, PropertyDescriptor>;
}

// Taken before anybody could change them.
const { ownKeys, getOwnPropertyDescriptor, defineProperty, deleteProperty } = Reflect;

export class SharedObjects {
  readonly #remembered: readonly Remembered[] = Object.entries(SHARED).map(([name, target]) => {
    const keys = ownKeys(target);
    const values = new Map(keys.map((key) => [key, getOwnPropertyDescriptor(target, key) as PropertyDescriptor]));
    return { name, target, keys, values };
  });

  /** What was changed since, by name; it is as before then, where the language allows it. */
  restore(): readonly string[] {
    const changed: string[] = [];
    for (const { name, target, keys, values } of this.#remembered) {
      for (const [key, before] of values) {
        const now = getOwnPropertyDescriptor(target, key);
        if (now !== undefined && isSame(now, before)) continue;
        changed[changed.length] = `${name}.${String(key)}`;
        defineProperty(target, key, before);
      }
      const present = ownKeys(target);
      if (present.length === keys.length) continue;
      for (const key of present) {
        if (values.has(key)) continue;
        changed[changed.length] = `${name}.${String(key)}`;
        deleteProperty(target, key);
      }
    }
    return changed;
  }
}

const isSame = (a: PropertyDescriptor, b: PropertyDescriptor): boolean =>
  a.value === b.value && a.get === b.get && a.set === b.set;
