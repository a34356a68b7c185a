// What could hang while agents work, with the command itself: each case ends within its own time limit, in a state that
// is reported.

import { execFileSync } from "node:child_process";
import { existsSync, readdirSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { type RecordedRequest, type Turn, turn } from "@lathe/testkit";
import { afterEach, describe, expect, it } from "vitest";
import { CAN_CONTAIN, makePodman } from "../../agent/test/isolate/container-image.ts";
import { has } from "../../agent/test/programs.ts";
import { type AgentStage, agentStage, type Cast, says, shell, tasks, whoIs, yields } from "./agents-kit.ts";
import { errorLines } from "./contract-kit.ts";
import { RpcHost } from "./rpc-host.ts";
import { canMount, withTmpfs } from "./tmpfs.ts";

let scene: AgentStage;
afterEach(() => scene.close());

const full = ["--permission-mode", "full"];
const FILES = { "a.txt": "one\n" };
const begin = async (cast: Cast, config = ""): Promise<void> => {
  scene = await agentStage(cast, FILES);
  if (config !== "") scene.config(config);
};
const resume = () => scene.run([...full, "-c", "-p", "again"]);
const go = (env: Record<string, string> = {}) => scene.run([...full, "-p", "go"], { env });
const waitsFor = (from: string) => turn.calls([{ name: "irc", args: { op: "wait", from, timeoutMs: 0 }, id: "w" }]);
/** The agent ends with the result of its call. */
const yieldsResult =
  (id: string) =>
  (request: RecordedRequest): Turn =>
    yields(`got: ${request.result(id)}`);
const endOf = (stdout: string, id: string): string =>
  new RegExp(`<agent_result id="${id}"[^>]*status="(\\w+)">\\n([^]*?)</agent_result>`)
    .exec(stdout)
    ?.slice(1)
    .join(": ") ?? "";

const startsBoth = tasks([
  { id: "One", assignment: "first" },
  { id: "Two", assignment: "second" },
]);

describe("an agent that could hang", () => {
  it("T-IRC-1 two that wait for each other without a limit: one is refused, told the cycle, and both complete", async () => {
    await begin({
      parent: [startsBoth, says],
      One: [waitsFor("Two"), yieldsResult("w")],
      Two: [waitsFor("One"), yieldsResult("w")],
    });
    const { code, stdout } = await go();
    const ends = ["One", "Two"].map((id) => endOf(stdout, id));
    expect({ code, ends }).toEqual({
      code: 0,
      ends: [expect.stringMatching(/^completed: got: /), expect.stringMatching(/^completed: got: /)],
    });
    expect(ends.join()).toMatch(
      /Not waiting: (One waits for Two, Two waits for One|Two waits for One, One waits for Two)/,
    );
  });

  it("SA-01 MO-06 with an approval that nobody gives: stopped it has failed; when the host leaves, the run ends and says so", async () => {
    await begin({
      parent: [startsBoth, turn.text("noted")],
      One: [shell("X=1 env true")],
      Two: [shell("X=2 env true")],
    });
    const host = new RpcHost(scene.box.open([...scene.args, "--mode", "rpc"], scene.env));
    host.send({ type: "prompt", message: "go" });
    for (const id of ["One", "Two"])
      await host.wait(`the question of ${id}`, (frame) => frame["method"] === "confirm" && frame["agentId"] === id);
    expect(await host.data("agent_stop", { agentId: "One" })).toMatchObject({
      agent: { agentId: "One", state: "idle", status: "failed" },
    });
    expect(await host.finish()).toBe(0);
    const lines = readdirSync(join(scene.box.home, ".lathe/sessions"), { recursive: true })
      .map(String)
      .filter((name) => name.endsWith(".jsonl"))
      .flatMap((name) => readFileSync(join(scene.box.home, ".lathe/sessions", name), "utf8").split("\n"));
    const ends = lines.filter((line) => line.includes('"customType":"agent"')).map((line) => JSON.parse(line).data);
    expect(ends).toMatchObject([
      { agentId: "One", status: "failed", output: expect.stringContaining("the user stopped it") },
      { agentId: "Two", status: "failed" },
    ]);
  });

  it("SA-03 one that never yields is reminded three times, and completes with a warning", async () => {
    await begin({ parent: [tasks([{ id: "One", assignment: "first" }]), says], One: [turn.text("I am done.")] });
    const { code, stdout } = await go();
    expect({ code, end: endOf(stdout, "One") }).toEqual({
      code: 0,
      end: expect.stringMatching(/^completed: SYSTEM WARNING: .*after 3 reminders\.\n\nI am done\./),
    });
    expect(scene.server.requests.filter((request) => whoIs(request) === "One")).toHaveLength(4);
  });

  it("SA-01 one whose model streams without an end has failed at task.maxRuntimeMs", async () => {
    const endless = turn.text("and on ".repeat(100_000), { delayMs: 5 });
    await begin(
      { parent: [tasks([{ id: "One", assignment: "first" }]), says], One: [endless] },
      "task:\n  maxRuntimeMs: 900\n",
    );
    const { code, stdout } = await go();
    expect({ code, end: endOf(stdout, "One") }).toEqual({
      code: 0,
      end: expect.stringMatching(/^failed: it did not finish within 900 ms/),
    });
  });

  it("SA-01 one that waits for memory begins when the others have ended, and nobody can wait for it until then", async () => {
    await begin(
      {
        parent: [startsBoth, says],
        One: [waitsFor("Two"), yieldsResult("w")],
        Two: [yields("two")],
      },
      "limits:\n  commandMemoryMb: 100000000\n",
    );
    const { code, stdout } = await go();
    expect({ code, ends: ["One", "Two"].map((id) => endOf(stdout, id)) }).toEqual({
      code: 0,
      ends: [
        expect.stringMatching(/^completed: got: Not waiting: One waits for Two, Two waits/),
        expect.stringMatching(/^completed: two/),
      ],
    });
    const asked = scene.server.requests.map(whoIs);
    expect(asked.indexOf("Two")).toBeGreaterThan(asked.lastIndexOf("One"));
  });
});

describe.skipIf(!CAN_CONTAIN)("a container that dies (needs podman, runc, busybox)", () => {
  it("SA-07 under its agent: its call fails with the reason, what it did before lands, and no container is left", async () => {
    const podman = makePodman();
    try {
      const kill = (): Turn => {
        podman.run(["kill", "--all"]);
        return shell("echo late > b.txt");
      };
      await begin(
        {
          parent: [tasks([{ id: "One", assignment: "first", isolated: true }]), says],
          One: [shell("echo two > a.txt"), kill, yieldsResult("s_2")],
        },
        `task:\n  isolation:\n    mode: container\n    image: ${podman.container.image}\n`,
      );
      const { code, stdout } = await go(podman.variables);
      // podman removes it some time later, and then reports something else.
      expect({ code, end: endOf(stdout, "One") }).toEqual({
        code: 0,
        end: expect.stringMatching(
          /^completed: got: container .*(state improper|no such container).*\n\n\[Merged into your files: a\.txt\]/,
        ),
      });
      expect([scene.read("a.txt"), existsSync(join(scene.box.dir, "b.txt"))]).toEqual(["two\n", false]);
      expect(podman.run(["ps", "--all", "--quiet"])).toBe("");
      expect(scene.views()).toEqual([]);
    } finally {
      podman.remove();
    }
  });
});

const fill = (folder: string): void => {
  for (let size = 1 << 20, n = 0; size >= 1; n++) {
    try {
      writeFileSync(join(folder, `fill-${n}`), Buffer.alloc(size));
    } catch (error) {
      expect((error as NodeJS.ErrnoException).code).toBe("ENOSPC");
      size >>= 2;
    }
  }
};
const empty = (folder: string): void => {
  for (const name of readdirSync(folder)) if (name.startsWith("fill-")) rmSync(join(folder, name));
};

describe.skipIf(!canMount || !has("bwrap", "nsenter", "unshare"))(
  "a full disk (needs mount, bwrap, nsenter, unshare)",
  () => {
    it("SA-07 where views are: the agent's command fails, nothing of its work lands, and its view stays until there is room for a patch", async () => {
      // The process that created a view owns it: once that has ended, the next run cleans it up.
      const resumeBuilt = () => scene.runBuilt([...full, "-c", "-p", "again"]);
      await begin({
        parent: [tasks([{ id: "One", assignment: "first", isolated: true }]), says],
        One: [shell("echo two > a.txt; head -c 8000000 /dev/urandom > big; ls -s big"), yieldsResult("s")],
      });
      await withTmpfs(join(scene.box.home, ".lathe"), "100m", async (home) => {
        await withTmpfs(join(home, "views"), "4m", async (views) => {
          const { code, stdout } = await scene.runBuilt([...full, "-p", "go"]);
          expect({ code, end: endOf(stdout, "One") }).toEqual({
            code: 0,
            end: expect.stringMatching(/^failed: got: .*\n\n\[None of its changes were merged.*ENOSPC/s),
          });
          const [view] = scene.views();
          expect(scene.views()).toEqual([expect.stringMatching(/^One-/)]);
          expect(endOf(stdout, "One")).toContain(`They stay in the isolated copy ${view}`);
          expect((await resumeBuilt()).stderr).toMatch(
            /The agent One ended before its changes were merged\. Its changes could not be read: .*no space.*They stay/i,
          );
          expect(scene.views()).toEqual([view]);
          execFileSync("mount", ["-o", "remount,size=64m", views]);
          const { stderr } = await resumeBuilt();
          const [patch = ""] = scene.filesNamed("One.patch");
          expect(stderr).toContain(`To apply them: git apply --3way ${patch}`);
          expect(readFileSync(patch, "utf8")).toContain("-one\n+two\n");
          expect(scene.views()).toEqual([]);
        });
      });
      expect(scene.read("a.txt")).toBe("one\n");
    });

    it("where journals are: the run ends with one line, and goes on when there is room again", async () => {
      let isFull = false;
      let folder = "";
      await begin({
        parent: [tasks([{ id: "One", assignment: "first" }]), says],
        One: [
          () => {
            if (!isFull) fill(folder);
            isFull = true;
            return shell("seq 5000");
          },
          yields("one"),
        ],
      });
      await withTmpfs(join(scene.box.home, ".lathe"), "4m", async (home) => {
        folder = home;
        // Which write fails first depends on what fits into the last page: one of the agent or one of the session.
        const { code, stderr, stdout } = await go();
        expect([0, 70]).toContain(code);
        expect(code === 0 ? [endOf(stdout, "One")] : errorLines(stderr)).toEqual([expect.stringContaining("ENOSPC")]);
        empty(folder);
        expect(await resume()).toMatchObject({ code: 0, stderr: "" });
      });
    });
  },
);
