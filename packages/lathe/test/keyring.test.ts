// Credentials in a real keyring: gnome-keyring on its own bus.

import { spawn } from "node:child_process";
import { chmod, mkdir, readFile, writeFile } from "node:fs/promises";
import { createRequire } from "node:module";
import { join } from "node:path";
import { startModelServer, turn } from "@lathe/testkit";
import { expect, it } from "vitest";
import { has } from "../../agent/test/programs.ts";
import { CLI, collect, sandbox } from "./command.ts";

/** The bus ends with the script, and the keyring with the bus. */
const SCRIPT = `set -e
umask 077
printf 'login\\n' | gnome-keyring-daemon --unlock --components=secrets > /dev/null
seen() { secret-tool search --all service lathe 2> /dev/null | grep -c "$1" || true; }
lathe() { "$NODE" "$CLI" "$@" < /dev/null 2>&1; }
say() { echo "== $*"; }
say before; lathe auth status
say older; "$NODE" -e 'new (require(process.env.KEYRING).Entry)("lathe", "anthropic").setPassword(process.env.OLD)'
printf '{"anthropic":{"type":"keyring"}}' > "$LATHE_HOME/auth.json"
lathe auth status; lathe logout anthropic; seen sk-older
printf 'sk-in-ring' | "$NODE" "$CLI" login openai --account work > /dev/null
printf 'sk-second' | "$NODE" "$CLI" login openai --account home > /dev/null
say stored; seen sk-in-ring; lathe auth status openai
say asked; lathe --no-session --model openai/gpt-5.2 -p hi
say renamed; printf 'sk-newer' | "$NODE" "$CLI" login openai --account work; seen sk-in-ring; seen sk-newer
say deleted; lathe logout openai --account work; seen sk-newer; seen sk-second
lathe logout openai; seen sk-second; lathe auth status
`;

it.skipIf(!has("gnome-keyring-daemon", "dbus-run-session", "secret-tool"))(
  "AU-01 a real keyring holds the secrets of several accounts, also one of the version before, and the file none (needs gnome-keyring-daemon, dbus-run-session, secret-tool)",
  async () => {
    const box = await sandbox();
    const server = await startModelServer({ script: () => turn.text("ok") });
    const runtime = join(box.home, "runtime");
    await mkdir(runtime, { mode: 0o700 });
    await chmod(runtime, 0o700);
    const authFile = join(box.home, ".lathe/auth.json");
    const script = join(box.home, "session.sh");
    await writeFile(script, SCRIPT);
    const env = {
      ...box.env,
      XDG_RUNTIME_DIR: runtime,
      XDG_DATA_HOME: join(box.home, "data"),
      OPENAI_BASE_URL: server.baseUrl("openai"),
      NODE: process.execPath,
      CLI,
      KEYRING: createRequire(import.meta.url).resolve("@napi-rs/keyring"),
      OLD: JSON.stringify({ type: "api_key", key: "sk-older" }),
    };
    try {
      const { code, stdout } = await collect(spawn("dbus-run-session", ["--", "bash", script], { cwd: box.dir, env }));
      const parts = stdout.split(/^== /m).slice(1);
      expect(parts.map((part) => part.trimEnd().replace(/ +/g, " "))).toEqual([
        expect.stringMatching(/^before\nNo credentials\./),
        "older\nanthropic stored key\nDeleted the credential of Anthropic.\n0",
        'stored\n1\nopenai stored key "work"\n * stored key "work"\n - stored key "home"',
        "asked\nok",
        'renamed\nStored for OpenAI as "work" in the system keyring.\n0\n1',
        'deleted\nDeleted the account "work" of OpenAI.\n0\n1\nDeleted the credential of OpenAI.\n0\nNo credentials. Set a key such as ANTHROPIC_API_KEY, or run: lathe login <provider>',
      ]);
      expect(code).toBe(0);
      expect(server.requests.map(({ headers }) => headers.authorization)).toEqual(["Bearer sk-in-ring"]);
      expect(await readFile(authFile, "utf8")).toBe("{}\n");
    } finally {
      await server.close();
      await box.remove();
    }
  },
);
