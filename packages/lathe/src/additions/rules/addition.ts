// The rules of a project and its user, for one session: in the system prompt, at `rule://`, given with the files that
// they apply to, and checked while the model writes.

import { readFile } from "node:fs/promises";
import type { AdditionMaker } from "../../conversation/session-contract.ts";
import type { SessionWorkspace } from "../../conversation/session-workspace.ts";
import { filesOfInstruction } from "../../found/discovery/instruction-files.ts";
import type { Place } from "../../found/discovery/place.ts";
import type { DiscoveryWarning } from "../../found/discovery/types.ts";
import { warningLine } from "../../found/discovery/warning-line.ts";
import { shownPath } from "../../platform/home/shown-path.ts";
import { type PathRule, pathRules } from "./path-rules.ts";
import { bucketsOf, type InterruptMode, type Rule, type RuleProblem, ruleOf } from "./rule.ts";
import { ruleAddresses } from "./rule-addresses.ts";
import { rulePrompt } from "./rule-prompt.ts";
import { StreamRules } from "./stream-rules.ts";

export const rules: AdditionMaker = async (workspace) => {
  const { settings, cwd } = workspace;
  const { place } = await workspace.discovery();
  let { buckets, read, forFiles } = await rulesOf(workspace);
  const interrupt = settings["ttsr.interruptMode"] as InterruptMode;
  const watch = new StreamRules({ rules: () => buckets.stream, interrupt, cwd });
  return {
    name: "rules",
    schemes: { rule: ruleAddresses(() => buckets) },
    systemParts: async ({ custom = "", appended = "" }) => {
      ({ buckets, read, forFiles } = await rulesOf(workspace));
      // The user's own prompt may already contain a rule.
      const always = buckets.always.filter(({ text }) => ![custom, appended].some((own) => own.includes(text)));
      return rulePrompt({ ...buckets, always }).map((text) => ({ name: "rules", text, stays: true }));
    },
    middleware: [pathRules(() => forFiles, place), ...(settings["ttsr.enabled"] ? [watch.middleware()] : [])],
    opened: async ({ session }) => {
      for (const { rule, problems } of read)
        for (const warning of await locateProblems(rule.source.path, problems))
          session.warn(warningLine(warning), "rule");
      const heavy = heavyRules(buckets.always, place);
      if (heavy !== undefined) session.warn(heavy, "rule_size");
    },
  };
};

async function rulesOf(workspace: SessionWorkspace) {
  const discovery = await workspace.discovery();
  const [{ active }, instructions] = await Promise.all([discovery.of("rule"), discovery.of("instruction")]);
  const read = active.map(ruleOf);
  const buckets = bucketsOf(read.map(({ rule }) => rule));
  const forFiles: PathRule[] = [
    ...buckets.byPath,
    ...instructions.active.flatMap(({ name, source, value }) => {
      const globs = filesOfInstruction(value);
      return globs ? [{ name, source, globs, text: value.body }] : [];
    }),
  ];
  return { read, buckets, forFiles };
}

/** A repository may bring more rules than its user would write, and each request pays for them. */
const MANY_BYTES = 8_000;

/** Lists the rules in every request, longest first, if they are too long in total. */
function heavyRules(rules: readonly Rule[], { userHome }: Place): string | undefined {
  const sized = rules.map(({ source, text }) => ({ path: source.path, bytes: Buffer.byteLength(text) }));
  const sum = sized.reduce((total, { bytes }) => total + bytes, 0);
  if (sum <= MANY_BYTES) return undefined;
  const named = sized
    .sort((a, b) => b.bytes - a.bytes)
    .map(({ path, bytes }) => `${shownPath(path, userHome)} (${kilobytes(bytes)})`);
  const more = named.length > 5 ? ` and ${named.length - 5} more` : "";
  return `Rules add ${kilobytes(sum)} to every request: ${named.slice(0, 5).join(", ")}${more}. To switch one off: /extensions rule`;
}

const kilobytes = (bytes: number): string => `${(bytes / 1000).toFixed(1)} kB`;

/** Adds the line of each problem in the file. */
async function locateProblems(path: string, problems: readonly RuleProblem[]): Promise<readonly DiscoveryWarning[]> {
  if (problems.length === 0) return [];
  const lines = (await readFile(path, "utf8")).split("\n");
  return problems.map(({ about, message }) => {
    const at = lines.findIndex((line) => line.includes(about));
    return { path, message, ...(at < 0 ? {} : { line: at + 1 }) };
  });
}
