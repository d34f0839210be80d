import { randomUUID } from 'node:crypto';
import { copyFile, mkdir, readdir, readFile, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { freezeBatch } from '../../client/batch';
import { checkBatch } from '../../client/batch-file/check-batch';
import { openGivenBatch } from '../../client/batch-file/given-batch';
import { formatRowIssues } from '../../client/batch-file/row-issue';
import { intoNothing } from '../../client/batch/freeze-batch';
import { temporaryFolder } from '../support/temporary-folder';

const policy = { fileValues: 'auto', dataUriMaxBytes: 1_000_000 } as const;
const BETA = { model: 'beta-video', prompt: 'the sea', duration: 5 };

const TEMPLATE = {
  id: 'cups',
  generation: { key: '{{sku}}', model: 'beta-video', prompt: 'A {{color}} cup', duration: 5 },
  rows: [
    { sku: 'a', color: 'red' },
    { sku: 'b', color: 'blue' },
  ],
};

async function* eachOf<One>(ones: readonly One[]): AsyncGenerator<One> {
  for (const one of ones) yield await Promise.resolve(one);
}

/** What is wrong with an object, a line a mistake. */
async function mistakes(given: object, folder = '/nowhere'): Promise<readonly string[]> {
  const loaded = await checkBatch(openGivenBatch(given, { folder }), { policy });
  if (!loaded.ok) return formatRowIssues(loaded.issues, loaded.count).split('\n');
  await loaded.batch.close();
  return [];
}

/** All that a batch is frozen to, by its hashes. */
async function frozen(from: Parameters<typeof checkBatch>[0]): Promise<unknown> {
  const loaded = await checkBatch(from, { policy });
  if (!loaded.ok) throw new Error(formatRowIssues(loaded.issues, loaded.count));
  const stored: unknown[] = [];
  const target = intoNothing();
  const index = await freezeBatch(loaded.batch, {
    target: { ...target, putJson: (value) => (stored.push(value), target.putJson(value)) },
    isDone: () => Promise.resolve(false),
    modeOf: () => Promise.resolve(undefined),
  });
  await loaded.batch.close();
  const { id, title, parallel, priority, readyBy, hasFallback } = loaded.batch;
  return { index, stored, rules: { id, title, parallel, priority, readyBy, hasFallback } };
}

describe('a batch that a program gives as an object', () => {
  it.each<[string, object, RegExp]>([
    [
      'a value of a row',
      { id: 'x', generations: [{ key: 'a', ...BETA, duration: 99 }] },
      /^generations\[0\]\.duration: /,
    ],
    [
      'a value in a production of a row',
      { id: 'x', productions: [{ id: 'a', shots: [{ id: 's', ...BETA, duration: 99 }] }] },
      /^productions\[0\]\.shots\[0\]\.duration: /,
    ],
    [
      'what a template takes from a row',
      { ...TEMPLATE, generation: { ...TEMPLATE.generation, duration: '{{color}}' } },
      /^rows\[0\]\.color: duration is "red"/,
    ],
    ['what a row lacks', { ...TEMPLATE, rows: [...TEMPLATE.rows, { sku: 'c' }] }, /^rows\[2\]: the row has no "color"/],
    ['a null in a text', { ...TEMPLATE, rows: [{ sku: 'c', color: null }] }, /^rows\[0\]\.color: the value is null/],
    [
      'the template itself, once',
      { ...TEMPLATE, generation: { ...TEMPLATE.generation, duration: 99 } },
      /^generation\.duration: duration is 99[^\n]*$/,
    ],
    [
      'a key that stands twice',
      { ...TEMPLATE, rows: eachOf([...TEMPLATE.rows, TEMPLATE.rows[0]]) },
      /^rows\[2\]\.sku: /,
    ],
    [
      'a fallback that rows mind',
      {
        id: 'x',
        readyBy: '08:00',
        fallback: { model: 'alpha-video', duration: 25 },
        generations: [{ key: 'a', ...BETA }],
      },
      /^fallback\.(duration|model): .*\(in row 1\)/,
    ],
    [
      'a key that there is not',
      { ...TEMPLATE, paralel: 5 },
      /^paralel: unknown key "paralel"\. Did you mean "parallel"/,
    ],
    ['a value out of bounds', { ...TEMPLATE, parallel: 0 }, /^parallel: /],
    ['what no content is', { id: 'x', title: 'y' }, /^the value .*must have one of generations/],
    ['rows that are none', { ...TEMPLATE, rows: 5 }, /^rows: rows is 5; it must be the path/],
    ['no rows', { id: 'x', generations: [] }, /^generations: generations has no rows/],
    ['an id that nobody gave', { ...TEMPLATE, id: undefined }, /^id: id is missing/],
    [
      'what JSON has no word for',
      { id: 'x', generations: [{ key: 'a', ...BETA, seed: NaN }] },
      /^generations\[0\]\.seed: /,
    ],
    ['a function beside the rows', { ...TEMPLATE, title: () => 'x' }, /^title: JSON cannot express this value/],
    ['a row of a class', { id: 'x', generations: [new Date(0)] }, /^generations\[0\]: a row must be a plain object/],
    ['a row that is a text', { id: 'x', generations: ['a'] }, /^generations\[0\]: a row must be .* this is "a"$/],
    ['what is no object', [], /^the value is a list; it must be a map/],
    [
      'a schema that all rows share',
      { id: 'x', models: { zoom: { schema: 'no.json' } }, generations: [{ key: 'a', model: 'zoom' }] },
      /^models\.zoom\.schema: /,
    ],
    [
      'values that all rows share',
      { id: 'x', defaults: { duration: 'long' }, generations: [{ key: 'a', model: 'beta-video', prompt: 'sea' }] },
      /^(generations\[0\]|defaults)\.duration: /,
    ],
  ])('is told of by its places: %s', async (_what, given, said) => {
    expect((await mistakes(given)).join('\n')).toMatch(said);
  });

  it('names a table by its lines, from the folder that is given', async () => {
    const folder = await temporaryFolder();
    await writeFile(join(folder, 'rows.csv'), 'sku,color\na,red\na,blue\n');
    expect(await mistakes({ ...TEMPLATE, rows: 'rows.csv' }, folder)).toEqual([
      expect.stringMatching(/rows\.csv:3 row 2, column "sku": the key "a" is taken/),
    ]);
    expect(
      await mistakes({ ...TEMPLATE, generation: { ...TEMPLATE.generation, seeds: '{{x}}' }, rows: 'rows.csv' }, folder),
    ).toContainEqual(expect.stringMatching(/^generation\.seeds: {{x}} names no column/));
  });

  it('says of each issue row, column and place', async () => {
    const given = {
      id: 'x',
      generations: eachOf([
        { key: 'a', ...BETA },
        { key: 'b', ...BETA, duration: 99 },
      ]),
    };
    const loaded = await checkBatch(openGivenBatch(given, { folder: '/' }), { policy });
    expect(loaded).toMatchObject({
      issues: [{ file: 'batch', line: 2, row: 2, column: 'duration', place: 'generations[1].duration' }],
    });
  });

  it.each<[string, object]>([
    [
      'single tasks',
      {
        title: 'Sea',
        parallel: 3,
        priority: 'urgent',
        generations: [
          { key: 'a', ...BETA },
          { key: 7, ...BETA },
        ],
      },
    ],
    ['a template', { ...TEMPLATE, readyBy: '08:00 Europe/Berlin', fallback: { resolution: '480p' } }],
    ['productions', { productions: [{ id: 'a', shots: [{ id: 's', ...BETA, startFrame: 'a/dawn.jpg' }] }] }],
  ])(
    'is frozen to the hashes of the equal file, from a list and from rows that come one by one: %s',
    async (_what, value) => {
      const folder = await temporaryFolder();
      await mkdir(join(folder, 'a'));
      await copyFile('productions/lighthouse/dawn.jpg', join(folder, 'a', 'dawn.jpg'));
      const object: Readonly<Record<string, unknown>> = { ...value, id: 'rows' };
      const file = join(folder, 'rows.yaml');
      await writeFile(file, JSON.stringify(object));
      const ofFile = await frozen(file);
      expect(await frozen(openGivenBatch(object, { folder: dirname(file) }))).toEqual(ofFile);
      const lazily = Object.entries(object).map(
        ([name, one]) => [name, Array.isArray(one) ? eachOf(one) : one] as const,
      );
      expect(await frozen(openGivenBatch(Object.fromEntries(lazily), { folder: dirname(file) }))).toEqual(ofFile);
    },
  );

  it('reads rows as it checks them, and keeps them as they were then', async () => {
    let mostAhead = 0;
    let read = 0;
    const texts: string[] = [];
    async function* many(): AsyncGenerator<object> {
      const row: Record<string, unknown> = { ...BETA };
      for (; read < 1_000; read += 1) {
        mostAhead = Math.max(mostAhead, read - texts.length);
        // The same object each time: what is kept is a copy.
        yield await Promise.resolve(Object.assign(row, { key: `k${read}`, prompt: `wave ${read}` }));
      }
    }
    const opened = openGivenBatch(
      { id: 'x', generations: many() },
      { folder: '/', onText: (text) => texts.push(text) },
    );
    expect(read).toBe(0);
    const loaded = await checkBatch(opened, { policy });
    if (!loaded.ok) throw new Error(formatRowIssues(loaded.issues, loaded.count));
    expect(mostAhead).toBe(0);
    const prompts = new Set<unknown>();
    for await (const row of loaded.batch.read()) {
      if (row.kind === 'generation') prompts.add(row.shot.parameters['prompt']);
    }
    await loaded.batch.close();
    expect([prompts.size, [...prompts].at(-1)]).toEqual([1_000, 'wave 999']);
  });

  it('leaves nothing behind if its rows fail while they are read', async () => {
    const prompt = randomUUID();
    async function* failing(): AsyncGenerator<object> {
      for (let key = 0; key < 500; key += 1) yield await Promise.resolve({ key, model: 'beta-video', prompt });
      throw new Error('the database is away');
    }
    const opened = openGivenBatch({ id: 'x', generations: failing() }, { folder: '/' });
    await expect(checkBatch(opened, { policy })).rejects.toThrow('the database is away');
    const left = (await readdir(tmpdir())).filter((name) => name.startsWith('dailies-batch-'));
    const texts = await Promise.all(
      left.map((name) => readFile(join(tmpdir(), name, 'rows.jsonl'), 'utf8').catch(() => '')),
    );
    expect(texts.filter((text) => text.includes(prompt))).toEqual([]);
  });
});
