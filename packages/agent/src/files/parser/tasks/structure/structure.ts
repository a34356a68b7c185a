// Searches texts for code structures. The library cannot be interrupted, so the process is killed at the deadline.

import { setImmediate } from "node:timers/promises";
import { setFlagsFromString } from "node:v8";
import { runInNewContext } from "node:vm";
import type { SgNode } from "@ast-grep/napi";
import type { TaskInput } from "../types.ts";
import { fillTemplate, uncapturedNames } from "./fill.ts";
import { type Grammars, loadGrammars } from "./grammars.ts";
import type { StructureAnswer, StructureInput, StructureMatch, StructureRule } from "./types.ts";

/**
 * Syntax trees are outside the JavaScript heap and do not trigger the garbage collector, so we run it after this many
 * characters.
 */
const COLLECTED_AFTER = 1 << 20;

type Problem = StructureAnswer["problems"][number];

export async function searchStructure(input: TaskInput): Promise<StructureAnswer> {
  const { rules, files, most, packages } = input as StructureInput;
  const wanted = [...new Set(files.map(({ grammar }) => grammar))];
  const grammars = await loadGrammars(wanted, packages);
  const missing = wanted.filter((grammar) => !grammars.has(grammar));
  const problems = wanted
    .filter((grammar) => grammars.has(grammar))
    .flatMap((grammar) => rules.flatMap((rule) => problemOf(rule, grammar, grammars) ?? []));
  const unfit = new Set([...missing, ...problems.map(({ grammar }) => grammar)]);
  const collect = collector();
  let room = most;
  let parsed = 0;
  const answers: StructureAnswer["files"][number][] = [];
  for (const { grammar, text } of files) {
    if (unfit.has(grammar)) {
      answers.push({ matches: [], total: 0, isBroken: false });
      continue;
    }
    if (parsed > 0 && parsed + text.length > COLLECTED_AFTER) {
      await collect();
      parsed = 0;
    }
    parsed += text.length;
    const root = grammars.astGrep.parse(grammar, text).root();
    const found = rules.flatMap((rule) => root.findAll(rule.pattern).map((node) => ({ node, rule })));
    const matches = found.slice(0, room).map(({ node, rule }) => matchOf(node, rule, text));
    room -= matches.length;
    const isBroken = found.length > 0 && found[0]?.rule.out !== undefined && hasError(root);
    answers.push({ matches: matches.sort((a, b) => a.start - b.start), total: found.length, isBroken });
  }
  return { files: answers, problems, missing };
}

function matchOf(node: SgNode, { out }: StructureRule, text: string): StructureMatch {
  const { start, end } = node.range();
  return {
    start: start.index,
    end: end.index,
    line: start.line + 1,
    column: start.column + 1,
    lastLine: end.line + 1,
    ...(out === undefined ? {} : { replacement: fillTemplate(out, node, text) }),
  };
}

const hasError = (root: SgNode): boolean => root.has({ rule: { kind: "ERROR" } });

/** Undefined if it is valid code in this grammar. */
function problemOf({ pattern, out }: StructureRule, grammar: string, grammars: Grammars): Problem | undefined {
  const problem = (why: string): Problem => ({ grammar, pattern, why });
  const [unknown] = out === undefined ? [] : uncapturedNames(pattern, out);
  if (unknown !== undefined) return problem(`the pattern captures no ${unknown}, which \`out\` uses`);
  const { parse } = grammars.astGrep;
  try {
    parse(grammar, "").root().findAll(pattern);
  } catch (error) {
    return problem((error as Error).message.replace(/ Please check.*$/s, "").replace(/\.$/, ""));
  }
  return hasError(parse(grammar, grammars.readablePattern(grammar, pattern)).root())
    ? problem("it is not a whole expression, statement or declaration")
    : undefined;
}

/** Native memory is freed in a separate task after the collection. */
function collector(): () => Promise<void> {
  setFlagsFromString("--expose-gc");
  const collect = runInNewContext("gc") as () => void;
  return async () => {
    collect();
    await setImmediate();
  };
}
