// The style of commit messages in this project: what the last 30 commits have in common. Countable facts are checked in
// the model's message; for the rest the model sees the messages.

import { existsSync, readFileSync, realpathSync, statSync } from "node:fs";
import { resolve, sep } from "node:path";
import { commitTitle } from "@lathe/agent/agents";
import type { CommitGit } from "./git.ts";
import type { Repository } from "./repository.ts";

const COMMITS = 30;
/** Fewer commits do not show the habits of a project. */
const FEWEST = 3;
/** The share of commits that makes something a habit. */
const MOST_OF_THEM = 0.8;
const USUAL_TITLE = 72;
const LONGEST_TITLE = 100;
const MOST_TEMPLATE = 4096;

export interface MessageStyle {
  readonly messages: readonly string[];
  /** The form is `type(scope): subject`. */
  readonly isConventional: boolean;
  readonly startsSmall: boolean;
  readonly longestTitle: number;
  /** Share of messages that have a body. */
  readonly bodies: number;
  /** Trailers that at least half of the messages end with, except those that name people or ids. */
  readonly trailers: readonly string[];
  /** Every commit of this author is signed off. */
  readonly signsOff: boolean;
  readonly template: string | undefined;
}

const CONVENTIONAL = /^[a-z][\w-]*(?:\([^)\n]+\))?!?: \S/;
const TRAILER = /^([A-Z][A-Za-z-]*): \S/;
/** A model cannot know these: they name people, or programs add them. */
const NOT_OURS =
  /^(?:Signed-off-by|Co-authored-by|Reviewed-by|Acked-by|Tested-by|Reported-by|Change-Id|Cc|cherry picked from):?/i;

export async function styleOf(git: CommitGit, repository: Repository): Promise<MessageStyle> {
  const log = repository.head === undefined ? undefined : await recentCommits(git);
  const commits = (log ?? []).filter(({ author }) => !author.includes("[bot]"));
  const messages = commits.map(({ message }) => message);
  const titles = messages.map((message) => message.split("\n")[0] ?? "");
  const share = (is: (text: string) => boolean, of = titles): number =>
    of.length < FEWEST ? 0 : of.filter(is).length / of.length;
  const lengths = titles.map(({ length }) => length).sort((a, b) => a - b);
  const usual = lengths[Math.floor(lengths.length * 0.9)] ?? USUAL_TITLE;
  const isConventional = share((title) => CONVENTIONAL.test(title)) >= MOST_OF_THEM;
  const email = /<([^>]*)>/.exec((await git.text(["var", "GIT_AUTHOR_IDENT"])) ?? "")?.[1];
  const own = commits.filter(({ author }) => author === email).map(({ message }) => message);
  return {
    messages,
    isConventional,
    startsSmall:
      share((title) => /^[a-z]/.test(isConventional ? title.replace(/^[^:]*: /, "") : title)) >= MOST_OF_THEM,
    longestTitle: titles.length < FEWEST ? USUAL_TITLE : Math.min(LONGEST_TITLE, Math.max(50, usual)),
    bodies: share((message) => message.split("\n").some((line, i) => i > 0 && isProse(line)), messages),
    trailers: commonTrailers(messages),
    signsOff: share((message) => /^Signed-off-by: /m.test(message), own) === 1,
    template: await templateOf(git, repository),
  };
}

const isProse = (line: string): boolean => line.trim() !== "" && !TRAILER.test(line);

async function recentCommits(git: CommitGit): Promise<{ author: string; message: string }[]> {
  const format = ["--no-merges", "--encoding=UTF-8", "-z", "--format=%ae%n%B"];
  const log = (await git.must(["log", `-${COMMITS}`, ...format, "HEAD", "--"])).toString("utf8");
  return log
    .split("\0")
    .filter((record) => record.trim() !== "")
    .map((record) => {
      const [author = "", ...lines] = record.split("\n");
      return { author, message: lines.join("\n").trim() };
    });
}

