// Pages of package registries.

import { type SiteCase, typed } from "./site-case.ts";

export const PACKAGES: readonly SiteCase[] = [
  {
    site: "npm",
    url: "https://www.npmjs.com/package/@octo/tool",
    answers: {
      "https://data.jsdelivr.com/v1/packages/npm/@octo/tool": {
        type: "npm",
        name: "@octo/tool",
        tags: { latest: "1.2.0", next: "2.0.0-rc.1" },
        versions: [
          { version: "2.0.0-rc.1", links: {} },
          { version: "1.2.0", links: {} },
        ],
        links: {},
      },
      "https://data.jsdelivr.com/v1/packages/npm/@octo/tool@1.2.0?structure=flat": {
        type: "npm",
        name: "@octo/tool",
        version: "1.2.0",
        default: "/index.min.js",
        files: [
          { name: "/docs/README.md", hash: "aGVsbG8=", size: 3 },
          { name: "/package.json", hash: "aGVsbG8=", size: 300 },
          { name: "/readme.md", hash: "aGVsbG8=", size: 15 },
        ],
        links: {},
      },
      "https://cdn.jsdelivr.net/npm/@octo/tool@1.2.0/package.json": {
        name: "@octo/tool",
        version: "1.2.0",
        description: "A tool.",
        license: "MIT",
        author: { name: "Ana", email: "ana@example.test" },
        engines: { node: ">=20" },
        homepage: "https://tool.example",
        repository: { type: "git", url: "git+https://github.com/octo/tool.git" },
        dependencies: { yaml: "^2.0.0" },
        peerDependencies: { typescript: ">=5" },
      },
      "https://cdn.jsdelivr.net/npm/@octo/tool@1.2.0/readme.md": typed(
        "text/markdown; charset=utf-8",
        "# tool\n\nUse it.\n",
      ),
    },
  },
  {
    site: "pypi",
    url: "https://pypi.org/project/tool/",
    answers: {
      "https://pypi.org/pypi/tool/json": {
        info: {
          name: "tool",
          version: "1.2.0",
          summary: "A tool.",
          license: "",
          license_expression: "MIT",
          author: "Ana",
          requires_python: ">=3.10",
          project_urls: { Source: "https://github.com/octo/tool" },
          requires_dist: ["requests>=2", "rich; extra == 'cli'"],
          description: "# tool\n\nUse it.",
          yanked: false,
        },
        urls: [{ upload_time_iso_8601: "2026-03-01T00:00:00.000000Z" }],
        vulnerabilities: [{ id: "PYSEC-2026-1", fixed_in: ["1.2.1"] }],
      },
    },
  },
  {
    site: "crates.io",
    url: "https://crates.io/crates/tool",
    answers: {
      "https://crates.io/api/v1/crates/tool": {
        crate: {
          name: "tool",
          description: "A tool.",
          downloads: 1234,
          max_stable_version: "1.2.0",
          newest_version: "2.0.0-rc.1",
          documentation: "https://docs.rs/tool",
          repository: "https://github.com/octo/tool",
        },
        versions: [
          { num: "2.0.0-rc.1", license: "MIT" },
          {
            num: "1.2.0",
            license: "MIT OR Apache-2.0",
            rust_version: "1.70",
            created_at: "2026-03-01T00:00:00Z",
            yanked: false,
            features: { default: ["std"], std: [] },
          },
        ],
      },
      "https://crates.io/api/v1/crates/tool/1.2.0/dependencies": {
        dependencies: [
          { crate_id: "serde", req: "^1", kind: "normal", optional: true },
          { crate_id: "trybuild", req: "^1", kind: "dev", optional: false },
        ],
      },
      "https://crates.io/api/v1/crates/tool/1.2.0/readme": {
        redirect: "https://static.crates.io/readmes/tool/tool-1.2.0.html",
      },
      "https://static.crates.io/readmes/tool/tool-1.2.0.html": typed(
        "text/html",
        "<h1>tool</h1><p>Use <a href='https://docs.rs/tool'>it</a>.</p>",
      ),
    },
  },
  {
    site: "docs.rs",
    url: "https://docs.rs/tool/latest/tool/",
    answers: {
      "https://docs.rs/tool/latest/tool/": typed(
        "text/html",
        `<body><nav class="sidebar"><a href="all.html">All Items</a></nav><main><div class="width-limiter">
        <section id="main-content" class="content"><div class="main-heading"><h1>Crate <span>tool</span>&nbsp;<button id="copy-path">Copy item path</button></h1>
        <rustdoc-toolbar></rustdoc-toolbar><span class="sub-heading"><a class="src" href="../src/tool/lib.rs.html#1-9">Source</a></span></div>
        <details class="toggle top-doc" open><summary class="hideme"><span>Expand description</span></summary>
        <div class="docblock"><p>A tool.</p><h2 id="use"><a class="doc-anchor" href="#use">§</a>Use</h2>
        <pre class="rust rust-example-rendered"><code>tool::run();</code></pre></div></details>
        <h2 id="structs" class="section-header">Structs<a href="#structs" class="anchor">§</a></h2>
        <dl class="item-table"><dt><a class="struct" href="struct.Tool.html">Tool</a></dt><dd>The tool itself.</dd></dl>
        </section></div></main></body>`,
      ),
    },
  },
  {
    site: "pkg.go.dev",
    url: "https://pkg.go.dev/example.com/tool@v1.2.0",
    answers: {
      "https://pkg.go.dev/v1beta/package/example.com/tool?doc=markdown&version=v1.2.0": {
        modulePath: "example.com/tool",
        version: "v1.2.0",
        isLatest: true,
        synopsis: "Package tool is a tool.",
        docs: "# package tool\n\nPackage tool is a tool.\n\n## func Run()",
      },
      "https://pkg.go.dev/v1beta/module/example.com/tool?readme=true&version=v1.2.0": {
        path: "example.com/tool",
        version: "v1.2.0",
        repoUrl: "https://github.com/octo/tool",
        licenses: [{ types: ["MIT"], filePath: "LICENSE" }],
        readme: { filepath: "README.md", contents: "# tool" },
      },
    },
  },
  {
    site: "maven",
    url: "https://central.sonatype.com/artifact/org.example/tool",
    answers: {
      "https://search.maven.org/solrsearch/select?q=g:org.example+AND+a:tool&core=gav&rows=20&wt=json": {
        response: {
          numFound: 2,
          docs: [
            { id: "org.example:tool:1.2.0", g: "org.example", a: "tool", v: "1.2.0", timestamp: 1_772_323_200_000 },
            { id: "org.example:tool:1.1.0", g: "org.example", a: "tool", v: "1.1.0", timestamp: 1_740_787_200_000 },
          ],
        },
      },
      "https://repo1.maven.org/maven2/org/example/tool/1.2.0/tool-1.2.0.pom": typed(
        "text/xml",
        `<project><parent><groupId>org.example</groupId><artifactId>parent</artifactId><version>9</version></parent>
        <artifactId>tool</artifactId><name>Tool</name><description>A tool.</description><url>https://tool.example</url>
        <licenses><license><name>Apache-2.0</name></license></licenses><scm><url>https://github.com/octo/tool</url></scm>
        <dependencyManagement><dependencies><dependency><artifactId>bom</artifactId></dependency></dependencies></dependencyManagement>
        <dependencies><dependency><groupId>org.slf4j</groupId><artifactId>slf4j-api</artifactId><version>2.0.9</version></dependency>
        <dependency><groupId>junit</groupId><artifactId>junit</artifactId><version>4.13</version><scope>test</scope></dependency></dependencies></project>`,
      ),
    },
  },
];
