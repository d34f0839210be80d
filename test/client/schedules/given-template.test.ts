import { copyFile, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { checkGivenTemplate, checkTemplate } from '../../../client/schedules';
import { type CheckedTemplate } from '../../../client/schedules/check-template';
import { closingTemplate, freezeTemplate } from '../../../client/schedules/freeze-template';
import { newStore } from '../../books/store-with-takes';
import { temporaryFolder } from '../../support/temporary-folder';
import { type FrozenSchedule } from '../../../store';

const POLICY = { fileValues: 'auto', dataUriMaxBytes: 20_000_000 } as const;
const SHOT = { id: 'a', model: 'beta-video', prompt: 'the sea on {{date}}', startFrame: 'dawn.jpg' };
const TASK = { key: '{{sku}}', model: 'beta-video', prompt: '{{color}} on {{date}}', startFrame: 'dawn.jpg' };
const ROWS = [
  { sku: 'a', color: 'red' },
  { sku: 'b', color: 'blue' },
];

async function frozen(checked: CheckedTemplate): Promise<FrozenSchedule> {
  const store = await newStore();
  return closingTemplate(checked, () => freezeTemplate('nightly', checked, store, 'sandbox'));
}

async function checkedObject(given: object, folder: string): Promise<CheckedTemplate> {
  const checked = await checkGivenTemplate('nightly', given, POLICY, folder);
  if (!('template' in checked)) throw new Error(JSON.stringify(checked.issues));
  return checked.template;
}

describe('what a schedule renders, given as an object', () => {
  let folder: string;

  beforeAll(async () => {
    folder = await temporaryFolder();
    await copyFile('productions/lighthouse/dawn.jpg', join(folder, 'dawn.jpg'));
  });

  it.each<[string, object]>([
    ['a production', { id: 'film', title: 'Film of {{date}}', shots: [SHOT] }],
    ['a batch', { title: 'Cups', parallel: 2, generation: TASK, rows: ROWS }],
    ['a batch with a table', { title: 'Cups', generation: TASK, rows: 'rows.csv' }],
  ])('is frozen to the template of the equal file, and says that it has none: %s', async (_what, given) => {
    await writeFile(join(folder, 'rows.csv'), 'sku,color\na,red\nb,blue\n');
    const path = join(folder, 'cups.json');
    await writeFile(path, JSON.stringify(given));
    const ofFile = await frozen(await checkTemplate('nightly', path, POLICY));
    const ofObject = await frozen(await checkedObject(given, folder));
    expect(ofObject).toMatchObject({ template: ofFile.template, files: ofFile.files, file: '', given: true });
    expect([ofFile.file, ofFile.given]).toEqual([path, undefined]);
  });

  it('has another source with each row that changes', async () => {
    const sourceOf = async (rows: object) => {
      return (await frozen(await checkedObject({ title: 'Cups', generation: TASK, rows }, folder))).source.sha256;
    };
    const first = await sourceOf(ROWS);
    expect(await sourceOf(new Set(ROWS))).toBe(first);
    expect(await sourceOf([...ROWS, { sku: 'c', color: 'green' }])).not.toBe(first);
  });

  it.each<[string, object, string]>([
    ['a production', { shots: [{ ...SHOT, startFrame: 'no.jpg' }] }, 'shots[0].startFrame'],
    ['a variable that nobody knows', { shots: [{ ...SHOT, prompt: '{{dat}}' }] }, 'shots[0].prompt'],
    ['a batch', { generation: TASK, rows: [...ROWS, { sku: 'a', color: 'x' }] }, 'rows[2].sku'],
    ['a key with a variable', { generations: [{ ...TASK, key: '{{date}}', prompt: 'x' }] }, 'generations[0].key'],
  ])('is told of by its places: %s', async (_what, given, place) => {
    const checked = await checkGivenTemplate('nightly', given, POLICY, folder);
    expect(checked).toMatchObject({ issues: expect.arrayContaining([expect.objectContaining({ place })]) as unknown });
  });

  it('is refused if its table changes before it is frozen', async () => {
    await writeFile(join(folder, 'rows.csv'), 'sku,color\na,red\n');
    const checked = await checkedObject({ generation: TASK, rows: 'rows.csv' }, folder);
    await writeFile(join(folder, 'rows.csv'), 'sku,color\na,blue\n');
    await expect(frozen(checked)).rejects.toThrow(/rows\.csv has changed while it was read/);
  });
});
