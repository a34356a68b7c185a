// A lasting shell, and a terminal, the same in every environment that has them.

import { expect, it } from "vitest";
import { LastingShell, PLAIN_BASH } from "../src/tools/run/lasting-shell.ts";
import type { ExecutionEnvironment } from "../src/world/env/types.ts";
import type { ShellState } from "../src/world/process/shell-state.ts";

export function shellConformance(environment: () => ExecutionEnvironment): void {
  it("T-BASH-2 the state of one command is there in the next, and a time-out or an interrupt leaves it as it was", async () => {
    let state: ShellState | undefined;
    const run = async (command: string, timeoutMs = 60_000, signal?: AbortSignal) => {
      const result = await environment().execCommand(command, timeoutMs, {
        interleaved: true,
        shell: { state },
        signal,
      });
      state = result.shell ?? state;
      return result;
    };
    const first = await run("mkdir -p deep; cd deep; A='x y'; export B=2; f() { echo f; }; set -o pipefail; exit 3");
    expect(first.exitCode).toBe(3);
    // Only bash reports its state.
    if ((await environment().execCommand("command -v bash", 20_000)).exitCode !== 0) return;
    const { output } = await run('pwd; echo "$A" $B; f; false | true || echo pipefail');
    expect(output).toBe(`${environment().resolve("deep")}\nx y\n2\nf\npipefail\n`.replace("\n2", " 2"));
    expect(await run("A=late; cd /; sleep 60", 400)).toMatchObject({ timedOut: true });
    const abort = new AbortController();
    const interrupted = run("A=interrupted; cd /; echo begun; sleep 60", 20_000, abort.signal);
    setImmediate(() => abort.abort());
    expect(await interrupted).toMatchObject({ aborted: true });
    expect((await run('pwd; echo "$A"')).output).toBe(`${environment().resolve("deep")}\nx y\n`);
  });

  it("T-BASH-2 aliases and functions of ~/.bashrc count there, behind its check for an interactive shell", async () => {
    const env = environment();
    if ((await env.execCommand("command -v bash", 20_000)).exitCode !== 0) return;
    const rc = "case $- in *i*) ;; *) return ;; esac\ncat\nalias ll='echo from-rc'\ngreet() { echo hello $1; }\n";
    await env.writeFile("home/.bashrc", rc);
    const shell = new LastingShell();
    await shell.begin(env, { ...PLAIN_BASH, login: true, variables: { HOME: env.resolve("home") } });
    const command = "ll -a; greet you; [[ $- == *i* ]] || echo plain";
    const result = await env.execCommand(command, 20_000, { interleaved: true, shell: shell.options(env, {}) });
    expect(result.output).toBe("from-rc -a\nhello you\nplain\n");
  });

  it("T-BASH-4 a command in a terminal is typed into and ended, where there are terminals", async () => {
    const env = environment();
    if (!env.startTerminal) return;
    let printed = "";
    let look = (): void => {};
    const shows = (text: string) =>
      new Promise<void>((resolve) => {
        look = () => printed.includes(text) && resolve();
        look();
      });
    const terminal = await env.startTerminal("[ -t 0 ] && echo tty; read -p 'n? ' n; echo got $n; cat", {
      columns: 60,
      rows: 20,
      onOutput: (chunk) => {
        printed += chunk;
        look();
      },
    });
    await shows("n? ");
    await terminal.write("5\r");
    await shows("got 5");
    expect(printed).toContain("tty\r\n");
    // Its controlling terminal: Ctrl-C reaches the program in the foreground.
    await terminal.write("\x03");
    expect((await terminal.done).exitCode).not.toBe(0);
    expect(terminal.running).toBe(false);
  });
}
