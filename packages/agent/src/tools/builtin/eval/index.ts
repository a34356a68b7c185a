// eval: cells of Python and JavaScript that keep their state. The host owns the kernels; this tool is the interface for
// the model.

import { choice, flag, integer, listOf, object, optional, type StaticFields, text } from "@lathe/llm/schema";
import type { Card, CardLine, CardResult } from "../../../contract/card.ts";
import type { Access, CallScope, PreviewLine, ToolContext, ToolDef, ToolResult } from "../../../contract/tool.ts";
import { ToolFailure } from "../../../contract/tool.ts";
import { quoteShell } from "../../../world/env/shell-quote.ts";
import { plainOutput } from "../../run/plain-output.ts";
import { outputNote } from "../../run/run-command.ts";
import { objectsIn, tail, verbOf } from "../card.ts";
import { commandAccess, loadAnalysis } from "../shell/access.ts";
import { type CellEnd, type CellService, LANGUAGE_NAMES } from "./cells.ts";
import description from "./description.md";
import { answerCell } from "./questions.ts";
import { CellRecord } from "./record.ts";

const SECONDS = { usual: 30, least: 1, most: 600 };
const seconds = `Seconds that it may run, ${SECONDS.least} to ${SECONDS.most}; ${SECONDS.usual} when not given`;

const cell = object({
  language: choice(["py", "js"], "The kernel"),
  code: text("The code, as it is"),
  title: optional(text("A few words for the person watching")),
  timeout: optional(integer({ description: seconds })),
  reset: optional(flag("Begin with a new kernel of this language")),
});
const params = {
  cells: listOf(cell, { description: "Run in this order", minItems: 1 }),
  timeout: optional(integer({ description: "For cells that give none" })),
  reset: optional(flag("The kernel of the first cell is new")),
};

type Args = StaticFields<typeof params>;
type GivenCell = Args["cells"][number];

/** Lines of code and of output that a transcript shows. */
const SHOWN_LINES = 10;

export const evalTool: ToolDef<Args> = {
  name: "eval",
  label: "Run code",
  description: description.trim(),
  schema: object(params),
  tier: "exec",
  replay: "never",
  loadMode: "discoverable",
  needs: ["cells"],
  timeoutMs: 0,
  // Cells of one session share their kernels.
  exclusive: true,
  output: { chars: 50_000, mode: "head_tail", lines: 3000 },
  prepare: () => loadAnalysis(),
  access: async ({ cells }, scope) => (await Promise.all(cells.map((one) => codeAccess(one, scope)))).flat(),
  summary: ({ cells }) => cells.map(({ title, code }) => title ?? firstLine(code)).join("; "),
  card: codeCard,
  preview: ({ cells }) => ({ lines: cells.flatMap(previewLines), shows: ["cells"] }),
  execute: run,
};

/** A cell may do the same as its code on the command line. */
async function codeAccess({ language, code }: GivenCell, scope: CallScope): Promise<Access[]> {
  const command = `${language === "py" ? "python3 -c" : "node -e"} ${quoteShell(code)}`;
  return commandAccess(command, (await scope.paths.locate(".")).real, scope);
}

const firstLine = (code: string): string => code.trim().split("\n", 1)[0] ?? "";

const timeoutOf = (given: number | undefined): number =>
  Math.min(Math.max(given ?? SECONDS.usual, SECONDS.least), SECONDS.most);

function previewLines({ language, title, code, reset }: GivenCell): PreviewLine[] {
  const head = [LANGUAGE_NAMES[language], title, reset ? "new kernel" : undefined].filter((part) => part !== undefined);
  return [{ text: head.join(", "), kind: "note" }, ...code.split("\n").map((line) => ({ text: `│ ${line}` }))];
}

