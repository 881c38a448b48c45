import { joinedLists } from '../../engine/core/arrays.js';
import { TagstreamError } from '../../engine/core/errors.js';
import type { Sentence } from '../../engine/core/sentence/sentence.js';
import { schemeAllows } from '../../engine/text/tags/tag-scheme.js';
import type { AnnotationModel, Proposal } from '../learning/annotation-model.js';
import type { SpanRules } from '../learning/span-rules.js';
import type { AnnotationTask } from '../task/annotation-task.js';
import { constraintsOf, type FixedTags, markSpan } from '../task/fixed-tags.js';
import type { DividedRecord } from './record-reader.js';

/** Number of answers after which the model is better than the rules. */
const enough = 20;

/** Probability shown for a rule's proposal, which has none. */
const unknown = 0.5;

/** Proposes the tags of records: with the model, and initially with the rules if there are any. */
export class Proposer {
  readonly #model: AnnotationModel;
  readonly #rules: SpanRules | undefined;

  readonly #onNotice: (text: string) => void;
  #hasWarned = false;

  /** @param onNotice called once if records have tags that do not belong to the task */
  constructor(
    model: AnnotationModel,
    rules: SpanRules | undefined,
    onNotice: (text: string) => void,
  ) {
    this.#model = model;
    this.#rules = rules;
    this.#onNotice = onNotice;
  }

  /**
   * Returns the best tags of a record, given the fixed ones. The record's own tags are proposed
   * unchanged, unless they do not belong to the task.
   *
   * @throws TagstreamError `constraint` if no tags are compatible with the fixed ones
   */
  propose(read: DividedRecord, fixed?: FixedTags): Proposal {
    const { sentences, ranges } = read;
    const ownTags = this.#ownTags(read);
    const proposals = sentences.map((sentence, s) => {
      const [start, end] = ranges[s]!;
      const given = fixed?.slice(start, end) ?? sentence.tokens.map(() => null);
      const own = ownTags?.slice(start, end);
      return own !== undefined && given.every(tag => tag === null)
        ? { tags: own, marginals: own.map(() => unknown) }
        : this.#ofSentence(sentence, given);
    });
    return {
      tags: joinedLists(proposals.map(({ tags }) => tags)),
      marginals: joinedLists(proposals.map(({ marginals }) => marginals)),
    };
  }

  #ownTags(read: DividedRecord): readonly string[] | undefined {
    const { tags } = read.document;
    if (tags === undefined || tagsFit(this.#model.start.task, tags, read)) return tags;
    if (!this.#hasWarned) {
      this.#onNotice(
        `record ${read.record + 1} has tags that are not labels of this task, such as ${tags.find(tag => tag !== 'O')}: they are not proposed`,
      );
    }
    this.#hasWarned = true;
    return undefined;
  }

  #ofSentence(sentence: Sentence, fixed: FixedTags): Proposal {
    const spans = this.#model.start.task.kind === 'spans';
    const ruled = this.#withRules(sentence, fixed);
    if (ruled === undefined) return this.#model.propose(sentence, constraintsOf(fixed, spans));
    const { tags, marginals } = this.#model.propose(sentence, constraintsOf(ruled, spans));
    const shown = marginals.map((p, t) => (ruled[t] !== fixed[t] ? Math.min(p, unknown) : p));
    return { tags, marginals: shown };
  }

  /**
   * Proposes the spans found by the rules if no tag is fixed; undefined once the rules are no
   * longer used.
   */
  #withRules(sentence: Sentence, fixed: FixedTags): FixedTags | undefined {
    if (this.#rules === undefined || this.#model.answers >= enough) return undefined;
    let ruled = fixed;
    for (const span of this.#rules.find(sentence)) {
      const isOpen = ruled.slice(span.start, span.end).every(tag => tag === null);
      const follows = ruled[span.end]?.startsWith('I-') === true;
      if (isOpen && !follows) ruled = markSpan(ruled, span);
    }
    return ruled;
  }
}

/**
 * Rejects tags that cannot belong to a record: a wrong number of tags, tags of another task, or a
 * span that does not begin in its sentence.
 *
 * @throws TagstreamError `usage`
 */
export function requireTags(
  { kind, tags: known }: AnnotationTask,
  tags: FixedTags,
  { tokens, ranges }: Pick<DividedRecord, 'tokens' | 'ranges'>,
): void {
  if (tags.length !== tokens.length) {
    throw new TagstreamError('usage', `${tags.length} tags for ${tokens.length} tokens`, {
      fix: 'reload the page',
    });
  }
  const t = firstMisfit({ kind, tags: known }, tags, ranges);
  if (t < 0) return;
  throw new TagstreamError(
    'usage',
    `the tag ${JSON.stringify(tags[t])} is not allowed at token ${t}`,
    { fix: `the labels are ${known.slice(0, 8).join(', ')}` },
  );
}

/** Returns whether tags can belong to a record; see `requireTags`. */
export function tagsFit(
  task: Pick<AnnotationTask, 'kind' | 'tags'>,
  tags: FixedTags,
  { tokens, ranges }: Pick<DividedRecord, 'tokens' | 'ranges'>,
): boolean {
  return tags.length === tokens.length && firstMisfit(task, tags, ranges) < 0;
}

function firstMisfit(
  { kind, tags: known }: Pick<AnnotationTask, 'kind' | 'tags'>,
  tags: FixedTags,
  ranges: DividedRecord['ranges'],
): number {
  const begins = new Set(ranges.map(([start]) => start));
  return tags.findIndex((tag, t) => {
    if (tag === null) return false;
    const before = begins.has(t) ? undefined : (tags[t - 1] ?? 'O');
    return !known.includes(tag) || (kind === 'spans' && !schemeAllows('BIO', before, tag));
  });
}
