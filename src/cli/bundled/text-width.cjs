/**
 * Returns the columns of a text in a terminal, one per code point, without escape sequences of colours. Replaces
 * the package `string-width` in the bundle: yargs only lays out this command's own help, which is plain ASCII.
 */
module.exports = function textWidth(text) {
  // biome-ignore lint/suspicious/noControlCharactersInRegex: that is how they begin
  return [...text.replace(/\u001b\[[\d;]*m/g, '')].length;
};
