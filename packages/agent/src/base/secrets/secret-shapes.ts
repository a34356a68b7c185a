// Recognises text that looks like a secret although the user did not name it: keys of well-known services, tokens,
// private keys. This is a guess, so it applies only to what leaves the machine (exports, reports), never to what a
// session works with.

import { isDistinctive, isTemplate } from "./secret-values.ts";

interface Shape {
  readonly name: string;
  /** A global pattern. The group `secret` is replaced. */
  readonly pattern: RegExp;
  /**
   * Lowercase words of which a text must contain one for the pattern to match. Searching for a word is faster than
   * compiling a pattern.
   */
  readonly needs: readonly string[];
  /** Whether the match is a secret; always if absent. */
  readonly isSecret?: (text: string) => boolean;
}

/** A part of one long word (a picture, a hash) is not a key. In JSON, a preceding line break ends in the letter n. */
const BEFORE = "(?:(?<=\\\\[nrt])|(?<![A-Za-z0-9_-]))";
const AFTER = "(?![A-Za-z0-9_-])";

/** Tokens that are recognisable by themselves. */
const WORDS: readonly (readonly [name: string, ...patterns: string[]])[] = [
  ["age-key", "AGE-SECRET-KEY-1[0-9A-Z]{58}"],
  ["json-web-token", "eyJ[\\w-]{10,}\\.eyJ[\\w-]{10,}\\.[\\w-]{16,}"],
  ["api-key", "sk-[\\w-]{20,}", "pk-lf-[\\w-]{20,}"],
  ["github-token", "gh[pousr]_[A-Za-z0-9]{36,255}", "github_pat_[A-Za-z0-9_]{50,}"],
  ["gitlab-token", "gl(?:pat|dt|rt|cbt|ptt|ft|imt|agent|oas|soat)-[\\w-]{20,}"],
  ["slack-token", "xox[abeoprs]-[A-Za-z0-9-]{20,}", "xapp-\\d-[A-Za-z0-9-]{20,}"],
  ["aws-key-id", "(?:AKIA|ASIA|ABIA|ACCA)[0-9A-Z]{16}"],
  ["google-key", "AIza[\\w-]{35}", "GOCSPX-[\\w-]{28}"],
  ["google-token", "ya29\\.[\\w-]{20,}"],
  ["stripe-key", "[sr]k_(?:live|test)_[A-Za-z0-9]{16,}", "whsec_[A-Za-z0-9+/=]{32,}"],
  ["npm-token", "npm_[A-Za-z0-9]{36}"],
  ["pypi-token", "pypi-[\\w-]{50,}"],
  ["hugging-face-token", "hf_[A-Za-z0-9]{30,}"],
  ["api-key", "xai-[A-Za-z0-9]{40,}", "gsk_[A-Za-z0-9]{40,}", "pplx-[A-Za-z0-9]{40,}", "nvapi-[\\w-]{40,}"],
  ["api-key", "r8_[A-Za-z0-9]{37}", "fw_[A-Za-z0-9]{22,24}", "tvly-[\\w-]{28,}", "lin_api_[A-Za-z0-9]{32,}"],
  ["sendgrid-key", "SG\\.[\\w-]{22}\\.[\\w-]{43}"],
  ["digital-ocean-token", "do[opr]_v1_[a-f0-9]{64}"],
  ["shopify-token", "shp(?:at|ca|pa|ss)_[a-fA-F0-9]{32}"],
  ["vault-token", "hv[sbr]\\.[\\w-]{24,}"],
  ["docker-token", "dckr_(?:pat|oat)_[\\w-]{20,}"],
  ["tailscale-key", "tskey-[a-z]+-[A-Za-z0-9]{8,}-[A-Za-z0-9]{16,}"],
  ["telegram-token", "\\d{8,10}:AA[\\w-]{33}"],
];
/** One pattern for all, so that a text is scanned once. Group numbers start at 1. */
const ANY_WORD = new RegExp(
  `${BEFORE}(?:${WORDS.map(([, ...patterns]) => `(${patterns.join("|")})`).join("|")})${AFTER}`,
  "g",
);

/** In JSON, its line breaks are written as \\n; if the key was cut off, its beginning is enough. */
const PRIVATE_KEY =
  /-----BEGIN [A-Z0-9 ]*PRIVATE KEY(?: BLOCK)?-----(?:[^-]{0,20000}-----END [A-Z0-9 ]*PRIVATE KEY(?: BLOCK)?-----|[A-Za-z0-9+/=\s\\:,-]{0,20000})/g;

/** `config.v2.key1` */
const MEMBER = /^[a-z_]\w{0,20}(?:\.[a-z_]\w{0,20})+$/i;

