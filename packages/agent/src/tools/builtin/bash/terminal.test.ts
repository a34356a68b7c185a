import { execFileSync } from "node:child_process";
import { writeFile } from "node:fs/promises";
import { join } from "node:path";
import { afterEach, beforeEach, describe, expect, it } from "vitest";
import { type Bench, toolBench } from "../../../../test/call-tool.ts";
import { Jobs } from "../../run/jobs.ts";
import { LastingShell, PLAIN_BASH } from "../../run/lasting-shell.ts";
import type { RunningTerminal } from "../../run/terminal-screen.ts";
import { bashTool } from "./index.ts";

/** Rounds for tests that depend on which of two things happens first. */
const ROUNDS = process.env["LATHE_LONG"] === undefined ? 4 : 12;

let bench: Bench;
beforeEach(async () => {
  bench = await toolBench();
  bench.services.lastingShell = new LastingShell();
  bench.services.jobs = new Jobs();
});
afterEach(() => bench.close());

/** Waits until the terminal shows the text. */
function shows({ screen }: RunningTerminal, text: string | RegExp): Promise<void> {
  return new Promise((resolve) => {
    const look = (): void => {
      if (!(typeof text === "string" ? screen.text().includes(text) : text.test(screen.text()))) return;
      stop();
      resolve();
    };
    const stop = screen.onChange(look);
    void screen.whenSettled().then(look);
  });
}

/** Plays a user at the terminal: waits for an output, then types. */
function person(...steps: readonly (readonly [string | RegExp, string])[]): void {
  bench.services.showTerminal = (terminal) => {
    void (async () => {
      for (const [text, typed] of steps) {
        await shows(terminal, text);
        await terminal.command.write(typed);
      }
    })();
    return () => {};
  };
}

/** Plays the model, which does the same through a job. */
async function model(command: string, ...steps: readonly (readonly [string | RegExp, string])[]): Promise<string> {
  const { details } = await bench.call(bashTool, { command, pty: true, async: true });
  const { handle } = bench.services.jobs!.get((details as { jobId: number }).jobId);
  const screen = async (text: string | RegExp): Promise<void> => {
    for (;;) {
      const { text: shown } = await handle.screen!();
      if (typeof text === "string" ? shown.includes(text) : text.test(shown)) return;
      await new Promise((resolve) => setTimeout(resolve, 10));
    }
  };
  for (const [text, typed] of steps) {
    await screen(text);
    await handle.write!(typed);
  }
  await handle.done;
  return (await handle.screen!()).text;
}

const PASSWORD = `read -rsp "Password: " p; echo; [ "$p" = secret ] && echo accepted`;
const bash = (command: string) => bench.text(bashTool, { command, pty: true });

