export { type Sheet, type SheetShot } from './contents';
export { sheetOf } from './gather';
export { contactSheet } from './page';
