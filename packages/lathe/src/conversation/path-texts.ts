// Texts that apply to some files only: the model gets them once, in a message, after the first call that touches such a
// file. The prompt stays unchanged. Which texts were sent is read from the conversation itself, so a text that a
// summary removed is sent again.

import type { CallInfo, Middleware, SeamContext } from "@lathe/agent";
import { textOfContent } from "@lathe/agent/base";
import type { JournalReader } from "@lathe/agent/contract";

export interface PathText {
  /** First line of the text as sent, which identifies it in the conversation. */
  readonly tag: string;
  /** The whole text including the tag. */
  readonly text: string;
}

interface PathTextsOptions {
  readonly name: string;
  /** Text in front of the others. */
  readonly intro: string;
  /** The texts that apply to a file; `path` is absolute. */
  readonly textsFor: (path: string, context: SeamContext) => Promise<readonly PathText[]> | readonly PathText[];
}

/** What one conversation has touched and received. */
interface Progress {
  /** What the request begins with: a summary, or the first message again when /uncompact restored the history. */
  readonly begin: string | undefined;
  readonly touched: Set<string>;
  /** Paths whose texts were sent. */
  readonly done: Set<string>;
  given: Set<string> | undefined;
}

/** `textsFor` is called for at most this many files after a round: a command may name thousands. */
const MOST_PATHS = 200;

export function pathTexts({ name, intro, textsFor }: PathTextsOptions): Middleware {
  /** A session and its child agents each have a journal. */
  const conversations = new WeakMap<JournalReader, Progress>();
  const progressOf = ({ journal }: SeamContext): Progress => {
    const known = conversations.get(journal);
    const [begin] = journal.context.entryIds;
    if (known && known.begin === begin) return known;
    const fresh = { begin, touched: new Set<string>(), done: new Set<string>(), given: undefined };
    conversations.set(journal, fresh);
    return fresh;
  };
  return {
    name,
    afterCall: (call, result, context) => {
      if (result.isError) return undefined;
      const { touched, done } = progressOf(context);
      for (const path of filesOf(call)) if (!done.has(path) && touched.size < MOST_PATHS) touched.add(path);
      return undefined;
    },
    afterRound: async (context) => {
      const progress = progressOf(context);
      const { touched, done } = progress;
      if (touched.size === 0) return undefined;
      const texts: string[] = [];
      for (const path of touched) {
        done.add(path);
        for (const { tag, text } of await textsFor(path, context)) {
          progress.given ??= tagsIn(context.journal);
          if (progress.given.has(tag)) continue;
          progress.given.add(tag);
          texts.push(text);
        }
      }
      touched.clear();
      return texts.length === 0 ? undefined : { tell: [intro.trim(), ...texts].join("\n\n") };
    },
    beforeTree: (_move, { journal }) => void conversations.delete(journal),
  };
}

const filesOf = ({ access = [] }: CallInfo): readonly string[] =>
  access.flatMap((item) => (item.kind === "read" || item.kind === "write" ? [item.path] : []));

/** Lines that look like a tag, in messages that Lathe added. */
function tagsIn(journal: JournalReader): Set<string> {
  const { messages, entryIds } = journal.context;
  const tags = new Set<string>();
  for (const [i, id] of entryIds.entries()) {
    const entry = id === undefined ? undefined : journal.entry(id);
    if (entry?.type !== "message" || entry.origin !== "injected") continue;
    const text = textOfContent(messages[i]?.content ?? []);
    for (const [tag] of text.matchAll(/^<(?:rule|instructions) .*>$/gm)) tags.add(tag);
  }
  return tags;
}
