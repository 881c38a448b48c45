import { TagstreamError } from '../../core/errors.js';

/**
 * Refuses the standard output as the place of a page, where scores are printed.
 *
 * @throws TagstreamError `usage`
 */
export function requirePageFile(html: string | undefined): void {
  if (html !== '-') return;
  throw new TagstreamError('usage', '--html - would mix the page with the scores', {
    fix: 'name a file',
  });
}
