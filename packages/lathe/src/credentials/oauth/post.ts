// Posts a form, or JSON where an issuer wants that, through the product's one HTTP transport.

import type { Transport } from "@lathe/llm";
import { CliError, EXIT } from "../../cli/exit.ts";
import type { Post } from "./token.ts";

const MOST_BYTES = 1 << 20;

export function poster(transport: Transport): Post {
  return async (url, form, encoding = "form") => {
    const asJson = encoding === "json";
    const reply = await transport({
      url,
      method: "POST",
      headers: {
        "content-type": asJson ? "application/json" : "application/x-www-form-urlencoded",
        accept: "application/json",
      },
      body: [asJson ? JSON.stringify(form) : new URLSearchParams({ ...form }).toString()],
    });
    const chunks: Uint8Array[] = [];
    let size = 0;
    for await (const chunk of reply.body) {
      chunks.push(chunk);
      size += chunk.length;
      if (size > MOST_BYTES) break;
    }
    const text = Buffer.concat(chunks).toString("utf8");
    try {
      return JSON.parse(text) as Awaited<ReturnType<Post>>;
    } catch (error) {
      throw new CliError(
        EXIT.provider,
        `${new URL(url).host} answered with status ${reply.status} and no JSON. Try again later.`,
        {
          cause: error,
        },
      );
    }
  };
}
