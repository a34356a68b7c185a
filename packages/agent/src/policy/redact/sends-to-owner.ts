// Whether a command uses secrets only to send them to the hosts that they belong to (decision 0309). This is strict: a
// single curl, every word of it understood, each secret in a position that only the host reads.

import type { Access } from "../../contract/tool.ts";
import type { ShownSecret } from "./redactor.ts";

/** Flags that change neither where a request goes nor how what was sent is shown. */
const FLAGS = /^(?:-[sSfiIG]+|--silent|--show-error|--fail|--include|--head|--get|--compressed)$/;
const VALUED = new Set("-H --header -d --data --data-raw --json -u --user -m --max-time --connect-timeout".split(" "));
/** TRACE would return the request in its answer. */
const METHODS = /^(?:GET|HEAD|POST|PUT|PATCH|DELETE)$/;
/** A host may publish or return what is elsewhere in a request, such as in the body. */
const HEADER = /^(?:authorization|x-api-key|api-key|x-goog-api-key|private-token|x-auth-token): [^\r\n]*$/i;
/** Stricter than any client's syntax, so that no client finds another host in it. */
const ADDRESS =
  /^(?<scheme>https?):\/\/(?:(?<login>[\w.~%!$&'()*+,;=:-]*)@)?(?<host>(?<name>[\w.-]+)(?::\d+)?)(?<rest>[/?#][^\s\\@{}[\]]*)?$/;
const LOOPBACK = /^(?:localhost|127(?:\.\d{1,3}){3})$/;

/** `access`: of the call with the values inserted. `used`: one entry per occurrence of a value. */
export function sendsToOwner(access: readonly Access[], used: readonly ShownSecret[]): boolean {
  const [item] = access;
  if (access.length !== 1 || item?.kind !== "exec" || item.part === undefined || item.outside) return false;
  const { part } = item;
  const more = [part.unknown, part.outer, part.through, part.assignments, part.writes, part.reads, part.trees];
  if (!part.isLiteral || more.some((list) => list.length > 0)) return false;
  if ((item.doubt ?? part.doubt ?? part.danger ?? part.strange) !== undefined) return false;
  const [program, ...words] = part.words;
  const sent = program === "curl" ? sentParts(words) : undefined;
  if (sent === undefined || sent.hosts.length === 0) return false;
  const isOwn = used.every(({ hosts }) => sent.hosts.every((host) => hosts.includes(host)));
  const values = new Set(used.map(({ value }) => value));
  const places = [...values].reduce((sum, value) => sum + sent.credentials.split(value).length - 1, 0);
  return isOwn && places === used.length;
}

/**
 * The hosts that the request goes to, and the parts of it that are credentials. Undefined if a word is not understood.
 */
function sentParts(words: readonly string[]): { hosts: readonly string[]; credentials: string } | undefined {
  const hosts: string[] = [];
  const credentials: string[] = [];
  for (let at = 0; at < words.length; at++) {
    const word = words[at]!;
    if (FLAGS.test(word)) continue;
    if (word === "-X" || word === "--request") {
      if (!METHODS.test(words[++at] ?? "")) return undefined;
    } else if (VALUED.has(word)) {
      const value = words[++at] ?? "";
      const isHeader = word === "-H" || word === "--header";
      if (word === "-u" || word === "--user" || (isHeader && HEADER.test(value))) credentials.push(value);
    } else {
      const { scheme, login = "", host = "", name = "" } = ADDRESS.exec(word)?.groups ?? {};
      if (scheme === undefined || (scheme === "http" && !LOOPBACK.test(name))) return undefined;
      hosts.push(host.toLowerCase());
      credentials.push(login);
    }
  }
  return { hosts, credentials: credentials.join("\n") };
}
