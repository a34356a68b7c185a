// `lathe share`: a session as an encrypted page.

import { JournalError } from "@lathe/agent";
import { baseUrl, shareSession } from "../../doors/share/share-session.ts";
import { Run } from "../../hosts/run.ts";
import { EXIT, usageError } from "../../platform/usage/exit.ts";
import { findOne } from "../../sessions/find.ts";
import type { Command } from "./command.ts";
import { verbArgs } from "./verb-args.ts";

export const shareCommand: Command = async (argv, machine) => {
  const { values, positionals } = verbArgs(
    argv,
    { out: { type: "string", short: "o" }, "base-url": { type: "string" } },
    "share",
  );
  const [session, more] = positionals;
  if (session === undefined || more !== undefined)
    throw usageError("Name one session: lathe share <id>. See: lathe sessions list");
  const base = values["base-url"] === undefined ? undefined : baseUrl(values["base-url"]);
  const workspace = await new Run(machine).open({});
  try {
    const { file, link } = await shareSession(workspace, findOne(workspace, session), { out: values.out, base });
    machine.stdout.write(`${file}\n${link}\n`);
    machine.stderr.write(`${explained(base !== undefined)}\n`);
    return EXIT.done;
  } catch (error) {
    if (error instanceof JournalError) throw usageError(error.message);
    throw error;
  }
};

function explained(isServed: boolean): string {
  const place = isServed
    ? "Upload the file to that address, then send the link."
    : "The link opens the file on this machine. To send it, put the file on any https host: its address, then # and the key.";
  return [
    "The file holds the whole transcript, encrypted; secrets that Lathe knows are replaced, as in lathe sessions export.",
    "The part of the link after # is the key. It is not in the file and not kept anywhere: who has both can read the session.",
    place,
  ].join("\n");
}
