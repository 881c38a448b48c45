/**
 * Columns that a text takes in a terminal, a code point each, escape sequences of colours left out. It stands for
 * the package `string-width` in the bundle: what yargs lays out is this command's own help, which is plain ASCII.
 */
module.exports = function textWidth(text) {
  // biome-ignore lint/suspicious/noControlCharactersInRegex: that is how they begin
  return [...text.replace(/\u001b\[[\d;]*m/g, '')].length;
};
