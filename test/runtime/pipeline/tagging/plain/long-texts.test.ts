import { describe, expect, it } from 'vitest';
import { codecOf } from '../../../../../src/runtime/pipeline/catalogue/codec-of.js';
import { BlockTagger } from '../../../../../src/runtime/pipeline/tagging/block-tagger.js';
import { MixedTagger } from '../../../../../src/runtime/pipeline/tagging/mixed-tagger.js';
import type { TaggingOptions } from '../../../../../src/runtime/pipeline/tagging/tagging-options.js';
import { bytesOf } from '../../../io/sources/read-all.js';
import { toyModel, toyModelBytes } from '../toy-tagger.js';
import { expectSame } from './same-either-way.js';

const model = toyModel(toyModelBytes());
const ndjson = { name: 'ndjson', options: {} };
const options: TaggingOptions = { output: 'record', decoding: 'viterbi' };

/** A record of a text, and short ones around it. */
function around(text: string): string {
  return [{ text: 'A dog. The dog runs.' }, { id: 1, text }, { text: 'a b.' }]
    .map(record => `${JSON.stringify(record)}\n`)
    .join('');
}

async function taggedBy(tagger: MixedTagger | BlockTagger, text: string) {
  const bytes = new Uint8Array(bytesOf(text));
  return tagger.tag({ source: 'x', block: { bytes, offset: 0, line: 1 } });
}

describe('a long text', () => {
  it.each([
    ['sentences', 'The dog runs. A b é a? ', 3000],
    ['one sentence', 'the dog runs ', 6000],
    ['words of other scripts', 'Сòбака runs. 犬が走る。 ', 2500],
    ['no blank', 'the.dog-runs,', 3000],
    ['sentences of a line each', 'the dog\n\nruns\n\n', 4000],
  ])('of %s is tagged piece by piece as all at once', { tags: 'slow' }, async (_, part, times) => {
    expect(await expectSame(model, ndjson, options, [around(part.repeat(times))])).toBe(0);
  });

  it('is read in blocks also where it has more tokens than elsewhere', {
    tags: 'slow',
  }, async () => {
    const text = around('The dog runs. '.repeat(410_000));
    const tagged = await taggedBy(new MixedTagger(model, ndjson, options), text);
    expect(tagged.bad).toEqual([]);
    const { tokens, tags, sentences } = JSON.parse(
      Buffer.from(tagged.output).toString().split('\n')[1]!,
    );
    expect([tokens.length, tags.length, sentences.length]).toEqual([1_640_000, 1_640_000, 410_000]);
    expect(tags.slice(-8)).toEqual([...tags.slice(0, 4), ...tags.slice(0, 4)]);
    expect(tokens.slice(-4)).toEqual(['The', 'dog', 'runs', '.']);
  });

  it('has no more tokens than a lower limit asks for', { tags: 'slow' }, async () => {
    const limited = { name: 'ndjson', options: { maxTokens: 1000 } };
    const text = around('The dog runs. '.repeat(4100));
    const [own, other] = await Promise.all([
      taggedBy(new MixedTagger(model, limited, options), text),
      taggedBy(new BlockTagger(model, codecOf(limited), options), text),
    ]);
    expect(own.bad.map(({ number }) => number)).toEqual([2]);
    expect(own.bad).toEqual(other.bad);
  });
});
