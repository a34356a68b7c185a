// Network addresses that a text names: the destination to which a planted sentence leads stays the same however it is
// reworded.

const SCHEME = /\b[a-z][a-z0-9+.-]*:\/\/(?:[^\s/@]*@)?(\[[0-9a-f:.]+\]|[^\s/:?#"'`<>()|,;]+)/gi;
const MAIL = /[\w.+-]+@([\w-]+(?:\.[\w-]+)+)/g;
const NUMBERS = /(?<![\w.])(\d{1,3}(?:\.\d{1,3}){3})(?![\w.]*\w)/g;
/** `host.name/path` and `host.name:80`, but not `src/a.ts:12`. */
const WITH_MORE = /(?<![\w./@-])([a-z0-9][\w-]*(?:\.[\w-]+)*\.[a-z]{2,})(?=\/\w|:\d{2,5}\b(?!:))/gi;
const BARE =
  /(?<![\w/@-])((?:[a-z0-9][\w-]*\.)+(?:ai|app|biz|cloud|com|dev|edu|example|gov|info|internal|invalid|io|lan|local|net|org|test|xyz))(?![\w-])/gi;

/** File names look the same. */
const FILE = /\.(?:c|cpp|css|csv|go|h|html|java|[cm]?jsx?|json|lock|md|py|rs|sh|sql|toml|[cm]?tsx?|txt|xml|ya?ml)$/;

/** Names of this machine do not count. */
const HERE = /^(?:localhost|127(?:\.\d+){3}|0\.0\.0\.0|\[::1?\])$/;

/** The hosts in lower case, without duplicates. */
export function networkNamesIn(text: string): readonly string[] {
  const plain = text.normalize("NFKC");
  const hosts = (pattern: RegExp): readonly string[] =>
    [...plain.matchAll(pattern)].map(([, host = ""]) => host.toLowerCase().replace(/\.$/, ""));
  const found = [SCHEME, MAIL, NUMBERS, BARE].flatMap(hosts);
  return [...new Set([...found, ...hosts(WITH_MORE).filter((host) => !FILE.test(host))])].filter(
    (host) => host !== "" && !HERE.test(host),
  );
}

/** Whether the text names the host, alone or as part of an address. */
export function mentionsHost(text: string, host: string): boolean {
  const lower = text.toLowerCase();
  for (let at = lower.indexOf(host); at >= 0; at = lower.indexOf(host, at + 1))
    if (!/[\w-]/.test(lower[at - 1] ?? "") && !/[\w-]/.test(lower[at + host.length] ?? "")) return true;
  return false;
}