/** Secrets that are recognisable by the text before them. */
const SHAPES: readonly Shape[] = [
  {
    name: "slack-webhook",
    needs: ["hooks.slack.com"],
    pattern: /hooks\.slack\.com\/services\/(?<secret>T\w{6,}\/B\w{6,}\/\w{16,})/g,
  },
  {
    name: "aws-secret",
    needs: ["secret"],
    pattern: /aws_?secret_?access_?key\W{1,6}(?<secret>[A-Za-z0-9/+]{40})(?![A-Za-z0-9/+])/gi,
  },
  {
    name: "credential",
    needs: ["authorization"],
    pattern: /authorization\W{1,5}(?:bearer|basic|token) +(?<secret>[\w.~+/=-]{16,})/gi,
    isSecret: looksLikeChance,
  },
  {
    name: "password",
    needs: ["@"],
    pattern: /:\/\/[^\s/:@"'<>]{0,200}:(?<secret>[^\s/:@"'<>$]{6,200})@/g,
    isSecret: looksLikeChance,
  },
  {
    name: "credential",
    needs: ["@"],
    pattern: /:\/\/(?<secret>[^\s/:@"'<>$]{10,200})(?=(?::[^\s/:@"'<>]{0,200})?@)/g,
    isSecret: looksLikeChance,
  },
  {
    name: "credential",
    needs: ["key", "token", "secret", "passw"],
    pattern:
      /(?:API_?KEY|SECRET_?KEY|ACCESS_?KEY|PRIVATE_?KEY|TOKEN|SECRET|PASSWORD|PASSWD)\\?["']?\s*[=:]\s*\\?["']?(?<secret>[\w.~+/=@!%^*-]{12,})/gi,
    isSecret: looksLikeChance,
  },
  // Shorter secrets: `"password": "…"` in data, code or a form, where the value may also be a type.
  {
    name: "password",
    needs: ["pass"],
    pattern: /(?:password|passwd|passphrase)\\?["']\s*[=:]\s*\\?["'](?<secret>[^\s"'\\]{4,200})\\?["']/gi,
    isSecret: isNoLabel,
  },
  {
    name: "password",
    needs: ["pass"],
    pattern: /(?:password|passwd|passphrase)\s*[=:]\s*\\?["']?(?<secret>[^\s"'`\\,;&<>(){}[\]$]{5,200})(?![(.[\w])/gi,
    isSecret: (text) => isNoLabel(text) && /\d/.test(text) && /[a-z]/i.test(text) && !MEMBER.test(text),
  },
];

/** Replaces each secret by `[redacted:<kind>]`. */
export function withoutSecretShapes(text: string): string {
  const lower = text.toLowerCase();
  const keyless = lower.includes("private key") ? text.replace(PRIVATE_KEY, "[redacted:private-key]") : text;
  const plain = keyless.replace(ANY_WORD, (word: string, ...groups) => {
    const [name] = WORDS[groups.findIndex((group) => group !== undefined)]!;
    // Names of styles also begin with `sk-`.
    return name === "api-key" && !looksLikeChance(word) ? word : `[redacted:${name}]`;
  });
  return SHAPES.filter(({ needs }) => needs.some((word) => lower.includes(word))).reduce(
    (rest, { name, pattern, isSecret }) =>
      rest.replace(pattern, (...match: unknown[]) => {
        const whole = match[0] as string;
        const { secret } = match.at(-1) as { readonly secret: string };
        if (isSecret?.(secret) === false) return whole;
        // The last occurrence: the text before it names the secret and may repeat part of it.
        const at = whole.lastIndexOf(secret);
        return `${whole.slice(0, at)}[redacted:${name}]${whole.slice(at + secret.length)}`;
      }),
    plain,
  );
}

/** Redacts the value of a data field, if it is a secret. */
export function withoutPassword(field: string, text: string): string {
  return /(?:password|passwd|passphrase)$/i.test(field) && !/\s/.test(text) && isNoLabel(text)
    ? "[redacted:password]"
    : text;
}

/** What types, forms and templates contain in place of a password, and what is already redacted. */
const LABEL =
  /^(?:string|text|number|boolean|true|false|null|none|undefined|required|optional|hidden|masked|secret|token|(?:new|old|current|confirm)?[-_]?passw\w*|passphrase|\*+|\.+)$/i;
const CONSTANT = /^[A-Z][A-Z0-9]*(?:_[A-Z0-9]+)+$/;

function isNoLabel(text: string): boolean {
  const isLabel = LABEL.test(text) || CONSTANT.test(text) || isTemplate(text) || text.startsWith("[redacted");
  return text.length >= 4 && !isLabel;
}

const MANY_DIFFERENT = 8;

/** `sk-fading-circle-something` and `process.env.API_TOKEN` are not secrets, nor is text that is already redacted. */
function looksLikeChance(text: string): boolean {
  if (!isDistinctive(text) || text.startsWith("[redacted") || /^[a-z_.]+$/i.test(text) || MEMBER.test(text))
    return false;
  return new Set(text).size >= MANY_DIFFERENT && (text.match(/\d/g)?.length ?? 0) >= 2;
}
