// The code samples of a page: fenced blocks with a language. The page itself tells what to do with a block: `title="…"`
// names its file, and a preceding line that begins with "Not run by our tests:" gives the reason why it is not run.

export interface Sample {
  readonly page: string;
  /** Line of the opening fence, from 1. */
  readonly line: number;
  readonly language: Language;
  readonly text: string;
  /** The file it belongs to. */
  readonly title?: string;
  /** Why it is not run. */
  readonly notRun?: string;
}

const LANGUAGES = ["ts", "sh", "yaml", "json", "dockerfile", "text"] as const;
type Language = (typeof LANGUAGES)[number];

const FENCE = /^( *)```(.*)$/;
const NOT_RUN = /^\*Not run by our tests: (.+)\*$/;

/** Throws on a block that would silently not be run: without a language, or with an unknown one. */
export function samplesOf(page: string, content: string): Sample[] {
  const lines = content.split("\n");
  const samples: Sample[] = [];
  for (let i = 0; i < lines.length; i++) {
    const open = FENCE.exec(lines[i] ?? "");
    if (!open) continue;
    const at = i + 1;
    const [language = "", ...attributes] = (open[2] ?? "").split(" ");
    if (!isLanguage(language))
      throw new Error(`${page}:${at}: a code block is one of ${LANGUAGES.join(", ")}, not "${language}"`);
    const end = lines.findIndex((line, index) => index > i && FENCE.exec(line)?.[2] === "");
    if (end < 0) throw new Error(`${page}:${at}: this code block does not end`);
    const body = lines.slice(i + 1, end).map((line) => line.slice(open[1]?.length ?? 0));
    const title = /^title="([^"]+)"$/.exec(attributes.join(" "))?.[1];
    if (attributes.length > 0 && title === undefined)
      throw new Error(`${page}:${at}: only title="…" may follow the language`);
    const notRun = NOT_RUN.exec(lastBefore(lines, i))?.[1];
    samples.push({
      page,
      line: at,
      language,
      text: body.join("\n"),
      ...(title === undefined ? {} : { title }),
      ...(notRun === undefined ? {} : { notRun }),
    });
    i = end;
  }
  return samples;
}

const isLanguage = (word: string): word is Language => (LANGUAGES as readonly string[]).includes(word);

/** The line above a block, ignoring empty lines. */
function lastBefore(lines: readonly string[], index: number): string {
  for (let i = index - 1; i >= 0; i--) if (lines[i]?.trim()) return lines[i]?.trim() ?? "";
  return "";
}

export const placeOf = ({ page, line }: Sample): string => `${page}:${line}`;
