// Which variables change what a command does, and what the text itself tells about their values.

import type { ShellContext } from "../../contract/shell.ts";
import { childrenOf, commandsIn, innerOf, redirectWords } from "./children.ts";
import type { Command, Inner, Script, Word } from "./syntax.ts";

// Assigning one of these makes another program run, or changes what the same one does.
const SENSITIVE =
  /^(?:PATH|IFS|LD_.*|DYLD_.*|.*_OPTIONS|GIT_.*|.*ASKPASS|.*PAGER|EDITOR|VISUAL|BROWSER|LESSOPEN|LESSCLOSE|BASH_.*|ENV|SHELL|SHELLOPTS|BASHOPTS|PROMPT_COMMAND|PS[0-4]|CDPATH|GLOBIGNORE|EXECIGNORE|FUNCNEST|DIRSTACK|HISTFILE|INPUTRC|POSIXLY_CORRECT|HOME|XDG_.*|PYTHON.*|PERL5.*|PERLLIB|RUBYOPT|RUBYLIB|NODE_PATH|CLASSPATH|RIPGREP_CONFIG_PATH|GCONV_PATH|MAKEFLAGS|GNUMAKEFLAGS|RUSTC_WRAPPER|npm_config_.*)$/i;
// Bash keeps them numeric as long as they are not assigned.
const NUMBERS = /^(?:RANDOM|SRANDOM|SECONDS|LINENO|PPID|UID|EUID|BASHPID|EPOCHSECONDS)$/;

/** Why assigning `name` needs approval. */
export function sensitiveName(name: string): string | undefined {
  if (!/^[A-Za-z_]\w*$/.test(name)) return "it sets a variable with an unusual name";
  return SENSITIVE.test(name) || NUMBERS.test(name) ? `it sets ${name}` : undefined;
}

const PLAIN_VALUE = /^[\w.,:@+-]*$/;

// Variables for colours, languages, time zones and messages, with the values for which they have no other effect.
const HARMLESS: readonly (readonly [name: RegExp, value: RegExp])[] = [
  [
    /^(?:LANG|LC_[A-Z]+|TZ|TERM|COLORTERM|NO_COLOR|FORCE_COLOR|CLICOLOR|CLICOLOR_FORCE|NODE_ENV|DEBUG|COLUMNS|LINES)$/,
    PLAIN_VALUE,
  ],
  // Without it, npm and others check the network for a newer version.
  [/^CI$/, /^(?!(?:false|0)$)\w+$/],
  [/^(?:DEBIAN_FRONTEND|RUST_BACKTRACE|PYTHONUNBUFFERED|PYTHONDONTWRITEBYTECODE|BLOCK_SIZE)$/, PLAIN_VALUE],
  [/^(?:PAGER|GIT_PAGER|MANPAGER|SYSTEMD_PAGER)$/, /^(?:cat)?$/],
  [/^(?:GIT_OPTIONAL_LOCKS|GIT_TERMINAL_PROMPT)$/, /^[01]?$/],
];

/** Assignments under which a harmless command stays harmless. Any other name may influence a program. */
export function isHarmlessAssignment(name: string, value: string | undefined): boolean {
  return value !== undefined && HARMLESS.some(([names, values]) => names.test(name) && values.test(value));
}

/** Assignments to it reach every program started afterwards. */
export function isExported(name: string, { exported }: Pick<ShellContext, "exported">): boolean {
  return exported?.has(name) ?? /^[A-Z]/.test(name);
}

/** How a question refers to a variable that is not on the list of harmless ones. */
export const strangeVariable = (name: string): string => `The variable ${name}`;

/** What the text assigns, at any position: the order of statements is ignored. */
export class VariableFacts {
  readonly #values = new Map<string, Word[] | "unknown">();
  /** Code outside the text may assign anything. */
  #isOpen = false;

  /** Assignments of the enclosing text; the text's own may come too late. */
  readonly #around: VariableFacts | undefined;

  constructor(script: Script, around?: VariableFacts, given: readonly string[] = []) {
    this.#around = around;
    for (const name of given) this.#assign(name, "unknown");
    this.#script(script);
  }

