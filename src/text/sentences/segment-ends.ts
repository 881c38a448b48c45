/** UTF-16 units that are given to the segmenter at a time, and those at the end that are only looked ahead at. */
const windowSize = 2048;
const lookahead = 256;

/**
 * Where the segments of a text end, in UTF-16 units; the last one is the length of the text.
 *
 * Takes time in proportion to the text. (A segmenter may copy the text that it was given for every
 * segment, so it is given the text in windows. Each one begins at a boundary; no rule of Unicode looks
 * back over a boundary, nor ahead over more than a few characters in any but contrived text.)
 *
 * @example
 * segmentEnds('two words', new Intl.Segmenter('en', { granularity: 'word' })) // => [3, 4, 9]
 */
export function segmentEnds(text: string, segmenter: Intl.Segmenter): number[] {
  const ends: number[] = [];
  let start = 0;
  let size = windowSize;
  while (start < text.length) {
    const windowEnd = Math.min(start + size, text.length);
    const limit = windowEnd < text.length ? windowEnd - lookahead : windowEnd;
    let reached = start;
    for (const { index, segment } of segmenter.segment(text.slice(start, windowEnd))) {
      const end = start + index + segment.length;
      if (end > limit) break;
      ends.push(end);
      reached = end;
      // A larger window is for one long segment; many short ones are cheaper in small windows.
      if (size > windowSize) break;
    }
    size = reached === start ? size * 2 : windowSize;
    start = reached;
  }
  return ends;
}
