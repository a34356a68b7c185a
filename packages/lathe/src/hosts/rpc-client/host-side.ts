// What a host offers the agent: tools that it runs, URLs that it serves, dialogs that it shows. Frames come in, answers
// go out.

import type { HostToolSpec, UriSchemeSpec } from "../rpc/commands.ts";
import type { HostToolResult, UiRequest, UiResponse } from "../rpc/frames.ts";

/** The output of a host's tool: text, or content in the wire format. */
export type HostToolOutput = string | { readonly content: HostToolResult["result"]["content"]; isError?: boolean };

/** A tool that the host runs when the model calls it. */
export interface HostTool extends HostToolSpec {
  execute(
    args: Readonly<Record<string, unknown>>,
    context: { readonly signal: AbortSignal; readonly update: (text: string) => void },
  ): HostToolOutput | Promise<HostToolOutput>;
}

/** A URL scheme that the host reads and writes for the agent. */
export interface HostScheme extends UriSchemeSpec {
  read(url: string, signal: AbortSignal): string | Promise<string>;
  write?(url: string, content: string, signal: AbortSignal): void | Promise<void>;
}

/**
 * Returning undefined cancels the dialog. The signal aborts when the dialog was answered elsewhere; its reason is who
 * answered, if known.
 */
export type UiHandler = (
  request: Exclude<UiRequest, { method: "cancel" }>,
  signal: AbortSignal,
) => UiAnswer | Promise<UiAnswer>;
/** The user's choice in a dialog; undefined: cancelled. */
export type UiAnswer =
  | (Pick<UiResponse, "value" | "confirmed" | "remember" | "by"> & {
      /** Called when the agent has journalled the answer. */
      readonly onTaken?: (() => void) | undefined;
    })
  | undefined;

type Frame = Readonly<Record<string, unknown>>;

export class HostSide {
  readonly #send: (frame: object) => void;
  readonly #running = new Map<string, AbortController>();
  /** Callbacks for dialogs whose answer was not confirmed yet, by dialog. */
  readonly #untaken = new Map<string, () => void>();
  tools: readonly HostTool[] = [];
  schemes: readonly HostScheme[] = [];
  ui: UiHandler | undefined;

  constructor(send: (frame: object) => void) {
    this.#send = send;
  }

  /** True if the frame was for the host's side. */
  take(frame: Frame): boolean {
    const id = String(frame["id"]);
    switch (frame["type"]) {
      case "host_tool_call":
        void this.#serve(id, (signal) => this.#call(id, frame, signal));
        return true;
      case "host_uri_request":
        void this.#serve(id, (signal) => this.#resolve(id, frame, signal));
        return true;
      case "extension_ui_request":
        if (frame["method"] === "cancel") this.#running.get(String(frame["targetId"]))?.abort(frame["by"]);
        else void this.#serve(id, (signal) => this.#show(id, frame, signal));
        return true;
      case "extension_ui_taken": {
        const targetId = String(frame["targetId"]);
        this.#untaken.get(targetId)?.();
        this.#untaken.delete(targetId);
        return true;
      }
      case "host_tool_cancel":
      case "host_uri_cancel":
        this.#running.get(String(frame["targetId"]))?.abort();
        return true;
      default:
        return false;
    }
  }

  stop(): void {
    for (const controller of this.#running.values()) controller.abort();
  }

  /** Cancelled work sends no answer. */
  async #serve(id: string, work: (signal: AbortSignal) => Promise<object>): Promise<void> {
    const controller = new AbortController();
    this.#running.set(id, controller);
    const answer = await work(controller.signal);
    this.#running.delete(id);
    if (!controller.signal.aborted) this.#send(answer);
  }

  async #call(id: string, frame: Frame, signal: AbortSignal): Promise<object> {
    const answer = (content: HostToolResult["result"]["content"], isError: boolean): object => ({
      type: "host_tool_result",
      id,
      result: { content },
      isError,
    });
    try {
      const tool = this.tools.find(({ name }) => name === frame["toolName"]);
      if (!tool) throw new Error(`the host has no tool ${String(frame["toolName"])}`);
      const update = (text: string): void =>
        this.#send({ type: "host_tool_update", id, partialResult: { content: [{ type: "text", text }] } });
      const output = await tool.execute(frame["arguments"] as Record<string, unknown>, { signal, update });
      if (typeof output === "string") return answer([{ type: "text", text: output }], false);
      return answer(output.content, output.isError ?? false);
    } catch (error) {
      return answer([{ type: "text", text: messageOf(error) }], true);
    }
  }

  async #resolve(id: string, frame: Frame, signal: AbortSignal): Promise<object> {
    const url = String(frame["url"]);
    const base = { type: "host_uri_result", id };
    try {
      const scheme = this.schemes.find((candidate) =>
        url.toLowerCase().startsWith(`${candidate.scheme.toLowerCase()}:`),
      );
      if (!scheme) throw new Error(`the host does not answer for ${url}`);
      if (frame["operation"] === "read") return { ...base, content: await scheme.read(url, signal) };
      if (!scheme.write) throw new Error(`${url} is read only`);
      await scheme.write(url, String(frame["content"]), signal);
      return base;
    } catch (error) {
      return { ...base, isError: true, error: messageOf(error) };
    }
  }

  async #show(id: string, frame: Frame, signal: AbortSignal): Promise<object> {
    const base = { type: "extension_ui_response", id };
    try {
      const answer = await this.ui?.(frame as never, signal);
      if (answer === undefined) return { ...base, cancelled: true };
      const { onTaken, ...said } = answer;
      if (onTaken) this.#untaken.set(id, onTaken);
      return { ...base, ...said };
    } catch {
      return { ...base, cancelled: true }; // a dialog that breaks must not leave the agent waiting
    }
  }
}

const messageOf = (error: unknown): string => (error instanceof Error ? error.message : String(error));
