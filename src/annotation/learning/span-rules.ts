import { TagstreamError } from '../../engine/core/errors.js';
import type { Sentence, Span } from '../../engine/core/sentence/sentence.js';
import { sentenceText } from '../../engine/models/decoding/tag-rules.js';

/**
 * Sources for finding spans before there is a model: name lists and regular expressions, by label.
 */
export interface RuleSource {
  /** Names, one per line. */
  readonly gazetteers: readonly { readonly label: string; readonly text: string }[];
  readonly patterns: readonly { readonly label: string; readonly pattern: string }[];
}

/**
 * Finds spans of a sentence with name lists and regular expressions. Of overlapping spans it
 * prefers the earlier, then the longer.
 */
export class SpanRules {
  /** Labels by name, whose tokens are joined by spaces. */
  readonly #names = new Map<string, string>();
  readonly #patterns: readonly { readonly label: string; readonly pattern: RegExp }[];
  #longest = 0;

  /** @throws TagstreamError `usage` for an invalid regular expression */
  constructor({ gazetteers, patterns }: RuleSource) {
    for (const { label, text } of gazetteers) {
      for (const line of text.split('\n')) {
        const words = line.trim().split(/\s+/);
        if (words[0] === '') continue;
        this.#names.set(words.join(' '), label);
        this.#longest = Math.max(this.#longest, words.length);
      }
    }
    this.#patterns = patterns.map(({ label, pattern }) => ({ label, pattern: compiled(pattern) }));
  }

  /** Returns spans in token positions of the sentence, in order and without overlap. */
  find(sentence: Sentence): Span[] {
    const found = [...this.#named(sentence), ...this.#matched(sentence)];
    found.sort((a, b) => a.start - b.start || b.end - a.end);
    let end = 0;
    return found.filter(span => {
      if (span.start < end) return false;
      end = span.end;
      return true;
    });
  }

  *#named({ tokens }: Sentence): Generator<Span> {
    for (let start = 0; start < tokens.length; start += 1) {
      const most = Math.min(this.#longest, tokens.length - start);
      for (let length = most; length > 0; length -= 1) {
        const label = this.#names.get(tokens.slice(start, start + length).join(' '));
        if (label === undefined) continue;
        yield { label, start, end: start + length };
        break;
      }
    }
  }

  *#matched(sentence: Sentence): Generator<Span> {
    if (this.#patterns.length === 0) return;
    const { text, starts, ends } = sentenceText(sentence);
    for (const { label, pattern } of this.#patterns) {
      // Matches follow each other, as tokens do.
      let first = 0;
      let after = 0;
      for (const match of text.matchAll(pattern)) {
        const end = match.index + match[0].length;
        while (first < ends.length && ends[first]! <= match.index) first += 1;
        while (after < starts.length && starts[after]! < end) after += 1;
        if (match[0] !== '' && after > first) yield { label, start: first, end: after };
      }
    }
  }
}

function compiled(pattern: string): RegExp {
  try {
    return new RegExp(pattern, 'gu');
  } catch (cause) {
    throw new TagstreamError('usage', `--pattern ${pattern} is not a regular expression`, {
      fix: 'use JavaScript syntax with the flag u',
      cause,
    });
  }
}
