// File operations written as POSIX shell, for environments that can only run commands. The scripts use only what
// busybox supports; exit codes 64 to 70 are ours and mean the failures that callers distinguish.

import { dirname, relative, resolve } from "node:path/posix";
import { type PathErrorCode, pathError } from "./fs-error.ts";
import { byPath } from "./search/results.ts";
import { type DirEntry, EnvError, type FileStat, type PathOptions, type WriteOptions } from "./types.ts";

/** A script with its arguments `$1`, `$2` …, to be run by `sh` on the far side. */
export interface ScriptCall {
  readonly script: string;
  readonly args: readonly string[];
  readonly stdin?: Uint8Array | undefined;
  /** Not idempotent: if it is unknown whether the script ran, it is not retried. */
  readonly once?: boolean | undefined;
}

/** Runs a script on the far side. */
export type RunScript = (call: ScriptCall) => Promise<ScriptResult>;

export interface ScriptResult {
  readonly exitCode: number;
  readonly stdout: Buffer;
  readonly stderr: string;
}

const CODES: Readonly<Record<number, PathErrorCode>> = {
  64: "not_found",
  65: "is_directory",
  66: "not_directory",
  67: "permission_denied",
  68: "no_space",
  69: "changed",
  70: "not_file",
};

const ABSENT = `
up() { case $1 in */*) up=\${1%/*}; [ -n "$up" ] || up=/ ;; *) up=. ;; esac; }
nearest() { up "$1"; while [ ! -e "$up" ] && [ "$up" != / ]; do up "$up"; done; [ -d "$up" ] || exit 66; }
absent() { nearest "$1"; exit 64; }
`;

// Not readlink -f: busybox returns a wrong path for a dangling link.
const LINKED = `
linked() { link=$(readlink "$1"); case $link in /*) ;; *) up "$1"; link=$(cd -P "$up" && pwd -P)/$link ;; esac; }
`;

// Enters the directory of a real path, creating missing parts, and refuses links on the way. Later steps use names in
// the current directory, which stays the same whatever happens to its path.
const ENTER = `
enter() {
  up "$1"; at=$up; rest=
  while [ ! -e "$at" ] && [ ! -L "$at" ]; do rest=/\${at##*/}$rest; up "$at"; at=$up; done
  [ -d "$at" ] || exit 66
  cd -P "$at" 2>/dev/null || exit 67
  [ "$(pwd -P)" = "$at" ] || exit 69
  while [ -n "$rest" ]; do
    part=\${rest#/}; part=\${part%%/*}; rest=\${rest#/"$part"}; at=\${at%/}/$part
    mkdir "./$part" 2>/dev/null
    cd -P "./$part" 2>/dev/null || exit 67
    [ "$(pwd -P)" = "$at" ] || exit 69
  done
}
`;

const READ = `${ABSENT}
[ -e "$1" ] || absent "$1"
[ -d "$1" ] && exit 65
[ -f "$1" ] || exit 70
[ -r "$1" ] || exit 67
if [ -n "$2" ]; then tail -c "+$2" "$1" | head -c "$3"; else exec cat "$1"; fi
`;

