// Gets the problems of a file from servers in front of tsserver. What these publish by themselves comes in pieces, and
// not at all while a file stays clean, but they pass requests on to tsserver, which answers exactly.

import { isJsonObject } from "@lathe/llm";
import type { Position } from "./positions.ts";
import type { Problem } from "./protocol.ts";
import { NoAnswer, type RequestOptions } from "./rpc-connection.ts";

/** The parts of a server that are used here. */
interface TsserverClient {
  readonly capabilities: Readonly<Record<string, unknown>>;
  ask(method: string, params: unknown, options?: RequestOptions): Promise<unknown>;
}

const COMMAND = "typescript.tsserverRequest";
const SEVERITIES: Readonly<Record<string, number>> = { error: 1, warning: 2, suggestion: 4, message: 3 };

export function passesToTsserver({ capabilities }: TsserverClient): boolean {
  const commands = isJsonObject(capabilities["executeCommandProvider"])
    ? capabilities["executeCommandProvider"]["commands"]
    : undefined;
  return Array.isArray(commands) && commands.includes(COMMAND);
}

/** Resolves when the file's project is loaded. */
export async function awaitTsserverProject(live: TsserverClient, file: string, options: RequestOptions): Promise<void> {
  await ask(live, "projectInfo", { file, needFileNameList: false }, options);
}

export async function tsserverProblems(
  live: TsserverClient,
  file: string,
  options: RequestOptions,
): Promise<Problem[]> {
  const problems: Problem[] = [];
  for (const command of ["syntacticDiagnosticsSync", "semanticDiagnosticsSync"]) {
    const body = await ask(live, command, { file }, options);
    if (!Array.isArray(body)) throw new NoAnswer("it gave no list of problems");
    problems.push(...body.flatMap(problemIn));
  }
  return problems;
}

async function ask(live: TsserverClient, command: string, args: object, options: RequestOptions): Promise<unknown> {
  const params = { command: COMMAND, arguments: [command, args, {}] };
  const answer = await live.ask("workspace/executeCommand", params, options);
  if (!isJsonObject(answer) || answer["success"] === false)
    throw new NoAnswer(String((isJsonObject(answer) && answer["message"]) || `no answer to ${command}`));
  return answer["body"];
}

function problemIn(value: unknown): Problem[] {
  if (!isJsonObject(value)) return [];
  const { start, end, text, code, category } = value;
  const from = positionIn(start);
  if (from === undefined) return [];
  return [
    {
      range: { start: from, end: positionIn(end) ?? from },
      message: String(text),
      severity: SEVERITIES[String(category)] ?? 1,
      source: "typescript",
      ...(typeof code === "number" ? { code } : {}),
    },
  ];
}

/** tsserver counts lines and characters from 1. */
function positionIn(value: unknown): Position | undefined {
  const { line, offset } = isJsonObject(value) ? value : {};
  return typeof line === "number" && typeof offset === "number" ? { line: line - 1, character: offset - 1 } : undefined;
}
