// `lathe serve`, `lathe serve link` and `lathe serve token …`.

import { usageError } from "../../platform/usage/exit.ts";
import type { Command } from "./command.ts";
import { linkCommand } from "./serve/link.ts";
import { tokenCommand } from "./serve/token.ts";

const VERBS: Readonly<Record<string, Command>> = {
  link: linkCommand,
  token: tokenCommand,
};

export const serveCommand: Command = async (argv, machine) => {
  const [verb] = argv;
  if (verb === undefined || verb.startsWith("-")) return (await import("./serve/run.ts")).runServer(argv, machine);
  const run = Object.hasOwn(VERBS, verb) ? VERBS[verb] : undefined;
  if (!run)
    throw usageError(
      `Unknown command "lathe serve ${verb}". Choose one of ${Object.keys(VERBS).join(", ")}. See: lathe serve --help`,
    );
  return run(argv.slice(1), machine);
};
