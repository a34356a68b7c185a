// `skill://<name>`: the text of a skill. `skill://<name>/<file>`: another file in its folder. Files outside that folder
// have no such address.

import { readdir, readFile, realpath, stat } from "node:fs/promises";
import { join } from "node:path";
import type { SchemeContent, SchemeResolver } from "@lathe/agent/contract";
import { mayHoldSecrets } from "@lathe/agent/policy";
import type { Skill } from "../../found/skills/skill.ts";

export function skillAddresses(skills: () => readonly Skill[]): SchemeResolver {
  return {
    readsWhole: true,
    hasSelectors: true,
    read: async (url) => {
      const path = decodeURIComponent(url.slice(url.indexOf("://") + 3)).replace(/\/+$/, "");
      const slash = path.indexOf("/");
      const name = slash < 0 ? path : path.slice(0, slash);
      const skill = skills().find((one) => one.name === name);
      if (!skill) {
        const names = skills()
          .map((one) => one.name)
          .join(", ");
        throw new Error(`There is no skill "${name}". Skills: ${names === "" ? "none" : names}.`);
      }
      return slash < 0 ? skillText(skill) : fileOf(skill, path.slice(slash + 1));
    },
  };
}

const skillText = ({ body }: Skill): SchemeContent => ({ bytes: Buffer.from(body), mediaType: "text/markdown" });

async function fileOf({ name, folder }: Skill, path: string): Promise<SchemeContent> {
  const file = await realpath(join(folder, path)).catch(() => undefined);
  if (file === undefined) throw new Error(`The skill ${name} has no file ${path}. It has: ${await filesIn(folder)}.`);
  if (file !== folder && !file.startsWith(`${folder}/`))
    throw new Error(`${path} is outside of the skill ${name}. Only files of its folder have a skill:// address.`);
  if (mayHoldSecrets(file, { userHome: "", latheHome: "" }))
    throw new Error(`${path} may hold keys or passwords, so it has no skill:// address.`);
  if ((await stat(file)).isDirectory()) return { bytes: Buffer.from(await filesIn(file)), mediaType: "text/plain" };
  return { bytes: await readFile(file) };
}

async function filesIn(folder: string): Promise<string> {
  const entries = await readdir(folder, { withFileTypes: true });
  return entries
    .map((entry) => (entry.isDirectory() ? `${entry.name}/` : entry.name))
    .sort()
    .join(", ");
}
