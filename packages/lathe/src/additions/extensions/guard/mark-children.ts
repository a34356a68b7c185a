// Marks the processes that an extension starts with `spawn`, `exec`, `execFile` and `fork`. Node announces each of them
// on a diagnostics channel before it starts; our own pass untouched.

import type { ChildProcess } from "node:child_process";
import { subscribe } from "node:diagnostics_channel";
import { runAsLathe, runningExtension } from "./current.ts";

/** A child that has not started yet; node starts it with its own method. */
type Announced = ChildProcess & { spawn?(options: { envPairs?: readonly string[] }): unknown };

let isListening = false;

/** Stays after the last extension has ended, because its code may still be called. */
export function markChildren(): void {
  if (isListening) return;
  isListening = true;
  subscribe("child_process", (message) => mark((message as { process: Announced }).process));
}

function mark(child: Announced): void {
  const children = runningExtension()?.children;
  const { spawn } = child;
  if (!children || typeof spawn !== "function") return;
  child.spawn = (options) => {
    delete child.spawn;
    // The watchdog that this may start is ours.
    const marks = runAsLathe(() => children.variables());
    const others = (options.envPairs ?? []).filter((pair) => !Object.hasOwn(marks, pair.slice(0, pair.indexOf("="))));
    options.envPairs = [...others, ...Object.entries(marks).map(([name, value]) => `${name}=${value}`)];
    const result = spawn.call(child, options);
    runAsLathe(() => children.note(child));
    return result;
  };
}
