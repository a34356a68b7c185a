// `lathe sessions search`.

import { EXIT } from "../../cli/exit.ts";
import { verbArgs } from "../../commands/verb-args.ts";
import { oneLine, sessionName, timeAgo } from "../list.ts";
import { loadSqlite, searchSessions } from "../search.ts";
import { parseQuery } from "../search-query.ts";
import type { Snippet } from "../search-text.ts";
import { count, type Verb } from "./verb.ts";

const DEFAULT_LENGTH = 20;
/** A limit that no number of sessions reaches. */
const ALL = 1e9;

export const searchVerb: Verb = async (argv, workspace) => {
  const { values, positionals } = verbArgs(argv, {
    json: { type: "boolean" },
    number: { type: "string", short: "n" },
  });
  const { machine } = workspace;
  const found = await searchSessions(workspace, {
    query: parseQuery(positionals.flatMap((word) => word.split(/\s+/))),
    limit: count(values.number, DEFAULT_LENGTH) || ALL,
    sqlite: loadSqlite,
    note: (text) => void machine.stderr.write(`lathe: ${text}\n`),
  });
  if (values.json) {
    const rows = found.map(({ session, snippet }) => ({
      ...session,
      modified: new Date(session.modified).toISOString(),
      snippet: snippet.before + snippet.match + snippet.after,
    }));
    machine.stdout.write(`${JSON.stringify(rows, null, 2)}\n`);
    return EXIT.done;
  }
  const bold = machine.stdout.isTTY && !machine.env["NO_COLOR"];
  for (const { session, snippet } of found) {
    const when = timeAgo(session.modified, machine.deps.now());
    machine.stdout.write(
      `${session.id.slice(0, 8)}  ${sessionName(session, 60)}  (${when}, ${oneLine(session.cwd)})\n`,
    );
    machine.stdout.write(`    ${marked(snippet, bold)}\n`);
  }
  if (found.length === 0) machine.stderr.write("Nothing found.\n");
  return found.length > 0 ? EXIT.done : EXIT.failed;
};

const marked = ({ before, match, after }: Snippet, bold: boolean): string =>
  bold ? `${before}\u001b[1m${match}\u001b[22m${after}` : before + match + after;