// The size is checked before the rename, because a broken connection looks like the end of the input. A writable file
// in a directory that is not ours, or that another user owns, cannot be replaced and is written in place.
const WRITE = `${ABSENT}${LINKED}${ENTER}
target=$1; hops=0
if [ -n "$6" ]; then enter "$1"; target=./\${1##*/}; [ -L "$target" ] && exit 69; fi
while [ -L "$target" ]; do
  hops=$((hops + 1)); [ $hops -gt 40 ] && exit 64
  linked "$target"; target=$link
done
up "$target"
mkdir -p "$up" 2>/dev/null || { nearest "$target"; [ -w "$up" ] || exit 67; exit 1; }
[ -d "$target" ] && exit 65
if [ -e "$target" ]; then
  [ -f "$target" ] || exit 70
  [ -w "$target" ] || exit 67
  mode=$(stat -c %a "$target"); owner=$(stat -c %u:%g "$target")
fi
up "$target"
temp="$up/$2"; inplace=
if [ -e "$target" ] && [ ! -w "$up" ]; then inplace=1; temp=$(mktemp) || exit 1; fi
trap 'rm -f "$temp"' EXIT
[ -z "$4$mode" ] || umask 077
cat > "$temp" || { [ -w "$up" ] || exit 67; exit 1; }
[ "$(wc -c < "$temp")" -eq "$3" ] || { echo "incomplete transfer" >&2; exit 68; }
if [ -n "$owner" ] && [ "$owner" != "$(id -u):$(id -g)" ]; then chown "$owner" "$temp" 2>/dev/null || inplace=1; fi
written=$temp
if [ -n "$inplace" ]; then cat "$temp" > "$target" || exit 1; written=$target; mode=; fi
[ -n "$4$mode" ] && chmod "\${4:-$mode}" "$written"
if [ -n "$5" ]; then mode=0$(stat -c %a "$written"); chmod "$(printf %o $((mode | (mode & 0444) >> 2)))" "$written"; fi
[ -n "$6" ] && [ -L "$target" ] && exit 69
[ -n "$inplace" ] || mv -f "$temp" "$target"
`;

const DELETE = `${ABSENT}${ENTER}
[ -e "$1" ] || [ -L "$1" ] || absent "$1"
[ -d "$1" ] && [ ! -L "$1" ] && exit 65
up "$1"; [ -w "$up" ] || exit 67
if [ -n "$2" ]; then enter "$1"; rm -f "./\${1##*/}"; else rm -f "$1"; fi
`;

const MOVE = `${ABSENT}${ENTER}
[ -e "$1" ] || [ -L "$1" ] || absent "$1"
if [ -n "$3" ]; then
  enter "$1"; exec 7<.
  enter "$2"; target=./\${2##*/}
  [ -L "$target" ] && rm -f "$target"
  [ -d "$target" ] && { echo "$2" >&2; exit 65; }
  mv -f "/proc/self/fd/7/\${1##*/}" "$target"
else
  [ -d "$2" ] && { echo "$2" >&2; exit 65; }
  up "$2"; mkdir -p "$up" && mv -f "$1" "$2"
fi
`;

const STAT = `${ABSENT}${LINKED}
if [ ! -e "$1" ]; then
  [ -L "$1" ] || exit 0
  echo 'a000 0 0 777'; echo 1
  linked "$1"; echo "$link"
  exit 0
fi
[ -L "$1" ] && link=1 || link=0
stat -L -c '%f %s %Y %a' "$1" && echo "$link" && readlink -f "$1"
`;

const LIST = `${ABSENT}
[ -e "$1" ] || absent "$1"
[ -d "$1" ] || exit 66
[ -r "$1" ] || exit 67
find "$1/" -mindepth 1 -maxdepth "$2" -exec stat -c '%f %s %Y %n' {} + 2>/dev/null
:
`;

const LINKS = `for path; do
  if [ -d "$path" ]; then echo d; else stat -L -c %s "$path" 2>/dev/null || echo -; fi
done`;

export class ShellFiles {
  readonly #run: RunScript;

  constructor(run: RunScript) {
    this.#run = run;
  }

