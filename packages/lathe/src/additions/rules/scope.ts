// Where a rule's conditions apply: to the model's text, its thinking, calls of a tool, or calls that touch certain
// files.

import type { Access } from "@lathe/agent";
import { compileFilter } from "@lathe/agent/world";

export type Scope =
  | { readonly kind: "text" | "thinking" }
  /** `tool`: a name or a kind of call (`edit`, `write`, `read`, `bash`); if absent, any. */
  | { readonly kind: "tool"; readonly tool?: string; readonly glob?: string };

const TOOL = /^tool(?:call)?(?::([\w*.-]+)(?:\((.+)\))?)?$/;

export function parseScope(text: string): Scope | undefined {
  if (text === "text" || text === "thinking") return { kind: text };
  const [whole, tool, glob] = TOOL.exec(text) ?? [];
  if (whole === undefined) return undefined;
  return {
    kind: "tool",
    ...(tool === undefined || tool === "*" ? {} : { tool }),
    ...(glob === undefined ? {} : { glob }),
  };
}

/** The glob in a condition such as `*.test.ts` or `src/**`, which means a file path. */
export function globOfCondition(condition: string): string | undefined {
  if (!/^[\w./*?{},[\]!@-]+$/.test(condition)) return undefined;
  return /^\*|\*\*|\/\*|(?:^|\/)[\w-]*\*\./.test(condition) ? condition : undefined;
}

/** The access that each kind of call has, whatever a model's tools are called. */
const MEANINGS: Readonly<Record<string, readonly Access["kind"][]>> = {
  edit: ["write"],
  write: ["write"],
  read: ["read"],
  bash: ["exec"],
  shell: ["exec"],
};

/** Whether the scope covers a call, judged by its name; undefined if that depends on what the call touches. */
export function coversCall(scope: Scope, name: string): boolean | undefined {
  if (scope.kind !== "tool") return false;
  if (scope.glob !== undefined) return undefined;
  if (scope.tool === undefined || scope.tool === name) return true;
  return MEANINGS[scope.tool] ? undefined : false;
}

export function coversAccess(scope: Scope, name: string, access: readonly Access[], cwd: string): boolean {
  if (scope.kind !== "tool") return false;
  const { tool, glob } = scope;
  const kinds = tool === undefined || tool === name ? undefined : MEANINGS[tool];
  if (tool !== undefined && tool !== name && !kinds) return false;
  const touched = kinds ? access.filter(({ kind }) => kinds.includes(kind)) : access;
  if (glob === undefined) return touched.length > 0;
  const matches = compileFilter(glob);
  return touched.some((item) => (item.kind === "write" || item.kind === "read") && matches(below(item.path, cwd)));
}

const below = (path: string, cwd: string): string =>
  path.startsWith(`${cwd}/`) ? path.slice(cwd.length + 1) : path.replace(/^\//, "");
