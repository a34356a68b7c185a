// Shell completions from the option table: options, their values, commands and their verbs, and files after an @.

import { OPTIONS, type OptionSpec, SUBCOMMANDS, type Subcommand } from "../../platform/options/option-table.ts";
import { usageError } from "../../platform/usage/exit.ts";
import { verbsOf } from "./usage.ts";

const options = Object.entries(OPTIONS) as [string, OptionSpec][];
const commands = Object.entries(SUBCOMMANDS) as [Subcommand, string][];
const verbs = commands.map(([name]) => [name, verbsOf(name).join(" ")] as const).filter(([, words]) => words !== "");

export function completionScript(shell: string): string {
  if (shell === "bash") return bash();
  if (shell === "zsh") return zsh();
  if (shell === "fish") return fish();
  throw usageError(`Completions exist for bash, zsh and fish, not "${shell}". Try: lathe completions bash.`);
}

/** How an option's value is completed. */
function completedWith({ value = "", choices }: OptionSpec): "words" | "folders" | "files" | "nothing" {
  if (choices) return "words";
  if (value === "dir") return "folders";
  return /file|path/.test(value) ? "files" : "nothing";
}

/** Without a match, readline takes over, because it knows how to write file names. */
function bash(): string {
  const choices = options
    .filter(([, spec]) => spec.choices)
    .map(([name, spec]) => `    --${name}) words="${spec.choices?.join(" ")}" ;;`);
  return `_lathe() {
  local current="\${COMP_WORDS[COMP_CWORD]}" previous="\${COMP_WORDS[COMP_CWORD-1]}" words="" found IFS=$' \\n'
  COMPREPLY=()
  [[ $current == "=" ]] && current=""
  [[ $previous == "=" ]] && previous="\${COMP_WORDS[COMP_CWORD-2]}"
  case "$previous" in
${choices.join("\n")}
  esac
  if [[ -z $words && $current == @* ]]; then
    IFS=$'\\n'
    for found in $(compgen -f -- "\${current#@}"); do
      [[ -d $found ]] && found+=/
      COMPREPLY+=("@$(printf %q "$found")")
    done
    [[ \${#COMPREPLY[@]} -eq 1 && \${COMPREPLY[0]} == */ ]] && compopt -o nospace 2>/dev/null
    return 0
  fi
  if [[ -z $words && $current == -* ]]; then
    words="${options.map(([name]) => `--${name}`).join(" ")}"
  elif [[ -z $words && $COMP_CWORD -eq 1 ]]; then
    words="${commands.map(([name]) => name).join(" ")}"
  elif [[ -z $words && $COMP_CWORD -eq 2 ]]; then
    case "$previous" in
${verbs.map(([name, words]) => `      ${name}) words="${words}" ;;`).join("\n")}
    esac
  fi
  [[ -n $words ]] && COMPREPLY=($(compgen -W "$words" -- "$current"))
  return 0
}
complete -o default -F _lathe lathe
`;
}

/** Works as a file in the function path and in .zshrc. */
function zsh(): string {
  const quote = (text: string): string => text.replace(/'/g, "'\\''").replace(/[[\]:]/g, "\\$&");
  const rows = options.map(([name, spec]) => {
    const actions = { words: `(${spec.choices?.join(" ")})`, folders: "_files -/", files: "_files", nothing: " " };
    const optional = spec.kind === "optional" ? ":" : "";
    const value =
      spec.kind === "flag" ? "" : `:${optional}${quote(spec.value ?? "value")}:${actions[completedWith(spec)]}`;
    const text = `'[${quote(spec.help)}]${value}'`;
    const repeats = spec.kind === "list";
    if (!spec.short) return `    '${repeats ? "*" : ""}--${name}'${text}`;
    return `    '${repeats ? "*" : `(-${spec.short} --${name})`}'{-${spec.short},--${name}}${text}`;
  });
  return `#compdef lathe
_lathe_words() {
  if compset -P '@'; then _files; return; fi
  if (( CURRENT == 2 )); then
    local -a names=(${commands.map(([name, help]) => `'${name}:${quote(help)}'`).join(" ")})
    _describe command names
    return
  fi
  (( CURRENT == 3 )) && case $words[2] in
${verbs.map(([name, words]) => `    ${name}) compadd ${words}; return ;;`).join("\n")}
  esac
  _files
}
_lathe() {
  _arguments -s -S \\
${rows.join(" \\\n")} \\
    '*: :_lathe_words'
}
if [[ $funcstack[1] == _lathe ]]; then _lathe "$@"; else compdef _lathe lathe; fi
`;
}

function fish(): string {
  const quote = (text: string): string => text.replace(/[\\']/g, "\\$&");
  const rows = options.map(([name, spec]) => {
    const short = spec.short ? ` -s ${spec.short}` : "";
    const values = {
      words: ` -x -a '${spec.choices?.join(" ")}'`,
      folders: " -x -a '(__fish_complete_directories)'",
      files: " -r",
      nothing: spec.kind === "optional" ? "" : " -x",
    };
    const value = spec.kind === "flag" ? "" : values[completedWith(spec)];
    return `complete -c lathe -l ${name}${short}${value} -d '${quote(spec.help)}'`;
  });
  const names = commands.map(
    ([name, help]) => `complete -c lathe -n __fish_use_subcommand -a ${name} -d '${quote(help)}'`,
  );
  const seconds = verbs.map(
    ([name, words]) =>
      `complete -c lathe -n '__fish_seen_subcommand_from ${name}; and not __fish_seen_subcommand_from ${words}' -f -a '${words}'`,
  );
  const atFiles = `complete -c lathe -n 'string match -q "@*" -- (commandline -ct)' -a '(printf "@%s\\n" (__fish_complete_path (string sub -s 2 -- (commandline -ct))))'`;
  return `${[...rows, ...names, ...seconds, atFiles].join("\n")}\n`;
}
