import { defineProfile, FAMILIES, MemoryEnvironment, Session } from "@lathe/agent";
import { defaultDeps } from "@lathe/llm";
import { expect, it } from "vitest";
import { Permissions } from "../../found/permissions/permissions.ts";
import { RunDriver } from "./run-prompts.ts";

it("a run that fails with a message still queued behind it ends all the same", async () => {
  const env = new MemoryEnvironment();
  const refuse = (): never => {
    throw new Error("no model today");
  };
  const session = new Session({
    profile: defineProfile(FAMILIES.minimal, { model: "m" }),
    env,
    client: { complete: refuse, stream: refuse },
    deps: defaultDeps({ env: {} }),
  });
  const permissions = new Permissions({
    mode: "full",
    canAsk: false,
    places: { roots: [], userHome: "/home/u", latheHome: "/home/u/.lathe" },
  });
  const driver = new RunDriver(
    { session, permissions, submit: (content) => session.submit(content), continue: () => session.continue() },
    () => undefined,
  );
  session.followUp("left by an earlier process");
  await driver.submit("go");
  expect(driver.report()).toMatchObject({ reason: "error", error: { message: "no model today" } });
  await session.close();
  await driver.drain();
});
