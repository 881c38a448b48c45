import type { ShownProgress } from '../task/shown-record.js';
import { button, element, headed } from './dom.js';
import { type Command, commands, type KeyMap, mainCommands } from './key-map.js';
import type { Answers } from './review-content.js';
import type { LabelLook } from './token-view.js';

/** What buttons do. */
interface Pressed {
  readonly look: LabelLook;
  readonly keys: KeyMap;
  readonly onLabel: (label: string) => void;
  readonly onCommand: (command: Command) => void;
}

/** The labels, and what is needed for each record, as buttons with their keys. */
export function labelBar(
  labels: readonly string[],
  { look, keys, onLabel, onCommand }: Pressed,
): readonly Node[] {
  const items = labels.map((label, i) => {
    const parts = { class: `label ${look.classOf(label)}` };
    return button(() => onLabel(label), parts, element('kbd', {}, keys.keyOf(i)), label);
  });
  const main = Array.from(mainCommands, ([command, says]) =>
    button(() => onCommand(command), { class: command }, keyOf(keys, command), says),
  );
  const mainItems = main.map(item => element('li', {}, item));
  return [...headed('Labels', 'labels', items), element('ul', { class: 'main' }, ...mainItems)];
}

/** What else can be done, as buttons with their keys. */
export function actionPanel(keys: KeyMap, onCommand: (command: Command) => void): HTMLElement {
  const others = commands.filter(([command]) => !mainCommands.has(command));
  const items = others.map(([command, , says]) =>
    button(() => onCommand(command), {}, keyOf(keys, command), says),
  );
  return element('div', {}, ...headed('More', 'actions', items));
}

const keyOf = (keys: KeyMap, command: Command) => element('kbd', {}, shownKey(keys.keyOf(command)));

/** Keys by the signs on them, where their names are long. */
export function shownKey(key: string): string {
  return key === 'Backspace' ? '⌫' : key;
}

/** How far the person has come. */
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
      : [['Corrections a record', corrections.last.toFixed(2)] as const]),
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

/** Why a token has its tag, and what else its sentence might be. */
export function whyContent(
  { why, alternatives, start }: Answers['explain'],
  tokens: readonly string[],
): readonly Node[] {
  const percent = (p: number) => `${(100 * p).toFixed(1)} %`;
  const { runnerUp, contributions } = why;
  const against =
    runnerUp === undefined ? '' : `, then ${runnerUp.tag} ${percent(runnerUp.probability)}`;
  const strong = [...contributions]
    .sort((a, b) => Math.abs(b.amount) - Math.abs(a.amount))
    .slice(0, 6);
  const marked = (tags: readonly string[]) =>
    tags
      .map((tag, t) => (tag === 'O' ? '' : `${tokens[start + t]!}/${tag}`))
      .filter(text => text !== '')
      .join(' ');
  return [
    element('p', {}, `${why.token}: ${why.tag} ${percent(why.probability)}${against}`),
    list(strong, ({ name, amount }) => `${name} ${amount >= 0 ? '+' : ''}${amount.toFixed(2)}`),
    element('h3', {}, 'Alternatives'),
    list(alternatives, each => `${percent(each.probability)} ${marked(each.tags) || 'no label'}`),
  ];
}

function list<Item>(items: readonly Item[], textOf: (item: Item) => string): HTMLElement {
  return element('ol', {}, ...items.map(item => element('li', {}, textOf(item))));
}
