// Texts that several parts of memory use.

export const countOf = (count: number, one: string, many = `${one}s`): string => `${count} ${count === 1 ? one : many}`;

export const MEMORY_IS_OFF = "Memory is off. To turn it on: lathe config set memory.backend local";

export const MEMORY_IS_ELSEWHERE =
  "Notes are kept by the server at hindsight.apiUrl. Only those of this machine can be shown and deleted here.";
