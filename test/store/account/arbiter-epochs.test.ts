import { readdir, truncate } from 'node:fs/promises';
import { join } from 'node:path';
import { type ArbiterEpochs, openStore } from '../../../store';
import { temporaryFolder } from '../../support/temporary-folder';

let epochs: ArbiterEpochs;
let folder: string;

beforeEach(async () => {
  const store = await openStore(join(await temporaryFolder(), 'store'));
  folder = store.folder;
  epochs = store.account('account').epochs;
});

describe('the epochs of an arbiter', () => {
  it('count from 1; there is none at first', async () => {
    expect(await epochs.newest()).toBe(0);
    expect(await epochs.isValid({ epoch: 0, runId: 'a' })).toBe(false);
    expect(await epochs.begin('a', null)).toBe(1);
    expect(await epochs.newest()).toBe(1);
    expect(await epochs.isValid({ epoch: 1, runId: 'a' })).toBe(true);
  });

  it('stay the same for a run that begins again after a lost answer', async () => {
    expect(await epochs.begin('a', null)).toBe(1);
    expect(await epochs.begin('a', null)).toBe(1);
    expect(await epochs.begin('a', 1)).toBe(2);
    expect(await epochs.begin('a', 1)).toBe(2);
  });

  it('belong to one run each, however many begin at once', async () => {
    const runs = Array.from({ length: 12 }, (_, index) => `run-${index}`);
    const begun = await Promise.all(runs.map((run) => epochs.begin(run, null)));
    expect(begun.toSorted((a, b) => a - b)).toEqual(runs.map((_run, index) => index + 1));
    const counting = await Promise.all(runs.map((runId, index) => epochs.isValid({ epoch: begun[index] ?? 0, runId })));
    expect(counting.filter(Boolean)).toHaveLength(1);
  });

  it('stay valid if the next one follows them, and become invalid if it does not', async () => {
    await epochs.begin('a', null);
    await epochs.begin('b', 1);
    expect(await epochs.isValid({ epoch: 1, runId: 'a' })).toBe(true);
    await epochs.begin('c', null);
    expect(await epochs.isValid({ epoch: 1, runId: 'a' })).toBe(false);
    expect(await epochs.isValid({ epoch: 2, runId: 'b' })).toBe(false);
    expect(await epochs.isValid({ epoch: 3, runId: 'c' })).toBe(true);
  });

  it('skip one that began in between without a successor', async () => {
    await epochs.begin('a', null);
    await epochs.begin('stranger', null);
    await epochs.begin('b', 1);
    expect(await epochs.isValid({ epoch: 1, runId: 'a' })).toBe(true);
    expect(await epochs.isValid({ epoch: 2, runId: 'stranger' })).toBe(false);
  });

  it('belong to one run: grants of a reset arbiter in the same epoch do not count', async () => {
    await epochs.begin('a', null);
    expect(await epochs.isValid({ epoch: 1, runId: 'the reset one' })).toBe(false);
    expect(await epochs.begin('the reset one', null)).toBe(2);
    expect(await epochs.isValid({ epoch: 1, runId: 'a' })).toBe(false);
  });

  it('with a damaged record are not valid, and another one begins', async () => {
    await epochs.begin('a', null);
    await epochs.begin('a', 1);
    const files = await readdir(folder, { recursive: true });
    await truncate(join(folder, files.find((path) => path.endsWith('epoch-2.json')) ?? ''), 3);
    expect(await epochs.isValid({ epoch: 2, runId: 'a' })).toBe(false);
    expect(await epochs.isValid({ epoch: 1, runId: 'a' })).toBe(false);
    expect(await epochs.begin('a', null)).toBe(3);
    expect(await epochs.isValid({ epoch: 3, runId: 'a' })).toBe(true);
  });

  it('become invalid once ten others follow', async () => {
    for (let n = 0; n < 10; n += 1) await epochs.begin(`run-${n}`, n === 0 ? null : n);
    expect(await epochs.isValid({ epoch: 1, runId: 'run-0' })).toBe(true);
    await epochs.begin('run-10', 10);
    expect(await epochs.isValid({ epoch: 1, runId: 'run-0' })).toBe(false);
    expect(await epochs.isValid({ epoch: 2, runId: 'run-1' })).toBe(true);
  });
});
