// Shell completions, made from the option table.

import { usageError } from "./exit.ts";
import { OPTIONS, type OptionSpec, SUBCOMMANDS } from "./option-table.ts";

const options = Object.entries(OPTIONS) as [string, OptionSpec][];
const commands = Object.keys(SUBCOMMANDS);

export function completionScript(shell: string): string {
  if (shell === "bash") return bash();
  if (shell === "zsh") return zsh();
  if (shell === "fish") return fish();
  throw usageError(`Completions exist for bash, zsh and fish, not "${shell}". Try: lathe completions bash.`);
}

function bash(): string {
  const choices = options
    .filter(([, spec]) => spec.choices)
    .map(
      ([name, spec]) =>
        `    --${name}) COMPREPLY=($(compgen -W "${spec.choices?.join(" ")}" -- "$current")); return ;;`,
    );
  return `_lathe() {
  local current="\${COMP_WORDS[COMP_CWORD]}" previous="\${COMP_WORDS[COMP_CWORD-1]}"
  case "$previous" in
${choices.join("\n")}
  esac
  if [[ "$current" == -* ]]; then
    COMPREPLY=($(compgen -W "${options.map(([name]) => `--${name}`).join(" ")}" -- "$current"))
  elif [[ $COMP_CWORD -eq 1 ]]; then
    COMPREPLY=($(compgen -W "${commands.join(" ")}" -- "$current") $(compgen -f -- "$current"))
  else
    COMPREPLY=($(compgen -f -- "$current"))
  fi
}
complete -o default -F _lathe lathe
`;
}

function zsh(): string {
  const quote = (text: string): string => text.replace(/'/g, "'\\''").replace(/[[\]:]/g, "\\$&");
  const rows = options.map(([name, spec]) => {
    const value =
      spec.kind === "flag"
        ? ""
        : `:${spec.value ?? "value"}:${spec.choices ? `(${spec.choices.join(" ")})` : "_files"}`;
    const repeat = spec.kind === "list" ? "*" : "";
    return `  '${repeat}--${name}[${quote(spec.help)}]${value}'`;
  });
  const names = Object.entries(SUBCOMMANDS).map(([name, help]) => `'${name}:${quote(help)}'`);
  return `#compdef lathe
_lathe_commands() { local -a names=(${names.join(" ")}); _describe command names; }
_arguments -s \\
${rows.join(" \\\n")} \\
  '1: :_lathe_commands' \\
  '*:file:_files'
`;
}

function fish(): string {
  const quote = (text: string): string => text.replace(/'/g, "\\'");
  const rows = options.map(([name, spec]) => {
    const short = spec.short ? ` -s ${spec.short}` : "";
    const value = spec.kind === "flag" ? "" : spec.choices ? ` -x -a '${spec.choices.join(" ")}'` : " -r";
    return `complete -c lathe -l ${name}${short}${value} -d '${quote(spec.help)}'`;
  });
  const names = Object.entries(SUBCOMMANDS).map(
    ([name, help]) => `complete -c lathe -n __fish_use_subcommand -a ${name} -d '${quote(help)}'`,
  );
  return `${[...rows, ...names].join("\n")}\n`;
}
