// Scripts on a tab, as the tool and the host that runs them agree on.

import type { JsonObject, JsonValue } from "@lathe/llm";

/** One script. */
export interface TabScript {
  /** Name of the tab. */
  readonly tab: string;
  readonly code: string;
  readonly timeoutMs: number;
}

/** Where a script's output goes, and who answers what it asks for. */
export interface TabScriptHost {
  readonly signal: AbortSignal;
  show(text: string): void;
  picture(bytes: Uint8Array, mediaType: string): void;
  /** Fails with words for the script. */
  answer(what: string, args: JsonObject): Promise<JsonValue>;
}

/** How a script ended. In all cases but `done` and `failed` its process is gone, and with `timed_out` its page as well. */
export interface TabScriptEnd {
  readonly status: "done" | "failed" | "timed_out" | "interrupted" | "died";
  /** What went wrong. */
  readonly error?: string | undefined;
}

/** Runs scripts on the tabs of a session. */
export interface TabScripts {
  run(script: TabScript, host: TabScriptHost): Promise<TabScriptEnd>;
  /** Folder for screenshots whose script names no file. */
  readonly screenshotDir?: string | undefined;
}
