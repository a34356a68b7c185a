// `lathe serve link`: a link for another browser, as text and as a QR code for a phone.

import { signInLink } from "../../../doors/serve/sign-in-link.ts";
import { homePaths } from "../../../platform/home/paths.ts";
import { readIfReadable } from "../../../platform/home/small-file.ts";
import type { Machine } from "../../../platform/machine/machine.ts";
import { httpUrl } from "../../../platform/options/values.ts";
import { EXIT, usageError } from "../../../platform/usage/exit.ts";
import type { Command } from "../command.ts";
import { verbArgs } from "../verb-args.ts";
import { tokensOf } from "./token.ts";

export const DEFAULT_PORT = 4096;

export const linkCommand: Command = async (argv, machine) => {
  const { values, positionals } = verbArgs(argv, { url: { type: "string" } }, "serve");
  if (positionals[0] !== undefined) throw usageError("lathe serve link takes only --url <address of the server>.");
  await printLink(machine, await signInLink(serverAddress(machine, values.url), tokensOf(machine)));
  return EXIT.done;
};

/** The given address, or else that of the server that was started last. */
export function serverAddress({ env, userHome }: Machine, url: string | undefined): string {
  const last = readIfReadable(homePaths(env, userHome).serveAddress)?.trim();
  return new URL(httpUrl("url", url ?? (last || `http://127.0.0.1:${DEFAULT_PORT}`))).origin;
}

/** The code in the link works once. */
export async function printLink({ stdout, terminal }: Machine, link: string): Promise<void> {
  stdout.write(`Open in a browser, once and within 10 minutes:\n${link}\n`);
  if (!terminal.isTTY) return;
  const { renderUnicodeCompact } = await import("uqr");
  terminal.write(`${renderUnicodeCompact(link)}\n`);
}