function commonTrailers(messages: readonly string[]): string[] {
  if (messages.length < FEWEST) return [];
  const counts = new Map<string, number>();
  for (const message of messages) {
    const last =
      message
        .split(/\n\s*\n/)
        .slice(1)
        .at(-1) ?? "";
    const names = new Set(last.split("\n").flatMap((line) => TRAILER.exec(line)?.[1] ?? []));
    for (const name of names) counts.set(name, (counts.get(name) ?? 0) + 1);
  }
  const often = [...counts].filter(([, count]) => count >= messages.length / 2).map(([name]) => name);
  return often.filter((name) => !NOT_OURS.test(name));
}

/**
 * The text of `commit.template`. A template that the repository itself configures must lie inside it, because it is
 * sent to the model.
 */
async function templateOf(git: CommitGit, { top }: Repository): Promise<string | undefined> {
  const line = await git.text(["config", "--show-scope", "--path", "--get", "commit.template"]);
  const [scope = "", named = ""] = line?.split("\t") ?? [];
  if (named === "") return undefined;
  const path = resolve(top, named);
  if (!existsSync(path) || !statSync(path).isFile() || statSync(path).size > MOST_TEMPLATE) return undefined;
  const isOwn = scope === "global" || scope === "system" || scope === "command";
  if (!isOwn && !realpathSync(path).startsWith(realpathSync(top) + sep)) return undefined;
  const text = readFileSync(path, "utf8").trim();
  return text === "" ? undefined : text;
}

/** Describes the style to a model in at most a few hundred tokens. */
export function styleText(style: MessageStyle): string {
  const { messages, isConventional, longestTitle, bodies, trailers, template } = style;
  const facts = [
    `The first line has at most ${longestTitle} characters.`,
    ...(isConventional ? ["It begins with type(scope): or type:, as in the examples."] : []),
    ...(messages.length >= FEWEST && bodies < 0.2 ? ["These messages have no body: write only the first line."] : []),
    ...(trailers.length > 0
      ? [`Most messages end with: ${trailers.join(", ")}. Write one only if you know its value.`]
      : []),
  ];
  const examples = messages.map((message) => `- ${(message.split("\n")[0] ?? "").slice(0, 100)}`);
  const whole = messages.find((message) => message.includes("\n\n") && message.length <= 800);
  const parts = [
    facts.join(" "),
    ...(examples.length > 0
      ? [`First lines of the last commits; write in their language and style:\n${examples.join("\n")}`]
      : []),
    ...(whole !== undefined && bodies >= 0.2 ? [`One whole message:\n${whole}`] : []),
    ...(template === undefined ? [] : [`The message has this form; leave lines that begin with # out:\n${template}`]),
  ];
  return parts.join("\n\n");
}

/** What is wrong with the form of a message, in words for the model; undefined if nothing is. */
export function problemWith(message: string, style: MessageStyle): string | undefined {
  const [title = "", second = ""] = message.split("\n");
  if (title.trim() === "") return "It is empty.";
  if (title.length > LONGEST_TITLE)
    return `The first line has ${title.length} characters; it may have ${style.longestTitle}.`;
  if (second.trim() !== "") return "The second line must be empty.";
  if (style.isConventional && !CONVENTIONAL.test(title)) return "The first line must begin with type: or type(scope):.";
  return undefined;
}

/** Removes trailers that a model cannot know and shortens the title to what git shows in full. */
export function tidyMessage(message: string): string {
  const [title = "", ...rest] = message.replaceAll("\r", "").trim().split("\n");
  const lines = rest.filter((line) => !NOT_OURS.test(line));
  const body = lines
    .join("\n")
    .replace(/[^\S\n]+$/gm, "")
    .replace(/\n{3,}/g, "\n\n")
    .trim();
  const short = title.length > LONGEST_TITLE ? commitTitle(title) : title.trim();
  return body === "" ? short : `${short}\n\n${body}`;
}
