// `rule://<name>`: the text of a rule that the system prompt names.

import type { SchemeResolver } from "@lathe/agent/contract";
import type { RuleBuckets } from "./rule.ts";

export function ruleAddresses(buckets: () => Pick<RuleBuckets, "always" | "listed" | "byPath">): SchemeResolver {
  return {
    readsWhole: true,
    hasSelectors: true,
    read: async (url) => {
      const name = decodeURIComponent(url.slice(url.indexOf("://") + 3)).replace(/\/$/, "");
      const { always, listed, byPath } = buckets();
      const rules = [...new Set([...listed, ...always, ...byPath])];
      const rule = rules.find((one) => one.name === name);
      if (!rule) {
        const known = rules.map((one) => one.name).join(", ");
        throw new Error(`There is no rule "${name}". Rules: ${known === "" ? "none" : known}.`);
      }
      return { bytes: Buffer.from(rule.text), mediaType: "text/markdown" };
    },
  };
}
