import { contributionWords } from '../../engine/models/inspection/contribution-words.js';
import { percentText } from '../../reports/marked-span.js';
import type { ShownProgress } from '../task/shown-record.js';
import { button, element, headed } from './dom.js';
import { type Command, commands, type KeyMap, mainCommands } from './key-map.js';
import type { Answers } from './review-content.js';
import { chips, type LabelLook } from './token-view.js';

/** Button handlers. */
interface Pressed {
  readonly look: LabelLook;
  readonly keys: KeyMap;
  readonly kind: 'spans' | 'tags';
  readonly onLabel: (label: string) => void;
  readonly onCommand: (command: Command) => void;
}

/** Renders the labels, and the commands for each record, as buttons with their keys. */
export function labelBar(
  labels: readonly string[],
  { look, keys, kind, onLabel, onCommand }: Pressed,
): readonly Node[] {
  const items = labels.map((label, i) => {
    const parts = { class: `label ${look.classOf(label)}` };
    return button(() => onLabel(label), parts, element('kbd', {}, keys.keyOf(i)), label);
  });
  // If every token needs a label, "no label" is not an answer.
  const fitting = [...mainCommands].filter(([command]) => kind === 'spans' || command !== 'clear');
  const main = fitting.map(([command, says]) =>
    button(() => onCommand(command), { class: command }, keyOf(keys, command), says),
  );
  const mainItems = main.map(item => element('li', {}, item));
  return [...headed('Labels', 'labels', items), element('ul', { class: 'main' }, ...mainItems)];
}

/** Renders the other commands as buttons with their keys. */
export function actionPanel(keys: KeyMap, onCommand: (command: Command) => void): HTMLElement {
  const others = commands.filter(([command]) => !mainCommands.has(command));
  const items = others.map(([command, , says]) =>
    button(() => onCommand(command), {}, keyOf(keys, command), says),
  );
  return element('div', {}, ...headed('More', 'actions', items));
}

const keyOf = (keys: KeyMap, command: Command) => element('kbd', {}, shownKey(keys.keyOf(command)));

/** Returns the text shown for a key: a symbol if its name is long. */
export function shownKey(key: string): string {
  return key === 'Backspace' ? '⌫' : key;
}

/** Renders the annotator's progress. */
export function progressFacts(progress: ShownProgress, kind: 'spans' | 'tags'): readonly Node[] {
  const { estimate, corrections, mayStop } = progress;
  const score = kind === 'spans' ? 'F1' : 'Accuracy';
  const facts: (readonly [string, string])[] = [
    ['Answered', `${progress.answered} of ${progress.total}`],
    ['Accepted', String(progress.accepted)],
    ...(progress.flagged === 0 ? [] : [['Flagged', String(progress.flagged)] as const]),
    ...(progress.unreadable === 0 ? [] : [['Unreadable', String(progress.unreadable)] as const]),
    ...(progress.accepted === 0
      ? []
      : [['Corrections per record', corrections.last.toFixed(2)] as const]),
    ...(progress.progressive === undefined
      ? []
      : [[`${score} before each answer`, progress.progressive.toFixed(1)] as const]),
    ...(estimate === undefined
      ? []
      : [
          [
            `${score} on fresh text`,
            `${estimate.score.toFixed(1)} (${estimate.low.toFixed(0)} to ${estimate.high.toFixed(0)})`,
          ] as const,
        ]),
  ];
  const list = element(
    'dl',
    { class: 'facts' },
    ...facts.map(([name, value]) =>
      element('div', {}, element('dt', {}, name), element('dd', {}, value)),
    ),
  );
  return mayStop === undefined ? [list] : [list, element('p', {}, `You may stop: ${mayStop}.`)];
}

/** Renders the reasons for a token's tag, and the alternatives for its sentence. */
export function whyContent(
  { why, alternatives, start }: Answers['explain'],
  tokens: readonly string[],
  look: LabelLook,
): readonly Node[] {
  const { runnerUp, contributions } = why;
  const named = ({ tag, probability }: { readonly tag: string; readonly probability: number }) =>
    `${look.spoken(tag)} (${percentText(probability)})`;
  const head = `${named(why)}${runnerUp === undefined ? '' : `, else ${named(runnerUp)}`}`;
  const strong = [...contributions]
    .sort((a, b) => Math.abs(b.amount) - Math.abs(a.amount))
    .slice(0, 6);
  const reasons = strong.map(each => {
    const says = contributionWords({ ...each, name: look.spoken(each.name) });
    const sign = each.amount > 0 ? 'for' : 'against';
    const amount = `${each.amount > 0 ? '+' : '−'}${Math.abs(each.amount).toFixed(2)}`;
    return element(
      'li',
      { attributes: { title: each.name } },
      element('span', {}, says),
      element('span', { class: sign }, amount),
    );
  });
  const others = alternatives.map(({ tags, probability }) => {
    const words = tokens.slice(start, start + tags.length);
    const chance = element('span', { class: 'chance' }, percentText(probability));
    return element('li', {}, chance, element('span', {}, ...chips(words, tags, look)));
  });
  return [
    element('p', {}, element('strong', {}, why.token), `: ${head}`),
    element('ul', { class: 'reasons' }, ...reasons),
    element('h3', {}, 'Alternatives'),
    element('ul', { class: 'alternatives' }, ...others),
  ];
}
