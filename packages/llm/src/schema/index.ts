// `@lathe/llm/schema`: definitions of values, and the check against them.

export { Checker, type CheckerOptions, type TextFormat } from "./checker.ts";
export * from "./define.ts";
export { type Problem, placeText, problemText } from "./problem.ts";
