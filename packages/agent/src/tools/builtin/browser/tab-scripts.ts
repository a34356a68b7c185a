// Scripts on a tab: the types shared by the tool and the host that runs them.

import type { JsonObject, JsonValue } from "@lathe/llm";

/** One script. */
export interface TabScript {
  /** Name of the tab. */
  readonly tab: string;
  readonly code: string;
  readonly timeoutMs: number;
}

/** Receives a script's output and answers its requests. */
export interface TabScriptHost {
  readonly signal: AbortSignal;
  show(text: string): void;
  picture(bytes: Uint8Array, mediaType: string): void;
  /** Fails with a message for the script. */
  answer(what: string, args: JsonObject): Promise<JsonValue>;
}

/** How a script ended. Except for `done` and `failed`, its process is gone; for `timed_out`, its page too. */
export interface TabScriptEnd {
  readonly status: "done" | "failed" | "timed_out" | "interrupted" | "died";
  /** What went wrong. */
  readonly error?: string | undefined;
}

/** Runs scripts on the tabs of a session. */
export interface TabScripts {
  run(script: TabScript, host: TabScriptHost): Promise<TabScriptEnd>;
  /** Folder for screenshots without a file name. */
  readonly screenshotDir?: string | undefined;
}
