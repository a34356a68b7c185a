// `rule://<name>`: the text of a rule that the system prompt names.

import type { SchemeResolver } from "@lathe/agent";
import type { RuleBuckets } from "./rule.ts";

export function ruleAddresses({ always, listed }: Pick<RuleBuckets, "always" | "listed">): SchemeResolver {
  const rules = new Map([...listed, ...always].map((rule) => [rule.name, rule]));
  return {
    readsWhole: true,
    read: async (url) => {
      const name = decodeURIComponent(url.slice(url.indexOf("://") + 3)).replace(/\/$/, "");
      const rule = rules.get(name);
      if (!rule) {
        const known = [...rules.keys()].join(", ");
        throw new Error(`There is no rule "${name}". Rules: ${known === "" ? "none" : known}.`);
      }
      return { bytes: Buffer.from(rule.text), mediaType: "text/markdown" };
    },
  };
}
