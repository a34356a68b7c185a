// Looks up a name in a table. Names come from users, models and servers: a name such as `constructor` must not reach
// what every object inherits.

export function own<T>(table: Readonly<Record<string, T>>, name: string): T | undefined {
  return Object.hasOwn(table, name) ? table[name] : undefined;
}
