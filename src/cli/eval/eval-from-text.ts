import { from, lastValueFrom, tap, toArray } from 'rxjs';
import { TagstreamError } from '../../engine/core/errors.js';
import { type Figure, figureText } from '../../engine/core/figures.js';
import type { Document } from '../../engine/core/sentence/document.js';
import { type RawTextScores, rawTextScores } from '../../engine/metrics/scores/raw-text-scores.js';
import type { DecodeOptions } from '../../engine/models/decoding/decode-options.js';
import { columnOfTags } from '../../engine/models/files/bundle-models.js';
import type { Model } from '../../engine/models/model.js';
import { assemble } from '../../engine/operators/assemble.js';
import { batch } from '../../engine/operators/batch.js';
import { featurize } from '../../engine/operators/featurize.js';
import { tag } from '../../engine/operators/tag.js';
import { tokenize } from '../../engine/operators/tokenize.js';
import { paragraphsOf } from '../../engine/text/characters/character-text.js';
import { RawText } from '../../formats/codecs/conllu/raw-text.js';
import { DeadLetters } from '../../runtime/io/dead-letters/dead-letters.js';
import { documentSource } from '../../runtime/io/sources/document-source.js';
import { modelTokenizer } from '../../runtime/pipeline/stages/chosen-tokenizer.js';
import { printJson, printText } from '../report/terminal.js';
import { ScoredTextBuilder } from './scored-text.js';
import type { LabelledInput } from './sentences-of.js';

/**
 * Scores a model on the raw text of a labelled file: finds its words and sentences, tags them, and
 * compares the result with the file's annotation.
 *
 * @throws TagstreamError `empty-sentence` if no record has a text with tokens
 */
export async function scoreFromText(
  model: Model,
  { name, tokenize: division, ...input }: LabelledInput,
  decoding: Pick<DecodeOptions, 'transitions' | 'dictionary' | 'rules'>,
): Promise<RawTextScores> {
  const column = columnOf(model);
  const raw = new RawText();
  const gold = new ScoredTextBuilder();
  const read = documentSource({ ...input, deadLetters: new DeadLetters({ policy: 'fail' }) }).pipe(
    tap(document => {
      raw.add(document);
      gold.addGold(document, column);
      document.delivery?.release();
    }),
  );
  await lastValueFrom(read, { defaultValue: undefined });
  const { text } = raw.gold;
  const paragraphs = paragraphsOf(text).map(
    ([start, end]): Document => ({ text: text.slice(start, end) }),
  );
  if (paragraphs.length === 0) {
    throw new TagstreamError('empty-sentence', 'no record has a text with tokens', {
      place: { source: name },
      fix: 'give CoNLL-U, or NDJSON with text and tokens',
    });
  }
  const found = new ScoredTextBuilder();
  const tagged = from(paragraphs).pipe(
    tokenize(modelTokenizer(model, division)),
    featurize(model),
    batch({ sentences: 64 }),
    tag(model, { ...decoding, constraints: false }),
    assemble(),
    toArray(),
  );
  for (const document of await lastValueFrom(tagged)) found.addTagged(document, column);
  const further = model.bundle?.stored.layers.map(layer => layer.column) ?? [];
  return rawTextScores(gold, found, [column, ...further]);
}

/** Returns the column of a model's tags in its training data. */
function columnOf({ spec, bundle }: Model): string {
  return bundle?.stored.column ?? columnOfTags(spec) ?? 'tags';
}

/** Prints scores of raw text. */
export function printFromText(scores: RawTextScores, json: boolean): void {
  if (json) {
    printJson({ fromText: scores });
    return;
  }
  const percent = (share: Figure) => figureText(share === null ? null : 100 * share).padStart(9);
  const rows = Object.entries(scores).map(
    ([name, { precision, recall, f1 }]) =>
      `${name.padEnd(10)}${percent(precision)}${percent(recall)}${percent(f1)}`,
  );
  printText(['from text  precision   recall       F1', ...rows, ''].join('\n'));
}