  async readBytes(path: string, range?: { start: number; end: number }): Promise<Buffer> {
    const window = range === undefined ? [] : [String(range.start + 1), String(Math.max(0, range.end - range.start))];
    return (await this.#script({ script: READ, args: [path, ...window] })).stdout;
  }

  async writeFile(path: string, content: string | Uint8Array, temp: string, options: WriteOptions): Promise<void> {
    const bytes = Buffer.from(content as Uint8Array);
    const mode = options.mode?.toString(8) ?? "";
    const flags = [options.executable ? "x" : "", options.noLinks ? "real" : ""];
    const args: [string, ...string[]] = [path, temp, String(bytes.length), mode, ...flags];
    await this.#script({ script: WRITE, args, stdin: bytes });
  }

  async deleteFile(path: string, { noLinks }: PathOptions = {}): Promise<void> {
    await this.#script({ script: DELETE, args: [path, noLinks ? "real" : ""], once: true });
  }

  async moveFile(from: string, to: string, { noLinks }: PathOptions = {}): Promise<void> {
    await this.#script({ script: MOVE, args: [from, to, noLinks ? "real" : ""], once: true });
  }

  async stat(path: string): Promise<FileStat | undefined> {
    const text = (await this.#script({ script: STAT, args: [path] })).stdout.toString("utf8");
    const [numbers, link, ...realPath] = text.trimEnd().split("\n");
    const [type, size, seconds, mode] = (numbers ?? "").split(" ");
    if (mode === undefined) return undefined;
    return {
      kind: kindOf(type!),
      size: Number(size),
      mtimeMs: Number(seconds) * 1000,
      mode: Number.parseInt(mode, 8),
      realPath: resolve(dirname(path), realPath.join("\n")),
      isSymlink: link === "1",
    };
  }

  async listDirectory(path: string, depth: number): Promise<DirEntry[]> {
    const { stdout } = await this.#script({ script: LIST, args: [path, String(depth)] });
    const entries: DirEntry[] = [];
    const links: string[] = [];
    for (const { type, size, mtimeMs, name } of statLines(stdout, path)) {
      if (type === "link") links.push(name);
      else entries.push(type === "directory" ? { name, isDir: true, mtimeMs } : { name, isDir: false, size, mtimeMs });
    }
    if (links.length > 0) entries.push(...(await this.#resolveLinks(path, links)));
    return entries.sort((a, b) => byPath(a.name, b.name));
  }

  async #resolveLinks(directory: string, names: readonly string[]): Promise<DirEntry[]> {
    const { stdout } = await this.#run({ script: LINKS, args: names.map((name) => `${directory}/${name}`) });
    const answers = stdout.toString("utf8").split("\n");
    return names.map((name, i) => {
      const answer = answers[i];
      if (answer === "d") return { name, isDir: true, isLink: true };
      return { name, isDir: false, isLink: true, ...(answer !== "-" && { size: Number(answer) }) };
    });
  }

  /** The script's first argument is the path for messages. */
  async #script(call: ScriptCall & { readonly args: readonly [string, ...string[]] }): Promise<ScriptResult> {
    const result = await this.#run(call);
    if (result.exitCode === 0) return result;
    const [path] = call.args;
    const code = CODES[result.exitCode];
    const said = result.stderr.trim();
    if (code !== undefined) throw pathError(code, code === "is_directory" && said !== "" ? said : path);
    if (/No space left/i.test(said)) throw pathError("no_space", path);
    if (/Permission denied/i.test(said)) throw pathError("permission_denied", path);
    if (/Read-only file system/i.test(said)) throw pathError("read_only", path);
    throw new EnvError("io", `${said || `exit code ${result.exitCode}`}: ${path}. Check the path and try again.`, {
      path,
    });
  }
}

interface StatLine {
  readonly type: "file" | "directory" | "link" | "other";
  readonly size: number;
  readonly mtimeMs: number;
  /** Relative to the listed directory. */
  readonly name: string;
}

/** Parses `%f %s %Y %n` of find and stat; lines that do not begin a new entry belong to a name with line breaks. */
function statLines(stdout: Buffer, directory: string): StatLine[] {
  const lines: StatLine[] = [];
  for (const line of stdout.toString("utf8").split(/\n(?=[0-9a-f]+ \d+ \d+ \/)/)) {
    const [, type, size, seconds, name] = /^([0-9a-f]+) (\d+) (\d+) ([\s\S]*?)\n?$/.exec(line) ?? [];
    if (name === undefined) continue;
    lines.push({
      type: typeOf(type!),
      size: Number(size),
      mtimeMs: Number(seconds) * 1000,
      name: relative(directory, name),
    });
  }
  return lines;
}

function typeOf(hexMode: string): StatLine["type"] {
  const format = Number.parseInt(hexMode, 16) & 0xf000;
  return format === 0x8000 ? "file" : format === 0x4000 ? "directory" : format === 0xa000 ? "link" : "other";
}

function kindOf(hexMode: string): FileStat["kind"] {
  const type = typeOf(hexMode);
  return type === "link" ? "dangling" : type;
}
