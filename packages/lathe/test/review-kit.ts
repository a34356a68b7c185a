// A repository with a change to review, and scripted reviewers and critics.

import { execFileSync } from "node:child_process";
import { createHash } from "node:crypto";
import { lstatSync, mkdirSync, readdirSync, readFileSync, readlinkSync, writeFileSync } from "node:fs";
import { dirname, join } from "node:path";
import { type CallSpec, type RecordedRequest, type Turn, turn } from "@lathe/testkit";
import type { Finished } from "./command.ts";
import { type Stage, stage } from "./contract-kit.ts";

export interface ReportedFinding {
  readonly title: string;
  readonly body: string;
  readonly path: string;
  readonly line: number;
  readonly quote: string;
  readonly priority?: string;
}

export interface ReviewScene extends Stage {
  git(...args: string[]): string;
  /** `lathe review` with these arguments. */
  review(args: readonly string[], cwd?: string): Promise<Finished>;
  write(path: string, text: string): void;
}

export interface Roles {
  /** The findings of the reviewer with this lens. */
  readonly findings?: (lens: string) => readonly ReportedFinding[];
  /** Replaces a reviewer's answer; if undefined, it reports its findings. */
  readonly reviewer?: (lens: string, request: RecordedRequest) => Turn | undefined;
  /** The critic's verdict on a finding, by the line that names it. */
  readonly holds?: (listed: string) => boolean;
  readonly critic?: (request: RecordedRequest) => Turn | undefined;
}

/** The assignment is the child's first message. */
const assignmentOf = ({ view }: RecordedRequest): string =>
  view.messages.find(({ role }) => role === "user")?.text ?? "";
export const lensOf = (request: RecordedRequest): string =>
  /You are ([\w-]+)\. Your assignment/.exec(request.text)?.[1] ?? "";
const yieldCall = (output: string): CallSpec => ({ name: "yield", args: { output } });

function reviewerTurn(request: RecordedRequest, { findings = () => [], reviewer }: Roles): Turn {
  const lens = lensOf(request);
  const own = reviewer?.(lens, request);
  if (own) return own;
  const calls = findings(lens).map((finding) => ({ name: "report_finding", args: { ...finding } }));
  return turn.calls([...calls, yieldCall("done")]);
}

function criticTurn(request: RecordedRequest, { holds = () => true, critic }: Roles): Turn {
  const own = critic?.(request);
  if (own) return own;
  const listed = [...assignmentOf(request).matchAll(/^(\d+)\. (.*)$/gm)];
  const verdicts = listed.map(([, number, line = ""]) => ({
    finding: Number(number),
    holds: holds(line),
    reason: holds(line) ? "It is so." : "It cannot happen.",
  }));
  return turn.calls([yieldCall(JSON.stringify({ verdicts }))]);
}

/** Answers as the agent that sent the request. */
export const rolesScript =
  (roles: Roles) =>
  (request: RecordedRequest): Turn => {
    const name = lensOf(request);
    if (name === "") return turn.text("I am the session.");
    return name.startsWith("critic") ? criticTurn(request, roles) : reviewerTurn(request, roles);
  };

export async function reviewScene(roles: Roles = {}): Promise<ReviewScene> {
  const scene = await stage(rolesScript(roles));
  const { dir } = scene.box;
  const git = (...args: string[]): string =>
    execFileSync("git", ["-c", "user.name=a", "-c", "user.email=a@example.com", ...args], { cwd: dir }).toString();
  git("init", "-q", "-b", "main", "--template=");
  return {
    ...scene,
    git,
    review: (args, cwd = dir) => scene.box.run(["review", ...scene.args, ...args], { env: scene.env, cwd }),
    write: (path, text) => {
      mkdirSync(dirname(join(dir, path)), { recursive: true });
      writeFileSync(join(dir, path), text);
    },
  };
}

/** Mode and content of every file below a folder, including the repository. */
export function pictureOf(folder: string): Record<string, string> {
  const picture: Record<string, string> = {};
  const look = (path: string): void => {
    for (const name of readdirSync(join(folder, path))) {
      const below = join(path, name);
      const stat = lstatSync(join(folder, below));
      if (stat.isDirectory()) look(below);
      else if (stat.isSymbolicLink()) picture[below] = readlinkSync(join(folder, below));
      else
        picture[below] = `${stat.mode} ${createHash("sha256")
          .update(readFileSync(join(folder, below)))
          .digest("hex")}`;
    }
  };
  look("");
  return picture;
}
