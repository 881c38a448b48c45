import { expect } from 'vitest';
import type { Model } from '../../../../../src/engine/models/model.js';
import {
  type CodecChoice,
  codecOf,
} from '../../../../../src/runtime/pipeline/catalogue/codec-of.js';
import { BlockTagger } from '../../../../../src/runtime/pipeline/tagging/block-tagger.js';
import { MixedTagger } from '../../../../../src/runtime/pipeline/tagging/mixed-tagger.js';
import type { TaggingOptions } from '../../../../../src/runtime/pipeline/tagging/tagging-options.js';
import { bytesOf } from '../../../io/sources/read-all.js';

/** Tags texts as blocks of one stream, and holds what comes out to that of the way record by record. Returns bad records. */
export async function expectSame(
  model: Model,
  format: CodecChoice,
  options: TaggingOptions,
  texts: Iterable<string>,
): Promise<number> {
  const mixed = new MixedTagger(model, format, options);
  const single = new BlockTagger(model, codecOf(format), options);
  let bad = 0;
  let offset = 0;
  let line = 1;
  for (const text of texts) {
    const bytes = new Uint8Array(bytesOf(text));
    const task = { source: 'x', block: { bytes, offset, line } };
    const { spent: _spent, ...tagged } = await mixed.tag(task);
    const { spent, ...wanted } = await single.tag(task);
    expect(firstDifference(tagged.output, wanted.output)).toBeUndefined();
    expect({ ...tagged, output: '' }).toEqual({ ...wanted, output: '' });
    bad += tagged.bad.length;
    offset += bytes.length;
    line += text.split('\n').length - 1;
  }
  return bad;
}

/** The first line that is another one, both ways. */
function firstDifference(a: Uint8Array, b: Uint8Array): readonly string[] | undefined {
  if (Buffer.compare(a, b) === 0) return undefined;
  const [own, other] = [a, b].map(bytes => Buffer.from(bytes).toString().split('\n'));
  const at = own!.findIndex((line, i) => line !== other![i]);
  return [own![at]!, other![at]!].map(line => line.slice(0, 2000));
}
