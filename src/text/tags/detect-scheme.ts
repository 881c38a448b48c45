import { kinds, requireArgument } from '../../core/schema/require-argument.js';
import type { TagScheme } from './tag-scheme.js';

/**
 * The tag scheme of a model, judged by its set of labels.
 *
 * All labels have to be `O` or B, I, E, S with a type (`B-NP`), one of the latter at least; E or S
 * make it `BIOES`, else B makes it `BIO`, else it is `IO`. Labels without a type (`B`, `I`, ...) count
 * too where both `O` and B or I are among them: single letters alone are rather names of classes.
 * Labels alone cannot distinguish IOB1 from BIO; the two are read alike.
 *
 * @example
 * detectScheme(['O', 'B-NP', 'I-NP']) // => 'BIO'
 * detectScheme(['NOUN', 'VERB', 'O']) // => 'none'
 */
export function detectScheme(labels: Iterable<string>): TagScheme {
  requireArgument('detectScheme: the labels', labels, kinds.texts);
  const seen = { B: false, I: false, E: false, S: false };
  let outside = false;
  let bare = false;
  let bareSpan = false;
  for (const label of labels) {
    if (label === 'O') {
      outside = true;
      continue;
    }
    const prefix = label[0];
    if (prefix !== 'B' && prefix !== 'I' && prefix !== 'E' && prefix !== 'S') return 'none';
    if (label.length === 1) {
      bare = true;
      bareSpan ||= prefix === 'B' || prefix === 'I';
    } else if (label[1] !== '-' || label.length === 2) return 'none';
    seen[prefix] = true;
  }
  if (bare && !(outside && bareSpan)) return 'none';
  if (seen.E || seen.S) return 'BIOES';
  if (seen.B) return 'BIO';
  return seen.I ? 'IO' : 'none';
}
