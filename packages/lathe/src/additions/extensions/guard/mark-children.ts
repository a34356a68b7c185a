// Marks every process that an extension starts. `spawn`, `exec`, `execFile` and `fork` of `node:child_process` all end
// in one method; the three calls that block have nothing in common but their options. Our own calls pass untouched.

import type { ChildProcess } from "node:child_process";
import { syncBuiltinESMExports } from "node:module";
import type { ExtensionChildren } from "./children.ts";
import { runAsLathe, runningExtension } from "./current.ts";

type Environment = Readonly<Record<string, string | undefined>>;
type AnyFunction = (this: unknown, ...args: unknown[]) => unknown;

const BLOCKING = ["spawnSync", "execSync", "execFileSync"] as const;

let isInstalled = false;

/** Stays after the last extension has ended, because its code may still be called. */
export function markChildren(): void {
  if (isInstalled) return;
  isInstalled = true;
  const library = process.getBuiltinModule("node:child_process");
  const starter = library.ChildProcess.prototype as unknown as { spawn: AnyFunction };
  const start = starter.spawn;
  starter.spawn = function (...args) {
    const children = runningExtension()?.children;
    if (!children) return start.apply(this, args);
    const [options, ...rest] = args as [{ envPairs?: readonly string[] | Environment }];
    const envPairs = markedPairs(options.envPairs, marksOf(children));
    const result = start.call(this, Object.assign(options, { envPairs }), ...rest);
    runAsLathe(() => children.note(this as ChildProcess));
    return result;
  };
  const functions = library as unknown as Record<string, AnyFunction>;
  for (const name of BLOCKING) {
    const run = functions[name]!;
    functions[name] = function (...args) {
      const children = runningExtension()?.children;
      return run.apply(this, children ? markedArguments(args, marksOf(children)) : args);
    };
  }
  syncBuiltinESMExports();
}

/** The watchdog that this may start is ours. */
const marksOf = (children: ExtensionChildren): Environment => runAsLathe(() => children.variables());

/** Node has a list of `NAME=value`, Bun an object. */
function markedPairs(pairs: readonly string[] | Environment = [], marks: Environment): readonly string[] | Environment {
  if (!Array.isArray(pairs)) return { ...(pairs as Environment), ...marks };
  const others = pairs.filter((pair) => !Object.hasOwn(marks, pair.slice(0, pair.indexOf("="))));
  return [...others, ...Object.entries(marks).map(([name, value]) => `${name}=${value}`)];
}

/** The options are the last argument, if there are any. */
function markedArguments(args: readonly unknown[], marks: Environment): unknown[] {
  const others = args.slice(0, args.findLastIndex((arg) => arg !== undefined && arg !== null) + 1);
  const last = others.at(-1);
  const options = typeof last === "object" && !Array.isArray(last) ? (others.pop() as { env?: Environment }) : {};
  const env: Record<string, string | undefined> = {};
  // Inherited variables count too, as they do for node.
  for (const name in options.env ?? process.env) env[name] = (options.env ?? process.env)[name];
  return [...others, { ...options, env: { ...env, ...marks } }];
}
