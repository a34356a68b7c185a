// `lathe sessions show`.

import { EXIT } from "../../cli/exit.ts";
import { verbArgs } from "../../commands/verb-args.ts";
import { findSession } from "../find.ts";
import { openToRead } from "../open.ts";
import { showText } from "../show.ts";
import { transcriptOf } from "../transcript.ts";
import { writePieces } from "../write-pieces.ts";
import { onlyNamed, type Verb } from "./verb.ts";

export const showVerb: Verb = async (argv, workspace) => {
  const { values, positionals } = verbArgs(argv, { full: { type: "boolean" } });
  const { machine, paths } = workspace;
  const { path } = findSession(workspace, onlyNamed(positionals, "show"));
  const journal = openToRead(machine, paths.blobs, path);
  await writePieces(machine.stdout, showText(transcriptOf(journal), { full: values.full ?? false }));
  await journal.close();
  return EXIT.done;
};
