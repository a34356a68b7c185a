// The process of a served session, its server, or both are killed at each line of the session's journal, and the server
// is restarted at once.

import { expect, it } from "vitest";
import { KilledServing, type Victim } from "./killed-serving.ts";

const LONG = process.env["LATHE_LONG"] !== undefined;
/** Before the first line, before the prompt, inside the turn, before the follow-up that waits in the queue. */
const IN_GATE: Readonly<Record<Victim, readonly number[]>> = { child: [3], server: [6], both: [1, 17] };
const MOST_LINES = 60;
const AT_ONCE = 4;

/** False if no process died: the journal has fewer lines. */
async function killedAt(victim: Victim, line: number): Promise<boolean> {
  const serving = await KilledServing.open(victim, line);
  const where = `${victim} at line ${line}`;
  try {
    const confirmed = await serving.say();
    let end = await serving.finish();
    if (end === "server has died") {
      await serving.startAgain();
      end = await serving.finish();
      // A journal that has no such line leaves all of them alive.
    } else if (victim !== "child" || !serving.stderr.includes("has ended")) return false;
    if (end === "no session") expect(confirmed, `${where}: a confirmed message is lost with its session`).toEqual([]);
    else await mustBeWhole(serving, confirmed, where);
    await serving.stop();
    await expect.poll(() => serving.processes(), { timeout: 20_000 }).toEqual([]);
    return true;
  } catch (error) {
    throw new Error(`${where}: ${String(error)}\n${serving.stderr}`, { cause: error });
  } finally {
    await serving.remove();
  }
}

async function mustBeWhole(serving: KilledServing, confirmed: readonly string[], where: string): Promise<void> {
  const users = await serving.users();
  const goesOn = users.filter((text) => text.startsWith("Continue the task"));
  expect(users.filter((text) => !goesOn.includes(text)).sort(), where).toEqual(["and more", "make it"]);
  // What was not confirmed was said again, after the other.
  if (confirmed.length === 2) expect(users.indexOf("make it"), where).toBeLessThan(users.indexOf("and more"));
  const fresh = KilledServing.drawnItems(await serving.fresh());
  // The model is told that a command was cut off or about to run, and it does not run again.
  const isCut = fresh.some((item) => "state" in item && item.state === "failed");
  expect(isCut ? ["made\n", ""] : ["made\n"], where).toContain(serving.madeText());
  expect(fresh).toContainEqual({ kind: "text", text: "There is more." });
  // The page that was open all the time shows the same as one opened now, and both show the journal.
  await expect.poll(() => KilledServing.drawnItems(serving.view), { timeout: 20_000 }).toEqual(fresh);
  const { messages } = await serving.client.command(serving.id, "get_messages");
  expect(await serving.journal(), where).toHaveLength(messages.length);
}

it("M1 a session whose server dies with it goes on three times without getting on, then it waits for a person", async () => {
  const serving = await KilledServing.openDying(7, 3);
  try {
    await serving.say();
    for (let start = 1; start <= 4; start++) await serving.startAgain();
    await expect.poll(() => serving.stderr).toContain(`Session ${serving.id} has died 3 times`);
    const { unfinishedInput } = await serving.client.command(serving.id, "get_state");
    expect(unfinishedInput).toBe(true);
    await serving.client.command(serving.id, "continue");
    expect(await serving.finish()).toBe("done");
    expect(serving.madeText()).toBe("made\n");
    await serving.stop();
  } finally {
    await serving.remove();
  }
});

for (const victim of ["child", "server", "both"] as const)
  it(
    `M1 ${victim === "both" ? "server and child are" : `the ${victim} is`} killed at a line of the journal: nothing confirmed is lost, nothing is done twice, the page goes on`,
    async () => {
      if (!LONG) return void (await Promise.all(IN_GATE[victim].map((line) => killedAt(victim, line))));
      let deaths = 0;
      for (let line = 1; line < MOST_LINES; line += AT_ONCE) {
        const lines = Array.from({ length: AT_ONCE }, (_, i) => line + i);
        const died = await Promise.all(lines.map((one) => killedAt(victim, one)));
        deaths += died.filter(Boolean).length;
        if (died.includes(false)) break;
      }
      console.log(`${victim}: killed at each of ${deaths} lines`);
      expect(deaths).toBeGreaterThan(12);
    },
    LONG ? 1_800_000 : 170_000,
  );
