// Builds archives byte by byte, so that they can contain what no program would write.

interface Entry {
  readonly name: string;
  readonly data?: Buffer;
  readonly size?: number;
  readonly crc?: number;
  readonly flags?: number;
  readonly method?: number;
  /** Value for the local header, if it differs from the entry's. */
  readonly offset?: number;
  readonly localName?: string;
  readonly external?: number;
}

/** A zip archive whose headers may have false values. */
export function zipOf(
  entries: readonly Entry[],
  end: { readonly count?: number; readonly size?: number; readonly offset?: number } = {},
): Buffer {
  const locals: Buffer[] = [];
  const records: Buffer[] = [];
  let at = 0;
  for (const {
    name,
    data = Buffer.alloc(0),
    size = data.length,
    crc = 0,
    flags = 0,
    method = 0,
    offset = at,
    localName = name,
    external = 0,
  } of entries) {
    const common = Buffer.alloc(26);
    for (const [place, value] of [
      [0, 20],
      [2, flags],
      [4, method],
      [22, Buffer.byteLength(name)],
    ] as const)
      common.writeUInt16LE(value, place);
    for (const [place, value] of [
      [10, crc],
      [14, data.length],
      [18, size],
    ] as const)
      common.writeUInt32LE(value, place);
    const local = Buffer.concat([Buffer.from("PK\x03\x04"), common, Buffer.from(localName), data]);
    const record = Buffer.concat([
      Buffer.from("PK\x01\x02\x14\x03", "latin1"),
      common,
      Buffer.alloc(14),
      Buffer.from(name),
    ]);
    record.writeUInt32LE(external, 38);
    record.writeUInt32LE(offset, 42);
    if (offset === at) {
      locals.push(local);
      at += local.length;
    }
    records.push(record);
  }
  const directory = Buffer.concat(records);
  const last = Buffer.alloc(22);
  last.write("PK\x05\x06", "latin1");
  last.writeUInt16LE(end.count ?? entries.length, 8);
  last.writeUInt16LE(end.count ?? entries.length, 10);
  last.writeUInt32LE(end.size ?? directory.length, 12);
  last.writeUInt32LE(end.offset ?? at, 16);
  return Buffer.concat([...locals, directory, last]);
}

export function tarHeader(name: string, size: number | string, type = "0", link = ""): Buffer {
  const header = Buffer.alloc(512);
  header.write(name);
  header.write("0000644\0", 100);
  header.write(typeof size === "string" ? size : size.toString(8).padStart(11, "0"), 124);
  header.write("00000000000", 136);
  header.write(type, 156);
  header.write(link, 157);
  header.write("ustar\x0000", 257);
  header.write("        ", 148);
  const sum = header.reduce((total, byte) => total + byte, 0);
  header.write(`${sum.toString(8).padStart(6, "0")}\0 `, 148);
  return header;
}
