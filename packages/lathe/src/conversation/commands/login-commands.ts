// Commands about credentials. Changes take effect with the next request.

import { findRow } from "@lathe/llm/providers";
import { accountOf, deleteCredential, listAccounts, looksLikeKey, refuseAtBroker } from "../../models/accounts.ts";
import { credentialStore } from "../../models/credentials.ts";
import { PRACTICE_PROVIDER } from "../../models/practice/name.ts";
import { usageError } from "../../platform/usage/exit.ts";
import type { SessionWorkspace } from "../session-workspace.ts";
import { chooseFrom } from "./choice.ts";
import type { SlashCommand } from "./command.ts";
import type { CommandView } from "./command-view.ts";
import { firstModelOf } from "./first-model.ts";
import { chooseAccount, itemOf, logIn } from "./login.ts";

const login: SlashCommand = {
  name: "login",
  arguments: "[provider]",
  description: "store a provider's key, or sign in",
  whileWorking: true,
  takesSecrets: true,
  complete: async ({ workspace }, typed) =>
    (await listAccounts(workspace)).map(({ id }) => id).filter((id) => id.startsWith(typed)),
  run: async (conversation, name, view) => {
    const { workspace } = conversation;
    refuseKeys(name);
    refuseAtBroker(workspace, "login", name);
    const account = name === "" ? await chooseAccount(workspace, view) : await accountOf(workspace, name);
    if (!account || !(await logIn(workspace, account, view))) return;
    const selector = await firstModelOf(workspace, account.id);
    const isPractice = conversation.model.provider === PRACTICE_PROVIDER;
    if (isPractice && selector !== undefined && !conversation.isBusy) {
      await conversation.switchModel(selector);
      view.line(`Model: ${selector}`, "dim");
    } else view.line(`Models from ${account.name} are now available: /model`, "dim");
    const preset = await recommendedPreset(workspace, account.id);
    if (preset !== undefined) view.line(`To set the models for all roles at once: /model preset/${preset}`, "dim");
  },
};

const logout: SlashCommand = {
  name: "logout",
  arguments: "[provider]",
  description: "delete a stored key or sign-in",
  whileWorking: true,
  complete: ({ workspace }, typed) =>
    credentialStore(workspace)
      .providers()
      .filter((id) => id.startsWith(typed)),
  run: async ({ workspace }, name, view) => {
    refuseKeys(name);
    refuseAtBroker(workspace, "logout", name);
    const stored = credentialStore(workspace).providers();
    if (name === "" && stored.length === 0) return view.line("No credential is stored.", "dim");
    const accounts = (await listAccounts(workspace)).filter(({ isStored }) => isStored);
    const account =
      name === ""
        ? await chooseFrom(view, { title: "Log out of", items: accounts.map(itemOf) })
        : stored.includes(name)
          ? { id: name, name: findRow(name)?.name ?? name }
          : await accountOf(workspace, name);
    if (!account) return;
    const names = credentialStore(workspace).names(account.id);
    const only = names.length > 1 ? await chooseName(names, view) : undefined;
    if (names.length > 1 && only === undefined) return;
    view.line(await deleteCredential(workspace, account, only), "dim");
    const left = (await listAccounts(workspace)).find(({ id }) => id === account.id)?.source;
    if (left !== undefined) view.line(`${account.name} still has credentials from ${left}.`, "dim");
  },
};

/** Undefined: the user chose none. */
const chooseName = (names: readonly string[], view: CommandView): Promise<string | undefined> =>
  chooseFrom(view, { title: "Which account", items: names.map((name) => ({ value: name, label: name })) });

/** A preset that needs only this provider, preferably the medium one. */
async function recommendedPreset(workspace: SessionWorkspace, provider: string): Promise<string | undefined> {
  const { listPresets } = await import("../../models/list-presets.ts");
  const fitting = listPresets(await workspace.models()).filter(({ requires }) => requires.join() === provider);
  return (fitting.find(({ name }) => name.endsWith("-medium")) ?? fitting[0])?.name;
}

/** The same as `lathe setup provider`. */
const provider: SlashCommand = {
  name: "provider",
  arguments: "add --preset <name>",
  description: "add a provider to models.yml",
  whileWorking: true,
  complete: async (_conversation, typed) => {
    const { providerPresetNames } = await import("../../models/provider-presets.ts");
    return providerPresetNames.map((name) => `add --preset ${name}`).filter((line) => line.startsWith(typed));
  },
  run: async ({ workspace }, argument, view) => {
    refuseKeys(argument.split(/\s+/).at(-1) ?? "");
    const [, name] = /^add(?:\s+--preset)?\s+(\S+)$/.exec(argument) ?? [];
    const { addedLines, addProviderPreset, providerPresetNames } = await import("../../models/provider-presets.ts");
    if (name === undefined)
      throw usageError(`Use: /provider add --preset <name>, with one of ${providerPresetNames.join(", ")}.`);
    for (const line of addedLines(await addProviderPreset(workspace.paths.models, name))) view.line(line, "dim");
    const problems = await (await workspace.models()).reload();
    for (const problem of problems) view.line(problem, "dim");
    if (problems.length === 0) view.line("Its models are now available: /model", "dim");
  },
};

/** A key typed after the command is visible on the screen and stays in the prompt history. */
function refuseKeys(argument: string): void {
  if (looksLikeKey(argument) || /\s/.test(argument))
    throw usageError(
      "Name only the provider: you are asked for the key, and it is not shown. A key that you typed here is now in your prompt history.",
    );
}

export const loginCommands: readonly SlashCommand[] = [login, logout, provider];
