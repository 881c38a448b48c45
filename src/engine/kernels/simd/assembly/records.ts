// The exports of the records module, which reads and writes records in blocks; pages do not load
// it.

export { numberTexts } from './records/number-texts';
export { readRecords } from './records/read-records';
export { readRows } from './records/read-rows';
export { writeRecords } from './records/write-records';
export { writeRows } from './records/write-rows';
export { divideTexts } from './texts/divide-texts';
export { countTokens, placeTokens } from './texts/place-tokens';
