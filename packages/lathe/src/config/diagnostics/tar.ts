// Builds a tar archive from files in memory, for reports.

export interface TarMember {
  readonly name: string;
  readonly content: Buffer;
}

const BLOCK = 512;
const LONGEST_NAME = 100;

/** Uses the ustar format, which every tar can read. Names are shortened to fit. */
export function tarArchive(members: readonly TarMember[], now: number): Buffer {
  const blocks = members.flatMap(({ name, content }) => [
    header(name.slice(-LONGEST_NAME), content.length, now),
    content,
    Buffer.alloc((BLOCK - (content.length % BLOCK)) % BLOCK),
  ]);
  return Buffer.concat([...blocks, Buffer.alloc(2 * BLOCK)]);
}

function header(name: string, size: number, now: number): Buffer {
  const block = Buffer.alloc(BLOCK);
  const octal = (value: number, at: number, length: number): void =>
    void block.write(value.toString(8).padStart(length - 1, "0"), at, "latin1");
  block.write(name, 0, LONGEST_NAME, "utf8");
  octal(0o600, 100, 8);
  octal(0, 108, 8);
  octal(0, 116, 8);
  octal(size, 124, 12);
  octal(Math.floor(now / 1000), 136, 12);
  block.write("        ", 148, "latin1"); // the checksum is computed with blanks in its own field
  block.write("0", 156, "latin1");
  block.write("ustar\u000000", 257, "latin1");
  const sum = block.reduce((total, byte) => total + byte, 0);
  block.write(`${sum.toString(8).padStart(6, "0")}\u0000 `, 148, "latin1");
  return block;
}
