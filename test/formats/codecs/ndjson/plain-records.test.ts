import { describe, expect, it } from 'vitest';
import { TagstreamError } from '../../../../src/engine/core/errors.js';
import { Random } from '../../../../src/engine/core/random.js';
import { FeatureExtractor } from '../../../../src/engine/features/extraction/feature-extractor.js';
import { ExactIndex } from '../../../../src/engine/features/index/exact-index.js';
import { parseTemplates } from '../../../../src/engine/features/template/parse-templates.js';
import { TextFeatures } from '../../../../src/engine/features/texts/text-features.js';
import { ownedResults } from '../../../../src/formats/codecs/ndjson/owned-members.js';
import { PlainRecords } from '../../../../src/formats/codecs/ndjson/plain-records.js';
import { readRecord } from '../../../../src/formats/codecs/ndjson/read-record.js';
import { bytesOf } from '../../../runtime/io/sources/read-all.js';

/** A reader of tokens and a column `pos`. */
function reader(maxLineBytes = 10_000): PlainRecords {
  const { plan } = new FeatureExtractor(parseTemplates('U00:%x[0,0]/%x[0,1]'), ['form', 'pos']);
  const features = new TextFeatures(plan, new ExactIndex());
  return new PlainRecords(features.texts, { columns: ['pos'], maxLineBytes, maxTokens: 10_000 });
}

const pos = '"columns":{"pos":["X","Y"]}';
const plain = [
  `{"tokens":["a","b"],${pos}}`,
  ` \t{ "tokens" : [ "a" ,"b" ] , "columns" : {"other": ["1", "2"], "pos":["X","Y"] } } \r`,
  `{"id":7,"tokens":["a","b"],${pos},"tags":["O","O"],"gold":["O","P"]}`,
  `{"id":"\\u0061\\n","text":"a b","tokens":["a","b"],${pos}}`,
  `{"id":-1.5e+3,${pos},"tokens":["\\"\\\\\\/\\b\\f\\n\\r\\t","\\uD83D\\ude00é😀"]}`,
  `{"x":[1,-0,2.5E-3,{"y":[[],{},null,true,false,"}]"]}],"tokens":["a",""],${pos}}`,
  `{"__proto__":1,"toString":"","tokens":["${'long'.repeat(99)}","b"],${pos}}`,
];
const notPlain = [
  `{"tokens":["a","b"]}`,
  `{"tokens":[],"columns":{"pos":[]}}`,
  `{"tokens":["a"],${pos}}`,
  `{"tokens":["a",1],${pos}}`,
  `{"tokens":["a","b"],"tokens":["c","d"],${pos}}`,
  `{"tok\\u0065ns":["c","d"],"tokens":["a","b"],${pos}}`,
  `{"tokens":["a","b"],"columns":{"pos":["X","Y"],"p\\u006fs":["Z","Z"]}}`,
  `{"tokens":["a","b"],"columns":{"pos":["X","Y"],"pos":["Z","Z"]}}`,
  `{"tokens":["a","b"],"columns":{"pos":["X","Y"],"n":[1,2]}}`,
  `{"tokens":["a","b"],${pos},"tags":["O"]}`,
  `{"tokens":["a","b"],${pos},"tags":["O",null]}`,
  `{"id":null,"tokens":["a","b"],${pos}}`,
  `{"id":true,"tokens":["a","b"],${pos}}`,
  `{"text":1,"tokens":["a","b"],${pos}}`,
  `{"sentences":[[0,2]],"tokens":["a","b"],${pos}}`,
  `{"constraints":{},"tokens":["a","b"],${pos}}`,
  `{"text":"a b","offsets":[[0,1],[2,3]],"tokens":["a","b"],${pos}}`,
  `{"tokens":["a","b"],${pos},}`,
  `{"tokens":["a","b",],${pos}}`,
  `{"tokens":["a","b"],${pos}}x`,
  `{"tokens":["a","b"],${pos}`,
  `{"x":01,"tokens":["a","b"],${pos}}`,
  `{"x":"\\x","tokens":["a","b"],${pos}}`,
  `{"x":"\\u00g0","tokens":["a","b"],${pos}}`,
  `{"x":"\t","tokens":["a","b"],${pos}}`,
  `{"x":nul,"tokens":["a","b"],${pos}}`,
  `\u00a0{"tokens":["a","b"],${pos}}`,
  '[]',
  'null',
];

