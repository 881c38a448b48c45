import type { ScoreContribution, TokenExplanation } from '../../models/inspection/explanation.js';
import { visible } from '../../text/visible.js';
import { aligned } from './aligned.js';
import type { Paint } from './paint.js';

/** Why the tokens of a sentence have their tags, as lines of text: the `top` contributions of each. */
export function explanationText(
  tokens: readonly TokenExplanation[],
  top: number,
  paint: Paint,
): string {
  return tokens.map(token => tokenText(token, top, paint)).join('\n\n');
}

function tokenText(explained: TokenExplanation, top: number, paint: Paint): string {
  const { token, tag, probability, runnerUp, difference, contributions, state } = explained;
  const ruled = rulesText(explained, paint);
  const head = `${paint.strong(visible(token))}  ${paint.strong(visible(state ?? tag))} ${chance(probability)}`;
  if (runnerUp === undefined) {
    return [`${head}  ${paint.faint('no other tag is possible here')}`, ...ruled].join('\n');
  }
  const shown = contributions.slice(0, top);
  const rest = contributions.slice(top);
  const restSum = rest.reduce((sum, { amount }) => sum + amount, 0);
  const rows = shown.map(each => [
    amount(each.amount, paint),
    source(each),
    { text: detail(each), paint: paint.faint },
  ]);
  if (rest.length > 0) {
    rows.push([
      amount(restSum, paint),
      `the rest: ${rest.length} more`,
      { text: '', paint: paint.faint },
    ]);
  }
  const against = `against ${visible(runnerUp.state ?? runnerUp.tag)} ${chance(runnerUp.probability)}`;
  const score = `score ${signed(difference!)}`;
  const lines = aligned(rows, { right: [0], indent: '  ' });
  return [`${head}  ${against}  ${score}`, ...ruled, ...lines].join('\n');
}

/** The rules that apply to a token, a line each, and what its tag is without them. */
function rulesText({ rules = [], withoutRules }: TokenExplanation, paint: Paint): string[] {
  const lines = rules.map(({ effect, label, weight, from }) => {
    const by = weight === undefined ? '' : ` by ${weight}`;
    return `  rule: ${effect} ${visible(label)}${by} ${paint.faint(`(${visible(from)})`)}`;
  });
  if (withoutRules !== undefined) lines.push(`  without rules: ${visible(withoutRules)}`);
  return lines;
}

function amount(value: number, paint: Paint) {
  return { text: signed(value), paint: (text: string) => paint.signed(text, value) };
}

function source({ kind, name, value }: ScoreContribution): string {
  switch (kind) {
    case 'in':
      return `transition from ${name}`;
    case 'out':
      return `transition to ${name}`;
    case 'feature-in':
      return `${name}, on the transition in`;
    case 'feature-out':
      return `${name}, on the transition out`;
    case 'trees':
      return name === '-' ? 'trees, none of their features' : `trees, ${visible(name)}`;
    case 'segment':
      return `span ${visible(name)}`;
    case 'link':
      return visible(name);
    case 'pair':
      return 'transitions';
    case 'feature-pair':
      return `${visible(name)}, on transitions`;
    case 'normaliser':
      return `normaliser of ${visible(name)}`;
    default:
      return value === 1 ? name : `${name} = ${shortened(value)}`;
  }
}

function detail({ chosen, runnerUp, value, columns }: ScoreContribution): string {
  if (columns !== undefined)
    return `${signed(chosen)} less ${signed(runnerUp)}  ${visible(columns)}`;
  const weights = `${signed(chosen)} less ${signed(runnerUp)}`;
  return value === 1 ? weights : `(${weights}) x ${shortened(value)}`;
}

/** The value of a feature in six digits. */
function shortened(value: number): number {
  return Number(value.toPrecision(6));
}

function signed(value: number): string {
  return `${value < 0 ? '-' : '+'}${Math.abs(value).toFixed(4)}`;
}

/** A probability; one that is not quite 1 is not shown as 1. */
function chance(probability: number): string {
  if (probability < 1 && probability > 0.99995) return '>0.9999';
  if (probability > 0 && probability < 0.00005) return '<0.0001';
  return probability.toFixed(4);
}
