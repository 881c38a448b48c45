import { Readable } from 'node:stream';
import * as z from 'zod';
import { lettersCodec } from '../../io/codecs/letters/letters-codec.js';
import { simulatedOptions, simulatedWords } from '../../io/simulated/simulated-words.js';
import { commonSourceShape, type SourceComponent } from './source-component.js';

/** Sequences from a hidden Markov model, in the letters format, where others have files. */
export const simulatedSource: SourceComponent = {
  name: 'simulated',
  summary: 'labelled sequences drawn from a hidden Markov model, for experiments',
  example: 'source: { simulated: { sequences: 100, length: 5, seed: 1 } }',
  options: simulatedOptions.extend({
    ...commonSourceShape,
    files: z
      .array(z.literal('-'))
      .length(1)
      .default(['-'])
      .describe('not read from files: the sequences are drawn at random'),
  }),
  codecOptions: () => ({}),
  codec: () => lettersCodec({ columns: ['word', 'labels'], tag: 'labels' }),
  columns: () => ['form'],
  generated: options => {
    const { sequences, length, seed, emission, transition } = simulatedOptions
      .strip()
      .parse(options);
    const lines = simulatedWords({ sequences, length, seed, emission, transition });
    return Readable.from(chunksOf(lines), { objectMode: false });
  },
};

/** Lines as buffers of many. */
function* chunksOf(lines: Iterable<string>): Generator<Buffer> {
  let text = '';
  for (const line of lines) {
    text += line;
    if (text.length < 2 ** 16) continue;
    yield Buffer.from(text);
    text = '';
  }
  if (text !== '') yield Buffer.from(text);
}
