// Runs the shell, settings and data samples of a page in order, as its reader would.
import { mkdirSync, writeFileSync } from "node:fs";
import { dirname, join } from "node:path";
import { parse } from "yaml";
import { placeOf, type Sample } from "./blocks.ts";
import { ANSWER } from "./model.ts";
import type { Newcomer } from "./newcomer.ts";
import type { Report } from "./report.ts";
import type { Dialog, Ran, Shell } from "./shells.ts";

/** Required output, for commands whose exit code tells too little. */
const PROMISES: readonly (readonly [RegExp, RegExp])[] = [
  [/^(npm start|lathe demo)\b/, /# fail 0/],
  [/^lathe doctor/, /^ok +lathe/m],
  [/^lathe -p "what does this do/, new RegExp(ANSWER)],
  [/^lathe sessions search/, /flaky test/],
  [/--mode json .*tail -n 1/, /"status":"done"/],
  [/--output-schema/, /total/],
];

const TALK = /^lathe\s*(#.*)?$/;

/** How a user leaves a conversation that a command has opened in a terminal. */
export function dialogFor(command: string): Dialog {
  if (/^npm start\b/.test(command)) {
    return [
      ["❯ fix the failing test", ""],
      ["a  Yes, and allow all", "a"],
      ["All tests pass", "/quit"],
    ];
  }
  if (TALK.test(command)) {
    return [
      ["❯ Ask for a change", "what is in src?"],
      [ANSWER, "/quit"],
    ];
  }
  return /^lathe (-c )?"/.test(command) ? [[ANSWER, "/quit"]] : [];
}

export async function follow(
  samples: readonly Sample[],
  shell: Shell,
  { clone, project, home }: Omit<Newcomer, "env">,
  report: Report,
): Promise<void> {
  for (const sample of samples) {
    const place = `${placeOf(sample)} (${shell.name})`;
    if (sample.notRun !== undefined || sample.language === "text") continue;
    if (sample.title !== undefined) {
      const path = sample.title.startsWith("~/") ? join(home, sample.title.slice(2)) : join(project, sample.title);
      mkdirSync(dirname(path), { recursive: true });
      writeFileSync(path, `${sample.text}\n`);
    }
    if (sample.language === "sh" && sample.title === undefined) {
      const cwd = sample.text.startsWith("npm ") ? clone : project;
      for (const ran of await shell.follow(sample.text, cwd)) judge(ran, place, shell, report);
    } else if (sample.language === "yaml") {
      if (sample.title === undefined) report.fail(place, 'settings need a title="…": the file they belong in');
      else checkSettings(sample, place, report, await shell.follow("lathe doctor", project));
    } else if (sample.language === "json") {
      checkData(sample, place, report);
    }
  }
}

function judge(ran: Ran, place: string, shell: Shell, report: Report): void {
  const what = `${place} ${ran.command.trim().split("\n")[0]}`;
  const problem = problemOf(ran, shell);
  if (problem === undefined) report.ok(what);
  else report.fail(what, `${problem}\n${ran.output}`);
}

function problemOf({ command, code, output }: Ran, shell: Shell): string | undefined {
  // Without a terminal, the command cannot talk to a user and says so.
  const expected = TALK.test(command) && shell.name === "without a terminal" ? 2 : 0;
  if (code !== expected) return `exit code ${code}`;
  if (output.includes("\\x1b[")) return "colours are printed as text";
  const broken = PROMISES.find(([pattern, promise]) => pattern.test(command.trim()) && !promise.test(output));
  return broken && `no ${broken[1]} in`;
}

function checkSettings({ text }: Sample, place: string, report: Report, doctor: readonly Ran[]): void {
  parse(text);
  const [ran] = doctor;
  if (ran?.code !== 0 || !/^ok +settings/m.test(ran.output) || !/^ok +models/m.test(ran.output))
    report.fail(place, `lathe doctor says:\n${ran?.output}`);
  else report.ok(place);
}

function checkData({ text }: Sample, place: string, report: Report): void {
  try {
    JSON.parse(text);
    report.ok(place);
  } catch (error) {
    report.fail(place, String(error));
  }
}
