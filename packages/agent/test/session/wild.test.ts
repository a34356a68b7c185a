import { expect, it } from "vitest";
import { grammarError } from "../support/event-grammar.ts";
import { historyError, journalError } from "../support/history-grammar.ts";
import type { Setup } from "../support/session.ts";
import { WildWorld } from "../support/wild-world.ts";

const RUNS = process.env["LATHE_LONG"] ? 1500 : 5;

type Ending = "ended" | "closed" | "killed";

/** One input during which the host steers, interrupts, aborts, or its process is killed. */
async function oneInput(world: WildWorld, s: Setup, step: number): Promise<Ending> {
  const { session } = s;
  const goesOn = step > 0 && world.chance() < 0.5;
  const running = goesOn ? session.continue() : session.submit(`input ${step}`);
  for (let actions = Math.floor(world.chance() * 4); actions > 0; actions--) {
    await new Promise((resolve) => setTimeout(resolve, world.chance() * 12));
    if (session.state === "closed") break;
    const act = world.chance();
    if (act < 0.25) session.steer("look here");
    else if (act < 0.45) session.followUp("and then");
    else if (act < 0.7) void session.interrupt();
    else if (act < 0.8) await session.abort();
    else {
      const die = world.kill();
      // What happens here happens to a copy that nothing reads later.
      await session.abort();
      await running;
      die();
      return "killed";
    }
  }
  await running;
  return session.state === "closed" ? "closed" : "ended";
}

/** Everything that is wrong with a session that is closed by now. */
function problemsOf(s: Setup): string[] {
  const fatal = s.of("error").filter((event) => event.data.fatal || event.data.code === "prefix_bug");
  return [
    grammarError(s.events, { ended: true }),
    ...s.client.requests.map(({ messages }) => historyError(messages.slice(1))),
    ...fatal.map((event) => event.data.message),
  ].filter((problem) => problem !== undefined);
}

async function wildRun(seed: number): Promise<string[]> {
  const world = new WildWorld(seed);
  const problems: string[] = [];
  let s = world.open();
  const leave = async (): Promise<void> => {
    await s.session.close();
    await new Promise((resolve) => setImmediate(resolve));
    problems.push(...problemsOf(s));
  };
  for (let step = 0; step < 4; step++) {
    if ((await oneInput(world, s, step)) === "ended") continue;
    await leave();
    s = world.open();
    if (s.session.subagents.list().some(({ status }) => status === "running"))
      problems.push("a child outlived its process");
  }
  for (const { agentId } of s.session.subagents.list()) {
    await s.session.subagents.wait(agentId, AbortSignal.timeout(60_000));
  }
  s.session.abandonUnfinishedInput();
  const { journal } = s.session;
  const wrong = journalError(journal);
  if (wrong !== undefined) problems.push(wrong);
  const { usage } = s.session;
  await leave();
  const reopened = world.open();
  if (JSON.stringify(reopened.session.journal.context.messages) !== JSON.stringify(journal.context.messages)) {
    problems.push("the reopened journal tells another history");
  }
  if (JSON.stringify(reopened.session.usage) !== JSON.stringify(usage)) problems.push("the reopened ledger differs");
  await reopened.session.close();
  return problems;
}

it("SN-05 SB-02 EV-01 whatever comes when, events nest, histories are legal, nothing is counted twice", async () => {
  for (let seed = 1; seed <= RUNS; seed++) {
    expect([seed, await wildRun(seed)]).toEqual([seed, []]);
  }
}, 600_000);
