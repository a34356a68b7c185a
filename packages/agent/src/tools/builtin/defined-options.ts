// Passes on only the options that were given, so that the receiver's defaults apply.

type DefinedOptions<T> = { [K in keyof T as undefined extends T[K] ? never : K]: T[K] } & {
  [K in keyof T as undefined extends T[K] ? K : never]?: Exclude<T[K], undefined>;
};

/** Omits undefined values. */
export function definedOptions<T extends object>(values: T): DefinedOptions<T> {
  return Object.fromEntries(Object.entries(values).filter(([, value]) => value !== undefined)) as DefinedOptions<T>;
}
