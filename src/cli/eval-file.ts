import { lastValueFrom, tap, toArray } from 'rxjs';
import { TagstreamError } from '../core/errors.js';
import { DeadLetters } from '../io/dead-letters.js';
import { documentSource } from '../io/document-source.js';
import { FileTagger } from '../io/file-tagger.js';
import { Decoder } from '../models/decoder.js';
import { kernels } from '../models/kernels.js';
import { scoreSentences } from '../models/score-sentences.js';
import { featurize } from '../operators/featurize.js';
import { tokenize } from '../operators/tokenize.js';
import { modelTokenizer } from '../pipeline/model-tokenizer.js';
import type { ConstraintArguments } from './decoding-options.js';
import { formatScores } from './format-scores.js';
import { inputCodec } from './input-format.js';
import type { KernelArguments } from './kernel-option.js';
import { readDictionary } from './tagging-options.js';

/** Arguments of `eval`. */
export interface EvalArguments extends KernelArguments, ConstraintArguments {
  readonly gold: string;
  readonly model: string;
  readonly format?: string | undefined;
  readonly json?: boolean | undefined;
}

/** Scores a model on a labelled file; any bad record is an error, as scores on a part would mislead. */
export async function evalFile({
  gold,
  model: modelFile,
  format,
  json,
  kernel,
  transitions,
  dictionary: dictionaryFile,
}: EvalArguments): Promise<void> {
  const model = FileTagger.load(modelFile, kernels[kernel ?? 'simd']).model;
  const file = gold === '' ? '-' : gold;
  const codec = await inputCodec({ file, named: format, spec: model.spec }, process.stdin);
  const deadLetters = new DeadLetters({ policy: 'fail' });
  const encoded = await lastValueFrom(
    documentSource({ files: [file], codec, deadLetters }).pipe(
      tokenize(modelTokenizer(model)),
      featurize(model),
      tap(({ sentence }) => sentence.delivery?.release()),
      toArray(),
    ),
  );
  const labelled = encoded.filter(({ sentence }) => sentence.tags !== undefined);
  if (labelled.length === 0) {
    throw new TagstreamError('empty-sentence', 'there is no labelled sentence to score', {
      place: { source: gold },
      fix: 'check the format and the column of the tags',
    });
  }
  const dictionary = readDictionary(dictionaryFile);
  const decoder = new Decoder(model.kernel, model);
  const options = { transitions, dictionary };
  const scores = scoreSentences(model, model.parameters, decoder, labelled, options);
  if (json === true) process.stdout.write(`${JSON.stringify(scores)}\n`);
  else {
    const size = `${scores.sentences} sentences, ${scores.tokens} tokens`;
    process.stdout.write(`${size}: ${formatScores(scores)}\n`);
  }
}
