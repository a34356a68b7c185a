// Settings of background jobs, command output, the todo list and questions to the user.

import { choice, exactly, flag, integer, oneOf, type Schema, text, withWords } from "@lathe/llm/schema";

export const WORK_SETTINGS = {
  "async.enabled": flag({ default: true, description: "let the model run commands in the background" }),
  "async.maxJobs": integer({
    minimum: 1,
    maximum: 100,
    default: 100,
    description: "background jobs that may run at the same time",
  }),
  "async.pollWaitDuration": choice(["5s", "10s", "30s", "1m", "5m"], {
    default: "30s",
    description: "how long the model waits for background jobs in one call",
  }),
  "bash.autoBackground.enabled": flag({
    default: false,
    description: "move a long-running command to the background and let the model continue",
  }),
  "bash.autoBackground.thresholdMs": integer({
    minimum: 1,
    default: 60_000,
    description: "milliseconds after which a command counts as long-running",
  }),
  "bash.minimizer.enabled": flag({
    default: true,
    description: "leave lines that only report success or progress out of what the model reads; the raw output is kept",
  }),
  "eval.py": flag({ default: true, description: "let the model run Python cells" }),
  "eval.js": flag({ default: true, description: "let the model run JavaScript cells" }),
  "python.kernelMode": choice(["session", "per-call"], {
    default: "session",
    description: "keep a Python kernel and its variables for the whole session, or start a new one for each cell",
  }),
  "lsp.enabled": flag({ default: true, description: "use the language servers that fit the project" }),
  "lsp.lazy": flag({
    default: true,
    description:
      "start a language server with the first file of its language; false: with the session, if a user is present",
  }),
  "lsp.diagnosticsOnWrite": flag({
    default: true,
    description: "after an edit, tell the model which errors it introduced and which it fixed",
  }),
  "lsp.formatOnWrite": flag({
    default: false,
    description: "format the lines of an edit with the language server before it is shown and written",
  }),
  "debug.enabled": flag({ default: true, description: "let the model run programs under a debugger" }),
  "browser.headless": flag({
    default: true,
    description: "run the agent's browser without a window; false shows it on your display",
  }),
  "browser.stealth": flag({
    default: false,
    description:
      "hide from pages that the agent's browser is automated: no navigator.webdriver, no Headless in its name",
  }),
  "browser.screenshotDir": text({
    default: "",
    description: "folder for screenshots whose script names no file; empty: they become artifacts",
  }),
  "github.cache.enabled": flag({
    default: true,
    description: "cache issues, pull requests and diffs that were read, separately for each token",
  }),
  "github.cache.softTtlSec": integer({
    minimum: 0,
    default: 300,
    description:
      "seconds after which a cached issue or pull request is shown once more and fetched again for the next time",
  }),
  "github.cache.hardTtlSec": integer({
    minimum: 0,
    default: 604_800,
    description: "seconds after which a cached issue or pull request is no longer shown",
  }),
  "todo.enabled": flag({ default: true, description: "offer the todo list to the model; always on in RPC mode" }),
  "tasks.todoClearDelay": withWords(oneOf(integer({ minimum: 0 }), exactly(-1)), {
    default: 60,
    description: "seconds after which finished tasks leave the todo list; -1 = never",
  }),
  "ask.timeout": integer({
    minimum: 0,
    default: 0,
    description:
      "seconds after which the model's question is answered with its recommendation, unless the user has begun to answer; 0 = never",
  }),
  "ask.notify": flag({ default: true, description: "notify when the model asks while the terminal has no focus" }),
} as const satisfies Record<string, Schema>;

const POLL_MS: Readonly<Record<string, number>> = {
  "5s": 5_000,
  "10s": 10_000,
  "30s": 30_000,
  "1m": 60_000,
  "5m": 300_000,
};

export const pollMs = (duration: string): number => POLL_MS[duration] ?? 30_000;
