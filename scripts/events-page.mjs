// Generates docs/events.md from the event types and the comment with their grammar. `node scripts/events-page.mjs`
// writes it; a test compares.

import { readFileSync, writeFileSync } from "node:fs";
import { fileURLToPath } from "node:url";

const SOURCE = new URL("../packages/agent/src/contract/events/types.ts", import.meta.url);
const PAGE = new URL("../docs/events.md", import.meta.url);

const HEAD = `# Events of a session

<!-- Written by scripts/events-page.mjs from packages/agent/src/contract/events/types.ts. -->

A host follows a session by reading its events: text as it streams in, calls, approvals, errors, the end.
\`session.events()\` gives all of them in order, to any number of readers. [embedding.md](embedding.md) has programs that
read them. The events of JSON and RPC mode have other names; they are in [rpc.md](rpc.md#events).

Each event has \`kind\`, \`data\`, \`seq\` (counts up from 1 without gaps; merged deltas carry the last of theirs),
\`timestamp\` (milliseconds), \`session_id\`, and \`agent_id\` if it belongs to a child agent.
`;

/** The content of the page. */
export function eventsPage() {
  const source = readFileSync(SOURCE, "utf8");
  const comment = /\/\*\*\n((?: \*.*\n)*?) \*\/\nexport type SessionEvent =/.exec(source)?.[1] ?? "";
  const text = comment.replace(/^ \* ?/gm, "");
  const [, grammar = "", rules = ""] = /```ebnf\n([\s\S]*?)```\n([\s\S]*)/.exec(text) ?? [];
  const data = /export interface EventData \{\n([\s\S]*?)\n\}\n/.exec(source)?.[1] ?? "";
  const rows = eventsIn(data).map(({ kind, type, about }) => `| \`${kind}\` | ${cell(type)} | ${about} |`);
  return [
    HEAD,
    "## Which events can follow which\n",
    "`,` means then, `|` or, `[ ]` optional, `{ }` any number of times.\n",
    `\`\`\`text\n${grammar}\`\`\`\n`,
    `${rules.trim()}\n`,
    "## What each event carries\n",
    `| event | data | meaning |\n| --- | --- | --- |\n${rows.join("\n")}\n`,
  ].join("\n");
}

/** The members of the interface, which are indented by two spaces. */
function eventsIn(body) {
  const member = /(?: {2}\/\*\* (.*?) \*\/\n)? {2}(\w+): ([\s\S]*?);(?=\n {2}[\w/]|$)/g;
  return [...body.matchAll(member)].map(([, about = "", kind, type]) => ({ kind, type, about }));
}

const cell = (type) =>
  `\`${type
    .replace(/\/\*\*.*?\*\//g, "")
    .replace(/\s+/g, " ")
    .replace(/; \}/g, " }")
    .replaceAll("|", "\\|")}\``;

if (process.argv[1] === fileURLToPath(import.meta.url)) writeFileSync(PAGE, eventsPage());
