import { readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { turn } from "@lathe/testkit";
import { afterEach, beforeEach, expect, it } from "vitest";
import { isAlive, until } from "../../agent/test/alive.ts";
import { MODEL, type Setup, setup } from "./rpc-host.ts";

let rig: Setup;
beforeEach(async () => {
  rig = await setup();
});
afterEach(() => rig.remove());

const texts = (n: number): string => JSON.stringify(rig.server.requests[n]?.body);

it("T-BASH-5 the model ends its turn while its job runs: in RPC mode the end of the job begins the next one by itself", async () => {
  rig.server.push(
    turn.calls([
      {
        name: "shell",
        args: { command: "while [ ! -e go ]; do sleep 0.05; done; echo job is done", background: true },
      },
    ]),
    turn.text("I wait for it."),
    turn.text("It has ended."),
  );
  const host = await rig.start("--permission-mode", "full");
  await host.prompt("go");
  writeFileSync(join(rig.box.dir, "go"), "");
  await until(() => host.events().filter(({ type }) => type === "agent_end").length === 2);
  expect(texts(2)).toContain("job is done");
  expect(rig.server.requests).toHaveLength(3);
  expect(await host.finish()).toBe(0);
});

it("T-JOB-1 a print run that ends while a job runs stops the job and says so on stderr", async () => {
  rig.server.push(
    turn.calls([{ name: "shell", args: { command: "echo $$ > pid; sleep 60", background: true } }]),
    turn.calls([{ name: "shell", args: { command: "while [ ! -s pid ]; do sleep 0.05; done" } }]),
    turn.text("The server is up."),
  );
  const run = await rig.box.run([...MODEL, "--permission-mode", "full", "-p", "start it"], { env: rig.env });
  expect(run.stdout.trim()).toBe("The server is up.");
  expect(run.stderr).toContain("Stopped when the run ended: echo $$ > pid; sleep 60");
  expect(isAlive(Number(readFileSync(join(rig.box.dir, "pid"), "utf8")))).toBe(false);
});
