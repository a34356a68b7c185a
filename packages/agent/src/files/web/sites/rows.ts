// Every site that is read through its API, in the order in which they are tried.

import { arxiv } from "./arxiv.ts";
import { cratesIo } from "./crates-io.ts";
import { docsRs } from "./docs-rs.ts";
import { github } from "./github.ts";
import { gitlab } from "./gitlab.ts";
import { goPackages } from "./go-packages.ts";
import { hackerNews } from "./hacker-news.ts";
import { maven } from "./maven.ts";
import { mdn } from "./mdn.ts";
import { npm } from "./npm.ts";
import { nvd } from "./nvd.ts";
import { osv } from "./osv.ts";
import { pypi } from "./pypi.ts";
import { reddit } from "./reddit.ts";
import { rfc } from "./rfc.ts";
import type { Site } from "./site.ts";
import { stackExchange } from "./stack-exchange.ts";
import { wikipedia } from "./wikipedia.ts";

export const SITES: readonly Site[] = [
  ...[github, gitlab],
  ...[npm, pypi, cratesIo, docsRs, goPackages, maven],
  ...[stackExchange, hackerNews, reddit],
  ...[arxiv],
  ...[nvd, osv],
  ...[wikipedia, mdn, rfc],
];
