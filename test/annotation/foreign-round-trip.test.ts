import { existsSync, mkdirSync, readdirSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { strategyOf } from '../../src/annotation/strategies/strategies.js';
import { spansTask } from '../../src/annotation/task/annotation-task.js';
import { convertFiles } from '../../src/cli/convert-files.js';
import { workspace } from '../cli/commands/workspace.js';
import { openSample } from './sample-session.js';

const folder = workspace();
const at = (name: string) => join(folder, name);

/** An emoji of four code points in seven units, a letter with a combining mark, and a pair: offsets differ by way of counting. */
const text = '👩🏽‍🚀 Zoe\u0301 saw 😀 Ann in Oslo.';
const [zoe, ann, oslo] = [
  [5, 9],
  [16, 19],
  [23, 27],
] as const;
const parts = [
  [zoe, 'Zoe\u0301'],
  [ann, 'Ann'],
  [oslo, 'Oslo'],
] as const;

/** What tools write for the text with two people labelled, and for one without labels; and with a place besides. */
const tools = {
  doccano: {
    file: 'doccano.jsonl',
    records: [
      {
        id: 17,
        text,
        label: [
          [...zoe, 'PER'],
          [...ann, 'PER'],
        ],
        Comments: ['sure?'],
      },
      { id: 18, text: 'Nobody.', label: [], Comments: [] },
    ],
    corrected: {
      label: [
        [...zoe, 'PER'],
        [...ann, 'PER'],
        [...oslo, 'LOC'],
      ],
    },
  },
  'doccano with relations': {
    file: 'relations.jsonl',
    records: [
      {
        id: 3,
        text,
        entities: [
          { id: 8, label: 'PER', start_offset: ann[0], end_offset: ann[1] },
          { id: 9, label: 'PER', start_offset: zoe[0], end_offset: zoe[1] },
        ],
        relations: [{ id: 1, from_id: 9, to_id: 8, type: 'sees' }],
        Comments: [],
      },
    ],
    corrected: {
      entities: [
        { id: 9, label: 'PER', start_offset: zoe[0], end_offset: zoe[1] },
        { id: 8, label: 'PER', start_offset: ann[0], end_offset: ann[1] },
        { label: 'LOC', start_offset: oslo[0], end_offset: oslo[1] },
      ],
      relations: [{ id: 1, from_id: 9, to_id: 8, type: 'sees' }],
    },
  },
  prodigy: {
    file: 'prodigy.jsonl',
    records: [
      {
        text,
        meta: { source: 'news', score: 0.5 },
        _input_hash: -1398765421,
        _task_hash: 1804289383,
        spans: [
          { start: zoe[0], end: zoe[1], label: 'PER', source: 'patterns' },
          { start: ann[0], end: ann[1], label: 'PER' },
        ],
        _session_id: null,
        _view_id: 'ner_manual',
        answer: 'accept',
        _timestamp: 1700000000,
      },
    ],
    corrected: {
      spans: [
        { start: zoe[0], end: zoe[1], label: 'PER', source: 'patterns' },
        { start: ann[0], end: ann[1], label: 'PER' },
        { start: oslo[0], end: oslo[1], label: 'LOC' },
      ],
    },
  },
  'label-studio': {
    file: 'tasks.json',
    records: [
      {
        id: 101,
        data: { text, lang: 'en', note: null },
        annotations: [
          {
            id: 7,
            completed_by: 1,
            was_cancelled: false,
            ground_truth: false,
            lead_time: 12.5,
            result: [region('a1', zoe, 'Zoe\u0301', 'PER'), region('a2', ann, 'Ann', 'PER')],
          },
        ],
        predictions: [],
        meta: {},
        inner_id: 1,
      },
    ],
    corrected: undefined,
  },
} as const;

function region(id: string, [start, end]: readonly [number, number], shown: string, label: string) {
  const value = { start, end, text: shown, labels: [label] };
  return { id, from_name: 'ner', to_name: 'body', type: 'labels', origin: 'manual', value };
}

type ToolName = keyof typeof tools;

const formatOf = (tool: string) => tool.split(' ')[0]!;

async function convert(inputs: readonly string[], to: string, out: string, from?: string) {
  await convertFiles({ inputs, from, to, out, strict: true });
}

/** Has all records of a queue accepted, with a place added where it is asked for. */
async function accepted(queue: string, out: string, place = false) {
  const session = await openSample(queue, out, {
    task: spansTask(['PER', 'LOC']),
    strategy: strategyOf('sequential'),
  });
  const [one] = session.annotators;
  for (let shown = session.next(one!); shown !== undefined; shown = session.next(one!)) {
    const { record, tokens } = shown;
    const tags = shown.tags.map((tag, t) => (place && tokens[t] === 'Oslo' ? 'B-LOC' : tag));
    session.answer(one!, { record, answer: 'accept', tags, corrections: 0 });
  }
  await session.close();
}

function recordsOf(file: string): Record<string, unknown>[] {
  const content = readFileSync(file, 'utf8');
  return content.startsWith('[')
    ? JSON.parse(content)
    : content
        .trim()
        .split('\n')
        .map(line => JSON.parse(line));
}

describe.each(Object.keys(tools) as ToolName[])('what %s writes', tool => {
  const { file, records, corrected } = tools[tool];
  const format = formatOf(tool);
  const name = file.replace('.', '-');

  it('comes in, is accepted as it is labelled, and goes out unchanged', async () => {
    const content = file.endsWith('.json')
      ? JSON.stringify(records)
      : records.map(record => `${JSON.stringify(record)}\n`).join('');
    writeFileSync(at(file), content);
    await convert([at(file)], 'ndjson', at(`${name}.ndjson`), format);
    await accepted(at(`${name}.ndjson`), at(`${name}.out.ndjson`));
    const answers = recordsOf(at(`${name}.out.ndjson`));
    expect(answers[0]!.tags).toEqual(
      (answers[0]!.tokens as string[]).map(token => (/^(Zoe|Ann)/.test(token) ? 'B-PER' : 'O')),
    );
    await convert([at(`${name}.out.ndjson`)], format, at(`${name}.back`));
    expect(recordsOf(at(`${name}.back`))).toEqual(records);
  });

  it('goes out with the labels of now, and all else as it was', async () => {
    await accepted(at(`${name}.ndjson`), at(`${name}.more.ndjson`), true);
    await convert([at(`${name}.more.ndjson`)], format, at(`${name}.more`));
    const [first, ...rest] = recordsOf(at(`${name}.more`));
    expect(rest).toEqual(records.slice(1));
    if (corrected !== undefined) expect(first).toEqual({ ...records[0], ...corrected });
    else {
      const [task] = tools['label-studio'].records;
      const [annotation] = task.annotations;
      const added = { ...region('span-3', oslo, 'Oslo', 'LOC'), origin: undefined };
      const result = [...annotation.result, JSON.parse(JSON.stringify(added))];
      expect(first).toEqual({ ...task, annotations: [{ ...annotation, result }] });
    }
  });

  it('is refused where spans overlap, with the two', async () => {
    const wrong = JSON.stringify(records[0]).replaceAll(`${ann[0]}`, `${zoe[1] - 1}`);
    writeFileSync(at(`${name}.wrong`), file.endsWith('.json') ? `[${wrong}]` : wrong);
    await expect(
      convert([at(`${name}.wrong`)], 'ndjson', at(`${name}.none`), format),
    ).rejects.toThrow(tool === 'label-studio' ? /but its text is/ : /overlap|several pieces/);
    expect(existsSync(at(`${name}.none`))).toBe(false);
  });
});

describe('what brat writes', () => {
  const place = ([start, end]: readonly [number, number]) => `${start} ${end}`;
  const [first, second] = parts;
  const kept = `T3\tPER ${place(first[0])}\t${first[1]}\nT7\tPER ${place(second[0])}\t${second[1]}\n`;
  const more = 'R1\tSees Arg1:T3 Arg2:T7\t\nA1\tSure T3\n#1\tAnnotatorNotes T7\twho is it?\n';

  it('comes in as pairs of files, and goes out so, unchanged', async () => {
    mkdirSync(at('brat'), { recursive: true });
    writeFileSync(at('brat/doc-1.txt'), `${text}\n`);
    writeFileSync(at('brat/doc-1.ann'), `${kept}${more}`);
    writeFileSync(at('brat/doc-2.txt'), 'Nobody.\n');
    writeFileSync(at('brat/doc-2.ann'), '');
    await convert([at('brat/doc-1.ann'), at('brat/doc-2.ann')], 'ndjson', at('brat.ndjson'));
    await accepted(at('brat.ndjson'), at('brat.out.ndjson'));
    await convert([at('brat.out.ndjson')], 'brat', at('back/'));
    expect(readdirSync(at('back')).sort()).toEqual(readdirSync(at('brat')).sort());
    for (const name of readdirSync(at('brat'))) {
      expect(readFileSync(at(`back/${name}`), 'utf8')).toBe(
        readFileSync(at(`brat/${name}`), 'utf8'),
      );
    }
  });

  it('goes out with the labels of now; what spoke of labels that went, goes too', async () => {
    await accepted(at('brat.ndjson'), at('brat.more.ndjson'), true);
    const text = readFileSync(at('brat.more.ndjson'), 'utf8');
    await convert([at('brat.more.ndjson')], 'brat', at('more/'));
    expect(readFileSync(at('more/doc-1.ann'), 'utf8')).toBe(
      `${kept}T8\tLOC ${place(oslo)}\tOslo\n${more}`,
    );
    // Ann is nobody now.
    const gone = text.replace(/"B-PER"(?=(,"O")*,"B-LOC")/, '"O"');
    expect(gone).not.toBe(text);
    writeFileSync(at('gone.ndjson'), gone);
    await convert([at('gone.ndjson')], 'brat', at('gone/'));
    expect(readFileSync(at('gone/doc-1.ann'), 'utf8')).toBe(
      `T3\tPER ${place(zoe)}\tZoe\u0301\nT8\tLOC ${place(oslo)}\tOslo\nA1\tSure T3\n`,
    );
  });

  it('stays in its folder, and replaces nothing that is read', async () => {
    const record = (id: string) => `${JSON.stringify({ id, text: 'Ann', spans: [] })}\n`;
    writeFileSync(at('names.jsonl'), `${record('../out')}${record('a/b')}${record('fine')}`);
    await convert([at('names.jsonl')], 'brat', at('names/'), 'spans');
    expect(readdirSync(at('names')).sort()).toEqual(
      ['fine', 'record-1', 'record-2'].flatMap(name => [`${name}.ann`, `${name}.txt`]),
    );
    expect(existsSync(at('out.ann'))).toBe(false);
    const ids = [
      'A',
      'a',
      'a-2',
      'a',
      'con',
      'aux.x',
      '',
      '.',
      '..',
      'é',
      'e\u0301',
      '語'.repeat(90),
    ];
    writeFileSync(at('twice.jsonl'), ids.map(record).join(''));
    await convert([at('twice.jsonl')], 'brat', at('twice/'), 'spans');
    const names = ['A', 'a-2', 'a-2-2', 'a-3', 'record-5', 'record-6', 'record-7', 'record-8'];
    names.push('record-9', 'é', 'e\u0301-2', 'record-12');
    expect(new Set(readdirSync(at('twice')))).toEqual(
      new Set(names.flatMap(name => [`${name}.ann`, `${name}.txt`])),
    );
    await expect(convert([at('brat/doc-1.ann')], 'brat', at('brat/'))).rejects.toThrow(
      'is an input and would be overwritten',
    );
  });
});
