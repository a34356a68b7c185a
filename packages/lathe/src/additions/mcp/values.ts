// Resolves values in a configuration: `${VAR}` and `${VAR:-default}` inside any text; a whole value of a variable or
// header may also be the name of a variable, or `!command`, which stands for the command's output (CF-04).

export interface ValueSources {
  readonly env: Readonly<Record<string, string | undefined>>;
  /** Returns the output of a command that the user wrote. */
  readonly run: (command: string) => Promise<string>;
  /** Called with each value from a variable or command, so that it stays out of journals. */
  readonly onSecret: (name: string, value: string) => void;
}

const REFERENCE = /\$\{([A-Za-z_]\w*)(?::-([^}]*))?\}/g;
const VARIABLE = /^[A-Z][A-Z0-9_]*$/;

class UnsetVariable extends Error {
  constructor(name: string) {
    super(`the variable ${name} is not set`);
    this.name = "UnsetVariable";
  }
}

/** Throws if a variable is not set and has no default. */
export function expandVariables(text: string, env: ValueSources["env"]): string {
  return text.replace(REFERENCE, (_, name: string, instead: string | undefined) => {
    // As in shells, an empty variable counts as unset.
    const value = env[name] || instead;
    if (value === undefined) throw new UnsetVariable(name);
    return value;
  });
}

/** Resolves the variables of a process or the headers of a request. */
export async function resolveValues(
  values: Readonly<Record<string, string>> = {},
  sources: ValueSources,
): Promise<Record<string, string>> {
  const entries = Object.entries(values).map(async ([name, text]) => [name, await resolveValue(name, text, sources)]);
  return Object.fromEntries(await Promise.all(entries)) as Record<string, string>;
}

async function resolveValue(name: string, text: string, { env, run, onSecret }: ValueSources): Promise<string> {
  const value = text.startsWith("!") ? await run(text.slice(1)) : lookUp(text, env);
  if (value !== text) onSecret(name, value.replace(/^(?:Bearer|Basic|Token) /i, ""));
  return value;
}

const lookUp = (text: string, env: ValueSources["env"]): string =>
  (VARIABLE.test(text) ? env[text] : undefined) ?? expandVariables(text, env);
