// What the gateway says when it does not do what a client asks; the wire format of the client has the words for it.

import type { Refusal, RefusalKind } from "@lathe/llm/serve";

export class GatewayRefusal extends Error {
  readonly refusal: Refusal;
  /** Trying again at once cannot help: clients of the vendors would. */
  readonly isFinal: boolean;

  constructor(
    kind: RefusalKind,
    message: string,
    { isFinal = false, ...more }: Omit<Refusal, "kind" | "message"> & { readonly isFinal?: boolean } = {},
  ) {
    super(message);
    this.name = "GatewayRefusal";
    this.refusal = { kind, message, ...more };
    this.isFinal = isFinal;
  }
}
