import { TagstreamError } from '../../core/errors.js';
import { suggestion } from '../../core/wording/nearest.js';
import { intersection, type LabelAutomaton } from '../../inference/automata/label-automaton.js';
import type { LabelSet } from '../labels/label-set.js';

/** A rule that bounds the number of a sentence's tokens with one of the given labels. */
export interface CountRule {
  /** Label names. */
  readonly of: readonly string[];
  readonly atLeast?: number | undefined;
  readonly atMost?: number | undefined;
}

/** A rule that orders sets of labels: no label of a set may follow one of a later set. Other labels are free. */
export interface OrderRule {
  readonly order: readonly (readonly string[])[];
}

/** Rules for a sentence's whole label sequence. */
export type SequenceRule = CountRule | OrderRule;

/** Maximum number of states of the automaton of all rules. */
export const mostRuleStates = 1024;

/**
 * Returns the automaton that accepts the label sequences that satisfy all rules.
 *
 * A count has one state for each number up to its larger bound, an order one for each set; the automaton has at most
 * the product of these numbers.
 *
 * @throws TagstreamError `config` for a label that the model does not have, a bound that is not a count, a rule without
 * content, and rules with more than 1024 states
 * @example
 * const labels = new LabelSet(['O', 'B-X', 'I-X']);
 * ruleAutomaton([{ of: ['B-X'], atLeast: 1, atMost: 2 }], labels).states // => 3
 */
export function ruleAutomaton(rules: readonly SequenceRule[], labels: LabelSet): LabelAutomaton {
  const automata = rules.map(rule =>
    'order' in rule ? orderAutomaton(rule, labels) : countAutomaton(rule, labels),
  );
  const whole = intersection(automata, labels.size, mostRuleStates);
  if (whole !== undefined) return whole;
  throw new TagstreamError('config', `the rules need more than ${mostRuleStates} states`, {
    fix: 'use fewer rules or smaller counts: the states of the rules multiply',
  });
}

function countAutomaton(rule: CountRule, labels: LabelSet): LabelAutomaton {
  const { atLeast = 0, atMost } = rule;
  for (const bound of [atLeast, atMost ?? 0]) {
    if (Number.isSafeInteger(bound) && bound >= 0 && bound < mostRuleStates) continue;
    throw wrongRule(
      `the bound ${bound} is no count`,
      `give a whole number below ${mostRuleStates}`,
    );
  }
  if (atMost === undefined && atLeast === 0) {
    throw wrongRule('a count has no bound', 'give atLeast, atMost or both');
  }
  const counted = numbersOf(rule.of, labels);
  const states = Math.max(atLeast, atMost ?? 0) + 1;
  const next = new Int32Array(states * labels.size);
  for (let q = 0; q < states; q += 1) {
    for (let y = 0; y < labels.size; y += 1) {
      const more = atMost === q ? -1 : Math.min(q + 1, states - 1);
      next[q * labels.size + y] = counted.has(y) ? more : q;
    }
  }
  const accepts = Uint8Array.from({ length: states }, (_, q) => (q >= atLeast ? 1 : 0));
  if (atMost !== undefined) accepts.fill(0, atMost + 1);
  return { states, labels: labels.size, next, accepts };
}

function orderAutomaton({ order }: OrderRule, labels: LabelSet): LabelAutomaton {
  if (order.length < 2) {
    throw wrongRule('an order has fewer than two sets', 'give sets: [[B-A], [B-B]]');
  }
  const sets = order.map(names => numbersOf(names, labels));
  const next = new Int32Array(sets.length * labels.size);
  for (let q = 0; q < sets.length; q += 1) {
    for (let y = 0; y < labels.size; y += 1) {
      const own = sets.findIndex(set => set.has(y));
      next[q * labels.size + y] = own < 0 ? q : own < q ? -1 : own;
    }
  }
  const shared = sets.flatMap(set => [...set]).length;
  if (new Set(sets.flatMap(set => [...set])).size < shared) {
    throw wrongRule('a label is in two sets of an order', 'name each label once');
  }
  const accepts = new Uint8Array(sets.length).fill(1);
  return { states: sets.length, labels: labels.size, next, accepts };
}

function numbersOf(names: readonly string[], labels: LabelSet): ReadonlySet<number> {
  const numbers = names.flatMap(name => {
    const found = labels.numbersOf(name);
    if (found.length > 0) return found;
    const fix = suggestion(name, [...labels.tags]);
    throw wrongRule(`the model has no label ${JSON.stringify(name)}`, fix);
  });
  if (numbers.length > 0) return new Set(numbers);
  throw wrongRule(
    'it does not name a label',
    `the labels are ${labels.tags.slice(0, 5).join(', ')}, ...`,
  );
}

function wrongRule(problem: string, fix: string): TagstreamError {
  return new TagstreamError('config', `invalid sequence rule: ${problem}`, { fix });
}
