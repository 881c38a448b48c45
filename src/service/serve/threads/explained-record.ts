import type { Range } from '../../../engine/core/sentence/document.js';
import type { TaggedDocument } from '../../../engine/core/sentence/tagged-document.js';
import type { TagRule } from '../../../engine/models/decoding/tag-rules.js';
import { explainSentence } from '../../../engine/models/inspection/explain.js';
import type { TokenExplanation } from '../../../engine/models/inspection/explanation.js';
import type { Model } from '../../../engine/models/model.js';

/** Maximum number of contributions reported per tag, strongest first. */
const mostContributions = 12;

/** The reasons for the tags of a record's tokens. */
export interface ExplainedRecord {
  readonly id?: string | number | undefined;
  /** Token ranges in the text, in UTF-16 units. */
  readonly offsets?: readonly Range[] | undefined;
  /** Token ranges of the sentences. */
  readonly sentences: readonly Range[];
  /** One explanation per token; `difference` is the sum of all contributions, including omitted ones. */
  readonly explanations: readonly TokenExplanation[];
}

/** @throws TagstreamError `config` for a model that cannot be explained */
export function explainedRecord(
  model: Model,
  { document, tokens, offsets, sentences: given }: TaggedDocument,
  rules: readonly TagRule[] | undefined,
): ExplainedRecord {
  const { id, columns = {} } = document;
  const whole: readonly Range[] = tokens.length === 0 ? [] : [[0, tokens.length]];
  const sentences = given ?? whole;
  const explanations = sentences.flatMap(([start, end], index) => {
    const part = { index, count: sentences.length, start };
    const own = Object.fromEntries(
      Object.entries(columns).map(([name, values]) => [name, values.slice(start, end)]),
    );
    const sentence = { tokens: tokens.slice(start, end), columns: own, document, part };
    return explainSentence(model, sentence, { rules });
  });
  const strongest = explanations.map(each => ({
    ...each,
    contributions: each.contributions.slice(0, mostContributions),
  }));
  return { id, offsets, sentences, explanations: strongest };
}
