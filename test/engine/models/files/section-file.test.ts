import { describe, expect, it } from 'vitest';
import { joined } from '../../../../src/engine/core/arrays.js';
import { checksum } from '../../../../src/engine/kernels/byte-checks.js';
import { LinearMemory } from '../../../../src/engine/kernels/memory/linear-memory.js';
import {
  partsOf,
  readSections,
  writeSections,
} from '../../../../src/engine/models/files/section-file.js';

/** A file of sections in one piece. */
function sectionFile(...given: Parameters<typeof writeSections>): Uint8Array {
  return joined(writeSections(...given));
}

const sections = {
  bytes: Uint8Array.of(1, 2, 3),
  halves: Uint16Array.of(0xabcd),
  words: Uint32Array.of(1, 0xffffffff),
  reals: Float32Array.of(0.5, -0, Number.MAX_VALUE),
  none: new Uint32Array(0),
};
const header = { name: 'ä', list: [1, null] };

describe('section file', () => {
  it('gives back the header and each section', () => {
    const file = readSections(sectionFile(7, header, sections), 7, 'm');
    expect(file.header).toMatchObject(header);
    expect(file.section('bytes', 'Uint8Array')).toEqual(sections.bytes);
    expect(file.section('halves', 'Uint16Array')).toEqual(sections.halves);
    expect(file.section('words', 'Uint32Array')).toEqual(sections.words);
    expect(file.section('reals', 'Float32Array')).toEqual(sections.reals);
    expect(file.section('none', 'Uint32Array')).toHaveLength(0);
  });

  it('is laid out as its page says: preamble, header, sections, little-endian, in eights', () => {
    const bytes = sectionFile(7, header, { words: Uint32Array.of(0x01020304, 5, 6) });
    const view = new DataView(bytes.buffer);
    expect(new TextDecoder().decode(bytes.subarray(0, 4))).toBe('TSGM');
    expect(view.getUint32(4, true)).toBe(7);
    const headerBytes = view.getUint32(8, true);
    expect(headerBytes % 8).toBe(0);
    const json = bytes.subarray(24, 24 + headerBytes);
    expect(view.getUint32(12, true)).toBe(checksum(json));
    expect(view.getUint32(16, true)).toBe(bytes.length);
    expect(view.getUint32(20, true)).toBe(0);
    expect(JSON.parse(new TextDecoder().decode(json))).toEqual({
      ...header,
      sections: [
        {
          name: 'words',
          type: 'Uint32Array',
          offset: 0,
          length: 3,
          checksum: checksum(bytes.subarray(24 + headerBytes, 24 + headerBytes + 12)),
        },
      ],
    });
    expect(Array.from(bytes.subarray(24 + headerBytes))).toEqual([
      4, 3, 2, 1, 5, 0, 0, 0, 6, 0, 0, 0, 0, 0, 0, 0,
    ]);
  });

  it('takes views of larger arrays, and gives arrays of its own', () => {
    const whole = Uint32Array.of(9, 1, 2, 9);
    const bytes = sectionFile(1, {}, { part: whole.subarray(1, 3) });
    const part = readSections(bytes, 1, 'm').section('part', 'Uint32Array');
    expect(Array.from(part)).toEqual([1, 2]);
    bytes.fill(0);
    expect(Array.from(part)).toEqual([1, 2]);
  });

  it.each(Object.entries(sections))(
    'takes %s from the middle of a buffer, and of a class of its own',
    (_, array) => {
      const { BYTES_PER_ELEMENT: size, length } = array;
      const buffer = new ArrayBuffer(array.byteLength + 2 * size);
      class Own extends (array.constructor as Uint32ArrayConstructor) {}
      const view = new Own(buffer, size, length);
      view.set(array as Uint32Array);
      expect(sectionFile(1, {}, { view })).toEqual(sectionFile(1, {}, { view: array }));
    },
  );

  it('takes the bytes of a Buffer, which begin anywhere in its pool', () => {
    const bytes = Buffer.from([9, 1, 2, 3, 9]).subarray(1, 4);
    expect(bytes.constructor).toBe(Buffer);
    const file = sectionFile(1, {}, { bytes });
    expect(readSections(file, 1, 'm').section('bytes', 'Uint8Array')).toEqual(sections.bytes);
    expect(file).toEqual(sectionFile(1, {}, { bytes: sections.bytes }));
  });

  it('puts a section into a memory, and knows how long it is', () => {
    const memory = new LinearMemory();
    memory.allocate(64);
    const file = readSections(sectionFile(1, {}, sections), 1, 'm');
    const offset = file.place('words', 'Uint32Array', memory);
    expect(file.lengthOf('words', 'Uint32Array')).toBe(2);
    expect(new Uint32Array(memory.buffer, offset, 2)).toEqual(sections.words);
    expect(memory.allocate(64)).toBe(offset + 64);
  });

  it('reads no more of a file than is asked for, and checks that', () => {
    const bytes = sectionFile(1, header, sections);
    const parts = partsOf(bytes);
    const read: number[] = [];
    const file = readSections(
      {
        length: bytes.length,
        read(from, into) {
          read.push(into.length);
          parts.read(from, into);
        },
      },
      1,
      'm',
    );
    const before = read.length;
    expect(file.section('words', 'Uint32Array')).toEqual(sections.words);
    expect(read.slice(before)).toEqual([8]);
    bytes[bytes.length - 16] ^= 1;
    expect(() => file.place('reals', 'Float32Array', new LinearMemory())).toThrow(
      'the checksum of section reals is wrong',
    );
  });

  it('refuses a section that is not there, or of another type', () => {
    const file = readSections(sectionFile(1, {}, sections), 1, 'some.model');
    for (const ask of [
      () => file.section('other', 'Uint8Array'),
      () => file.section('words', 'Float32Array'),
      () => file.place('words', 'Float32Array', new LinearMemory()),
      () => file.lengthOf('other', 'Uint8Array'),
    ]) {
      expect(ask).toThrow(
        expect.objectContaining({ code: 'model-damaged', place: { source: 'some.model' } }),
      );
    }
  });
});
