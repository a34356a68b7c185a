// Listens on a loopback port for the browser's redirect after a sign-in.

import { timingSafeEqual } from "node:crypto";
import { createServer } from "node:http";
import type { AddressInfo } from "node:net";
import { CliError, EXIT } from "../../../platform/usage/exit.ts";

export interface Waiting {
  /** Lines the user pastes if their browser runs on another machine: the address that it could not open. */
  readonly pastedLines?: (signal: AbortSignal) => AsyncIterable<string>;
  readonly signal: AbortSignal;
  /** How long the user may take, in milliseconds. */
  readonly patienceMs: number;
}

export interface Redirection extends Waiting {
  /** Port to listen on; 0 means any. */
  readonly port: number;
  readonly redirectAt: (port: number) => string;
  /** Any program can connect to a loopback port, so only a response to our own request is accepted. */
  readonly isAnswer: (url: URL) => boolean;
  /** Called when we are listening, so that the user can be sent to the browser. */
  readonly begin: (redirectUri: string) => void | Promise<void>;
  /** The command that the user runs to try again. */
  readonly again: string;
}

/** Returns the address that the browser was redirected to. It may carry a code or an error. */
export function waitForRedirect(options: Redirection): Promise<{ readonly url: URL; readonly redirect: string }> {
  const { signal, patienceMs, isAnswer, again } = options;
  return new Promise((resolve, reject) => {
    let redirect = "";
    const done = new AbortController();
    const stop = (): void => {
      done.abort();
      clearTimeout(timer);
      server.close();
      server.closeAllConnections();
      signal.removeEventListener("abort", onCancel);
    };
    const fail = (error: unknown): void => {
      stop();
      reject(error);
    };
    const onCancel = (): void => fail(new CliError(EXIT.interrupted, "Signing in was cancelled."));
    const timer = setTimeout(
      () => fail(new CliError(EXIT.provider, `The sign-in timed out. Run: ${again}`)),
      patienceMs,
    );
    const settle = (url: URL): void => {
      stop();
      resolve({ url, redirect });
    };
    const server = createServer((request, response) => {
      const url = new URL(request.url ?? "/", redirect);
      if (!isAnswer(url)) {
        response.writeHead(404).end("This is not the sign-in response we are waiting for.\n");
        return;
      }
      const isGood = url.searchParams.has("code");
      response.writeHead(200, { "content-type": "text/plain; charset=utf-8", connection: "close" });
      response.end(`${isGood ? "Signed in" : "Signing in failed"}. You can close this page.\n`, () => settle(url));
    });
    server.once("error", (error) =>
      fail(new CliError(EXIT.provider, `Cannot listen for the sign-in: ${error.message}. Try again.`)),
    );
    server.listen(options.port, "127.0.0.1", () => {
      redirect = options.redirectAt((server.address() as AddressInfo).port);
      signal.addEventListener("abort", onCancel, { once: true });
      if (signal.aborted) return onCancel();
      void (async () => options.begin(redirect))().catch(fail);
      void readPasted(options, done.signal, (line) => {
        const url = URL.canParse(line) ? new URL(line) : undefined;
        if (url && isAnswer(url)) settle(url);
      });
    });
  });
}

async function readPasted(waiting: Waiting, signal: AbortSignal, take: (line: string) => void): Promise<void> {
  if (!waiting.pastedLines || signal.aborted) return;
  for await (const line of waiting.pastedLines(signal)) take(line.trim());
}

/** Compares in constant time, which reveals nothing about where the texts differ. */
export function isSameText(a: string, b: string): boolean {
  const [left, right] = [Buffer.from(a), Buffer.from(b)];
  return left.length === right.length && timingSafeEqual(left, right);
}
