// Streams the output of a running call, without known secrets, until the call ends.

import type { RedactingStream } from "../../policy/redact/replace.ts";
import type { HostChoices, SessionLog } from "../facades.ts";

type StreamName = "stdout" | "stderr";

export class LiveOutput {
  readonly #core: SessionLog & HostChoices;
  readonly #callId: string;
  readonly #streams = new Map<StreamName, RedactingStream>();
  #isOpen = true;

  constructor(core: SessionLog & HostChoices, callId: string) {
    this.#core = core;
    this.#callId = callId;
  }

  /** Output that leftover processes write later no longer belongs to the call. */
  push(delta: string, stream: StreamName): void {
    if (!this.#isOpen) return;
    const { redactor } = this.#core.options;
    if (redactor === undefined) {
      this.#emit(delta, stream);
      return;
    }
    const redacting = this.#streams.get(stream) ?? redactor.stream();
    this.#streams.set(stream, redacting);
    this.#emit(redacting.push(delta), stream);
  }

  /** Ends the output and emits the text that was held back. */
  flush(): void {
    if (!this.#isOpen) return;
    for (const [stream, redacting] of this.#streams) this.#emit(redacting.flush(), stream);
  }

  close(): void {
    this.#isOpen = false;
  }

  #emit(delta: string, stream: StreamName): void {
    if (delta !== "") this.#core.emit("tool_call_output_delta", { call_id: this.#callId, delta, stream });
  }
}
