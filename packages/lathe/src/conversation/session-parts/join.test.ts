import { describe, expect, it } from "vitest";
import type { SessionPart } from "../session-contract.ts";
import { SessionHandle } from "../session-handle.ts";
import { JoinedParts } from "./join.ts";

const run: NonNullable<NonNullable<SessionPart["around"]>["aroundExecute"]> = async (_call, work) => work();
const NONE = { parts: [], warnings: [] };

describe("parts of a session", () => {
  it.each<[string, Omit<SessionPart, "name">, string]>([
    ["a way around calls", { around: { aroundExecute: run } }, "the slot aroundExecute"],
    [
      "a service",
      { services: { planMode: { active: false, propose: async () => undefined } } },
      "the service planMode",
    ],
    ["a scheme", { schemes: { lathe: { read: async () => ({ text: "" }) } as never } }, "the scheme lathe"],
    ["an option of agents", { subagents: { isApart: true } }, "the option of agents isApart"],
  ])("two parts that claim %s are refused by their names", (_what, slot, claimed) => {
    const [first, second] = [
      { name: "rewind", ...slot },
      { name: "tape", ...slot },
    ];
    expect(() => new JoinedParts([first, second], NONE)).toThrow(
      `Two parts of the session claim ${claimed}: rewind and tape.`,
    );
    expect(() => new JoinedParts([first], { parts: [second], warnings: [] })).toThrow("rewind and tape");
  });

  it("hooks and middleware run in the order of the list, built-in parts before additions", async () => {
    const order: string[] = [];
    const part = (name: string): SessionPart => ({
      name,
      middleware: [{ name }],
      recover: async () => void order.push(`recover ${name}`),
      ready: async () => void order.push(`ready ${name}`),
    });
    const parts = new JoinedParts([part("a"), part("b")], { parts: [part("added")], warnings: [] });
    await parts.recover();
    await parts.ready(undefined as never);
    expect(order).toEqual(["recover a", "recover b", "recover added", "ready a", "ready b", "ready added"]);
    expect(parts.middleware.map(({ name }) => name)).toEqual(["a", "b", "added"]);
  });

  it("a session that is used before it is made says so; warnings wait for it", () => {
    const handle = new SessionHandle();
    expect(() => handle.current).toThrow("before it was made");
    handle.warn("no sandbox here", "sandbox");
    const said: string[] = [];
    handle.fill({ warn: (message: string) => said.push(message) } as never);
    expect(said).toEqual(["no sandbox here"]);
  });
});
