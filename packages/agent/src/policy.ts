// @lathe/agent/policy: permissions, shell analysis and secrets.

export type { Secret } from "./base/secrets/secret-values.ts";
export { itemsOf, type JudgedCall, judge, staysInside, type Verdict } from "./policy/permissions/judge.ts";
export { type Item, matchesItem, type RuleScope } from "./policy/permissions/match.ts";
export { type Decision, EXAMPLE, type Rule, type RuleText, readRule } from "./policy/permissions/rule.ts";
export * from "./policy/permissions/sensitive-paths.ts";
export { suggestedRules } from "./policy/permissions/suggest.ts";
export {
  FULL,
  PERMISSION_MODES,
  type PermissionMode,
  type Places,
  type Policy,
  WAYS,
} from "./policy/permissions/verdict.ts";
export { Redactor, type ShownSecret } from "./policy/redact/redactor.ts";
export { RedactingBytes, RedactingStream } from "./policy/redact/replace.ts";
export { analyseShell } from "./policy/shell/analyse.ts";
export { shellProblem } from "./policy/shell/problem.ts";