  /** It may have a value from the enclosing text. */
  #isInherited(name: string): boolean {
    if (!this.#around) return false;
    return this.#around.#isOpen || this.#around.#values.has(name) || this.#around.#isInherited(name);
  }

  /** Every value that the text assigns to `name`; undefined if there may be others. */
  values(name: string): readonly Word[] | undefined {
    const found = this.#values.get(name);
    return this.#isOpen || found === "unknown" || this.#isInherited(name) ? undefined : found;
  }

  /** Whether `name` can only hold a number, so that arithmetic on it runs nothing. */
  isNumber(name: string): boolean {
    if (NUMBERS.test(name)) return !this.#values.has(name) && !this.#isInherited(name);
    const values = this.values(name);
    return values?.every((word) => isNumeric(word)) ?? false;
  }

  #assign(name: string, word: Word | "unknown"): void {
    const known = this.#values.get(name);
    if (known === "unknown" || word === "unknown") this.#values.set(name, "unknown");
    else this.#values.set(name, [...(known ?? []), word]);
  }

  #script(script: Script): void {
    for (const command of commandsIn(script)) this.#command(command);
  }

  #command(command: Command): void {
    const { scripts, commands, words, inner } = childrenOf(command);
    for (const list of [inner, innerOf(words), innerOf(redirectWords(command.redirects))]) this.#inner(list);
    if (command.kind === "simple") {
      for (const word of words) this.#assignmentWord(word);
      this.#program(command.words);
    }
    if (command.kind === "for") {
      if (words.length === 0) this.#assign(command.name, "unknown");
      for (const word of words) this.#assign(command.name, word);
    }
    for (const script of scripts) this.#script(script);
    for (const one of commands) this.#command(one);
  }

  #assignmentWord(word: Word): void {
    const { assignment } = word;
    if (!assignment) return;
    const isAppended = word.value.startsWith(`${assignment.name}+`);
    const lead = word.lead.slice(assignment.name.length + 1);
    const value = { ...word, assignment: undefined, value: assignment.value, lead };
    this.#assign(assignment.name, assignment.isArray || isAppended ? "unknown" : value);
  }

  /** Builtins that assign what they read, and those that run code from elsewhere. */
  #program(words: readonly Word[]): void {
    const [program, ...operands] = words;
    if (!program) return;
    if (/^(?:eval|source|\.|trap|alias|builtin|command|enable)$/.test(program.value) || !program.isKnown)
      this.#isOpen = true;
    if (
      !/^(?:read|mapfile|readarray|printf|getopts|let|declare|typeset|local|export|readonly|wait)$/.test(program.value)
    )
      return;
    for (const { value, isKnown, assignment } of operands) {
      if (!isKnown && !assignment) this.#isOpen ||= program.value !== "printf";
      else if (!assignment) for (const name of value.match(/[A-Za-z_]\w*/g) ?? []) this.#assign(name, "unknown");
      // `let x=a[…]` and `declare -i x=…` evaluate what they assign.
      else if (program.value === "let" || operands.some((word) => /^-\w*[in]/.test(word.value)))
        this.#assign(assignment.name, "unknown");
    }
  }

  #inner(inner: readonly Inner[]): void {
    for (const one of inner) {
      if (one.kind === "script") this.#script(one.script);
      else if (one.kind === "variable" && one.assigns) this.#assign(one.name, "unknown");
      else if (one.kind === "arithmetic") for (const name of one.assigned) this.#assign(name, someNumber(one));
    }
  }
}

/** What arithmetic assigns: an unknown number. */
function someNumber(inner: Inner): Word {
  return {
    start: 0,
    end: 0,
    value: "$((…))",
    lead: "",
    isKnown: false,
    isSplit: false,
    hasBlanks: false,
    isQuoted: false,
    inner: [inner],
  };
}

function isNumeric(word: Word): boolean {
  if (word.isKnown) return /^-?\d*$/.test(word.value);
  if (/^\{\d+\.\.\d+\}$/.test(word.value) || /^\$\(seq( \d+){1,3}\)$/.test(word.value)) return true;
  return /^\$\(\(.*\)\)$/s.test(word.value) && word.inner.every(({ kind }) => kind === "arithmetic");
}
