import { describe, expect, it, vi } from 'vitest';
import { treebankTokenizer } from '../../../../src/engine/text/tokenizers/treebank-tokenizer.js';
import { tokenTexts } from './token-texts.js';

const tokenize = treebankTokenizer();
const tokens = (text: string) => tokenTexts(tokenize, text).join(' | ');

describe('treebankTokenizer', () => {
  it.each([
    // Clitics and words that are two.
    ["I don't know.", "I | do | n't | know | ."],
    ["We can't, won't, shan't!", "We | ca | n't | , | wo | n't | , | sha | n't | !"],
    ['ISN’T it?', 'IS | N’T | it | ?'],
    ["She's John's friend; they'll go.", "She | 's | John | 's | friend | ; | they | 'll | go | ."],
    [
      "I'm sure you're who we've met, he'd say",
      "I | 'm | sure | you | 're | who | we | 've | met | , | he | 'd | say",
    ],
    ["I couldn't've", "I | could | n't | 've"],
    ["the dogs' tails", "the | dogs | ' | tails"],
    ['You cannot. Cannot you?', 'You | can | not | . | Can | not | you | ?'],
    ["I'm gonna, you gotta, I wanna", "I | 'm | gon | na | , | you | got | ta | , | I | wan | na"],
    [
      "Gimme that, lemme see; d'ye hear?",
      "Gim | me | that | , | lem | me | see | ; | d' | ye | hear | ?",
    ],
    ["'Tis late, 'twas more'n that", "'T | is | late | , | 't | was | more | 'n | that"],
    [
      "O'Neil and rock'n'roll of the '90s; get 'em",
      "O'Neil | and | rock'n'roll | of | the | '90s | ; | get | 'em",
    ],
    ["n't 's", "n't | ' | s"],
    // Quotes and brackets stay as they are.
    ['"Yes," he said.', '" | Yes | , | " | he | said | .'],
    ["``So,'' he said.", "`` | So | , | '' | he | said | ."],
    ['“Go!” ‘No’ «Si»', '“ | Go | ! | ” | ‘ | No | ’ | « | Si | »'],
    ["'Hello' there", "' | Hello | ' | there"],
    ['(see [1], {x} <y>)', '( | see | [ | 1 | ] | , | { | x | } | < | y | > | )'],
    // Full stops.
    ['He left. She stayed.', 'He | left | . | She | stayed | .'],
    ['(He left.) "No."', '( | He | left | . | ) | " | No | . | "'],
    [
      'Mr. Smith of Acme Corp., Inc. met Dr. J. R. Low.',
      'Mr. | Smith | of | Acme | Corp. | , | Inc. | met | Dr. | J. | R. | Low | .',
    ],
    [
      "at 5 p.m. in the U.S. or at Acme Inc.'s",
      "at | 5 | p.m. | in | the | U.S. | or | at | Acme | Inc. | 's",
    ],
    ['e.g. this, i.e. that, etc.', 'e.g. | this | , | i.e. | that | , | etc.'],
    [
      'So did I. Then he sat. He fell ill.',
      'So | did | I | . | Then | he | sat | . | He | fell | ill | .',
    ],
    ['No. 5 of Fig. 3? No. Never.', 'No. | 5 | of | Fig. | 3 | ? | No | . | Never | .'],
    ['On Sat. 3 Dec. in Calif.', 'On | Sat. | 3 | Dec. | in | Calif.'],
    ['St.-Denis has a Ph.D. from there', 'St.-Denis | has | a | Ph.D. | from | there'],
    ['Wait... what…no....', 'Wait | ... | what | … | no | ....'],
    // Numbers, money, percent.
    ['It fell 3.5% to $1,234.50.', 'It | fell | 3.5 | % | to | $ | 1,234.50 | .'],
    ['US$3 and C$ 4, £5, 6€ or 7¢', 'US$ | 3 | and | C$ | 4 | , | £ | 5 | , | 6 | € | or | 7 | ¢'],
    ['1,2,x and a,b', '1,2 | , | x | and | a | , | b'],
    [
      'at 10:30: 1/2 of 10-15, the 1990s, .5 and -5',
      'at | 10:30 | : | 1/2 | of | 10-15 | , | the | 1990s | , | .5 | and | -5',
    ],
    ['#5 of #news by @me', '# | 5 | of | #news | by | @me'],
    // Hyphens, dashes, slashes, ampersands.
    ['a well-known New-York-based firm', 'a | well-known | New-York-based | firm'],
    ['so--he said—went – or 3–4', 'so | -- | he | said | — | went | – | or | 3–4'],
    ['AT&T and/or R&D & co', 'AT&T | and/or | R&D | & | co'],
    ['What?! No!!', 'What | ? | ! | No | ! | !'],
    // Addresses.
    [
      'See http://a.org/x_(y)?z=1,2. Or (www.b.com).',
      'See | http://a.org/x_(y)?z=1,2 | . | Or | ( | www.b.com | ) | .',
    ],
    ['<me.too+x@a-b.co.uk>, "HTTPS://A.B"', '< | me.too+x@a-b.co.uk | > | , | " | HTTPS://A.B | "'],
    ['mail:a@b.org!', 'mail | : | a@b.org | !'],
    ['a@b @ c@ www. http://', 'a@b | @ | c | @ | www | . | http | : | //'],
    // Other scripts.
    ['Élan! Straße, naïve.', 'Élan | ! | Straße | , | naïve | .'],
    ['good 😀, ok', 'good | 😀 | , | ok'],
  ])('%s', (text, expected) => {
    expect(tokens(text)).toBe(expected);
  });

  it.each([
    ['apostrophes', "'"],
    ['clitics', "'s"],
    ['negations', "n't"],
    ['full stops', 'a.'],
    ['full stops and brackets', 'a.)'],
    ['at signs', 'a@'],
    ['hosts', 'a@b.c-'],
    ['stops after an at sign', '@a.....'],
    ['schemes', 'http://'],
    ['schemes with brackets', 'www.('],
    ['dollars', 'A$'],
    ['quotes', '`'],
    ['colons and digits', '1:'],
    ['abbreviations before white space', 'Mr. '],
    ['stops before much white space', '.  \n '],
    ['hyphens after stops', '.-'],
  ])('takes work in proportion to the text: %s', (_, piece) => {
    const work = (times: number) => {
      const seen = vi.spyOn(String.prototype, 'charCodeAt');
      const cut = vi.spyOn(String.prototype, 'slice');
      try {
        tokenize(piece.repeat(times));
        const copied = cut.mock.results.reduce(
          (sum, { value }) => sum + (value as string).length,
          0,
        );
        return seen.mock.calls.length + copied;
      } finally {
        seen.mockRestore();
        cut.mockRestore();
      }
    };
    const once = work(300);
    expect(work(1200)).toBeLessThan(4.2 * once);
    expect(once).toBeLessThan(80 * 300 * piece.length);
  });
});
