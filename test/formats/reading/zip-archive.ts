import { deflateRawSync } from 'node:zlib';

/** A ZIP archive of files; `stored` leaves them as they are. Checksums are left out, as nobody reads them. */
export function zipArchive(files: Readonly<Record<string, string>>, stored = false): Buffer {
  const locals: Buffer[] = [];
  const entries: Buffer[] = [];
  let offset = 0;
  for (const [name, text] of Object.entries(files)) {
    const bytes = Buffer.from(text);
    const packed = stored ? bytes : deflateRawSync(bytes);
    const sizes = Buffer.alloc(12);
    sizes.writeUInt32LE(packed.length, 4);
    sizes.writeUInt32LE(bytes.length, 8);
    const head = Buffer.alloc(6);
    head.writeUInt16LE(20, 0);
    head.writeUInt16LE(stored ? 0 : 8, 4);
    const names = Buffer.alloc(4);
    names.writeUInt16LE(Buffer.byteLength(name), 0);
    const time = Buffer.alloc(4);
    const local = [Buffer.from('PK\x03\x04'), head, time, sizes, names, Buffer.from(name), packed];
    const tail = Buffer.alloc(14);
    tail.writeUInt32LE(offset, 10);
    const version = Buffer.from([20, 0]);
    const mark = Buffer.from('PK\x01\x02');
    entries.push(Buffer.concat([mark, version, head, time, sizes, names, tail, Buffer.from(name)]));
    locals.push(...local);
    offset += local.reduce((sum, piece) => sum + piece.length, 0);
  }
  const directory = Buffer.concat(entries);
  const end = Buffer.alloc(22);
  end.write('PK\x05\x06', 0, 'latin1');
  end.writeUInt16LE(entries.length, 8);
  end.writeUInt16LE(entries.length, 10);
  end.writeUInt32LE(directory.length, 12);
  end.writeUInt32LE(offset, 16);
  return Buffer.concat([...locals, directory, end]);
}
