// Words that several parts of memory use.

export const countOf = (count: number, one: string, many = `${one}s`): string => `${count} ${count === 1 ? one : many}`;

export const MEMORY_IS_OFF = "Memory is off. To turn it on: lathe config set memory.backend local";
