// The YAML of a settings file, with the line of each key. What is wrong is said with file and line.

import { type Document, isMap, LineCounter, parseDocument } from "yaml";
import { usageError } from "../cli/exit.ts";

export interface ParsedSettings {
  readonly document: Document;
  lineOf(key: string): number;
}

export function parseSettings(file: string, text: string): ParsedSettings {
  const counter = new LineCounter();
  const document = parseDocument(text, { lineCounter: counter });
  const [broken] = document.errors;
  if (broken) {
    const what = (broken.message.split("\n")[0] ?? "").replace(/ at line \d+, column \d+:$/, "");
    throw usageError(`${file}:${broken.linePos?.[0].line ?? 1}: not valid YAML: ${what}. Mend the file.`);
  }
  if (document.contents !== null && !isMap(document.contents))
    throw usageError(`${file}:1: settings are written as \`key: value\`, one a line. Mend or remove the file.`);
  return {
    document,
    lineOf: (key) => {
      let node: unknown = document.contents;
      let line = 1;
      for (const name of key.split(".")) {
        if (!isMap(node)) break;
        const pair = node.items.find((item) => String(item.key) === name);
        const range = (pair?.key as { range?: [number, number, number] } | undefined)?.range;
        if (!pair || !range) break;
        line = counter.linePos(range[0]).line;
        node = pair.value;
      }
      return line;
    },
  };
}
