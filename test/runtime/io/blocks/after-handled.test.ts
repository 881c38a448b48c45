import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { gzipSync } from 'node:zlib';
import { describe, expect, it } from 'vitest';
import { conllCodec } from '../../../../src/formats/codecs/conll/conll-codec.js';
import { ndjsonCodec } from '../../../../src/formats/codecs/ndjson/ndjson-codec.js';
import { blockEnd } from '../../../../src/runtime/io/blocks/read-blocks.js';
import { readFileBlocks } from '../../../../src/runtime/io/blocks/read-file-blocks.js';
import { workspace } from '../../../cli/commands/workspace.js';

const folder = workspace();
const { signal } = new AbortController();

/** Lines of records by where they stand, as the blocks of a file have them. */
async function linesOf(name: string, codec: ReturnType<typeof ndjsonCodec>, from?: number) {
  const file = join(folder, name);
  const lines: [line: number, offset: number, text: string][] = [];
  const ends: { line: number; end: number }[] = [];
  const resumeAfter =
    from === undefined
      ? undefined
      : { source: file, start: 0, end: from, line: lineAt(name, from) };
  for await (const item of readFileBlocks([file], { codec, signal, blockBytes: 6, resumeAfter })) {
    if (item.kind === 'bad') throw item.bad.error;
    let { line, offset } = item.block;
    ends.push(blockEnd(file, item.block));
    for (const text of Buffer.from(item.block.bytes)
      .toString()
      .split(/(?<=\n)/)) {
      if (text.trim() !== '') lines.push([line, offset, text.trim()]);
      line += 1;
      offset += text.length;
    }
  }
  return { lines, ends };
}

const texts: Record<string, string> = {
  'lf.ndjson': '{"a":1}\n\n{"b":2}\n{"c":3}\n',
  'crlf.ndjson': '{"a":1}\r\n{"b":2}\r\n\r\n{"c":3}',
  'columns.txt': 'a\nb\n\n\nc\n\nd\ne\n',
};
for (const [name, text] of Object.entries(texts)) {
  writeFileSync(join(folder, name), text);
  writeFileSync(join(folder, `${name}.gz`), gzipSync(text));
}

function lineAt(name: string, offset: number): number {
  return texts[name.replace('.gz', '')]!.slice(0, offset).split('\n').length;
}

describe.each(Object.keys(texts).flatMap(name => [name, `${name}.gz`]))('blocks of %s', name => {
  const codec = name.includes('ndjson') ? ndjsonCodec() : conllCodec({ columns: ['form'] });

  it('go on after each of their ends with what is left, where it stands', async () => {
    const { lines, ends } = await linesOf(name, codec);
    expect(ends.length).toBeGreaterThan(1);
    for (const { line, end } of ends) {
      expect(line).toBe(lineAt(name, end));
      const { lines: rest } = await linesOf(name, codec, end);
      expect(rest).toEqual(lines.filter(([, offset]) => offset >= end));
    }
  });

  it('go on after the end of a record, before its line end', async () => {
    const { lines } = await linesOf(name, codec);
    for (const [i, [, offset, text]] of lines.entries()) {
      if (!codec.recordsAreLines && ['a', 'd'].includes(text)) continue;
      const { lines: rest } = await linesOf(name, codec, offset + text.length);
      expect(rest).toEqual(lines.slice(i + 1));
    }
  });
});
