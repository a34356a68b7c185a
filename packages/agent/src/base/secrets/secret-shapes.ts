// What looks like a secret although the user did not name it: keys of well-known services, tokens, private keys. A guess, so only for
// what leaves the machine (exports, reports), never for what a session works with.

import { isDistinctive } from "./secret-values.ts";

interface Shape {
  readonly name: string;
  /** A global pattern. The group `secret` is replaced, or the whole match where there is no group. */
  readonly pattern: RegExp;
  /** The secret has to look like chance, not like words. */
  readonly isWordLike?: boolean;
}

/** No part of one long word (a picture, a hash) is a key. In JSON a line break before it looks like the letter n. */
const BEFORE = "(?:(?<=\\\\[nrt])|(?<![A-Za-z0-9_-]))";
const AFTER = "(?![A-Za-z0-9_-])";
const word = (name: string, ...patterns: readonly string[]): Shape => ({
  name,
  pattern: new RegExp(`${BEFORE}(?:${patterns.join("|")})${AFTER}`, "g"),
});

const SHAPES: readonly Shape[] = [
  {
    name: "private-key",
    // In JSON its line breaks are written as \n; of one that was cut off the beginning is enough.
    pattern:
      /-----BEGIN [A-Z0-9 ]*PRIVATE KEY(?: BLOCK)?-----(?:[^-]{0,20000}-----END [A-Z0-9 ]*PRIVATE KEY(?: BLOCK)?-----|[A-Za-z0-9+/=\s\\:,-]{0,20000})/g,
  },
  word("age-key", "AGE-SECRET-KEY-1[0-9A-Z]{58}"),
  word("json-web-token", "eyJ[\\w-]{10,}\\.eyJ[\\w-]{10,}\\.[\\w-]{16,}"),
  { ...word("api-key", "sk-[\\w-]{20,}", "sk-ant-[\\w-]{20,}", "pk-lf-[\\w-]{20,}"), isWordLike: true },
  word("github-token", "gh[pousr]_[A-Za-z0-9]{36,255}", "github_pat_[A-Za-z0-9_]{50,}"),
  word("gitlab-token", "gl(?:pat|dt|rt|cbt|ptt|ft|imt|agent|oas|soat)-[\\w-]{20,}"),
  word("slack-token", "xox[abeoprs]-[A-Za-z0-9-]{20,}", "xapp-\\d-[A-Za-z0-9-]{20,}"),
  { name: "slack-webhook", pattern: /hooks\.slack\.com\/services\/(?<secret>T\w{6,}\/B\w{6,}\/\w{16,})/g },
  word("aws-key-id", "(?:AKIA|ASIA|ABIA|ACCA)[0-9A-Z]{16}"),
  { name: "aws-secret", pattern: /aws_?secret_?access_?key\W{1,6}(?<secret>[A-Za-z0-9/+]{40})(?![A-Za-z0-9/+])/gi },
  word("google-key", "AIza[\\w-]{35}", "GOCSPX-[\\w-]{28}"),
  { name: "google-token", pattern: /(?<![\w+/-])ya29\.[\w-]{20,}/g },
  word("stripe-key", "[sr]k_(?:live|test)_[A-Za-z0-9]{16,}", "whsec_[A-Za-z0-9+/=]{32,}"),
  word("npm-token", "npm_[A-Za-z0-9]{36}"),
  word("pypi-token", "pypi-[\\w-]{50,}"),
  word("hugging-face-token", "hf_[A-Za-z0-9]{30,}"),
  word("api-key", "xai-[A-Za-z0-9]{40,}", "gsk_[A-Za-z0-9]{40,}", "pplx-[A-Za-z0-9]{40,}", "nvapi-[\\w-]{40,}"),
  word("api-key", "r8_[A-Za-z0-9]{37}", "fw_[A-Za-z0-9]{22,24}", "tvly-[\\w-]{28,}", "lin_api_[A-Za-z0-9]{32,}"),
  word("sendgrid-key", "SG\\.[\\w-]{22}\\.[\\w-]{43}"),
  word("digital-ocean-token", "do[opr]_v1_[a-f0-9]{64}"),
  word("shopify-token", "shp(?:at|ca|pa|ss)_[a-fA-F0-9]{32}"),
  word("vault-token", "hv[sbr]\\.[\\w-]{24,}"),
  word("docker-token", "dckr_(?:pat|oat)_[\\w-]{20,}"),
  word("tailscale-key", "tskey-[a-z]+-[A-Za-z0-9]{8,}-[A-Za-z0-9]{16,}"),
  word("telegram-token", "\\d{8,10}:AA[\\w-]{33}"),
  {
    name: "credential",
    pattern: /authorization\W{1,5}(?:bearer|basic|token) +(?<secret>[\w.~+/=-]{16,})/gi,
    isWordLike: true,
  },
  {
    name: "password",
    pattern: /\b[a-z][a-z0-9+.-]*:\/\/[^\s/:@"'<>]{0,200}:(?<secret>[^\s/:@"'<>$]{6,200})@/gi,
    isWordLike: true,
  },
  {
    name: "credential",
    pattern:
      /(?<![A-Z0-9_])[A-Z0-9_]*(?:API_KEY|SECRET_KEY|ACCESS_KEY|PRIVATE_KEY|TOKEN|SECRET|PASSWORD|PASSWD)\\?["']?\s*[=:]\s*\\?["']?(?<secret>[\w.~+/=@!%^&*-]{12,})/g,
    isWordLike: true,
  },
];

/** Replaces each by `[redacted:<kind>]`. */
export function withoutSecretShapes(text: string): string {
  return SHAPES.reduce(
    (rest, { name, pattern, isWordLike }) =>
      rest.replace(pattern, (...match: unknown[]) => {
        const whole = match[0] as string;
        const groups = match.at(-1) as { readonly secret?: string } | string | undefined;
        const secret = (typeof groups === "object" ? groups.secret : undefined) ?? whole;
        if (isWordLike && !looksLikeChance(secret)) return whole;
        // The last place where it stands: what comes before names it, and may repeat a part of it.
        const at = whole.lastIndexOf(secret);
        return `${whole.slice(0, at)}[redacted:${name}]${whole.slice(at + secret.length)}`;
      }),
    text,
  );
}

const MANY_DIFFERENT = 8;

/** `sk-fading-circle-something` and `process.env.API_TOKEN` are no secrets; nor is what is replaced already. */
function looksLikeChance(text: string): boolean {
  if (!isDistinctive(text) || text.startsWith("[redacted") || /^[a-z_.]+$/i.test(text)) return false;
  return new Set(text).size >= MANY_DIFFERENT && (text.match(/\d/g)?.length ?? 0) >= 2;
}