async function run(args: Args, context: ToolContext): Promise<ToolResult> {
  const service = context.services.cells!;
  const { cells } = args;
  for (const { language } of cells)
    if (!service.languages.includes(language))
      throw new ToolFailure(`${LANGUAGE_NAMES[language]} cells are switched off here (eval.${language}).`);
  const record = new CellRecord(context);
  let failure: string | undefined;
  for (const [index, one] of cells.entries()) {
    if (cells.length > 1) record.addHeading(`[${index + 1}/${cells.length}]${one.title ? ` ${one.title}` : ""}`);
    const end = await runCell(service, one, { ...args, isFirst: index === 0 }, record, context);
    if (end.note !== undefined) record.line(`[${end.note}]`);
    if (end.status === "done") continue;
    failure = failureText(end, one, args, index);
    break;
  }
  const { output, pictures, details, kept, bytes } = await record.finish();
  const body = plainOutput(output).trimEnd();
  const note = outputNote(kept, `${bytes} bytes`).trimEnd();
  const words = [body === "" ? emptyText(pictures.length) : body, note, failure].filter((part) => part);
  return {
    content: [{ kind: "text", text: words.join("\n") }, ...pictures],
    details,
    isError: failure !== undefined,
    effects: failure === undefined ? "done" : "unknown",
    ...(kept.artifact ? { artifact: kept.artifact } : {}),
  };
}

async function runCell(
  service: CellService,
  { language, code, timeout, reset }: GivenCell,
  call: Args & { readonly isFirst: boolean },
  record: CellRecord,
  context: ToolContext,
): Promise<CellEnd> {
  const timeoutMs = timeoutOf(timeout ?? call.timeout) * 1000;
  const wantsReset = reset === true || (call.isFirst && call.reset === true);
  const host = {
    env: context.env,
    signal: context.signal,
    print: (bytes: Buffer) => record.print(bytes),
    show: record.show,
    status: record.status,
    answer: (question: Parameters<typeof answerCell>[0]) => answerCell(question, context, record),
  };
  return record.trackCell({ language }, () => service.run({ language, code, timeoutMs, reset: wantsReset }, host));
}

function failureText({ status }: CellEnd, given: GivenCell, { cells, timeout }: Args, index: number): string {
  const how =
    status === "timed_out"
      ? `Command timed out after ${timeoutOf(given.timeout ?? timeout)} seconds.`
      : status === "interrupted"
        ? "The cell was interrupted."
        : "The cell failed.";
  if (cells.length === 1) return how;
  const left = cells.length - index - 1;
  const rest = left === 0 ? "" : ` ${left === 1 ? "The cell after it was" : `${left} cells after it were`} not run.`;
  return `Cell ${index + 1} of ${cells.length}${given.title ? ` (${given.title})` : ""}: ${how}${rest}`;
}

function emptyText(pictures: number): string {
  if (pictures === 0) return "(no output)";
  return `(displayed ${pictures} ${pictures === 1 ? "image" : "images"}; no text output)`;
}

function codeCard({ cells }: Args, result?: CardResult): Card {
  const [first] = cells;
  const names = cells.map(({ title, code }) => title ?? firstLine(code));
  const verb = verbOf(["Running", "Ran", "Ran"], result);
  const languages = [...new Set(cells.map(({ language }) => LANGUAGE_NAMES[language]))].join(" and ");
  const subject = `${languages}: ${names.join("; ")}`;
  if (!result) return { verb, subject, body: tail("", SHOWN_LINES) };
  const code = cells
    .flatMap((one) => one.code.trim().split("\n"))
    .map((line): CardLine => ({ text: `│ ${line}`, kind: "note" }));
  const output = result.text
    .trimEnd()
    .split("\n")
    .map((line): CardLine => ({ text: line }));
  const isShort = first !== undefined && cells.length === 1 && first.title === undefined && code.length === 1;
  const ended = objectsIn(result.details["cells"]).at(-1)?.["status"];
  return {
    verb,
    subject,
    outcome: result.isError ? (ended === "timed_out" ? "timed out" : "failed") : undefined,
    body: {
      kind: "lines",
      lines: [...(isShort ? [] : code), ...output],
      brief: [...(isShort ? [] : lastLines(code, SHOWN_LINES)), ...lastLines(output, SHOWN_LINES)],
      collapsed: 2 * SHOWN_LINES,
    },
  };
}

/** We keep the end of both: of output because it matters most, of code because it says what was shown. */
function lastLines(lines: readonly CardLine[], most: number): CardLine[] {
  if (lines.length <= most) return [...lines];
  return [{ text: `… ${lines.length - most + 1} more lines`, kind: "note" }, ...lines.slice(1 - most)];
}
