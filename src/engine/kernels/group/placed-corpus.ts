import type { EncodedSentence } from '../../core/minibatch/encoded-sentence.js';
import type { Minibatch, PlacedRows } from '../../core/minibatch/minibatch.js';
import type { LinearMemory } from '../memory/linear-memory.js';

const arrayTypes = {
  sentenceStarts: Uint32Array,
  stateStarts: Uint32Array,
  stateRows: Uint32Array,
  stateValues: Float64Array,
  edgeStarts: Uint32Array,
  edgeRows: Uint32Array,
  edgeValues: Float64Array,
  gold: Int32Array,
  labelled: Uint8Array,
  allowedStarts: Uint32Array,
  allowedLabels: Uint32Array,
  weights: Float64Array,
} as const;

/** The arrays of a packed corpus, by name. */
export type CorpusArray = keyof typeof arrayTypes;

/** Offsets of a corpus's arrays in shared memory; can be sent to another thread. */
export interface CorpusPlaces {
  readonly tokens: number;
  readonly arrays: Readonly<Partial<Record<CorpusArray, { offset: number; length: number }>>>;
}

/** The data of a corpus, packed as one minibatch; can be sent to another machine. */
export interface CorpusNumbers {
  readonly tokens: number;
  readonly arrays: Readonly<
    Partial<Record<CorpusArray, Uint8Array | Int32Array | Uint32Array | Float64Array>>
  >;
}

/** Returns the data of a corpus, packed as one minibatch. */
export function corpusNumbers(corpus: Minibatch): CorpusNumbers {
  const names = Object.keys(arrayTypes) as CorpusArray[];
  const present = names.filter(name => corpus[name] !== undefined);
  return {
    tokens: corpus.tokens,
    arrays: Object.fromEntries(present.map(name => [name, corpus[name]!])),
  };
}

/** Copies the data of a corpus, without sentence objects, into memory. */
export function placeNumbers(
  memory: LinearMemory,
  { tokens, arrays }: CorpusNumbers,
): PlacedCorpus {
  const places = shareCorpus(memory, { tokens, ...arrays } as unknown as Minibatch);
  return placedCorpus(memory, places);
}

/** Copies the data of a corpus, packed as one minibatch, into memory shared by threads. */
export function shareCorpus(memory: LinearMemory, corpus: Minibatch): CorpusPlaces {
  const arrays: Partial<Record<CorpusArray, { offset: number; length: number }>> = {};
  for (const name of Object.keys(arrayTypes) as CorpusArray[]) {
    const array = corpus[name];
    if (array === undefined) continue;
    const offset = memory.allocate(array.byteLength);
    const bytes = new Uint8Array(array.buffer, array.byteOffset, array.byteLength);
    new Uint8Array(memory.buffer, offset, bytes.length).set(bytes);
    arrays[name] = { offset, length: array.length };
  }
  return { tokens: corpus.tokens, arrays };
}

/** A corpus as one minibatch in shared memory, with the offsets of its state features. */
export interface PlacedCorpus extends Minibatch {
  readonly addresses: Omit<PlacedRows, 'firstTokens' | 'stateStarts'>;
}

/** Returns the corpus stored at given places, whose sentences are known only by number. */
export function placedCorpus(memory: LinearMemory, places: CorpusPlaces): PlacedCorpus {
  const arrays: Partial<Record<CorpusArray, ArrayBufferView>> = {};
  for (const [name, { offset, length }] of Object.entries(places.arrays)) {
    const type = arrayTypes[name as CorpusArray];
    memory.refresh(offset + length * type.BYTES_PER_ELEMENT);
    arrays[name as CorpusArray] = new type(memory.buffer, offset, length);
  }
  const numbers = arrays as unknown as Omit<Minibatch, 'sentences' | 'tokens'>;
  const sentences = unknownSentences(numbers.labelled.length);
  const { stateStarts, stateRows, stateValues } = places.arrays;
  const addresses = {
    starts: stateStarts!.offset,
    rows: stateRows!.offset,
    values: stateValues?.offset ?? 0,
  };
  return { ...numbers, sentences, tokens: places.tokens, addresses };
}

const unknown: EncodedSentence = {
  length: 0,
  stateStarts: new Uint32Array(1),
  stateRows: new Uint32Array(0),
  sentence: { tokens: [], columns: {}, document: {}, part: { index: 0, count: 1, start: 0 } },
};

/** Returns placeholders for sentences stored elsewhere. */
export function unknownSentences(count: number): EncodedSentence[] {
  return new Array<EncodedSentence>(count).fill(unknown);
}
