// Cells of code as an addition to sessions: the kernels behind the tool `eval`. They are loaded with the first cell.

import type { CellLanguage } from "@lathe/agent/tools";
import { isTrusted } from "../../config/trust/trust.ts";
import type { AdditionMaker } from "../../conversation/session-contract.ts";
import type { Kernels } from "./kernels.ts";

export const evalAddition: AdditionMaker = async ({ settings, env, paths, cwd, machine }) => {
  const languages = languagesHere(settings, env["LATHE_PY"]);
  if (languages.length === 0) return undefined;
  let kernels: Promise<Kernels> | undefined;
  const load = (): Promise<Kernels> => {
    kernels ??= import("./kernels.ts").then(
      ({ Kernels: Made }) =>
        new Made({
          isTrusted: () => isTrusted(paths.trust, cwd, machine.userHome),
          perCall: settings["python.kernelMode"] === "per-call",
        }),
    );
    return kernels;
  };
  return {
    name: "cells",
    services: {
      cells: {
        languages,
        width: settings["task.maxConcurrency"],
        run: async (cell, host) => (await load()).run(cell, host),
      },
    },
    closing: async () => (await kernels)?.close(),
  };
};

/**
 * `LATHE_PY` chooses the languages: 0 or bash only JavaScript, 1 or py only Python, mix or both both; otherwise the
 * settings decide.
 */
export function languagesHere(
  settings: { readonly "eval.py": boolean; readonly "eval.js": boolean },
  wanted: string | undefined,
): readonly CellLanguage[] {
  if (wanted === "0" || wanted === "bash") return ["js"];
  if (wanted === "1" || wanted === "py") return ["py"];
  if (wanted === "mix" || wanted === "both") return ["py", "js"];
  return (["py", "js"] as const).filter((language) => settings[`eval.${language}`]);
}
