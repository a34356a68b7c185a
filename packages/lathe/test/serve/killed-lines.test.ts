// The process of a served session, its server, or both at once are killed at each line of the session's journal, and the server is started
// again at once.

import { expect, it } from "vitest";
import { KilledServing, type Victim } from "./killed-serving.ts";

const LONG = process.env["LATHE_LONG"] !== undefined;
/** Before the first line, before the prompt, inside the turn. */
const IN_GATE: Readonly<Record<Victim, readonly number[]>> = { child: [3], server: [6], both: [1, 4, 8] };
const MOST_LINES = 60;

/** False when nobody died: the journal has fewer lines. */
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
  expect(
    users.filter((text) => !goesOn.includes(text)),
    where,
  ).toEqual(["make it", "and more"]);
  for (const text of confirmed) expect(users, where).toContain(text);
  expect(["made\n", ...(goesOn.length > 0 ? [""] : [])], where).toContain(serving.made());
  const fresh = KilledServing.drawn(await serving.fresh());
  expect(fresh).toContainEqual({ kind: "text", text: "There is more." });
  // The page that was open all the time draws the same as one that is opened now, and both draw the journal.
  await expect.poll(() => KilledServing.drawn(serving.view), { timeout: 20_000 }).toEqual(fresh);
  const { messages } = await serving.client.command(serving.id, "get_messages");
  expect(await serving.journal(), where).toHaveLength(messages.length);
}

for (const victim of ["child", "server", "both"] as const)
  it(
    `M1 ${victim === "both" ? "server and child are" : `the ${victim} is`} killed at a line of the journal: nothing confirmed is lost, nothing is done twice, the page goes on`,
    async () => {
      if (!LONG) return void (await Promise.all(IN_GATE[victim].map((line) => killedAt(victim, line))));
      let line = 1;
      while (line < MOST_LINES && (await killedAt(victim, line))) line++;
      console.log(`${victim}: killed at each of ${line - 1} lines`);
      expect(line).toBeGreaterThan(12);
    },
    LONG ? 1_800_000 : 170_000,
  );
