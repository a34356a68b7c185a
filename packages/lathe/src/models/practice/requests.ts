// Finds the play for a request in plain words.

import type { Play } from "./play.ts";
import { fixFailingTest } from "./plays/fix-test.ts";
import { create, find, list, replace, run, show } from "./plays/simple.ts";

const WORD = "[`\"']?([^`\"']+?)[`\"']?";

const REQUESTS: readonly (readonly [RegExp, (...groups: string[]) => Play])[] = [
  [/\b(fix|repair)\b.*\btests?\b|\bmake the tests? pass\b/i, () => fixFailingTest()],
  [
    new RegExp(`^replace ${WORD} (?:by|with) ${WORD} in ${WORD}$`, "i"),
    (before, after, path) => replace(before, after, path),
  ],
  [
    new RegExp(`^create (?:a )?(?:file )?${WORD} (?:with|containing)(?: the)?(?: text| content)?:? ([\\s\\S]+)$`, "i"),
    (path, content) => create(path, unquote(content)),
  ],
  [new RegExp(`^create (?:an? )?(?:empty )?(?:file )?${WORD}$`, "i"), (path) => create(path, "")],
  [/^run (?:the (?:command|tests?) )?([\s\S]+)$/i, (command) => run(unquote(command))],
  [new RegExp(`^(?:find|search(?: for)?|grep|where is) ${WORD}$`, "i"), (text) => find(text)],
  [new RegExp(`^list(?: (?:the )?files)?(?: in)?(?: ${WORD})?$`, "i"), (path = ".") => list(path)],
  [new RegExp(`^(?:show|read|print|cat|open)(?: me)?(?: the file)? ${WORD}$`, "i"), (path) => show(path)],
];

/** Undefined if the practice model does not understand the request. */
export function playFor(request: string): Play | undefined {
  const text = request.trim().replace(/[.!?]+$/, "");
  for (const [pattern, make] of REQUESTS) {
    const match = pattern.exec(text);
    if (match) return make(...match.slice(1).map((group) => group));
  }
  return undefined;
}

function unquote(text: string): string {
  const trimmed = text.trim();
  return /^(["'`])([\s\S]*)\1$/.exec(trimmed)?.[2] ?? trimmed;
}

export const HELP = `I am the practice model: a small script, not a language model. I drive the real tools on your real files, but I only understand a few plain requests:

  show <file>                          list [directory]
  find <text>                          run <command>
  create <file> with <text>            replace <old> by <new> in <file>
  fix the failing test

To do anything else, use a real model: set a key such as ANTHROPIC_API_KEY, OPENAI_API_KEY or GEMINI_API_KEY, or start a local server such as Ollama, and see \`lathe models\`.`;
