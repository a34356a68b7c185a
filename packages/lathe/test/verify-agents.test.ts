// Work done only by agents is verified like any other: the tests count as they were before the parent's first call.

import { turn } from "@lathe/testkit";
import { afterEach, expect, it } from "vitest";
import { has } from "../../agent/test/programs.ts";
import { type AgentStage, agentStage, shell, tasks, yields } from "./agents-kit.ts";
import { jsonLines } from "./contract-kit.ts";

let scene: AgentStage;
afterEach(() => scene.close());

const FILES = { "test.sh": "grep -q right code.txt\n", "code.txt": "wrong\n" };
const OPTIONS = ["--permission-mode", "full", "--check", "sh test.sh", "--require", "verified", "--json"];

const CASES = [
  { isolated: false, does: "echo right > code.txt", verification: "verified", code: 0 },
  { isolated: true, does: "echo exit 0 > test.sh; echo x > code.txt", verification: "unverified", code: 1 },
  { isolated: false, does: "echo exit 0 > test.sh; echo x > code.txt", verification: "unverified", code: 1 },
  { isolated: true, does: "echo right > code.txt", verification: "verified", code: 0 },
];

// In the gate without the last: honest work in a copy is applied and verified in verify.test.ts, too.
it.skipIf(!has("bwrap", "nsenter", "unshare", "git")).each(process.env["LATHE_LONG"] ? CASES : CASES.slice(0, 3))(
  "N1 an agent, isolated: $isolated, that does `$does` ends as $verification (needs bwrap, nsenter, unshare, git)",
  async ({ isolated, does, verification, code }) => {
    scene = await agentStage(
      {
        parent: [tasks([{ id: "One", assignment: "fix it", isolated }]), turn.text("Done, all is verified.")],
        One: [shell(does), yields("done")],
      },
      FILES,
    );
    const run = await scene.run([...OPTIONS, "go"]);
    expect(jsonLines(run.stdout).at(-1)).toMatchObject({ verification, exitCode: code });
  },
);
