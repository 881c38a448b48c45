import { figureText } from '../../engine/core/figures.js';
import type { TokenExplanation } from '../../engine/models/inspection/explanation.js';
import type { Agreement } from '../agreement/agreement.js';
import type { AnnotationTask } from '../task/annotation-task.js';
import type { ListedRecord, ShownProgress, ShownRecord } from '../task/shown-record.js';
import { button, element, headed } from './dom.js';
import { chips, type LabelLook } from './token-view.js';

/** Renders each annotator's version of a record as a button that adopts it. */
export function versionButtons(
  { versions = [], tokens }: ShownRecord,
  look: LabelLook,
  onTake: (tags: readonly string[]) => void,
): readonly Node[] {
  if (versions.length === 0) return [];
  const items = versions.map(({ annotator, tags }) =>
    button(
      () => onTake(tags),
      {},
      element('strong', {}, annotator),
      element('span', {}, ...chips(tokens, tags, look)),
    ),
  );
  return headed('Take an answer, or correct it', 'versions', items);
}

/** Renders the names of the annotators as links to their pages. */
export function namesContent({ people }: Answers['people']): readonly Node[] {
  const items = people.map(({ name, answered, total, decides }) => {
    const query = new URLSearchParams(location.search);
    query.set('annotator', name);
    const come = `${answered} of ${total} answered`;
    return element(
      'li',
      {},
      element('a', { attributes: { href: `?${query}` } }, name),
      element('span', { class: 'soft' }, decides ? `decides between people, ${come}` : come),
    );
  });
  const list = element('ul', { class: 'names' }, ...items);
  return [
    element('header', {}, element('h1', {}, 'Who are you?')),
    element('main', {}, element('section', {}, list)),
  ];
}

/** Renders the agreement between annotators, and the progress of each. */
export function agreementContent({ agreement, people }: Answers['agreement']): readonly Node[] {
  const come = people.map(({ name, answered, total }) =>
    element('li', {}, `${name === '' ? 'you' : name}: ${answered} of ${total}`),
  );
  const list = element('ul', {}, ...come);
  if (agreement === null)
    return [list, element('p', {}, 'No record was accepted by two annotators.')];
  return [list, ...numbers(agreement)];
}

function numbers({
  records,
  agreed,
  tokens,
  f1,
  cohen,
  fleiss,
  byLabel,
}: Agreement): readonly Node[] {
  const heads = ['label', ...(f1 === undefined ? [] : ['F1']), "Cohen's kappa"];
  const row = (name: 'td' | 'th', cells: readonly string[]) =>
    element('tr', {}, ...cells.map(cell => element(name, {}, cell)));
  const rows = byLabel.map(each =>
    row('td', [
      each.label,
      ...(each.f1 === undefined ? [] : [figureText(each.f1, 1)]),
      figureText(each.cohen),
    ]),
  );
  const all = row('td', [
    'all',
    ...(f1 === undefined ? [] : [figureText(f1, 1)]),
    figureText(cohen),
  ]);
  const whole = fleiss === null ? '' : `; Fleiss' kappa ${figureText(fleiss)}`;
  return [
    element('p', {}, `${agreed} of ${records} records are the same, ${tokens} tokens${whole}`),
    element(
      'table',
      {},
      element('thead', {}, row('th', heads)),
      element('tbody', {}, ...rows, all),
    ),
  ];
}

/** Files to which an annotator's work is written. */
export interface PageFiles {
  /** File of this annotator's answers. */
  readonly answers: string;
  /** File of all annotators' answers, if there is more than one annotator. */
  readonly merged?: string;
  readonly model?: string;
}

/** The server's responses, by path. */
export interface Answers {
  readonly start: {
    readonly task: AnnotationTask;
    readonly annotator: string;
    readonly queue: string;
    readonly strategy: string;
    readonly files: PageFiles;
    readonly guidelines?: string;
    /** Number of annotators. */
    readonly people: number;
    readonly progress: ShownProgress;
    readonly next: ShownRecord | null;
  };
  readonly show: { readonly next: ShownRecord };
  readonly propose: { readonly tags: string[]; readonly marginals: number[] };
  readonly explain: {
    readonly start: number;
    readonly alternatives: readonly { readonly tags: string[]; readonly probability: number }[];
    readonly why: TokenExplanation;
  };
  readonly answer: { readonly progress: ShownProgress; readonly next: ShownRecord | null };
  readonly undo: { readonly progress: ShownProgress; readonly next: ShownRecord | null };
  readonly search: { readonly found: readonly ListedRecord[] };
  readonly answered: { readonly found: readonly ListedRecord[]; readonly total: number };
  readonly agreement: {
    readonly agreement: Agreement | null;
    readonly people: readonly {
      readonly name: string;
      readonly answered: number;
      readonly total: number;
    }[];
  };
  readonly save: { readonly file: string };
  readonly alive: object;
  readonly people: {
    readonly people: readonly {
      readonly name: string;
      readonly answered: number;
      readonly total: number;
      /** Whether this person decides the records on which annotators disagree. */
      readonly decides: boolean;
    }[];
  };
}
