import { describe, expect, it } from 'vitest';
import { TaggedPage } from '../../src/reports/tagged/tagged-page.js';
import { TerminalText } from '../../src/reports/tagged/terminal-text.js';
import { attack } from './sample-evaluation.js';

const text = '  Ben flew\nto New York. He left. ';
const offsets = [
  [2, 5],
  [6, 10],
  [11, 13],
  [14, 17],
  [18, 22],
  [22, 23],
  [24, 26],
  [27, 31],
  [31, 32],
] as const;
const tokens = offsets.map(([start, end]) => text.slice(start, end));
const ofText = {
  document: { id: '5', text },
  tokens,
  offsets,
  sentences: [
    [0, 6],
    [6, 9],
  ] as const,
  tags: ['B-PER', 'O', 'O', 'B-LOC', 'I-LOC', 'O', 'O', 'O', 'O'],
  spans: [
    { label: 'PER', start: 0, end: 1, probability: 0.9312 },
    { label: 'LOC', start: 3, end: 5 },
  ],
};
const { spans: _, ...words } = {
  ...ofText,
  document: { id: 'w' },
  tags: tokens.map((_, t) => `T${t}`),
};
const ofTokens = { ...words, document: {}, marginals: tokens.map((_, t) => t / 8) };
const hostile = {
  document: { id: attack, text: attack },
  tokens: [attack],
  offsets: [[0, attack.length]] as const,
  tags: ['B-"><b>'],
  spans: [{ label: '"><b>', start: 0, end: 1 }],
};

describe('TerminalText', () => {
  const plain = new TerminalText({ colour: false, labels: [] });

  it('puts spans into brackets, in the text as it was', () => {
    expect(plain.write(ofText)).toBe('5  [Ben PER 93.1 %] flew\nto [New York LOC]. He left.\n\n');
  });

  it('puts tags after words, a line for each sentence', () => {
    expect(plain.write(ofTokens)).toBe(
      'Ben/T0 flew/T1 to/T2 New/T3 York/T4 ./T5\nHe/T6 left/T7 ./T8\n\n',
    );
  });

  it('keeps words apart that stand together', () => {
    const tagged = { ...words, document: { text } };
    expect(plain.write(tagged)).toBe(
      'Ben/T0 flew/T1\nto/T2 New/T3 York/T4 ./T5 He/T6 left/T7 ./T8\n\n',
    );
  });

  it('colours spans by label, and ends each colour', () => {
    const coloured = new TerminalText({ colour: true, labels: ['PER', 'LOC'] });
    const out = coloured.write(ofText);
    // biome-ignore lint/suspicious/noControlCharactersInRegex: of the terminal
    const spans = [...out.matchAll(/\x1b\[30;48;5;(\d+)m (.*?)\x1b\[0m/g)];
    expect(spans.map(match => match[2])).toEqual([
      'Ben \x1b[1mPER 93.1 % ',
      'New York \x1b[1mLOC ',
    ]);
    expect(new Set(spans.map(match => match[1])).size).toBe(2);
    expect(out.startsWith('\x1b[2m5\x1b[22m  ')).toBe(true);
  });

  it('lets nothing of a record give orders to the terminal', () => {
    const tagged = {
      document: { id: '\x1b[2J' },
      tokens: ['a\x1b]0;b\x07', '\u009b31m'],
      tags: ['B-\x1bX', 'O'],
      spans: [{ label: '\x1bX', start: 0, end: 1 }],
    };
    // biome-ignore lint/suspicious/noControlCharactersInRegex: what must not come out
    expect(plain.write(tagged)).not.toMatch(/[\x1b\x07\x9b]/);
  });
});

describe('TaggedPage', () => {
  const page = new TaggedPage({
    model: 'a/n.model',
    labels: ['O', 'B-PER', 'I-PER', 'B-LOC'],
    spans: true,
  });

  it('has a legend of the labels of spans before all records', () => {
    const legend = [...page.head.matchAll(/<span class="tag">([^<]*)<\/span>/g)].map(m => m[1]);
    expect(legend).toEqual(['LOC', 'PER']);
    expect(page.head).toContain('<h1>Text tagged by n.model</h1>');
  });

  it('marks spans in the text as it was, with their probability', () => {
    const record = page.write(ofText);
    expect(record.replace(/<[^>]*>/g, '')).toBe('5BenPER 93.1 % flew\nto New YorkLOC. He left.\n');
    expect(record).toContain('title="PER, probability 93.1 %"');
    expect(record).toContain('title="LOC"');
    expect(record).toContain('aria-label="Record 5"');
  });

  it('puts tags under words, and frames those that are less likely than not', () => {
    const speech = new TaggedPage({ model: 'm', labels: ['T0'], spans: false });
    const record = speech.write(ofTokens);
    expect(record.match(/<ruby /g)).toHaveLength(9);
    expect(record.match(/ unsure"/g)).toHaveLength(4);
    expect(record).toMatch(
      /<ruby class="c\d+" title="T7, probability 87.5 %">left<rt>T7<\/rt><\/ruby>/,
    );
    // Records without a name are numbered.
    expect(record).toContain('aria-label="Record 1"');
    expect(speech.write(words)).toContain('aria-label="Record w"');
    expect(speech.write({ ...words, document: {} })).toContain('aria-label="Record 3"');
  });

  it('has nothing of a record as markup', () => {
    expect(page.write(hostile)).not.toMatch(/<script|<b>/);
    expect(page.write(hostile)).toContain('&quot;&gt;&lt;b&gt;');
  });
});
