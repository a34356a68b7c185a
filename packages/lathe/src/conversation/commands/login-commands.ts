// /login and /logout: the same accounts as `lathe login`, without leaving the conversation.

import { providerRows } from "@lathe/llm/providers";
import { modelsOf } from "../../models/connect.ts";
import { credentialStore } from "../../models/credentials.ts";
import { type Account, accountOf, keyFrom, signIn } from "../../models/sign-in.ts";
import { usageError } from "../../usage/exit.ts";
import type { Conversation } from "../conversation.ts";
import { chooseFrom } from "./choice.ts";
import type { CommandView, SlashCommand } from "./command.ts";

const providers = (typed: string): string[] =>
  providerRows.filter(({ id, unsupported }) => unsupported === undefined && id.startsWith(typed)).map(({ id }) => id);

const login: SlashCommand = {
  name: "login",
  arguments: "[provider]",
  description: "store a key or sign in for a provider",
  whileWorking: true,
  complete: (_conversation, typed) => providers(typed),
  run: async (conversation, named, view) => {
    const { workspace } = conversation;
    if (/\s/.test(named)) throw usageError("/login takes one provider, and then asks for the key.");
    const provider = named === "" ? await chosenProvider(view) : named;
    if (provider === undefined) return;
    const account = await accountOf(workspace, provider, "login");
    const credential = account.oauth ? await signedIn(conversation, account, view) : await typedKey(account, view);
    if (!credential) return view.line("Nothing was stored.", "dim");
    const where = await credentialStore(workspace).set(account.id, credential);
    (await modelsOf(workspace)).reached(account.id);
    view.line(
      `Stored for ${account.name} in the ${where === "keyring" ? "system keyring" : "credentials file"}. Choose a model: /model`,
      "dim",
    );
  },
};

function chosenProvider(view: CommandView): Promise<string | undefined> {
  const rows = providerRows.filter(({ unsupported }) => unsupported === undefined);
  const items = rows.map(({ id, name }) => ({ value: id, label: id, detail: name }));
  return chooseFrom(view, { title: "Provider", items });
}

async function typedKey(account: Account, view: CommandView) {
  if (!view.askSecret) throw usageError(`A key cannot be typed unseen here. Use: lathe login ${account.id}`);
  const typed = await view.askSecret(`Key for ${account.name} (hidden): `);
  return typed === undefined ? undefined : keyFrom(account, typed);
}

async function signedIn({ workspace }: Conversation, account: Account, view: CommandView) {
  const ways = [
    { value: "account" as const, label: "Sign in with your account" },
    { value: "key" as const, label: "Use an API key" },
  ];
  const way = await chooseFrom(view, { title: account.name, items: ways });
  if (way === undefined || !account.oauth) return undefined;
  if (way === "key") return typedKey(account, view);
  const stop = new AbortController();
  return signIn(account.oauth, workspace.machine, { show: (line) => view.line(line), signal: stop.signal });
}

const logout: SlashCommand = {
  name: "logout",
  arguments: "[provider]",
  description: "delete a provider's stored credential",
  whileWorking: true,
  complete: ({ workspace }, typed) =>
    credentialStore(workspace)
      .providers()
      .filter((id) => id.startsWith(typed)),
  run: async ({ workspace }, named, view) => {
    const store = credentialStore(workspace);
    const stored = store.providers();
    if (named === "" && stored.length === 0) throw usageError("No credential is stored here.");
    const items = stored.map((id) => ({ value: id, label: id }));
    const provider = named === "" ? await chooseFrom(view, { title: "Delete the credential of", items }) : named;
    if (provider === undefined) return;
    const found = await store.remove(provider);
    view.line(found ? `Deleted the credential of ${provider}.` : `Nothing was stored for ${provider}.`, "dim");
  },
};

export const loginCommands: readonly SlashCommand[] = [login, logout];
