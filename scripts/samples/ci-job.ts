// Runs the job of docs/ci.md in every situation: its exit code and output must be those that the page promises.
import { type Script, startModelServer, turn } from "@lathe/testkit";
import type { Report } from "./report.ts";
import { type Env, withoutTerminal } from "./shells.ts";

interface Case {
  readonly name: string;
  readonly script: Script;
  readonly env?: Env;
  readonly code: number;
  readonly says: RegExp;
}

const command = turn.calls([{ name: "shell", args: { command: "X=1 env true" } }]);

const CASES: readonly Case[] = [
  {
    name: "done",
    script: [command, turn.text("Fixed.")],
    code: 0,
    says: /^done, [\d.e-]+ USD: Fixed\.\nLathe is done/m,
  },
  {
    name: "a provider that refuses the key",
    script: [turn.error(401)],
    code: 3,
    says: /^provider_error.*\n(.*\n)*The provider failed/m,
  },
  {
    name: "a command where commands are not allowed",
    script: [command, turn.text("I could not run it.")],
    env: { PERMISSION_MODE: "auto-edit" },
    code: 4,
    says: /^denied.*\n(.*\n)*A call needed a permission/m,
  },
  {
    name: "a budget that is used up",
    script: [turn.calls([{ name: "shell", args: { command: "true" } }], { usage: { input: 5_000_000, output: 10 } })],
    code: 5,
    says: /^budget, [\d.]+ USD.*\n(.*\n)*The budget is/m,
  },
  {
    name: "an empty answer",
    script: () => turn.text(""),
    code: 1,
    says: /^failed.*\n(.*\n)*Lathe did not finish: exit code 1/m,
  },
];

export async function checkCiJob(job: string, cwd: string, env: Env, report: Report): Promise<void> {
  for (const [index, { name, script, env: extra = {}, code, says }] of CASES.entries()) {
    await using server = await startModelServer({ script });
    const shell = withoutTerminal({
      ...env,
      ...extra,
      ANTHROPIC_BASE_URL: server.baseUrl("anthropic"),
      CI_JOB_ID: String(index),
    });
    const what = `docs/ci.md, the job with ${name}`;
    const [ran] = await shell.follow(`bash ${job}`, cwd);
    if (ran?.code === code && says.test(ran.output)) report.ok(what);
    else report.fail(what, `exit code ${ran?.code}, not ${code}, or no ${says} in\n${ran?.output}`);
  }
}
