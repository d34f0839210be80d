import { type ChildProcess, spawn } from 'node:child_process';
import { readdir } from 'node:fs/promises';
import { join } from 'node:path';
import { text } from 'node:stream/consumers';
import { createFolderRecords } from '../../store/records';
import { temporaryFolder } from '../support/temporary-folder';
import { until } from '../support/until';

const RECORDS = join(__dirname, '..', '..', 'dist', 'store', 'records.js');

/** Lets ten racers of a process, at a given time, create each of the records; prints the numbers of those created. */
const RACE = `
  const { createFolderRecords } = require(process.argv[1]);
  const [folder, startMs, rounds] = [process.argv[2], Number(process.argv[3]), Number(process.argv[4])];
  const records = Array.from({ length: 10 }, () => createFolderRecords(folder));
  setTimeout(async () => {
    for (let n = 0; n < rounds; n += 1) {
      const made = await Promise.all(records.map((one, racer) => one.create('raced/' + n, [process.pid, racer])));
      for (const isMade of made) if (isMade) console.log(n);
    }
  }, startMs - Date.now());
`;

/** Writes without end: new records, and one that it replaces. Prints the number of each record that is durable. */
const WRITE = `
  const { createFolderRecords } = require(process.argv[1]);
  const records = createFolderRecords(process.argv[2]);
  const filler = 'x'.repeat(3_000_000);
  (async () => {
    for (let n = Number(process.argv[3]); ; n += 1) {
      await Promise.all([records.create('made/' + n, { n, filler }), records.replace('turned', { n, filler })]);
      console.log(n);
    }
  })();
`;

function run(script: string, ...args: readonly (string | number)[]): ChildProcess {
  return spawn(process.execPath, ['-e', script, RECORDS, ...args.map(String)], {
    stdio: ['ignore', 'pipe', 'inherit'],
  });
}

function printed({ stdout }: ChildProcess): Promise<string> {
  if (stdout === null) throw new Error('the process has no output');
  return text(stdout);
}

describe('a store in a folder that several processes use', () => {
  it('has one winner among 50 racers in five processes, for each of 20 records', async () => {
    const folder = await temporaryFolder();
    const startMs = Date.now() + 1_500;
    const won = await Promise.all(Array.from({ length: 5 }, () => printed(run(RACE, folder, startMs, 20))));
    const winners = won.flatMap((lines) => lines.split('\n').filter(Boolean).map(Number));
    expect(winners.toSorted((a, b) => a - b)).toEqual(Array.from({ length: 20 }, (_, n) => n));
  });

  it('has only whole records after a writer was killed at any moment, and every one that was durable', async () => {
    const folder = await temporaryFolder();
    const records = createFolderRecords(folder);
    await records.replace('turned', { n: -1, filler: '' });
    let last = -1;
    for (let kills = 0; kills < 6; kills += 1) {
      const writer = run(WRITE, folder, last + 1);
      const output = printed(writer);
      await until(async () => (await records.list('made')).length > last + 1 + kills);
      writer.kill('SIGKILL');
      const durable = (await output).split('\n').filter(Boolean).map(Number);
      last = Math.max(last, ...durable);
      for (const n of durable) expect(await records.read(`made/${n}`)).toMatchObject({ n });
      const names = await records.list('made');
      for (const name of names) expect(await records.read(`made/${name}`)).toMatchObject({ n: Number(name) });
      expect(await records.read('turned')).toMatchObject({ n: expect.any(Number), filler: expect.any(String) });
      last = Math.max(last, ...names.map(Number));
    }
    // Part files may be left, and are no records.
    const files = await readdir(join(folder, 'made'));
    expect(files.filter((name) => name.endsWith('.json'))).toHaveLength((await records.list('made')).length);
  });
});
