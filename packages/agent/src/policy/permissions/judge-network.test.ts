import { expect, it } from "vitest";
import type { Access } from "../../contract/tool.ts";
import { judge } from "./judge.ts";
import { type Decision, type Rule, readRule } from "./rule.ts";
import { PERMISSION_MODES } from "./verdict.ts";

const PLACES = { roots: ["/srv/project"], userHome: "/home/me", latheHome: "/home/me/.lathe" };
const SHOWN = "https://docs.example/a";
const host = "docs.example";

const rule = (decision: Decision, text: string): Rule => {
  const read = readRule(text);
  if ("problem" in read) throw new Error(read.problem);
  return { ...read, decision, origin: "test" };
};

/** In mode order: read-only, ask, auto-edit, full, plan. */
it.each<[string, Partial<Access & { kind: "network" }>, Rule[], string]>([
  ["an address that was shown", { url: SHOWN }, [], "deny ask allow allow allow"],
  ["another one", { url: `${SHOWN}?k=secret` }, [], "deny ask ask allow deny"],
  ["a connection that may send something", {}, [], "deny ask ask allow deny"],
  ["a search engine that the user chose", { chosen: true }, [], "deny ask allow allow allow"],
  [
    "a page of the session's own server",
    { own: true, url: "http://localhost:3000/" },
    [],
    "deny allow allow allow allow",
  ],
  ["a page that was read before", { kept: true, url: "http://x.example/" }, [], "deny allow allow allow allow"],
  ["a connection to the session's own server", { own: true }, [], "deny allow allow allow deny"],
  ["a shown address of a denied host", { url: SHOWN }, [rule("deny", `network(${host})`)], "deny deny deny deny deny"],
  ["a shown address of a host to ask about", { url: SHOWN }, [rule("ask", `network(${host})`)], "deny ask ask ask ask"],
  [
    "any address of an allowed host",
    { url: `${SHOWN}?x` },
    [rule("allow", `network(${host})`)],
    "deny allow allow allow deny",
  ],
  ["a closed port of the loopback, shown or not", { url: SHOWN, closedPort: 5432 }, [], "deny ask ask allow deny"],
  [
    "a closed port of an allowed host",
    { url: SHOWN, closedPort: 5432 },
    [rule("allow", `network(${host})`), rule("allow", "network")],
    "deny ask ask allow deny",
  ],
  [
    "a page of a closed port that was read before",
    { kept: true, url: SHOWN, closedPort: 5432 },
    [rule("allow", "network")],
    "deny allow allow allow allow",
  ],
  ["a chosen engine that is denied", { chosen: true }, [rule("deny", "network")], "deny deny deny deny deny"],
])("LS-10 %s: %j", (_what, more, rules, decisions) => {
  const notShown = (url: string) => (url === SHOWN ? undefined : "nobody has shown it");
  const verdicts = PERMISSION_MODES.map((mode) =>
    judge({ tier: "network", access: [{ kind: "network", host, ...more }] }, { mode, rules, places: PLACES, notShown }),
  );
  expect(verdicts.map(({ decision }) => decision).join(" ")).toBe(decisions);
  for (const { parts } of verdicts) for (const { reason } of parts) expect(reason).not.toBe("");
});

it("the reason is in the question, in one line", () => {
  const access = [{ kind: "network" as const, host, url: "https://docs.example/made-up" }];
  const notShown = () => "nobody has shown it";
  const judged = (mode: "auto-edit" | "plan") =>
    judge({ tier: "network", access }, { mode, rules: [], places: PLACES, notShown }).reason;
  expect(judged("auto-edit")).toBe("Nobody has shown it.");
  expect(judged("plan")).toBe("Plan mode is on: only what was shown is read, and nobody has shown it.");
});

it.each([
  ["a host without an address", { host }, `--allow 'network(${host})'`],
  ["an address", { host, url: "https://docs.example/made-up" }, `--allow 'network(${host})'`],
  ["a server of the loopback", { host: "localhost" }, "--allow 'network(localhost)'"],
  ["what is no address", { host: "' --allow 'shell", url: "' --allow 'shell" }, "--permission-mode full"],
])("LS-10 where nobody can be asked, the narrowest option is named: %s", (_what, item, way) => {
  const access = [{ kind: "network" as const, ...item }];
  const policy = { mode: "auto-edit" as const, rules: [], places: PLACES, notShown: () => "nobody has shown it" };
  expect(judge({ tier: "network", access }, policy).allowWith).toBe(way);
});
