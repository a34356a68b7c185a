// Google's JSON mapping: a field has a camelCase and a snake_case name, and unknown names are refused.

import { type Fields, refuse } from "../refuse.ts";

const snake = (name: string): string => name.replace(/[A-Z]/g, (letter) => `_${letter.toLowerCase()}`);
const camel = (name: string): string => name.replace(/_([a-z])/g, (_, letter: string) => letter.toUpperCase());

export function field(value: Fields, name: string): unknown {
  return value[name] ?? value[snake(name)];
}

export function knownFields(value: Fields, known: readonly string[], at: string): void {
  const extra = Object.keys(value).find((name) => !known.includes(name) && !known.includes(camel(name)));
  if (extra === undefined) return;
  const place = at === "" ? "" : ` at '${at}'`;
  refuse(`Invalid JSON payload received. Unknown name "${extra}"${place}: Cannot find field.`);
}

/** 3 for `gemini-3-flash-preview`, 2.5 for `gemini-2.5-pro`; 0 if the id does not tell. */
export function generation(model: string): number {
  return Number(/gemini-(\d+(\.\d+)?)/.exec(model)?.[1] ?? 0);
}
