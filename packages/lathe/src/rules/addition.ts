// The rules of a project and its user, for one session: in the system prompt, at `rule://`, and watched for while the model writes.

import type { AdditionMaker } from "../conversation/additions.ts";
import { discoveryOf } from "../discovery/discovery.ts";
import { bucketsOf, type InterruptMode, ruleOf } from "./rule.ts";
import { ruleAddresses } from "./rule-addresses.ts";
import { rulePrompt } from "./rule-prompt.ts";
import { StreamRules } from "./stream-rules.ts";

export const rules: AdditionMaker = async (workspace) => {
  const { settings, cwd } = workspace;
  const { active } = await discoveryOf(workspace).of("rule");
  const read = active.map(ruleOf);
  const buckets = bucketsOf(read.map(({ rule }) => rule));
  const watched = settings["ttsr.enabled"] ? buckets.stream : [];
  const interrupt = settings["ttsr.interruptMode"] as InterruptMode;
  return {
    name: "rules",
    schemes: { rule: ruleAddresses(buckets) },
    systemParts: () => rulePrompt(buckets).map((text) => ({ name: "rules", text, stays: true })),
    middleware: watched.length === 0 ? [] : [new StreamRules({ rules: watched, interrupt, cwd }).middleware()],
    opened: ({ session }) => {
      for (const { path, message } of read.flatMap(({ warnings }) => warnings))
        session.warn(`${path}: ${message}`, "rule");
    },
  };
};
