// The rules of a project and its user, for one session: in the system prompt, at `rule://`, given with the files that they are for, and
// watched for while the model writes.

import { readFile } from "node:fs/promises";
import type { AdditionMaker } from "../../conversation/session-contract.ts";
import type { SessionWorkspace } from "../../conversation/session-workspace.ts";
import { filesOfInstruction } from "../../found/discovery/instruction-files.ts";
import type { DiscoveryWarning } from "../../found/discovery/types.ts";
import { warningLine } from "../../found/discovery/warning-line.ts";
import { type PathRule, pathRules } from "./path-rules.ts";
import { bucketsOf, type InterruptMode, type RuleProblem, ruleOf } from "./rule.ts";
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
    systemParts: async () => {
      ({ buckets, read, forFiles } = await rulesOf(workspace));
      return rulePrompt(buckets).map((text) => ({ name: "rules", text, stays: true }));
    },
    middleware: [pathRules(() => forFiles, place), ...(settings["ttsr.enabled"] ? [watch.middleware()] : [])],
    opened: async ({ session }) => {
      for (const { rule, problems } of read)
        for (const warning of await locateProblems(rule.source.path, problems))
          session.warn(warningLine(warning), "rule");
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

/** In which line each stands. */
async function locateProblems(path: string, problems: readonly RuleProblem[]): Promise<readonly DiscoveryWarning[]> {
  if (problems.length === 0) return [];
  const lines = (await readFile(path, "utf8")).split("\n");
  return problems.map(({ about, message }) => {
    const at = lines.findIndex((line) => line.includes(about));
    return { path, message, ...(at < 0 ? {} : { line: at + 1 }) };
  });
}
