/** Some members of T. An undefined member counts as absent. */
export type Some<T> = { readonly [K in keyof T]?: T[K] | undefined };

type Given<T> = { [K in keyof T]?: Exclude<T[K], undefined> };

/** Only the defined members, so that they can be spread over defaults. */
export function withoutUndefined<T extends object>(some: T | undefined): Given<T> {
  return Object.fromEntries(Object.entries(some ?? {}).filter(([, value]) => value !== undefined)) as Given<T>;
}
