import { TagstreamError } from '../../engine/core/errors.js';
import { detectScheme } from '../../engine/text/tags/detect-scheme.js';

/** The labelling task: spans of some types, or one label per token. */
export interface AnnotationTask {
  readonly kind: 'spans' | 'tags';
  /** Names shown to the annotator: span types, or the tags themselves. */
  readonly names: readonly string[];
  /** Tags of the model: `O`, and `B-X` and `I-X` for each span type, or the names. */
  readonly tags: readonly string[];
}

const mostNames = 200;
const longestName = 100;

/**
 * Returns a task in which spans are marked, with BIO tags.
 *
 * @throws TagstreamError `usage` for a name that is empty, too long or given twice, and for too
 * many names
 * @example
 * spansTask(['PER']).tags // => ['O', 'B-PER', 'I-PER']
 */
export function spansTask(names: readonly string[]): AnnotationTask {
  requireNames(names, '--labels PER,LOC');
  return {
    kind: 'spans',
    names,
    tags: ['O', ...names.flatMap(name => [`B-${name}`, `I-${name}`])],
  };
}

/**
 * Returns a task in which each token gets one label.
 *
 * @throws TagstreamError `usage` for the same reasons as `spansTask`
 * @example
 * tagsTask(['NOUN', 'VERB']).tags // => ['NOUN', 'VERB']
 */
export function tagsTask(names: readonly string[]): AnnotationTask {
  requireNames(names, '--tags NOUN,VERB');
  return { kind: 'tags', names, tags: names };
}

/**
 * Returns the task that corresponds to a model's tags.
 *
 * @throws TagstreamError `usage` for tags of a scheme other than BIO
 * @example
 * taskOfTags(['B-LOC', 'O', 'I-LOC', 'B-PER']).names // => ['LOC', 'PER']
 * taskOfTags(['DET', 'NOUN']).kind // => 'tags'
 */
export function taskOfTags(tags: readonly string[]): AnnotationTask {
  const scheme = detectScheme(tags);
  if (scheme === 'none') return tagsTask(tags);
  if (scheme !== 'BIO') {
    throw new TagstreamError('usage', `the tags of the model are ${scheme}`, {
      fix: 'start from a model with BIO tags, or without a model, with --labels',
    });
  }
  return spansTask([...new Set(tags.filter(tag => tag !== 'O').map(tag => tag.slice(2)))]);
}

function requireNames(names: readonly string[], example: string): void {
  const wrong = names.find(name => name.trim() === '' || name.length > longestName);
  const twice = names.find((name, i) => names.indexOf(name) < i);
  const problem =
    wrong !== undefined
      ? `a label is empty or longer than ${longestName} characters`
      : twice !== undefined
        ? `the label ${twice} occurs twice`
        : names.length === 0 || names.length > mostNames
          ? `${names.length} labels`
          : undefined;
  if (problem === undefined) return;
  throw new TagstreamError('usage', problem, {
    fix: `give 1 to ${mostNames} names, as ${example}`,
  });
}
