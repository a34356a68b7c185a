// A request that the gateway refuses; the client's wire format determines the response.

import type { Refusal, RefusalKind } from "@lathe/llm/serve";

export class GatewayRefusal extends Error {
  readonly refusal: Refusal;
  /** Retrying cannot help; without this mark, the vendors' clients would retry. */
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
