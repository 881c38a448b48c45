/** A listed token function. */
export interface ListedFunction {
  readonly name: string;
  readonly summary: string;
  /** Template that uses the function. */
  readonly example: string;
}

const of = (name: string, summary: string, third = ''): ListedFunction => ({
  ...{ name, summary },
  example: `U:%${name}[0,0${third}]`,
});

/** Built-in token functions, in the order of the page on templates. */
export const builtInFunctions: readonly ListedFunction[] = [
  of('x', 'a column of the token, by number or name; %X in lower case'),
  of('lower', 'the token in lower case'),
  of('shape', 'runs of capitals, letters and digits as X, x and d'),
  of('type', 'what the token looks like: number, caps, initial, mixed, lower, ...'),
  of('prefix', 'its first letters, as many as the third argument; %Prefix in lower case', ',3'),
  of('suffix', 'its last letters, as many as the third argument; %Suffix in lower case', ',3'),
  of('char', 'one of its letters, from 0, or from the end from -1', ',-1'),
  of('length', 'the number of its letters'),
  of('t', 'whether a pattern matches in it; %T ignores case', ',"^\\u"'),
  of('m', 'the text that a pattern matches in it; %M ignores case', ',"\\d+"'),
  of('v', 'a number: the value of the feature'),
  of('vv', 'a number: its square is the value of the feature'),
  of('first', 'the first token of a sentence; nothing at the others'),
  of('last', 'the last token of a sentence; nothing at the others'),
  of('gazetteer', 'its position in a matching entry of a list', ',towns'),
  of('cluster', 'its cluster in a list, or the first bits of it', ',brown,4'),
  of('vector', "its word's vector in a list: one feature per number", ',glove'),
  of(
    'document',
    'what its word looked like before in the document: case, left, right, left2, right2',
    ',case',
  ),
  of('seen', 'the types of labels that its word had in the training corpus'),
];
