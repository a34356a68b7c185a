// Every way in which one of our tools changes a file, by profile and dialect.

import type { FamilyName } from "@lathe/agent";

export interface Case {
  readonly profile?: FamilyName;
  readonly settings?: Readonly<Record<string, string>>;
  readonly tool: string;
  readonly args: (at: string) => Record<string, unknown>;
}

export const patch = (header: string, body: string): string => `*** Begin Patch\n*** ${header}\n${body}\n*** End Patch`;
export const TAG_OF_F = "¶";

/** Each changes or creates the file at the given path. */
export const WRITES: readonly (Case & { readonly name: string })[] = [
  { name: "write_file", profile: "anthropic", tool: "write_file", args: (at) => ({ file_path: at, content: "new\n" }) },
  {
    name: "write_file inside another call",
    profile: "anthropic",
    tool: "host-call",
    args: (at) => ({ name: "write_file", args: { file_path: at, content: "new\n" } }),
  },
  {
    name: "edit_file",
    profile: "anthropic",
    tool: "edit_file",
    args: (at) => ({ file_path: at, old_string: "two", new_string: "2" }),
  },
  {
    name: "counted edit_file",
    profile: "gemini",
    tool: "edit_file",
    args: (at) => ({ file_path: at, old_string: "two", new_string: "2", expected_replacements: 1 }),
  },
  {
    name: "apply_patch update",
    profile: "openai",
    tool: "apply_patch",
    args: (at) => ({ patch: patch(`Update File: ${at}`, " one\n-two\n+2") }),
  },
  {
    name: "apply_patch delete",
    profile: "openai",
    tool: "apply_patch",
    args: (at) => ({ patch: `*** Begin Patch\n*** Delete File: ${at}\n*** End Patch` }),
  },
  {
    name: "apply_patch with U+2028 behind the path",
    profile: "openai",
    tool: "apply_patch",
    args: (at) => ({ patch: patch(`Update File: ${at}\u2028`, " one\n-two\n+2") }),
  },
  {
    name: "apply_patch move",
    profile: "openai",
    tool: "apply_patch",
    args: (at) => ({
      patch: `*** Begin Patch\n*** Update File: f.txt\n*** Move to: ${at}.moved\n one\n-two\n+2\n*** End Patch`,
    }),
  },
  {
    name: "edit: replace",
    profile: "anthropic",
    settings: { editVariant: "replace" },
    tool: "edit",
    args: (at) => ({ path: at, edits: [{ old_text: "two", new_text: "2" }] }),
  },
  {
    name: "edit: patch",
    profile: "anthropic",
    settings: { editVariant: "patch" },
    tool: "edit",
    args: (at) => ({ diff: `--- a/${at}\n+++ b/${at}\n@@ -1,2 +1,2 @@\n one\n-two\n+2\n` }),
  },
  {
    name: "edit: apply_patch",
    profile: "gemini",
    settings: { editVariant: "apply_patch" },
    tool: "edit",
    args: (at) => ({ patch: patch(`Update File: ${at}`, " one\n-two\n+2") }),
  },
  {
    name: "edit: hashline of a stale tag",
    profile: "anthropic",
    settings: { editVariant: "hashline" },
    tool: "edit",
    args: (at) => ({ input: `${TAG_OF_F}${at}#0000\nreplace 2..2:\n+2\n` }),
  },
  {
    name: "hashline write_file",
    profile: "anthropic",
    settings: { editVariant: "hashline" },
    tool: "write_file",
    args: (at) => ({ file_path: at, content: "1:new\n2:lines\n" }),
  },
  { name: "minimal write", profile: "minimal", tool: "write", args: (at) => ({ file_path: at, content: "new\n" }) },
  {
    name: "minimal edit",
    profile: "minimal",
    tool: "edit",
    args: (at) => ({ file_path: at, old_string: "two", new_string: "2" }),
  },
];
