// Two ways to run a shell sample: as a script without a terminal, and typed at a terminal.
import { execFile, spawn } from "node:child_process";
import { once } from "node:events";
import { promisify } from "node:util";
import { commandsOf } from "./commands.ts";

export interface Ran {
  readonly command: string;
  readonly code: number;
  readonly output: string;
}

export type Env = Readonly<Record<string, string>>;

export interface Shell {
  readonly name: string;
  /** Runs the commands of a sample in a folder. */
  follow(sample: string, cwd: string): Promise<Ran[]>;
  close(): Promise<void>;
}

const MARK = "@@ended:";
/** Time limit for one sample. */
const DEADLINE_MS = 120_000;

export function withoutTerminal(env: Env): Shell {
  return {
    name: "without a terminal",
    follow: async (sample, cwd) => {
      const commands = commandsOf(sample);
      const script = commands.map((command) => `${command}\necho "${MARK}$?"`).join("\n");
      const child = spawn("bash", ["-c", script], {
        cwd,
        env,
        stdio: ["ignore", "pipe", "pipe"],
        // Processes that it started hold its output open, and end with it.
        detached: true,
      });
      const late = setTimeout(() => process.kill(-child.pid!, "SIGKILL"), DEADLINE_MS);
      let output = "";
      for (const stream of [child.stdout, child.stderr])
        stream.setEncoding("utf8").on("data", (chunk: string) => {
          output += chunk;
        });
      await once(child, "close");
      clearTimeout(late);
      const parts = output.split(new RegExp(`${MARK}(\\d+)\\n`));
      return commands.map((command, i) => ({
        command,
        output: parts[2 * i] ?? "",
        // A missing mark means that the sample ended early, by an `exit` or by our deadline.
        code: Number(parts[2 * i + 1] ?? child.exitCode ?? 137),
      }));
    },
    close: async () => {},
  };
}

/** What a user types into a waiting command once it shows a text. */
export type Dialog = readonly (readonly [shows: string, type: string])[];

const run = promisify(execFile);
const LOOK_MS = 100;
/**
 * Time between seeing a text and answering it: a question ignores keys pressed sooner than a user could have read it.
 */
const READING_MS = 1_500;

export async function atTerminal(env: Env, dialogFor: (command: string) => Dialog): Promise<Shell> {
  const socket = `lathe-docs-${process.pid}`;
  const tmux = async (...args: string[]): Promise<string> =>
    (await run("tmux", ["-u", "-L", socket, ...args], { env: { ...process.env, LC_ALL: "C.UTF-8" } })).stdout;
  const rows = async (): Promise<string[]> => (await tmux("capture-pane", "-p", "-J", "-S", "-")).trimEnd().split("\n");
  const typeLine = async (text: string): Promise<void> => {
    await tmux("send-keys", "-l", text);
    await tmux("send-keys", "Enter");
  };
  /** The number of the command that the shell waits for, and the exit code of the last one. */
  const prompt = (screen: readonly string[]): { next: number; code: number } | undefined => {
    const found = /^<(\d+):(\d+)>\s*$/.exec(screen.at(-1) ?? "");
    return found ? { next: Number(found[1]), code: Number(found[2]) } : undefined;
  };
  const until = async <T>(what: string, look: (screen: string[]) => T | undefined): Promise<T> => {
    for (let waited = 0; ; waited += LOOK_MS) {
      const screen = await rows();
      const found = look(screen);
      if (found !== undefined) return found;
      if (waited > DEADLINE_MS) throw new Error(`waited for ${what}, and the screen shows:\n${screen.join("\n")}`);
      await new Promise((resolve) => setTimeout(resolve, LOOK_MS));
    }
  };

  const settings = Object.entries({ ...env, TERM: "screen-256color", PS1: "<\\#:$?> " });
  const words = ["env", "-i", ...settings.map(([name, value]) => `${name}=${quote(value)}`)];
  await tmux(
    ...["-f", "/dev/null", "new-session", "-d", "-x", "150", "-y", "50"],
    `${words.join(" ")} bash --norc --noprofile`,
  );

  const type = async (command: string): Promise<Ran> => {
    const { next } = await until("the shell", prompt);
    /** What has appeared below the line with the command. */
    const below = (screen: readonly string[]): readonly string[] =>
      screen.slice(screen.findLastIndex((row) => row.startsWith(`<${next}:`)) + 1);
    await typeLine(command);
    for (const [shows, text] of dialogFor(command)) {
      await until(shows, (screen) => below(screen).some((row) => row.includes(shows)) || undefined);
      await new Promise((resolve) => setTimeout(resolve, READING_MS));
      await typeLine(text);
    }
    return until(`the end of: ${command}`, (screen) => {
      const now = prompt(screen);
      return now && now.next > next ? { command, code: now.code, output: below(screen).join("\n") } : undefined;
    });
  };

  return {
    name: "at a terminal",
    follow: async (sample, cwd) => {
      await type(`cd ${quote(cwd)}`);
      const ran: Ran[] = [];
      for (const command of commandsOf(sample)) ran.push(await type(command));
      return ran;
    },
    close: async () => {
      await tmux("kill-server");
    },
  };
}

const quote = (text: string): string => `'${text.replaceAll("'", "'\\''")}'`;
