/** Some members of T. One that is undefined is as good as left out. */
export type Some<T> = { readonly [K in keyof T]?: T[K] | undefined };

type Given<T> = { [K in keyof T]?: Exclude<T[K], undefined> };

/** The members that are there: what is laid over defaults must not take them away. */
export function withoutUndefined<T extends object>(some: T | undefined): Given<T> {
  return Object.fromEntries(Object.entries(some ?? {}).filter(([, value]) => value !== undefined)) as Given<T>;
}
