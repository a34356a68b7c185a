// SQLite databases: tables, rows and queries by path. The parser process opens the database itself, so that an endless
// query can be killed.

import { ToolFailure } from "../../../contract/tool.ts";
import { EnvError } from "../../../world/env/types.ts";
import { ParserFailure, runParser } from "../../parser/run-parser.ts";
import type { Format, FormatFile, RowChange } from "../../target/format.ts";

const MAGIC = Buffer.from("SQLite format 3\0");
const NAMES = /\.(?:sqlite3?|db3?)$/i;
const QUERY_MS = 10_000;

export const sqliteFormat: Format = {
  name: "sqlite",
  claims: (fileName) => NAMES.test(fileName),
  recognises: (head) => MAGIC.equals(head.subarray(0, MAGIC.length)),
  separators: [":", "?"],
  async read(file, { inner, separator }) {
    const input = { file: await onThisMachine(file, "read"), inner, separator };
    const text = await runParser<string>("sqlite.read", input, { ...callOf(file), timeoutMs: QUERY_MS });
    return { kind: "shown", text };
  },
  rows: {
    async write(file, inner, content, { planOnly }) {
      const input = { file: await onThisMachine(file, "write"), inner, content, planOnly };
      try {
        return await runParser<RowChange>("sqlite.write", input, { ...callOf(file), timeoutMs: QUERY_MS });
      } catch (error) {
        if (!(error instanceof ParserFailure)) throw error;
        if (error.isRefused) throw new ToolFailure(`Nothing was written to ${file.path}: ${error.why}.`);
        throw new ToolFailure(
          `The write to ${file.path} was cut short: ${error.why}. Read the row to see whether it has changed.`,
        );
      }
    },
  },
};

const callOf = ({ scope, path }: FormatFile) => ({ scope, path });

async function onThisMachine({ scope, real, path }: FormatFile, purpose: "read" | "write"): Promise<string> {
  try {
    const file = await scope.env.localPath?.(real, purpose);
    if (file !== undefined) return file;
  } catch (error) {
    if (error instanceof EnvError) throw new ToolFailure(error.message);
    throw error;
  }
  throw new ToolFailure(
    `${path} is a SQLite database, and those can be opened on this machine only. Use sqlite3 in the shell.`,
  );
}
