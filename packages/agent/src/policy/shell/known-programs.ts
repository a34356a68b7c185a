// Program names that the analysis knows: a function with the same name would make the judgement wrong.

import { HARMLESS } from "./harmless-programs.ts";
import { isWrapper } from "./wrappers.ts";

const BUILTINS = new Set(
  "git find cd pushd popd eval source . exec builtin trap read mapfile readarray getopts export declare typeset local readonly unset let set shopt alias enable".split(
    " ",
  ),
);

export function isJudgedByName(name: string): boolean {
  return name !== ":" && (Object.hasOwn(HARMLESS, name) || BUILTINS.has(name) || isWrapper(name));
}
