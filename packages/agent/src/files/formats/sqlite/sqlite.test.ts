import { type ChildProcess, execFileSync, spawn } from "node:child_process";
import { once } from "node:events";
import { copyFileSync, mkdirSync, readdirSync, readFileSync, symlinkSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { has } from "../../../../test/programs.ts";
import { type FormatBench, formatBench } from "../../../../test/support/format-bench.ts";
import { MemoryEnvironment } from "../../../world/env/memory.ts";
import { sqliteFormat } from "./index.ts";

const ONLY_READING = "a query may only read (not authorized); write rows with write";

const SCHEMA = `
CREATE TABLE users(id INTEGER PRIMARY KEY, name TEXT, bio TEXT, photo BLOB);
INSERT INTO users VALUES (1,'Ada','line one
line two',x'00ff'),(2,'Bob',NULL,NULL),(9007199254740993,'Big','x',NULL);
CREATE TABLE codes(code TEXT PRIMARY KEY, n) WITHOUT ROWID;
INSERT INTO codes VALUES ('a:b',1),('c?d',2);
CREATE TABLE pairs(a,b,c, PRIMARY KEY(a,b));
INSERT INTO pairs VALUES (1,2,'x'),(1,3,'y');
CREATE VIEW named AS SELECT name FROM users;
CREATE VIRTUAL TABLE notes USING fts5(body);
INSERT INTO notes VALUES ('the quick fox');
CREATE TABLE "od:d""t"(x);
WITH RECURSIVE n(i) AS (SELECT 1 UNION ALL SELECT i+1 FROM n WHERE i<600) INSERT INTO "od:d""t" SELECT i FROM n;
`;

let bench: FormatBench;
const sqlite = (file: string, sql: string): string =>
  execFileSync("sqlite3", [join(bench.dir, file)], { input: sql, encoding: "utf8" });
const text = (path: string) => bench.text(path);

/** A real program that keeps the database open. */
async function holding(file: string, sql: string): Promise<ChildProcess> {
  const program = spawn("sqlite3", ["-batch", join(bench.dir, file)], { stdio: ["pipe", "pipe", "inherit"] });
  program.stdin.write(`${sql}\nSELECT 'ready';\n`);
  await once(program.stdout, "data");
  return program;
}

async function ended(program: ChildProcess): Promise<void> {
  program.kill("SIGKILL");
  await once(program, "exit");
}

describe.skipIf(!has("sqlite3"))("SQLite by path", () => {
  beforeAll(async () => {
    bench = await formatBench(sqliteFormat);
    sqlite("a.db", SCHEMA);
  });
  afterAll(() => bench.close());

  it("T-READ-6 a text file called x.db is no database", () => {
    expect(sqliteFormat.claims("x.db")).toBe(true);
    expect(sqliteFormat.recognises!(Buffer.from("hello"))).toBe(false);
    expect(sqliteFormat.recognises!(readFileSync(join(bench.dir, "a.db")).subarray(0, 64))).toBe(true);
    expect(["a.sqlite", "a.sqlite3", "A.DB3", "a.dbx"].map(sqliteFormat.claims)).toEqual([true, true, true, false]);
  });

  it("T-READ-6 the database shows its tables with their sizes", async () => {
    expect(await text("a.db")).toBe(
      [
        "codes  2 rows",
        "named  rows not counted (view)",
        "notes  1 row (virtual table)",
        'od:d"t  600 rows',
        "pairs  2 rows",
        "users  3 rows",
      ].join("\n"),
    );
  });

  it("T-READ-6 a table shows its definition and some rows", async () => {
    expect(await text('a.db:od:d"t')).toBe(
      'CREATE TABLE "od:d""t"(x);\n\nx\n-\n1\n2\n3\n4\n5\n[5 rows of 600; more with od:d"t?limit=20&offset=5]',
    );
    const users = await text("a.db:users");
    expect(users).toContain("CREATE TABLE users(id INTEGER PRIMARY KEY, name TEXT, bio TEXT, photo BLOB);");
    expect(users).toContain("1                | Ada  | line one\\nline two | <blob, 2 bytes>");
    expect(users).toContain("9007199254740993 | Big  | x                  | NULL");
    expect(await text("a.db:named")).toContain("CREATE VIEW named AS SELECT name FROM users;");
    expect(await text("a.db:notes")).toContain("the quick fox");
  });

  it("T-READ-6 a row is found by its key, whatever characters that holds, else by rowid", async () => {
    expect(await text("a.db:users:1")).toBe("id: 1\nname: Ada\nbio: \n  line one\n  line two\nphoto: <blob, 2 bytes>");
    expect(await text("a.db:users:9007199254740993")).toContain("name: Big");
    expect(await text("a.db:codes:a:b")).toBe("code: a:b\nn: 1");
    expect(await text("a.db:codes:c?d")).toBe("code: c?d\nn: 2");
    expect(await text("a.db:pairs:2")).toBe("a: 1\nb: 3\nc: y");
    expect(await text("a.db:users:77")).toBe("a.db could not be read: there is no row with id '77' in users.");
  });

  it("T-READ-6 limit, offset, order and where choose rows", async () => {
    const numbers = async (query: string) => (await text(`a.db:od:d"t?${query}`)).split("\n").slice(2);
    expect(await numbers("limit=3&offset=10&order=x:desc")).toEqual([
      "590",
      "589",
      "588",
      "[more rows with offset=13]",
    ]);
    expect((await numbers("offset=0")).length).toBe(21);
    expect((await numbers("limit=9999")).length).toBe(501);
    expect(await numbers("where=x>598")).toEqual(["599", "600"]);
    expect(await text("a.db:users?where=name='Union' OR name LIKE '%ob'")).toContain("Bob");
    expect(await text("a.db:users?where=name%3D'Ada'")).toContain("Ada");
    expect(await text("a.db:users?offset=10")).toBe("(no rows from offset 10 on)");
  });

  it.each([
    ["a.db:nothing", 'there is no table nothing in it; it has codes, named, notes, od:d"t, pairs, users'],
    ["a.db:users?limit=0", "limit must be a number from 1 on, not 0"],
    ["a.db:users?colour=red", "colour is not a parameter of a table; use limit, offset, order or where"],
    ["a.db:users?order=age", "there is no column age in users; it has id, name, bio, photo"],
    ["a.db:users?where=1 UNION SELECT 1", 'where cannot contain "UNION"; use ?q= for a whole query'],
    ["a.db:users?where=1;DROP TABLE users", 'where cannot contain ";"; use ?q= for a whole query'],
    ["a.db:users?where=1--", 'where cannot contain "--"; use ?q= for a whole query'],
    [
      "a.db?limit=3",
      "a database takes one parameter, ?q= with a query; limit and where belong to a table, as in db:table?limit=5",
    ],
    ["a.db?q=", "the query is empty; write it after ?q=, such as ?q=SELECT 1"],
    ["a.db?q=SELECT 1; DELETE FROM users", "?q= takes one statement; send the others in separate calls"],
    ["a.db?q=DELETE FROM users", ONLY_READING],
    ["a.db?q=ATTACH 'other.db' AS o", ONLY_READING],
    ["a.db?q=PRAGMA writable_schema=1", ONLY_READING],
    ["a.db?q=SELECT * FROM pragma_database_list", ONLY_READING],
    ["a.db?q=SELECT load_extension('x')", "not authorized to use function: load_extension"],
    ["a.db?q=SELEC 1", 'near "SELEC": syntax error'],
  ])("T-READ-6 %s is refused in one line and changes nothing", async (path, why) => {
    expect(await text(path)).toBe(`a.db could not be read: ${why}.`);
    expect(sqlite("a.db", "SELECT count(*) FROM users")).toBe("3\n");
    expect(readdirSync(bench.dir).filter((name) => name.startsWith("a.db") || name === "other.db")).toEqual(["a.db"]);
  });

  it("T-READ-6 a query shows what sqlite3 finds, in at most 500 rows", async () => {
    expect(await text("a.db?q=SELECT name, id*2 AS twice FROM users WHERE id < 5 ORDER BY id")).toBe(
      "name | twice\n-----+------\nAda  | 2\nBob  | 4",
    );
    expect(await text(`a.db?q=SELECT body FROM notes WHERE notes MATCH 'quick'`)).toContain("the quick fox");
    const many = (await text(`a.db?q=SELECT x FROM "od:d""t"`)).split("\n");
    expect([many.length, many.at(-1)]).toEqual([503, "[only the first 500 rows]"]);
  });

  it("T-READ-6 wide tables stay within 120 columns and name what they leave out", async () => {
    const list = Array.from({ length: 40 }, (_, i) => `'${"v".repeat(60)}' AS column${i}`).join(", ");
    const lines = (await text(`a.db?q=SELECT ${list}`)).split("\n");
    expect(Math.max(...lines.slice(0, 3).map((line) => line.length))).toBeLessThanOrEqual(120);
    expect(lines[3]).toMatch(/^\[not shown: .*column39\]$/);
    const one = (await text(`a.db?q=SELECT '${"v".repeat(60)}' AS c`)).split("\n");
    expect(one[2]).toBe(`${"v".repeat(39)}…`);
  });

  it("a query that never ends is ended, and the next read works", async () => {
    const signal = AbortSignal.timeout(400);
    const endless = "WITH RECURSIVE n(i) AS (SELECT 1 UNION ALL SELECT i+1 FROM n) SELECT max(i) FROM n";
    expect(await bench.text(`a.db?q=${endless}`, { signal })).toBe("a.db could not be read: interrupted.");
    expect(await text("a.db:users:2")).toContain("Bob");
  });

  it("a query that makes a huge value ends with one line", async () => {
    expect(await text("a.db?q=SELECT hex(zeroblob(900000000))")).toMatch(/^a\.db could not be read: .*(memory|big)/);
  });

  it("a damaged database is said to be damaged", async () => {
    const bytes = readFileSync(join(bench.dir, "a.db"));
    writeFileSync(join(bench.dir, "bad.db"), bytes.fill(0x41, 4096));
    expect(await text("bad.db:users")).toBe("bad.db could not be read: the database is damaged.");
    writeFileSync(join(bench.dir, "cut.db"), bytes.subarray(0, 50));
    expect(await text("cut.db")).toMatch(/^(cut\.db could not be read: the database is damaged\.|\(no tables\))$/);
  });

  it("T-READ-6 what stands in the log is seen, and no file is left, whoever has the database open", async () => {
    const mode = "PRAGMA journal_mode=WAL; PRAGMA wal_autocheckpoint=0;";
    sqlite("wal.db", `${mode} CREATE TABLE t(a); INSERT INTO t VALUES (1);`);
    const files = () => readdirSync(bench.dir).filter((name) => name.startsWith("wal"));
    expect(await text("wal.db:t")).toContain("\n1");
    expect(files()).toEqual(["wal.db"]);
    const writer = await holding("wal.db", `${mode} INSERT INTO t VALUES (2); BEGIN; INSERT INTO t VALUES (3);`);
    const held = files();
    expect(await text("wal.db?q=SELECT count(*) FROM t")).toContain("\n2");
    expect(files()).toEqual(held);
    await ended(writer);
    // As after a crash on another machine: the log without its shared-memory file.
    mkdirSync(join(bench.dir, "crashed"));
    for (const suffix of ["", "-wal"])
      copyFileSync(join(bench.dir, `wal.db${suffix}`), join(bench.dir, "crashed", `wal.db${suffix}`));
    expect(await text("crashed/wal.db?q=SELECT count(*) FROM t")).toContain("\n2");
    expect(readdirSync(join(bench.dir, "crashed"))).toEqual(["wal.db", "wal.db-wal"]);
  });

  it("a database that is locked for longer than three seconds is said to be locked", async () => {
    sqlite("locked.db", "CREATE TABLE t(a);");
    const writer = await holding("locked.db", "BEGIN EXCLUSIVE;");
    expect(await text("locked.db:t")).toBe(
      "locked.db could not be read: another program is writing to it (database is locked).",
    );
    await ended(writer);
  });

  it("T-READ-6 reading a database never deletes the file that its journal names", async () => {
    sqlite("made.db", "PRAGMA page_size=4096; CREATE TABLE t(a); INSERT INTO t VALUES (zeroblob(90000));");
    const writer = await holding(
      "made.db",
      "PRAGMA cache_size=2; BEGIN IMMEDIATE; UPDATE t SET a = randomblob(90000);",
    );
    for (const suffix of ["", "-journal"])
      copyFileSync(join(bench.dir, `made.db${suffix}`), join(bench.dir, `hot.db${suffix}`));
    await ended(writer);
    expect(await text("hot.db:t")).toContain("<blob, 90000 bytes>");
    const precious = join(bench.dir, "precious.txt");
    writeFileSync(precious, "keep me\n");
    const name = Buffer.from(precious);
    const end = Buffer.alloc(16, Buffer.from("d9d505f920a163d7", "hex"));
    end.writeUInt32BE(name.length, 0);
    end.writeUInt32BE(
      name.reduce((sum, byte) => sum + byte),
      4,
    );
    const lockPage = Buffer.alloc(4);
    lockPage.writeUInt32BE(0x40000000 / 4096 + 1);
    const journal = join(bench.dir, "hot.db-journal");
    writeFileSync(journal, Buffer.concat([readFileSync(journal), lockPage, name, end]));
    expect(await text("hot.db:t")).toContain("undoing that would delete one of them");
    await expect(bench.write("hot.db:t", "{a: 1}")).rejects.toThrow("undoing that would delete one of them");
    expect(readFileSync(precious, "utf8")).toBe("keep me\n");
  });

  it("T-READ-6 a log beside a database that is a link to another one's is not read", async () => {
    const mode = "PRAGMA journal_mode=WAL; PRAGMA wal_autocheckpoint=0;";
    mkdirSync(join(bench.dir, "hidden"));
    const writer = await holding("hidden/s.db", `${mode} CREATE TABLE k(v); INSERT INTO k VALUES ('SECRET');`);
    sqlite("front.db", `${mode} CREATE TABLE t(a);`);
    symlinkSync("hidden/s.db-wal", join(bench.dir, "front.db-wal"));
    const refusal = "front.db-wal beside it is a link, whose target is not part of the database";
    expect(await text("front.db")).toContain(refusal);
    await expect(bench.write("front.db:t", "{a: 1}")).rejects.toThrow(refusal);
    await ended(writer);
  });

  it("a database on another machine is refused with the way out", async () => {
    const env = new MemoryEnvironment({ cwd: "/", files: { "/a.db": "SQLite format 3\0" } });
    expect(await bench.text("/a.db", { env })).toBe(
      "/a.db is a SQLite database, and those can be opened on this machine only. Use sqlite3 in the shell.",
    );
  });
});

describe.skipIf(!has("sqlite3"))("SQLite rows", () => {
  beforeAll(async () => {
    bench = await formatBench(sqliteFormat);
    sqlite("w.db", `${SCHEMA} CREATE TABLE d(id INTEGER PRIMARY KEY, n INTEGER DEFAULT 7 CHECK (n < 100));`);
  });
  afterAll(() => bench.close());

  const failure = (path: string, content: string) =>
    bench.write(path, content).then(
      () => "written",
      (error: Error) => error.message,
    );

  it("T-WRITE-3 G-85 a row is inserted, changed and deleted, and shown before and after", async () => {
    expect(await bench.write("w.db:users", "{id: 5, name: 'Eve', /* JSON5 */ bio: null,}")).toEqual({
      summary: "Inserted row into users",
      after: "id: 5\nname: Eve\nbio: NULL\nphoto: NULL",
    });
    expect(sqlite("w.db", "SELECT name, typeof(id) FROM users WHERE id=5")).toBe("Eve|integer\n");
    expect(await bench.write("w.db:users:5", '{"name": "Eva"}')).toEqual({
      summary: "Updated row '5' in users",
      before: "id: 5\nname: Eve\nbio: NULL\nphoto: NULL",
      after: "id: 5\nname: Eva\nbio: NULL\nphoto: NULL",
    });
    expect(sqlite("w.db", "SELECT name FROM users WHERE id=5")).toBe("Eva\n");
    expect((await bench.write("w.db:users:5", "  \n")).summary).toBe("Deleted row '5' from users");
    expect(sqlite("w.db", "SELECT count(*) FROM users WHERE id=5")).toBe("0\n");
    expect((await bench.write("w.db:d", "{}")).after).toBe("id: 1\nn: 7");
  });

  it("T-WRITE-3 G-85 a row that is not there is said so", async () => {
    expect((await bench.write("w.db:users:77", "{name: 'x'}")).summary).toBe(
      "No row updated in users: there is none with id '77'",
    );
    expect((await bench.write("w.db:users:77", "")).summary).toBe(
      "No row deleted from users: there is none with id '77'",
    );
  });

  it.each([
    ["w.db:users", "{age: 3}", "there is no column age in users; it has id, name, bio, photo"],
    ["w.db:users", "{name: [1]}", "the value of name must be text, a number, true, false or null"],
    ["w.db:users", "[1]", "the content must be one object of columns and values, such as {name: 'x'}"],
    ["w.db:users", "", "the content is empty; give the new row of users as an object, or name a row to delete it"],
    [
      "w.db:users",
      "{id: 9007199254740993}",
      "the value of id is too large to be exact; write it as a text, which the column turns into a number",
    ],
    ["w.db:users:1", "{}", "there is nothing to change in an empty object"],
    ["w.db:users?limit=3", "{}", "SQLite write paths do not support query parameters"],
    [
      "w.db:pairs:1",
      "{c: 'z'}",
      "pairs has a composite primary key, so a row cannot be named by one value; use SQL in the shell",
    ],
    [
      "w.db:codes:a:b",
      "{n: 3}",
      "codes is a WITHOUT ROWID table, whose rows cannot be written by path; use SQL in the shell",
    ],
    ["w.db:named", "{name: 'x'}", "named is a view, whose rows cannot be written by path; use SQL in the shell"],
    ["w.db:d", "{n: 500}", "CHECK constraint failed: n < 100"],
    ["w.db:users:1", "{id: 2}", "UNIQUE constraint failed: users.id"],
    ["w.db:nothing", "{}", 'there is no table nothing in it; it has codes, d, named, notes, od:d"t, pairs, users'],
  ])("T-WRITE-3 G-85 %s with %s is refused and changes nothing", async (path, content, why) => {
    const before = sqlite("w.db", ".dump");
    expect(await failure(path, content)).toBe(`Nothing was written to w.db: ${why}.`);
    expect(sqlite("w.db", ".dump")).toBe(before);
  });

  it("T-WRITE-3 content that is no JSON5 is refused with the place", async () => {
    expect(await failure("w.db:users", "{name: ")).toMatch(
      /^Nothing was written to w\.db: the content is not a JSON5 object \(.*\)\.$/,
    );
  });

  it("T-WRITE-3 a plan shows the change and makes none", async () => {
    const before = sqlite("w.db", ".dump");
    const plan = await bench.write("w.db:users:1", "{bio: 'new'}", { planOnly: true });
    expect(plan.summary).toBe("Updated row '1' in users");
    expect(plan.before).toContain("line one");
    expect(plan.after).toContain("bio: new");
    expect((await bench.write("w.db:users", "{name: 'n'}", { planOnly: true })).after).toBe("name: n");
    expect(sqlite("w.db", ".dump")).toBe(before);
  });

  it("T-WRITE-3 a write waits for another program that holds the lock for a second", async () => {
    const writer = await holding("w.db", "BEGIN IMMEDIATE;");
    const writing = bench.write("w.db:users:2", "{name: 'after'}");
    const release = setTimeout(() => writer.stdin!.write("COMMIT;\n"), 1000);
    expect((await writing).summary).toBe("Updated row '2' in users");
    clearTimeout(release);
    await ended(writer);
    expect(sqlite("w.db", "SELECT name FROM users WHERE id=2")).toBe("after\n");
  });
});
