// `lathe sessions search`.

import { visibleLine } from "@lathe/agent/base";
import { EXIT } from "../../../platform/usage/exit.ts";
import { printableLine, sessionName, timeAgo } from "../../../sessions/list.ts";
import { type FoundSession, loadSqlite, searchSessions } from "../../../sessions/search.ts";
import { parseQuery } from "../../../sessions/search-query.ts";
import type { Snippet } from "../../../sessions/search-text.ts";
import { verbArgs } from "../verb-args.ts";
import { count, type Verb } from "./verb.ts";

const DEFAULT_LENGTH = 20;
/** Stands for no limit. */
const ALL = 1e9;
/** Used if no terminal reports its width. */
const WIDTH = 144;
const INDENT = "    ";

export const searchVerb: Verb = async (argv, workspace) => {
  const { values, positionals } = verbArgs(argv, {
    json: { type: "boolean" },
    number: { type: "string", short: "n" },
  });
  const { machine } = workspace;
  const limit = count(values.number, DEFAULT_LENGTH) || ALL;
  const width = (machine.stdout.isTTY && !values.json && machine.stdout.columns) || WIDTH;
  const query = parseQuery(positionals.flatMap((word) => word.split(/\s+/)));
  const found = await searchSessions(workspace, {
    query,
    // One extra hit shows whether there are more.
    limit: limit + 1,
    width: width - INDENT.length,
    sqlite: loadSqlite,
    note: (text) => void machine.stderr.write(`lathe: ${text}\n`),
  });
  const shown = found.slice(0, limit);
  if (values.json) {
    machine.stdout.write(`${JSON.stringify(shown.map(jsonRow), null, 2)}\n`);
    return EXIT.done;
  }
  const style: Style = machine.stdout.isTTY && !machine.env["NO_COLOR"] ? TERMINAL : PLAIN;
  const now = machine.deps.now();
  // All patterns at once, so that no word matches inside the markup of another.
  const hits = new RegExp(query.patterns.map(({ source }) => source).join("|"), "giu");
  machine.terminal.write(shown.map((one) => lines(one, width, now, hits, style)).join(""));
  if (found.length > shown.length) machine.stderr.write("More sessions match; -n 0 shows all.\n");
  if (found.length === 0) machine.stderr.write("Nothing found.\n");
  return found.length > 0 ? EXIT.done : EXIT.failed;
};

interface Style {
  readonly hit: (text: string) => string;
  readonly aside: (text: string) => string;
}

const PLAIN: Style = { hit: (text) => text, aside: (text) => text };
const TERMINAL: Style = {
  hit: (text) => `\u001b[1m${text}\u001b[22m`,
  aside: (text) => `\u001b[2m${text}\u001b[22m`,
};

const LONGEST_NAME = 60;
const SHORTEST_NAME = 20;

/** The name is shortened so that directory and time fit the terminal. Only our own markup reaches it. */
function lines(
  { session, snippet }: FoundSession,
  width: number,
  now: number,
  hits: RegExp,
  { hit, aside }: Style,
): string {
  const id = printableLine(session.id).slice(0, 8);
  const where = `(${timeAgo(session.modified, now)}, ${printableLine(session.cwd)})`;
  const room = width - `${id}    ${where}`.length;
  const name = sessionName(session, Math.min(LONGEST_NAME, Math.max(SHORTEST_NAME, room)));
  const text = visibleLine(snippetText(snippet)).replace(hits, hit);
  return `${visibleLine(id)}  ${visibleLine(name)}  ${aside(visibleLine(where))}\n${INDENT}${text}\n`;
}

const snippetText = ({ before, match, after }: Snippet): string => before + match + after;

const jsonRow = ({ session, snippet }: FoundSession) => ({
  ...session,
  modified: new Date(session.modified).toISOString(),
  snippet: snippetText(snippet),
});