describe("a command in a terminal", () => {
  it("T-BASH-4 a person answers a prompt: what they typed is in the result", async () => {
    person(["n?", "5\r"]);
    expect(await bash('read -p "n? " n; echo got $n')).toBe("n? 5\ngot 5");
  });

  it("T-BASH-4 a password prompt is answered by a person and by the model, and the password is not shown", async () => {
    person(["Password:", "secret\r"]);
    expect(await bash(PASSWORD)).toBe("Password: \naccepted");
    expect(await model(PASSWORD, ["Password:", "secret\r"])).toBe("Password: \naccepted");
  });

  it("T-BASH-4 what a command prints just before it ends is all there, also when something in the background keeps its terminal", async () => {
    const numbers = Array.from({ length: 3000 }, (_, i) => i + 1).join("\n");
    for (let round = 0; round < ROUNDS; round += 1) expect(await bash("seq 1 3000")).toBe(numbers);
    expect(await bash("sleep 300 & seq 1 3000")).toBe(numbers);
    const flooded = await bash("trap '' HUP; (while :; do echo flood; sleep 0.01; done) & seq 1 3000");
    expect(flooded.replace(/flood\n?/g, "").trim()).toBe(numbers);
  });

  it("T-BASH-4 T-JOB-1 a command that has ended when its call returns is reported once: by the call, or as the end of a job", async () => {
    const news: number[] = [];
    bench.services.jobs!.follow({ onStart: () => {}, onEnd: () => {}, news: ({ id }) => void news.push(id) });
    for (let id = 1; id <= ROUNDS; id += 1) {
      const { content } = await bench.call(bashTool, { command: "exit 3", pty: true, async: true });
      const isJob = JSON.stringify(content).includes(`as job ${id}`);
      await bench.services.jobs!.get(id).handle.done;
      await new Promise(setImmediate);
      expect(news.includes(id)).toBe(isJob);
    }
  });

  it("T-BASH-4 a pager shows one screen after another until it is left", async () => {
    await writeFile(join(bench.dir, "long"), Array.from({ length: 200 }, (_, i) => `line ${i + 1}`).join("\n"));
    person(["line 31", "G"], [/line 200[\s\S]*END/, "q"]);
    expect(await bash("less long; echo left")).toBe("left");
    expect(await model("less long; echo left", ["line 31", "G"], [/line 200[\s\S]*END/, "q"])).toBe("left");
  });

  it("T-BASH-4 a full-screen editor is used by a person and by the model", async () => {
    person(['"one.txt"', "ihello\x1b:wq\r"]);
    await bash("vim -u NONE one.txt");
    expect(execFileSync("cat", [join(bench.dir, "one.txt")], { encoding: "utf8" })).toBe("hello\n");
    await model("vim -u NONE two.txt", ['"two.txt"', "ithere\x1b:wq\r"]);
    expect(execFileSync("cat", [join(bench.dir, "two.txt")], { encoding: "utf8" })).toBe("there\n");
  });

  it("T-BASH-4 programs that would page or ask elsewhere do not, and the size of the terminal reaches them", async () => {
    person(["ready", "\r"]);
    bench.services.showTerminal = (terminal) => {
      void shows(terminal, "ready").then(async () => {
        terminal.command.resize({ columns: 50, rows: 11 });
        await terminal.command.write("\r");
      });
      return () => {};
    };
    expect(await bash("echo $PAGER $EDITOR $GIT_TERMINAL_PROMPT $SSH_ASKPASS $CI; read -p ready; stty size")).toBe(
      "cat true 0 /usr/bin/false 1\nready\n11 50",
    );
  });

  it("T-BASH-2 T-BASH-4 it begins with the state of the lasting shell and leaves it alone", async () => {
    person();
    await bench.text(bashTool, { command: "A=1; export E=2; f() { echo f; }; cd /" });
    expect(await bash("echo $A $E; f; pwd; A=9")).toBe("1 2\nf\n/");
    expect(await bench.text(bashTool, { command: "echo $A" })).toBe("1");
  });

  it("T-BASH-4 its end by a person, by its time or by an interrupt leaves no process", async () => {
    const left = () => execFileSync("ps", ["-eo", "args"], { encoding: "utf8" }).match(/^sleep 9[3-6]$/gm);
    bench.services.showTerminal = ({ command }) => {
      void command.stop();
      return () => {};
    };
    expect(await bash("sleep 93")).toContain("[ended by the user]");
    person();
    const late = await bench.call(bashTool, {
      command: "trap '' HUP TERM; sleep 94 & sleep 95",
      pty: true,
      timeout: 1,
    });
    expect(late).toMatchObject({ isError: true, details: { timedOut: true } });
    const abort = new AbortController();
    bench.services.showTerminal = () => {
      abort.abort();
      return () => {};
    };
    await bench.call(bashTool, { command: "sleep 96", pty: true }, abort.signal);
    expect(left()).toBeNull();
  });

  it("G-116 with terminals switched off the command runs without one", async () => {
    bench.services.bashSettings = { ...PLAIN_BASH, pty: false };
    expect(await bash("[ -t 1 ] || echo no terminal")).toBe("no terminal");
  });
});
