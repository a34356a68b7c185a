// Posts a form, or JSON if an issuer wants that, through the product's one HTTP transport.

import type { Transport } from "@lathe/llm";
import { answerText } from "../../../platform/machine/answer-text.ts";
import { CliError, EXIT } from "../../../platform/usage/exit.ts";
import type { Post } from "./token.ts";

const MOST_BYTES = 1 << 20;
/** An issuer that does not answer must not block a run, nor the lock that other processes wait for. */
const PATIENCE_MS = 15_000;

interface FormAnswer {
  readonly status: number;
  readonly text: string;
}

/** Rejects if there is no response. */
export type SendForm = (
  url: string,
  form: Readonly<Record<string, string>>,
  encoding?: "form" | "json",
) => Promise<FormAnswer>;

export function formSender(transport: Transport): SendForm {
  return async (url, form, encoding = "form") => {
    const asJson = encoding === "json";
    const signal = AbortSignal.timeout(PATIENCE_MS);
    const silent = (error: unknown): never => {
      const why = signal.aborted
        ? `${new URL(url).host} did not answer in time`
        : `Cannot reach the issuer: ${(error as Error).message.replace(/\.$/, "")}`;
      throw new CliError(EXIT.provider, `${why}. Try again later.`, { cause: error });
    };
    const reply = await transport({
      url,
      method: "POST",
      headers: {
        "content-type": asJson ? "application/json" : "application/x-www-form-urlencoded",
        accept: "application/json",
      },
      signal,
      // Codes and refresh tokens work only once.
      once: true,
      body: [asJson ? JSON.stringify(form) : new URLSearchParams({ ...form }).toString()],
    }).catch(silent);
    return { status: reply.status, text: await answerText(reply.body, MOST_BYTES).catch(silent) };
  };
}

export function poster(transport: Transport): Post {
  const send = formSender(transport);
  return async (url, form, encoding) => {
    const { status, text } = await send(url, form, encoding);
    try {
      return JSON.parse(text) as Awaited<ReturnType<Post>>;
    } catch (error) {
      throw new CliError(
        EXIT.provider,
        `${new URL(url).host} answered with status ${status} and no JSON. Try again later.`,
        { cause: error },
      );
    }
  };
}
