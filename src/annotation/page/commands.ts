/** What keys do, with the key that each has at first. Labels have keys of their own. */
export const commands = [
  ['accept', 'Enter', 'accept, next record'],
  ['clear', 'Backspace', 'no label here'],
  ['reject', 'r', 'reject the record'],
  ['skip', 's', 'skip it'],
  ['flag', 'f', 'flag it with a note'],
  ['undo', 'u', 'undo'],
  ['nextSpan', ']', 'next span'],
  ['previousSpan', '[', 'previous span'],
  ['nextUnsure', '.', 'next unsure token'],
  ['previousUnsure', ',', 'previous unsure token'],
  ['first', 'Home', 'first token'],
  ['last', 'End', 'last token'],
  ['why', 'w', 'why, and alternatives'],
  ['search', '/', 'search'],
  ['jump', 'j', 'jump to a record'],
  ['agreement', 'a', 'agreement of people'],
  ['save', 'm', 'save the model'],
  ['keys', '?', 'keys'],
] as const;

export type Command = (typeof commands)[number][0];

/** Keys for labels, in their order, of those that no command has. */
export const labelKeys = '1234567890qetyipdghklzxcvbno'.split('');
