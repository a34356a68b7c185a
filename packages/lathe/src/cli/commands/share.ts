// `lathe share`: writes a session as an encrypted page, or prints a link with which others can follow it at `lathe
// serve`.

import { JournalError } from "@lathe/agent";
import { lookLink } from "../../doors/serve/sign-in-link.ts";
import { baseUrl, shareSession } from "../../doors/share/share-session.ts";
import { Run } from "../../hosts/run.ts";
import type { Machine } from "../../platform/machine/machine.ts";
import { lifetime } from "../../platform/options/values.ts";
import { EXIT, type ExitCode, usageError } from "../../platform/usage/exit.ts";
import { findOne, idOf } from "../../sessions/find.ts";
import type { Command } from "./command.ts";
import { serverAddress } from "./serve/link.ts";
import { tokensOf } from "./serve/token.ts";
import { verbArgs } from "./verb-args.ts";

/** The default lifetime of a live link. */
const LIVE = "24h";
const MOST_MS = 365 * 86_400_000;

export const shareCommand: Command = async (argv, machine) => {
  const { values, positionals } = verbArgs(
    argv,
    {
      out: { type: "string", short: "o" },
      "base-url": { type: "string" },
      live: { type: "boolean" },
      url: { type: "string" },
      for: { type: "string" },
    },
    "share",
  );
  const [session, more] = positionals;
  if (session === undefined || more !== undefined)
    throw usageError("Name one session: lathe share <id>. See: lathe sessions list");
  const { live, out, url, for: time } = values;
  const [stray] = [...(live ? ["out", "base-url"] : ["url", "for"])].filter((name) => Object.hasOwn(values, name));
  if (stray !== undefined)
    throw usageError(`--${stray} and --live ${live ? "cannot be combined" : "must be used together"}.`);
  const base = values["base-url"] === undefined ? undefined : baseUrl(values["base-url"]);
  const workspace = await new Run(machine).open({});
  try {
    const path = findOne(workspace, session);
    if (live) return await shareLive(machine, idOf(path), { url, time });
    const { file, link } = await shareSession(workspace, path, { out, base });
    machine.stdout.write(`${file}\n${link}\n`);
    machine.stderr.write(`${explanation(base !== undefined)}\n`);
    return EXIT.done;
  } catch (error) {
    if (error instanceof JournalError) throw usageError(error.message);
    throw error;
  }
};

interface LiveOptions {
  readonly url: string | undefined;
  readonly time: string | undefined;
}

/** The server need not be running yet: it reads the token file again whenever that changes. */
async function shareLive(machine: Machine, session: string, { url, time }: LiveOptions): Promise<ExitCode> {
  const server = serverAddress(machine, url);
  const lastsMs = lifetime("for", time ?? LIVE);
  if (lastsMs > MOST_MS) throw usageError(`--for may be 365d at most, not "${time}".`);
  const until = new Date(machine.deps.now() + lastsMs).toISOString().slice(0, 16).replace("T", " ");
  machine.stdout.write(`${await lookLink(server, tokensOf(machine), session, lastsMs)}\n`);
  machine.stderr.write(
    [
      `The first browser that opens it may follow session ${session.slice(0, 8)} and nothing else, until ${until} UTC.`,
      "lathe serve must be running for a folder that the session belongs to. For another person, run this again.",
      "To end it earlier: lathe serve token list, then lathe serve token revoke <name>.\n",
    ].join("\n"),
  );
  return EXIT.done;
}

function explanation(isServed: boolean): string {
  const place = isServed
    ? "Upload the file to that address, then send the link."
    : "The link opens the file on this machine. To send it, put the file on any https host: its address, then # and the key.";
  return [
    "The file holds the whole transcript, encrypted; secrets that Lathe knows are replaced, as in lathe sessions export.",
    "The part of the link after # is the key. It is not in the file and not kept anywhere: anyone who has both can read the session.",
    place,
  ].join("\n");
}
