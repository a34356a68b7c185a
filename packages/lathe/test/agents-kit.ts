// A project in a real repository, and a scripted model that plays a parent and its agents, each by name.

import { execFileSync } from "node:child_process";
import { existsSync, mkdirSync, readdirSync, readFileSync, writeFileSync } from "node:fs";
import { dirname, join } from "node:path";
import { type RecordedRequest, type Turn, turn } from "@lathe/testkit";
import { type Stage, stage } from "./contract-kit.ts";

type Step = Turn | ((request: RecordedRequest) => Turn | Promise<Turn>);
/** What each agent says, turn by turn; the last turn is repeated. */
export type Cast = Readonly<Record<string, readonly Step[]>>;

export interface AgentStage extends Stage {
  git(...args: string[]): string;
  write(path: string, text: string): void;
  read(path: string): string;
  config(text: string): void;
  /** Folders of views that still exist. */
  views(): string[];
  /** Files of this name below the sessions. */
  filesNamed(name: string): string[];
}

export const shell = (command: string) => turn.calls([{ name: "shell", args: { command }, id: "s" }]);
export const yields = (output: string) => turn.calls([{ name: "yield", args: { output }, id: "y" }]);
export const tasks = (list: readonly object[], more: object = {}) =>
  turn.calls([{ name: "task", args: { agent: "task", context: "The goal.", tasks: list, ...more }, id: "t" }]);
/** The parent ends with the result of its call. */
export const says = (request: RecordedRequest): Turn => turn.text(request.result("t") ?? "");

/** The name of the agent that sent the request, or `parent`. */
export const whoIs = ({ view }: RecordedRequest): string =>
  /You are ([\w.-]+?)\. Your assignment/.exec(view.messages.map(({ text }) => text).join("\n"))?.[1] ?? "parent";

export async function agentStage(cast: Cast, files: Readonly<Record<string, string>>): Promise<AgentStage> {
  const scene = await stage((request) => {
    const steps = cast[whoIs(request)] ?? [turn.text("nothing to say")];
    const said = request.view.messages.filter(({ role }) => role === "assistant").length;
    const step = steps[Math.min(said, steps.length - 1)]!;
    return typeof step === "function" ? step(request) : step;
  });
  const { dir, home } = scene.box;
  const git = (...args: string[]): string =>
    execFileSync("git", ["-c", "user.name=a", "-c", "user.email=a@example.com", ...args], {
      cwd: dir,
      stdio: ["ignore", "pipe", "pipe"],
    }).toString();
  const write = (path: string, text: string): void => {
    mkdirSync(dirname(join(dir, path)), { recursive: true });
    writeFileSync(join(dir, path), text);
  };
  git("init", "-q", "-b", "main", "--template=");
  for (const [path, text] of Object.entries(files)) write(path, text);
  git("add", "-A");
  git("commit", "-q", "--allow-empty", "-m", "first");
  const below = (folder: string): string[] =>
    existsSync(folder) ? readdirSync(folder, { recursive: true }).map((name) => join(folder, String(name))) : [];
  return {
    ...scene,
    git,
    write,
    read: (path) => readFileSync(join(dir, path), "utf8"),
    config: (text) => {
      mkdirSync(join(home, ".lathe"), { recursive: true });
      writeFileSync(join(home, ".lathe/config.yml"), text);
    },
    views: () => {
      const folder = join(home, ".lathe/views");
      return existsSync(folder) ? readdirSync(folder).flatMap((name) => readdirSync(join(folder, name))) : [];
    },
    filesNamed: (name) => below(join(home, ".lathe/sessions")).filter((path) => path.endsWith(`/${name}`)),
  };
}
