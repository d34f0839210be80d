import { type FrozenProduction } from '../../contracts/render/frozen';
import { film, pictureShot, type Rig, rigEnv, startRig } from '../support/rig';
import { temporaryFolder } from '../support/temporary-folder';
import { dailies, type Ended } from './command';

const picture = (prompt: string): FrozenProduction => film('film', [pictureShot('dawn', { parameters: { prompt } })]);

/** What a prune answers with `--json`. */
interface Answer {
  readonly unused: {
    readonly productions: readonly {
      readonly production: string;
      readonly takes: readonly { readonly take: number }[];
    }[];
    readonly sizeBytes: number;
  };
  readonly freed: { readonly takes: number; readonly sizeBytes: number } | null;
}

describe('a prune by command', () => {
  let rig: Rig;
  let folder: string;
  beforeAll(async () => {
    rig = await startRig();
    folder = await temporaryFolder();
    await rig.render(picture('the first idea'));
    await rig.render(picture('the second idea'));
  });
  afterAll(() => rig.close());

  const prune = (...args: readonly string[]): Promise<Ended> =>
    dailies(['prune', ...args], { folder, env: rigEnv(rig) });
  const isThere = async (): Promise<readonly boolean[]> => {
    const takes = await rig.store.ledger.takes('film', 'dawn');
    return Promise.all(
      takes.map(async ({ output }) => output !== undefined && (await rig.store.assets.has(output.asset))),
    );
  };

  it('frees nothing without a yes: neither with --dry-run, nor without a terminal', async () => {
    const look = await prune('--dry-run');
    expect(look).toMatchObject({ exitCode: 0, stdout: expect.stringContaining('dawn (take 1)') });
    const refused = await prune();
    expect(refused).toMatchObject({ exitCode: 2, stderr: expect.stringContaining('to answer yes in advance') });
    const inJson = await prune('--json');
    expect(inJson).toMatchObject({ exitCode: 2, stderr: expect.stringContaining('dawn (take 1)') });
    expect(await isThere()).toEqual([true, true]);
  });

  it('frees what it has listed after a yes, reports both as JSON, and then finds nothing more', async () => {
    const { exitCode, stdout } = await prune('--yes', '--json');
    const { unused, freed } = JSON.parse(stdout) as Answer;
    expect(exitCode).toBe(0);
    expect(unused.productions).toMatchObject([{ production: 'film', takes: [{ shot: 'dawn', take: 1 }] }]);
    expect(freed).toEqual({ takes: 1, films: 0, sizeBytes: unused.sizeBytes, isWhole: true });
    expect(await isThere()).toEqual([false, true]);
    expect((await prune('--yes')).stdout).toContain('Nothing is unused');
  });
});
