import type { ScoreContribution } from './explanation.js';

/**
 * Describes the source of a contribution in words.
 *
 * @param feature function that describes features. Default: the feature in words if known, otherwise its
 *   name
 * @example
 * const numbers = { value: 1, chosen: 1, runnerUp: 0, amount: 1 };
 * contributionWords({ kind: 'in', name: 'B-PER', ...numbers }) // => 'transition from B-PER'
 * contributionWords({ kind: 'feature', name: 'U3:initial', words: 'word: initial capital', ...numbers })
 * // => 'word: initial capital'
 */
export function contributionWords(
  { kind, name, words, value }: ScoreContribution,
  feature: string = words ?? name,
): string {
  switch (kind) {
    case 'in':
      return `transition from ${feature}`;
    case 'out':
      return `transition to ${feature}`;
    case 'feature-in':
      return `${feature}, on the transition in`;
    case 'feature-out':
      return `${feature}, on the transition out`;
    case 'trees':
      return name === '-' ? 'trees, none of their features' : `trees, ${feature}`;
    case 'segment':
      return `span ${feature}`;
    case 'link':
      return feature;
    case 'pair':
      return 'transitions';
    case 'feature-pair':
      return `${feature}, on transitions`;
    case 'normaliser':
      return `normaliser of ${feature}`;
    default:
      // Six digits are enough for readers.
      return value === 1 ? feature : `${feature} = ${Number(value.toPrecision(6))}`;
  }
}
