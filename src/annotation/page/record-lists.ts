import type { ListedRecord } from '../task/shown-record.js';
import { button, element } from './dom.js';
import type { Answers } from './review-content.js';

const states: Readonly<Record<ListedRecord['state'], string>> = {
  ...{ accept: 'accepted', reject: 'rejected', skip: 'skipped', flag: 'flagged' },
  ...{ open: 'open', other: 'not yours' },
};

/** Renders records as list items, each a button that opens its record. */
export function foundItems(
  found: readonly ListedRecord[],
  searched: string,
  onGo: (record: number) => void,
): readonly HTMLElement[] {
  return found.map(({ record, text, state, note }) => {
    const says = note === undefined ? states[state] : `${states[state]}: ${note}`;
    const about = element(
      'span',
      { class: 'about' },
      element('strong', {}, `Record ${record + 1}`),
      element('span', { class: `state ${state}` }, says),
    );
    const shown = element('span', { class: 'text' }, ...marked(text, searched));
    return element(
      'li',
      {},
      button(() => onGo(record), {}, about, shown),
    );
  });
}

/** Marks each occurrence of the search text. */
function marked(text: string, searched: string): readonly (Node | string)[] {
  const at = searched === '' ? -1 : text.toLowerCase().indexOf(searched.toLowerCase());
  if (at < 0) return [text];
  const end = at + searched.length;
  return [text.slice(0, at), element('mark', {}, text.slice(at, end)), text.slice(end)];
}

/** Renders the last view: the files written, and the next steps. */
export function endContent(
  { annotator, files }: Answers['start'],
  answered: number,
  onSave: () => void,
): readonly Node[] {
  const { answers, merged, model } = files;
  const decides = merged !== undefined && annotator === 'review';
  if (answered === 0) {
    const why = decides
      ? 'Nothing to decide: annotators agree on all records that two of them accepted.'
      : 'There are no readable records.';
    return [element('h2', { class: 'end' }, 'No record'), element('p', {}, why)];
  }
  const all = merged ?? answers;
  const [plan, trained] = ['.yaml', '-trained.model'].map(end => withEnding(all, end));
  const commands = [
    ['Train from scratch on all answers', `tagstream init ${quoted(all)} --out ${quoted(plan!)}`],
    ['', `tagstream train ${quoted(plan!)} --model ${quoted(trained!)}`],
  ];
  if (model !== undefined) {
    commands.unshift([
      'Tag other texts with the model trained on your answers',
      `tagstream tag --model ${quoted(model)} more.txt`,
    ]);
  }
  const rows = commands.flatMap(([says, line]) => [
    ...(says === '' ? [] : [element('dt', {}, `${says}:`)]),
    element('dd', {}, element('code', {}, line!)),
  ]);
  const save = button(onSave, { class: 'save' }, 'Save the model now');
  return [
    element('h2', { class: 'end' }, decides ? 'Everything is decided' : 'All records are answered'),
    element('p', {}, 'Your answers are in ', element('code', {}, answers), '.'),
    ...(merged === undefined
      ? []
      : [
          element(
            'p',
            {},
            'The answers of all annotators go to ',
            element('code', {}, merged),
            ', without records on which they disagree: ',
            element('code', {}, 'review'),
            ' decides these.',
          ),
        ]),
    ...(model === undefined
      ? []
      : [
          element(
            'p',
            {},
            'The model goes to ',
            element('code', {}, model),
            ' when the command ends (Ctrl+C), or now.',
          ),
          save,
        ]),
    element('h2', {}, 'Next steps'),
    element('dl', { class: 'next' }, ...rows),
  ];
}

/** Replaces the extension: `out.ndjson` becomes `out.yaml`. */
function withEnding(path: string, ending: string): string {
  return `${path.replace(/\.[^./\\]+$/, '')}${ending}`;
}

/** Quotes a word of a command line. */
function quoted(word: string): string {
  return /^[\w./@%+:,-]+$/.test(word) ? word : `'${word.replaceAll("'", "'\\''")}'`;
}
