// Which results show further addresses.

import type { CallInfo } from "@lathe/agent";
import type { Access } from "@lathe/agent/contract";
import { newMemoryJournal } from "@lathe/agent/record";
import { defaultDeps } from "@lathe/llm";
import { expect, it } from "vitest";
import { ShownAddresses, TYPED } from "./shown-addresses.ts";
import { WebCalls } from "./web-calls.ts";

it("a thread of a chosen host shows its links only if its page was shown or a person is asked; a chosen search always does", async () => {
  const journal = newMemoryJournal(defaultDeps({ env: {} }), "/srv/project");
  const [typed, made] = ["https://github.com/octo/app/issues/7", "https://github.com/octo/app/issues/8"];
  journal.append({ type: "custom", customType: TYPED, data: [typed] });
  const calls = new WebCalls(new ShownAddresses({ journal }));
  await calls.shown.update(journal);
  const link = "https://linked.example/";
  const linksOf = (url: string | undefined, isAsked = false): readonly string[] | undefined => {
    const item: Access = { kind: "network", host: "github.com", chosen: true, ...(url === undefined ? {} : { url }) };
    const call = { tier: "network" as const, access: [item] };
    calls[isAsked ? "ask" : "take"]("c", call);
    const result = { content: [], fromWeb: { source: "issue://8", links: [link] } };
    return calls.keepShown("c", { args: {} } as CallInfo, result)?.fromWeb?.links;
  };
  expect(linksOf(made)).toEqual([]);
  expect(linksOf(made, true)).toEqual([link]);
  expect(linksOf(typed)).toEqual([link]);
  expect(linksOf(undefined)).toEqual([link]);
});
