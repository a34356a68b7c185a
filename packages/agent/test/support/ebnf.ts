// Follows a text through a grammar without recursion, word by word, by derivatives: what may come after each word is
// again a rule. Equal rules are stored once, so a long text visits few of them.

export type Rule =
  | { readonly key: string; readonly kind: "empty" }
  | { readonly key: string; readonly kind: "word"; readonly word: string }
  | { readonly key: string; readonly kind: "sequence"; readonly first: Rule; readonly rest: Rule }
  | { readonly key: string; readonly kind: "choice"; readonly rules: readonly Rule[] }
  | { readonly key: string; readonly kind: "repeat"; readonly rule: Rule };

export interface Grammar {
  rule(name: string): Rule;
  /** All words that are not names of rules. */
  readonly words: ReadonlySet<string>;
}

const EMPTY: Rule = { key: "()", kind: "empty" };

const word = (text: string): Rule => ({ key: text, kind: "word", word: text });
const repeat = (rule: Rule): Rule => ({ key: `{${rule.key}}`, kind: "repeat", rule });

function sequence(first: Rule, rest: Rule): Rule {
  if (first.kind === "empty") return rest;
  if (rest.kind === "empty") return first;
  return { key: `(${first.key},${rest.key})`, kind: "sequence", first, rest };
}

function choice(rules: readonly Rule[]): Rule | undefined {
  const flat = rules.flatMap((rule) => (rule.kind === "choice" ? rule.rules : [rule]));
  const unique = [...new Map(flat.map((rule) => [rule.key, rule])).values()].sort((a, b) => (a.key < b.key ? -1 : 1));
  if (unique.length < 2) return unique[0];
  return { key: `(${unique.map(({ key }) => key).join("|")})`, kind: "choice", rules: unique };
}

/** True if the text may end here. */
export function isComplete(rule: Rule): boolean {
  switch (rule.kind) {
    case "empty":
    case "repeat":
      return true;
    case "word":
      return false;
    case "sequence":
      return isComplete(rule.first) && isComplete(rule.rest);
    case "choice":
      return rule.rules.some(isComplete);
  }
}

/** Words that may come first. */
export function firstOf(rule: Rule): readonly string[] {
  switch (rule.kind) {
    case "empty":
      return [];
    case "word":
      return [rule.word];
    case "repeat":
      return firstOf(rule.rule);
    case "sequence":
      return [...firstOf(rule.first), ...(isComplete(rule.first) ? firstOf(rule.rest) : [])];
    case "choice":
      return rule.rules.flatMap(firstOf);
  }
}

const derived = new Map<string, Rule | undefined>();

/** What may follow after `text`; undefined if `text` cannot come here. */
export function next(rule: Rule, text: string): Rule | undefined {
  const key = `${text} ${rule.key}`;
  if (!derived.has(key)) derived.set(key, derive(rule, text));
  return derived.get(key);
}

function derive(rule: Rule, text: string): Rule | undefined {
  const followed = (after: Rule | undefined, rest: Rule): Rule[] => (after ? [sequence(after, rest)] : []);
  switch (rule.kind) {
    case "empty":
      return undefined;
    case "word":
      return rule.word === text ? EMPTY : undefined;
    case "repeat":
      return choice(followed(next(rule.rule, text), rule));
    case "sequence": {
      const skipped = isComplete(rule.first) ? next(rule.rest, text) : undefined;
      return choice([...followed(next(rule.first, text), rule.rest), ...(skipped ? [skipped] : [])]);
    }
    case "choice":
      return choice(rule.rules.flatMap((one) => next(one, text) ?? []));
  }
}

/** @param asWords rules that other rules use like a single word */
export function parseGrammar(text: string, asWords: readonly string[]): Grammar {
  const bodies = new Map<string, string[]>();
  for (const [, name = "", body = ""] of text.matchAll(/(\w+)\s*=([^;]*);/g))
    bodies.set(name, body.match(/[\w!]+|[,|[\]{}]/g) ?? []);
  const words = new Set<string>();
  const rule = (name: string): Rule => {
    const tokens = bodies.get(name);
    if (!tokens) throw new Error(`the grammar has no rule ${name}`);
    let at = 0;
    const alternatives = (): Rule => {
      const rules = [inOrder()];
      while (tokens[at] === "|") {
        at++;
        rules.push(inOrder());
      }
      return choice(rules) ?? EMPTY;
    };
    const inOrder = (): Rule => {
      const parts = [part()];
      while (tokens[at] === ",") {
        at++;
        parts.push(part());
      }
      return parts.reduceRight((rest, first) => sequence(first, rest), EMPTY);
    };
    const part = (): Rule => {
      const token = tokens[at++] ?? "";
      if (token === "{" || token === "[") {
        const inner = alternatives();
        at++;
        return token === "{" ? repeat(inner) : (choice([inner, EMPTY]) as Rule);
      }
      if (bodies.has(token) && !asWords.includes(token)) return rule(token);
      if (!bodies.has(token)) words.add(token);
      return word(token);
    };
    return alternatives();
  };
  for (const name of bodies.keys()) rule(name);
  return { rule, words };
}
