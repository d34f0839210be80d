import { readdirSync, rmSync } from 'node:fs';
import { join } from 'node:path';
import { dailies, type Ended } from '../scripts/command';
import { filesIn } from '../support/files-in';
import { copyOlderStore, type Fact, olderFacts } from '../support/older-store';

/** Nothing answers there: only the store is read. */
const GATEWAY = {
  DAILIES_GATEWAY_URL: 'http://127.0.0.1:1',
  DAILIES_GATEWAY_KEY: 'any',
  DAILIES_GATEWAY_ACCOUNT: 'sandbox',
};

/** What a backup holds all of. */
const BACKED_UP = /^(ledger|batches|schedules|directing)\//;

/** What this version adds when it reads: where the store lies, and which drift it has told of. */
const ADDED = /^(store-place\.json|productions\/\w+\/drift-told\/.*)$/;

let folder: string;
beforeEach(async () => {
  folder = await copyOlderStore();
});

function run(args: string, store = 'store'): Promise<Ended> {
  return dailies(args.split(' '), { folder, env: { ...GATEWAY, DAILIES_STORE: join(folder, store) } });
}

async function told(args: string, store?: string): Promise<Fact> {
  const { exitCode, stdout } = await run(`${args} --json`, store);
  return { args, exitCode: exitCode ?? -1, answer: JSON.parse(stdout) as unknown };
}

/** A store's files by their paths in it. */
function stored(name: string): ReadonlyMap<string, string> {
  const root = join(folder, name);
  return new Map(Object.entries(filesIn(root)).map(([path, text]) => [path.slice(root.length + 1), text]));
}

describe('a store of an older version', () => {
  it('is told as that version told it, and is left as it was', async () => {
    const before = stored('store');
    for (const fact of olderFacts(folder)) expect(await told(fact.args)).toMatchObject(fact);
    const after = stored('store');
    for (const [path, text] of before) expect([path, after.get(path)]).toEqual([path, text]);
    expect([...after.keys()].filter((path) => !before.has(path) && !ADDED.test(path))).toEqual([]);
  });

  it('gets a task that its ledger lost back from the histories that it archived', async () => {
    const id = readdirSync(join(folder, 'store/ledger')).find((name) => name.startsWith('news-')) ?? '';
    const before = await told(`ledger ${id}`);
    rmSync(join(folder, 'store/ledger', id), { recursive: true });
    const { answer } = await told(`ledger ${id} --rebuild`);
    expect(answer).toMatchObject({ tasks: [{ shot: 'card', take: 1, left: null }] });
    expect(await told(`ledger ${id}`)).toEqual(before);
  });
});

describe('a backup of an older version', () => {
  it('is restored whole', async () => {
    expect((await run('ledger --restore ledger.backup --nothing-sent-since-backup', 'restored')).exitCode).toBe(0);
    const restored = stored('restored');
    for (const [path, text] of stored('store')) {
      if (BACKED_UP.test(path)) expect([path, restored.get(path)]).toEqual([path, text]);
    }
    const fact = olderFacts(folder).find(({ args }) => args === 'ledger');
    expect(fact).toBeDefined();
    expect(await told('ledger', 'restored')).toMatchObject(fact ?? {});
  });
});
