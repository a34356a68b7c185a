// Posts a form through the product's one HTTP transport.

import type { Transport } from "@lathe/llm";
import { CliError, EXIT } from "../../cli/exit.ts";
import type { PostForm } from "./token.ts";

const MOST_BYTES = 1 << 20;

export function postForm(transport: Transport): PostForm {
  return async (url, form) => {
    const reply = await transport({
      url,
      method: "POST",
      headers: { "content-type": "application/x-www-form-urlencoded", accept: "application/json" },
      body: [new URLSearchParams({ ...form }).toString()],
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
      return JSON.parse(text) as Awaited<ReturnType<PostForm>>;
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