describe('PlainRecords', () => {
  it.each(plain)('reads %s', line => {
    const records = reader();
    records.open(bytesOf(line));
    expect([records.read(), records.count]).toEqual(['end', 1]);
    expect(Array.from(records.starts)).toEqual([0, 2]);
  });

  it.each(notPlain)('leaves alone %s', line => {
    const records = reader();
    records.open(bytesOf(`\n${plain[0]}\n${line}\n${plain[0]}\n`));
    expect([records.read(), records.count, records.blank]).toEqual(['not-plain', 1, 1]);
    expect([records.position, records.line]).toEqual([plain[0]!.length + 2, 2]);
    records.position += bytesOf(line).length + 1;
    records.line += 1;
    expect([records.read(), records.count, records.line]).toEqual(['end', 1, 4]);
  });

  it('takes of mutated records only what is right, and all that is as it was', {
    tags: 'slow',
  }, () => {
    const random = new Random(5);
    const records = reader();
    let taken = 0;
    let broken = 0;
    for (let i = 0; i < 20_000; i += 1) {
      const whole = plain[random.below(plain.length)]!.trim();
      const line = mutated(whole, random);
      records.open(bytesOf(line));
      if (records.read() !== 'end' || records.count !== 1) {
        if (isRight(line)) continue;
        broken += 1;
        continue;
      }
      taken += 1;
      const { tokens, columns, id } = readRecord(line);
      expect(records.starts[1]).toBe(tokens!.length);
      expect(columns!.pos!.length).toBe(tokens!.length);
      const hasId = id !== undefined && tokens!.length > 0;
      expect(records.labelled().ids !== undefined).toBe(hasId);
    }
    expect(taken).toBeGreaterThan(1000);
    expect(broken).toBeGreaterThan(5000);
  });

  it('goes back to a record, with the lines and blank lines before it', () => {
    const records = reader();
    records.open(bytesOf(`${plain[0]}\n\n${plain[2]}\n \n\n${plain[0]}\n`));
    expect([records.read(), records.count, records.blank]).toEqual(['end', 3, 3]);
    records.backTo(1);
    expect([records.count, records.blank, records.line]).toEqual([1, 1, 2]);
    expect([records.read(), records.count, records.blank]).toEqual(['end', 2, 2]);
    expect(records.line).toBe(6);
  });

  it.each([
    [10_000, 'end', 2001],
    [10_001, 'not-plain', 2000],
  ])(
    'reads many records in parts, and one of %d tokens if it may be that long',
    (length, end, all) => {
      const records = reader(2 ** 20);
      const long = JSON.stringify({
        tokens: Array.from({ length }, () => 'a'),
        columns: { pos: Array.from({ length }, () => 'X') },
      });
      records.open(bytesOf([...Array.from({ length: 2000 }, () => plain[0]!), long].join('\n')));
      let count = 0;
      let ending = records.read();
      for (; ending === 'full' && records.count > 0; ending = records.read())
        count += records.count;
      expect([ending, count + records.count]).toEqual([end, all]);
      expect(records.line).toBe(all);
    },
  );

  it('takes no line that is too long, be it blank', () => {
    const records = reader(plain[0]!.length);
    records.open(bytesOf(`${plain[0]}\n${' '.repeat(plain[0]!.length + 1)}`));
    expect([records.read(), records.count]).toEqual(['not-plain', 1]);
    records.open(bytesOf(` ${plain[0]}`));
    expect([records.read(), records.count]).toEqual(['not-plain', 0]);
  });
});

function isRight(line: string): boolean {
  try {
    readRecord(line);
    return true;
  } catch (thrown) {
    if (thrown instanceof TagstreamError) return false;
    throw thrown;
  }
}

/** A text with one to three characters left out, put in or doubled. */
function mutated(text: string, random: Random): string {
  const marks = ['"', '\\', ',', ':', '[', ']', '{', '}', ' ', '0', 'e', 'u', '\t', 'a', '-', '.'];
  let result = text;
  for (let times = 1 + random.below(3); times > 0; times -= 1) {
    const at = random.below(result.length);
    const rest = result.slice(at + random.below(2));
    const mark = random.below(3) === 0 ? '' : marks[random.below(marks.length)]!;
    result = `${result.slice(0, at)}${mark}${rest}`;
  }
  return result;
}

it('leaves records with a result of an earlier run to others, whatever the results are called', {
  tags: 'slow',
}, () => {
  const { plan } = new FeatureExtractor(parseTemplates('U00:%x[0,0]'), ['form']);
  const ending = (name: string, results?: readonly string[]) => {
    const { texts } = new TextFeatures(plan, new ExactIndex());
    const options = { columns: [], maxLineBytes: 1000, whole: 'without-spans', results } as const;
    const records = new PlainRecords(texts, options);
    records.open(bytesOf(`{"tokens":["a"],${JSON.stringify(name)}:1}\n`));
    return records.read();
  };
  const added = ['éclat', 'a much longer name of a result'];
  for (const name of [...ownedResults, ...added]) {
    expect([name, ending(name, [...ownedResults, ...added])]).toEqual([name, 'not-plain']);
    expect([name, ending(name)]).toEqual([name, added.includes(name) ? 'end' : 'not-plain']);
    expect([name, ending(`${name}s`), ending(name.slice(1))]).toEqual([name, 'end', 'end']);
  }
});
