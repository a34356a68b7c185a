// `lathe sessions list`.

import { join } from "node:path";
import { EXIT } from "../../../platform/usage/exit.ts";
import { listSessions, printableLine, sessionName, timeAgo } from "../../../sessions/list.ts";
import { table } from "../../../sessions/tables/table.ts";
import { verbArgs } from "../verb-args.ts";
import { count, refuseWords, type Verb } from "./verb.ts";

const DEFAULT_LENGTH = 30;

export const listVerb: Verb = async (argv, workspace) => {
  const { values, positionals } = verbArgs(argv, {
    all: { type: "boolean", short: "a" },
    json: { type: "boolean" },
    number: { type: "string", short: "n" },
    tmux: { type: "boolean" },
  });
  refuseWords(positionals, "list");
  if (values.tmux) return (await import("./list-tmux.ts")).listInTmux(workspace.machine, values.json === true);
  const limit = count(values.number, values.json ? 0 : DEFAULT_LENGTH);
  const { paths, cwd, machine } = workspace;
  const now = machine.deps.now();
  const listed = listSessions({
    sessionsRoot: paths.sessions,
    cacheFile: join(paths.cache, "session-heads.json"),
    ...(values.all ? {} : { cwd }),
    ...(limit === 0 ? {} : { limit }),
    now,
  });
  if (values.json) {
    const rows = listed.map((session) => ({ ...session, modified: new Date(session.modified).toISOString() }));
    machine.stdout.write(`${JSON.stringify(rows, null, 2)}\n`);
    return EXIT.done;
  }
  if (listed.length === 0) {
    machine.stderr.write(
      values.all ? "No sessions yet.\n" : "No sessions in this directory. See: lathe sessions list --all\n",
    );
    return EXIT.done;
  }
  const rows = listed.map((session) => [
    printableLine(session.id).slice(0, 8),
    timeAgo(session.modified, now),
    sessionName(session),
    ...(values.all ? [printableLine(session.cwd)] : []),
  ]);
  machine.stdout.write(table(rows));
  return EXIT.done;
};
