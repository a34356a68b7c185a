// Whether a terminal supports links (OSC 8). If not, a link's address would be invisible.

type TerminalEnv = Readonly<Record<string, string | undefined>>;

/** The first tmux version that passes links on. */
const TMUX_SINCE = [3, 4] as const;
const WITHOUT = /^(?:linux|dumb|ansi|vt\d|screen(?!.*tmux))/;

/** `name` is the terminal's answer to the version query. */
export function makesLinks(env: TerminalEnv, name = ""): boolean {
  const tmux = /^tmux (\d+)\.(\d+)/.exec(name) ?? tmuxIn(env);
  if (tmux) {
    const [major = 0, minor = 0] = tmux.slice(1).map(Number);
    return major > TMUX_SINCE[0] || (major === TMUX_SINCE[0] && minor >= TMUX_SINCE[1]);
  }
  // A tmux that does not report its version.
  if (env["TMUX"] !== undefined) return false;
  return !WITHOUT.test(env["TERM"] ?? "") && env["STY"] === undefined && env["TERM_PROGRAM"] !== "Apple_Terminal";
}

const tmuxIn = ({ TERM_PROGRAM, TERM_PROGRAM_VERSION = "" }: TerminalEnv): RegExpExecArray | undefined =>
  TERM_PROGRAM === "tmux" ? (/^(\d+)\.(\d+)/.exec(TERM_PROGRAM_VERSION) ?? undefined) : undefined;
