// Papers, vulnerabilities and references.

import { type SiteCase, typed } from "./site-case.ts";

export const REFERENCE: readonly SiteCase[] = [
  {
    site: "arxiv",
    url: "https://arxiv.org/abs/2601.00001",
    answers: {
      "https://export.arxiv.org/api/query?id_list=2601.00001": typed(
        "application/atom+xml",
        `<?xml version="1.0"?><feed xmlns="http://www.w3.org/2005/Atom"><title>ArXiv Query</title><entry>
        <id>http://arxiv.org/abs/2601.00001v1</id><published>2026-01-01T00:00:00Z</published><updated>2026-01-02T00:00:00Z</updated>
        <title>On division
          by zero</title><summary>  We divide &amp; fail. </summary><author><name>Ana A</name></author><author><name>Bo B</name></author>
        <arxiv:comment xmlns:arxiv="http://arxiv.org/schemas/atom">9 pages</arxiv:comment>
        <category term="math.GM" scheme="http://arxiv.org/schemas/atom"/></entry></feed>`,
      ),
    },
  },
  {
    site: "nvd",
    url: "https://nvd.nist.gov/vuln/detail/CVE-2026-0001",
    answers: {
      "https://services.nvd.nist.gov/rest/json/cves/2.0?cveId=CVE-2026-0001": {
        vulnerabilities: [
          {
            cve: {
              id: "CVE-2026-0001",
              vulnStatus: "Analyzed",
              published: "2026-01-01T00:00:00.000",
              lastModified: "2026-01-02T00:00:00.000",
              descriptions: [
                { lang: "es", value: "Divide." },
                { lang: "en", value: "The tool divides." },
              ],
              metrics: {
                cvssMetricV31: [
                  {
                    source: "nvd@nist.gov",
                    cvssData: {
                      version: "3.1",
                      vectorString: "CVSS:3.1/AV:N/AC:L/PR:N/UI:N/S:U/C:H/I:H/A:H",
                      baseScore: 9.8,
                      baseSeverity: "CRITICAL",
                    },
                  },
                ],
              },
              weaknesses: [{ description: [{ lang: "en", value: "CWE-369" }] }],
              configurations: [
                {
                  nodes: [
                    {
                      cpeMatch: [
                        {
                          vulnerable: true,
                          criteria: "cpe:2.3:a:octo:tool:*:*:*:*:*:*:*:*",
                          versionEndExcluding: "1.2.1",
                        },
                      ],
                    },
                  ],
                },
              ],
              references: [{ url: "https://tool.example/advisory" }],
            },
          },
        ],
      },
    },
  },
  {
    site: "osv",
    url: "https://osv.dev/vulnerability/GHSA-xxxx-yyyy-zzzz",
    answers: {
      "https://api.osv.dev/v1/vulns/GHSA-xxxx-yyyy-zzzz": {
        id: "GHSA-xxxx-yyyy-zzzz",
        summary: "tool divides",
        details: "It **divides**.",
        aliases: ["CVE-2026-0001"],
        published: "2026-01-01T00:00:00Z",
        modified: "2026-01-02T00:00:00Z",
        severity: [{ type: "CVSS_V3", score: "CVSS:3.1/AV:N" }],
        affected: [
          {
            package: { ecosystem: "npm", name: "tool" },
            ranges: [{ type: "SEMVER", events: [{ introduced: "0" }, { fixed: "1.2.1" }] }],
          },
        ],
        references: [{ type: "WEB", url: "https://tool.example/advisory" }],
      },
    },
  },
  {
    site: "wikipedia",
    url: "https://en.wikipedia.org/wiki/Division_(mathematics)",
    answers: {
      "https://en.wikipedia.org/w/rest.php/v1/page/Division_(mathematics)/html": typed(
        "text/html",
        `<html><head><title>Division</title><base href="//en.wikipedia.org/wiki/"/></head>
        <body class="mw-content-ltr mw-body-content"><section><p><b>Division</b> is an <a rel="mw:WikiLink" href="./Operation_(mathematics)">operation</a>.<sup
        class="mw-ref reference"><a href="#cite_note-1">[1]</a></sup></p><h2 id="Notation">Notation</h2><p>a/b</p></section></body></html>`,
      ),
    },
  },
  {
    site: "mdn",
    url: "https://developer.mozilla.org/en-US/docs/Web/API/fetch",
    answers: {
      "https://developer.mozilla.org/en-US/docs/Web/API/fetch/index.json": {
        doc: {
          title: "fetch() <global>",
          body: [
            {
              type: "prose",
              value: {
                id: null,
                title: null,
                isH3: false,
                content: "<p>Starts a <a href='/en-US/docs/Web/API/Request'>request</a>.</p>",
              },
            },
            {
              type: "prose",
              value: {
                id: "syntax",
                title: "Syntax",
                isH3: false,
                content: "<pre><code class='language-js'>fetch(url)</code></pre>",
              },
            },
            { type: "prose", value: { id: "url", title: "<code>url</code>", isH3: true, content: "<p>Where to.</p>" } },
            {
              type: "specifications",
              value: {
                title: "Specifications",
                specifications: [{ bcdSpecificationURL: "https://fetch.spec.whatwg.org/#fetch", title: "Fetch" }],
              },
            },
            { type: "browser_compatibility", value: { title: "Browser compatibility", query: "api.fetch" } },
          ],
        },
      },
    },
  },
  {
    site: "rfc",
    url: "https://datatracker.ietf.org/doc/html/rfc1149",
    answers: {
      "https://www.rfc-editor.org/rfc/rfc1149.txt": typed(
        "text/plain",
        "Network Working Group                                        D. Waitzman\nRequest for Comments: 1149                                       BBN STC\n\n   Avian carriers can\n\nWaitzman                                                        [Page 1]\n\f\nRFC 1149                IP Datagrams on Avian Carriers      1 April 1990\n\n\n   provide high delay.\n\nWaitzman                                                        [Page 2]\n\f\n",
      ),
    },
  },
];
