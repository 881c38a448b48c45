import { describe, expect, it } from 'vitest';
import type { TagstreamError } from '../../../../src/engine/core/errors.js';
import { parseTemplates } from '../../../../src/engine/features/template/parse-templates.js';
import type { Macro } from '../../../../src/engine/features/template/template.js';
import { textPattern } from '../../../../src/engine/text/patterns/text-pattern.js';

const plain = { absolute: false, fold: false, count: 0, pattern: undefined };

function macro(fields: Partial<Macro>): Macro {
  return { apply: 'value', offset: 0, column: 0, ...plain, ...fields };
}

/** The only macro of a template of one line. */
function macroOf(text: string): Macro {
  const { templates } = parseTemplates(`U:${text}`);
  const [literal, found] = templates[0]!.pieces;
  expect(literal).toBe('U:');
  expect(templates[0]!.pieces).toHaveLength(2);
  return found as Macro;
}

function errorOf(text: string): TagstreamError {
  try {
    parseTemplates(text, 'file.tpl');
  } catch (error) {
    return error as TagstreamError;
  }
  throw new Error(`"${text}" was taken`);
}

describe('parseTemplates', () => {
  it('looks up to a thousand tokens away', () => {
    for (const offset of [-1000, 1000]) {
      expect(macroOf(`%x[${offset},0]`)).toEqual(macro({ offset }));
      expect(errorOf(`U:%x[${offset + Math.sign(offset)},0]`).problem).toContain('is too large');
    }
  });

  it('reads a file in the syntax of CRF++', () => {
    const source = [
      '# Unigram',
      'U00:%x[-2,0]',
      'U05:%x[-1,0]/%x[0,0]',
      '',
      '  # an indented comment',
      '# Bigram',
      'B',
    ].join('\n');
    expect(parseTemplates(source)).toEqual({
      transitions: true,
      source,
      templates: [
        {
          kind: 'state',
          pieces: ['U00:', macro({ offset: -2 })],
          source: 'U00:%x[-2,0]',
          line: 2,
        },
        {
          kind: 'state',
          pieces: ['U05:', macro({ offset: -1 }), '/', macro({})],
          source: 'U05:%x[-1,0]/%x[0,0]',
          line: 3,
        },
      ],
    });
  });

  it('reads a file in the syntax of Wapiti', () => {
    const source = '*:Pre-1 X=%m[ 0,0,"^.?"]\nu:Caps=%t[ 0,0,"^\\u"]\nb:%X[@-1,1]\n*';
    const { templates, transitions } = parseTemplates(source);
    expect(transitions).toBe(true);
    expect(templates.map(({ kind, line }) => [kind, line])).toEqual([
      ['both', 1],
      ['state', 2],
      ['edge', 3],
      ['state', 4],
    ]);
    expect(templates[0]!.pieces).toEqual([
      '*:Pre-1 X=',
      macro({ apply: 'match', pattern: textPattern('^.?') }),
    ]);
    expect(templates[1]!.pieces).toEqual([
      'u:Caps=',
      macro({ apply: 'test', pattern: textPattern('^\\p{Lu}') }),
    ]);
    expect(templates[2]!.pieces).toEqual([
      'b:',
      macro({ absolute: true, offset: -1, column: 1, fold: true }),
    ]);
    expect(templates[3]!.pieces).toEqual(['U']);
  });

  it('takes U alone as a feature that is always there, B alone as plain transitions', () => {
    expect(parseTemplates('U')).toMatchObject({
      transitions: false,
      templates: [{ kind: 'state', pieces: ['U'] }],
    });
    expect(parseTemplates('U\nb').transitions).toBe(true);
    expect(parseTemplates('U\nB00:%x[0,0]').transitions).toBe(false);
  });

  it.each(['U:%x[0,0]\r\nB\r\n', '\uFEFFU:%x[0,0]\nB', '\n\n  U:%x[0,0]  \n\tB\t\n'])(
    'does not mind line ends, byte order marks and white space around: %j',
    text => {
      const { templates, transitions } = parseTemplates(text);
      expect(transitions).toBe(true);
      expect(templates.map(({ source, pieces }) => [source, pieces])).toEqual([
        ['U:%x[0,0]', ['U:', macro({})]],
      ]);
    },
  );

  it('reads %% as a percent sign, part of the literal text', () => {
    expect(parseTemplates('U%%:100%%/%x[0,0]%%').templates[0]!.pieces).toEqual([
      'U%:100%/',
      macro({}),
      '%',
    ]);
  });

  it('keeps everything else as it stands', () => {
    expect(parseTemplates('U "é" #]\\ 😀 %x[0,0]%x[1,0]').templates[0]!.pieces).toEqual([
      'U "é" #]\\ 😀 ',
      macro({}),
      macro({ offset: 1 }),
    ]);
  });

  it.each<[string, Partial<Omit<Macro, 'pattern'>> & { pattern?: string }]>([
    ['%x[0,0]', {}],
    ['%x[-12,3]', { offset: -12, column: 3 }],
    ['%x[+2,0]', { offset: 2 }],
    ['%x[ -1 , 10 ]', { offset: -1, column: 10 }],
    ['%x[0,pos]', { column: 'pos' }],
    ['%x[0,x-pos.2_a]', { column: 'x-pos.2_a' }],
    ['%x[@0,0]', { absolute: true }],
    ['%x[ @ -1,0]', { absolute: true, offset: -1 }],
    ['%X[0,0]', { fold: true }],
    ['%lower[1,0]', { apply: 'lower', offset: 1 }],
    ['%shape[0,0]', { apply: 'shape' }],
    ['%type[0,0]', { apply: 'type' }],
    ['%length[0,0]', { apply: 'length' }],
    ['%prefix[0,0,3]', { apply: 'prefix', count: 3 }],
    ['%suffix[-1,0, 4 ]', { apply: 'suffix', offset: -1, count: 4 }],
    ['%Prefix[0,0,2]', { apply: 'prefix', fold: true, count: 2 }],
    ['%Suffix[1,pos,5]', { apply: 'suffix', fold: true, offset: 1, column: 'pos', count: 5 }],
    ['%char[0,0,0]', { apply: 'char' }],
    ['%char[0,0,-2]', { apply: 'char', count: -2 }],
    ['%v[0,weight]', { apply: 'real', column: 'weight' }],
    ['%vv[0,weight]', { apply: 'square', column: 'weight' }],
    ['%first[0,0]', { apply: 'first', column: 0 }],
    ['%last[0,0]', { apply: 'last', column: 0 }],
    ['%v[@-1,2]', { apply: 'real', column: 2, absolute: true, offset: -1 }],
    ['%t[0,0,"a\\]b"]', { apply: 'test', pattern: 'a\\]b' }],
    ['%t[0,0,"[0-9]+,[a-z]"]', { apply: 'test', pattern: '[0-9]+,[a-z]' }],
    ['%t[0,0,"\\""]', { apply: 'test', pattern: '"' }],
    ['%t[0,0,"[\\"\']$"]', { apply: 'test', pattern: '["\']$' }],
    ['%t[0,0,"\\\\"]', { apply: 'test', pattern: '\\\\' }],
    ['%T[0,0,"^x"]', { apply: 'test', fold: true, pattern: '^x' }],
    ['%m[0,0,"%[a]"]', { apply: 'match', pattern: '%[a]' }],
    ['%M[-1,0," . "]', { apply: 'match', fold: true, offset: -1, pattern: ' . ' }],
  ])('reads %s', (text, fields) => {
    const found = macroOf(text);
    const source = found.pattern?.source;
    expect({ ...found, pattern: source }).toEqual({ ...macro({}), ...fields });
  });

  it('needs the ] of a class to be closed outside quotes: %t without quotes', () => {
    expect(errorOf('U:%t[0,0,^[a-z]$]')).toMatchObject({
      problem: '%t needs a pattern in quotes',
      place: { line: 1, column: 3 },
    });
  });

  it.each<[string, string, number, number]>([
    ['U:%y[0,0]', 'there is no macro %y', 1, 3],
    ['B\nU:%x[0,0]/%lowr[0,0]', 'there is no macro %lowr', 2, 11],
    ['U:%constructor[0,0]', 'there is no macro %constructor', 1, 3],
    ['U:%', 'a macro is written %name[offset,column]', 1, 3],
    ['U:%x', 'a macro is written %name[offset,column]', 1, 3],
    ['U:100% %x[0,0]', 'a macro is written %name[offset,column]', 1, 6],
    ['U:%[0,0]', 'a macro is written %name[offset,column]', 1, 3],
    ['U:%x [0,0]', 'a macro is written %name[offset,column]', 1, 3],
    ['U:%x[0,0', 'the macro is missing its closing ]', 1, 3],
    ['U:%t[0,0,"a]', 'the macro is missing its closing ]', 1, 3],
    ['U:%x[0]', '%x[0] is not of the form [offset,column]', 1, 3],
    ['U:%x[]', '%x[] is not of the form [offset,column]', 1, 3],
    ['U:%x[a,0]', '%x[a,0] is not of the form [offset,column]', 1, 3],
    ['U:%x[0.5,0]', '%x[0.5,0] is not of the form [offset,column]', 1, 3],
    ['U:%x[--1,0]', '%x[--1,0] is not of the form [offset,column]', 1, 3],
    ['U:%x[0,a b]', '%x[0,a b] is not of the form [offset,column]', 1, 3],
    ['U:%x[0,0,1]', '%x takes two arguments', 1, 3],
    ['U:%x[0,0,]', '%x takes two arguments', 1, 3],
    ['U:%v[0,0,"x"]', '%v takes two arguments', 1, 3],
    ['U:%first[1,0]', '%first applies only to the token itself', 1, 3],
    ['U:%first[@0,0]', '%first applies only to the token itself', 1, 3],
    ['U:%last[-1,0]', '%last applies only to the token itself', 1, 3],
    ['U:%prefix[0,0]', '%prefix needs a whole number as its third argument', 1, 3],
    ['U:%prefix[0,0,]', '%prefix needs a whole number as its third argument', 1, 3],
    ['U:%prefix[0,0,0]', '%prefix needs a whole number as its third argument', 1, 3],
    ['U:%suffix[0,0,-1]', '%suffix needs a whole number as its third argument', 1, 3],
    ['U:%suffix[0,0,1.5]', '%suffix needs a whole number as its third argument', 1, 3],
    ['U:%char[0,0,x]', '%char needs a whole number as its third argument', 1, 3],
    ['U:%t[0,0]', '%t needs a pattern in quotes', 1, 3],
    ['U:%m[0,0,abc]', '%m needs a pattern in quotes', 1, 3],
    ['U:%X[0,0]%M[0,0,5]', '%M needs a pattern in quotes', 1, 10],
    ['X:%x[0,0]', 'a template cannot start with "X"', 1, 1],
    ['U\n  5:%x[0,0]', 'a template cannot start with "5"', 2, 3],
    ['U:%x[0,0]\nB\n\tU:%x[0,0]', 'duplicate of the template in line 1', 3, 2],
    ['B\nB', 'duplicate of the template in line 1', 2, 1],
    ['U\r\n   U01:%x[0,0] %q[0,0]', 'there is no macro %q', 2, 16],
  ])('refuses %j with line and column', (text, problem, line, column) => {
    const error = errorOf(text);
    expect(error).toMatchObject({
      name: 'TagstreamError',
      code: 'template',
      problem,
      place: { source: 'file.tpl', line, column },
    });
    expect(error.fix).toMatch(/./);
    expect(error.message.startsWith(`file.tpl:${line}:${column}: ${problem} (`)).toBe(true);
  });

  it.each(['', '\n# only a comment\n', 'B', 'B\n\n'])(
    'refuses a file without templates: %j',
    text => {
      expect(errorOf(text)).toMatchObject({
        code: 'template',
        problem: text.startsWith('B')
          ? 'no template looks at tokens: B alone only makes features of label pairs'
          : 'there are no templates',
        place: { source: 'file.tpl' },
      });
    },
  );

  it('refuses a pattern that is none, and says what is wrong with it', () => {
    const error = errorOf('U:%x[0,0] %t[0,0,"(a"]');
    expect(error.problem).toMatch(/^the pattern is not valid: Invalid regular expression/);
    expect(error.place).toEqual({ source: 'file.tpl', line: 1, column: 11 });
  });

  it.each([
    ['%lowr', '%lower'],
    ['%prefx', '%prefix'],
    ['%shap', '%shape'],
    ['%z', '%x'],
  ])('suggests for %s the nearest name, %s', (wrong, right) => {
    expect(errorOf(`U:${wrong}[0,0]`).fix).toBe(`did you mean ${right}?`);
  });
});
