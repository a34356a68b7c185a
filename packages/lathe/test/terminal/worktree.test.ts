// A run in a view at the terminal: named in the status line, inspected, landed during the run, asked about on leaving,
// kept.

import { execFileSync } from "node:child_process";
import { existsSync, readdirSync, readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import type { Script } from "@lathe/testkit";
import { afterEach, describe, expect, it } from "vitest";
import { has } from "../../../agent/test/programs.ts";
import { rolesScript } from "../review-kit.ts";
import { runsCommands } from "../runs-commands.ts";
import { BUILT, SONNET, TerminalBench } from "./bench.ts";
import { KEY, type TerminalRun } from "./emulator.ts";

let bench: TerminalBench;
afterEach(() => bench.close());

/** `run:…` is a command of the model's; reviewers report what they find in b.txt. */
const finding = { title: "Too new", body: "It is.", path: "b.txt", line: 1, quote: "new" };
const reviewer = rolesScript({ findings: (lens) => (lens === "security" ? [finding] : []) });
const script: Script = (request) => (request.view.tools.includes("yield") ? reviewer(request) : runsCommands(request));

const file = (name: string): string => join(bench.box.dir, name);
const textOf = (name: string): string => readFileSync(file(name), "utf8");
const views = (): string[] => {
  const folder = join(bench.box.env["LATHE_HOME"]!, "views");
  return readdirSync(folder).flatMap((name) => readdirSync(join(folder, name)));
};
const wide = { columns: 120, rows: 40 };
const FULL = [...SONNET, "--permission-mode", "full"];

async function opened(...args: string[]): Promise<TerminalRun> {
  bench = await TerminalBench.open({ script });
  const git = (...words: string[]) =>
    execFileSync("git", ["-c", "user.name=a", "-c", "user.email=a@example.com", ...words], { cwd: bench.box.dir });
  git("init", "-q", "-b", "main");
  writeFileSync(file("a.txt"), "one\n");
  git("add", "-A");
  git("commit", "-qm", "first");
  return bench.open([...FULL, "--worktree", ...args], wide);
}

const say = async (run: TerminalRun, text: string, wanted: string | RegExp): Promise<void> => {
  run.type(`${text}${KEY.enter}`);
  await run.see(wanted);
};
/** Until the line that ends an answer is there. */
const answered = async (run: TerminalRun, keys: string): Promise<void> => {
  const answers = (): number => run.all.join("\n").match(/\d out · \$/g)?.length ?? 0;
  const before = answers();
  run.type(keys);
  await run.see(() => answers() > before);
};
const work = (run: TerminalRun, command: string): Promise<void> => answered(run, `run:${command}${KEY.enter}`);

describe.skipIf(!has("bwrap", "nsenter", "unshare"))(
  "--worktree at the terminal (needs bwrap, nsenter, unshare)",
  () => {
    it("G-22 the status line names the copy; everything works in it; landed in the middle it goes on; a conflict loses nothing", async () => {
      const run = await opened();
      await run.see(/copy run-[0-9a-f]{8}/);
      await work(run, "echo two > a.txt; mkdir d; echo new > b.txt; echo in > d/in.txt");
      expect(existsSync(file("b.txt"))).toBe(false);
      await say(run, "/worktree", /3 files changed\.\n +M a\.txt\n +A b\.txt\n +A d\/in\.txt/);
      await say(run, "!cat b.txt", /exit 0\n +new/);
      // A file that only the view has is completed and attached.
      run.type("look at @./d/");
      await run.see("d/in.txt");
      run.type("in.txt now");
      await run.see("in.txt now");
      await answered(run, KEY.enter);
      await expect
        .poll(() => JSON.stringify(bench.server.requests.at(-1)?.view.messages))
        .toContain('<file path=\\"./d/in.txt');
      await say(run, "/review", /\[P2\] Too new\n +b\.txt:1[\s\S]*The model knows these findings/);
      await say(run, "/undo", "A run in an isolated copy cannot be rewound.");
      await say(run, "/worktree land", "Applied the changes to 3 files.");
      expect([textOf("a.txt"), textOf("b.txt")]).toEqual(["two\n", "new\n"]);
      await say(run, "/worktree", "nothing was changed");
      // Another session continues in the same view.
      await say(run, "/new", /New session/i);
      await work(run, "echo mine > a.txt");
      writeFileSync(file("a.txt"), "person\n");
      await say(
        run,
        "/worktree land",
        /a\.txt:1: changed in the project too[\s\S]*Everything is still in the isolated copy/,
      );
      expect(textOf("a.txt")).toBe("person\n");
      await say(run, "/worktree branch", /a\.txt:1: the last commit differs here: the change depends on/);
      await say(run, "/worktree patch", /Kept as a patch: git -C/);
      // What is in a patch is not asked about.
      run.type(`/quit${KEY.enter}`);
      expect(await run.exited).toBe(0);
      expect(views()).toEqual([]);
      expect(textOf("a.txt")).toBe("person\n");
    });

    it("G-22 who leaves with changes is asked; kept, they are said at the next start, continued after SIGKILL, and discarded", async () => {
      const run = await opened("feat-x");
      await run.see("copy feat-x");
      await work(run, "echo two > a.txt");
      run.type(`/quit${KEY.enter}`);
      await run.see(
        /1 file was changed in the isolated copy and not applied\.[\s\S]*❯ Keep the changes in the isolated copy/,
      );
      run.type(KEY.escape);
      await run.see((screen) => !screen.includes("Keep the changes"));
      run.type(KEY.ctrl("d"));
      await run.see("Keep the changes in the isolated copy");
      run.type(KEY.enter);
      expect(await run.exited).toBe(0);
      expect(run.all.join("\n")).toMatch(
        /kept in the isolated copy feat-x: 1 file\.\nTo continue: lathe --worktree feat-x --resume/,
      );
      const again = await bench.open([...FULL, "--worktree", "feat-x"], { ...wide, ...BUILT });
      await again.see("Continuing in the isolated copy feat-x");
      await work(again, "echo more > c.txt");
      again.signal("SIGKILL");
      await again.exited;
      const plain = await bench.open(FULL, wide);
      await plain.see("A run was interrupted; its changes are kept. Continue with: lathe --worktree feat-x");
      await say(plain, "/worktree", "This run works in the project itself.");
      plain.type(`/quit${KEY.enter}`);
      expect(await plain.exited).toBe(0);
      // In plain lines, where lists are numbers.
      const last = await bench.open([...FULL, "--plain", "--worktree", "feat-x"], wide);
      await say(last, "/worktree", /2 files changed\.\n +M a\.txt\n +A c\.txt/);
      await say(last, "/quit", /5 {2}Discard them/);
      last.type(`5${KEY.enter}`);
      await last.see("Discarded the changes of 2 files.");
      expect(await last.exited).toBe(0);
      expect(views()).toEqual([]);
      expect(textOf("a.txt")).toBe("one\n");
    });
  },
);
