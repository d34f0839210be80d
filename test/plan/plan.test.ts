import { copyFileSync, readdirSync, readFileSync, renameSync, writeFileSync } from 'node:fs';
import { basename, dirname, join } from 'node:path';
import { loadProduction } from '../../client/production-file';
import { freezeProduction } from '../../client/freeze/freeze-production';
import { RenderPlan, type ShotPlan } from '../../contracts/render/render-plan';
import { type ProductionStatus } from '../../contracts/status';
import { hashFile } from '../../store';
import { policy } from '../production-file/production-fixtures';
import { dailies } from '../scripts/command';
import { type Rig, startRig } from '../support/rig';
import { temporaryFolder } from '../support/temporary-folder';

const PICTURES = join(__dirname, '..', '..', 'productions', 'lighthouse');

/** Names of assets are hashes. */
const SHA256_DIGITS = 64;

const CHAINS = ['a', 'b'];
const IN_CHAIN = [1, 2, 3];
const ALL = CHAINS.flatMap((chain) => IN_CHAIN.map((n) => `${chain}${n}`));

interface FilmChanges {
  readonly prompts?: Readonly<Record<string, string>>;
  readonly picture?: string;
  readonly title?: string;
}

/** Two chains of three; the last one begins with a picture. */
function filmOf({ prompts = {}, picture = 'start.jpg', title = 'Six' }: FilmChanges = {}): string {
  const shots = CHAINS.flatMap((chain) =>
    IN_CHAIN.map((n) => {
      const id = `${chain}${n}`;
      const first = chain === 'b' ? `, startFrame: ${picture}` : '';
      const start = n === 1 ? first : `, startFrame: { lastFrameOf: ${chain}${n - 1} }`;
      return `  - { id: ${id}, prompt: ${prompts[id] ?? `The sea ${id}.`}${start} }`;
    }),
  );
  return [
    `title: ${title}`,
    'defaults: { model: beta-video, duration: 4, resolution: 480p, colorDepth: 8bit }',
    'shots:',
    ...shots,
  ].join('\n');
}

describe('a plan and the render that follows it', () => {
  let rig: Rig;
  let folder: string;
  beforeAll(async () => {
    [rig, folder] = await Promise.all([startRig(), temporaryFolder()]);
    copyFileSync(join(PICTURES, 'night.jpg'), join(folder, 'start.jpg'));
  });
  afterAll(() => rig.close());

  const accepted = (): number => rig.sandbox.tasks().length;

  /** Every file except those that the rig's worker writes in the background: histories, and measures of clips. */
  function written(): readonly string[] {
    const inBackground = (path: string): boolean =>
      ['histories', 'measures', 'parts'].includes(basename(dirname(path))) || isGzip(path);
    return [rig.store.folder, folder].flatMap((root) => filesIn(root)).filter((path) => !inBackground(path));
  }

  /** The command, on the store into which the rig renders. */
  async function plan(text: string): Promise<RenderPlan> {
    writeFileSync(join(folder, 'film.yaml'), text);
    const place = { folder, env: { DAILIES_STORE: rig.store.folder } };
    const before = written();
    const { stdout, stderr, exitCode } = await dailies(['plan', 'film.yaml', '--json'], place);
    expect({ exitCode, stderr }).toEqual({ exitCode: 0, stderr: `Store: ${rig.store.folder}.\n` });
    expect(written()).toEqual(before);
    return RenderPlan.parse(JSON.parse(stdout));
  }

  async function render(text: string): Promise<ProductionStatus> {
    writeFileSync(join(folder, 'film.yaml'), text);
    const loaded = await loadProduction(join(folder, 'film.yaml'), policy);
    if (!loaded.ok) throw new Error(JSON.stringify(loaded.issues));
    const { frozen, ref, plan: ordered } = await freezeProduction(loaded.production, rig.store);
    await rig.client.render({ productionId: frozen.id, production: ref, plan: ordered });
    const ended = await rig.client.ended(frozen.id);
    expect(ended).toMatchObject({ state: 'completed', assembly: 'completed' });
    return ended;
  }

  it('name the same shots and price, and leave the rest unchanged, byte for byte', async () => {
    expect(await plan(filmOf())).toMatchObject({
      shots: ALL.map((shot) => ({ shot, action: 'new' })),
      film: { action: 'anew', because: ['none'] },
      quote: { tasks: 6, credits: 120, unknown: 0 },
    });
    const first = await render(filmOf());
    expect(accepted()).toBe(6);
    expect(await plan(filmOf())).toMatchObject({
      shots: ALL.map((shot) => ({ shot, action: 'reused', take: 1, quote: null })),
      film: { action: 'reused', because: [] },
      quote: { tasks: 0, credits: 0, unknown: 0 },
      underWay: false,
    });

    const changed = filmOf({ prompts: { a2: 'A storm.' } });
    const planned = await plan(changed);
    expect(byAction(planned.shots)).toEqual({
      reused: ALL.filter((shot) => !['a2', 'a3'].includes(shot)),
      changed: ['a2'],
      stale: ['a3'],
    });
    expect(planned.film).toEqual({ action: 'anew', because: ['clips'] });
    expect(planned.shots.find(({ shot }) => shot === 'a3')).toMatchObject({
      through: ['a2'],
      quote: { source: 'ledger', takes: 6, seconds: 4 },
    });

    const before = await clipsOf(first);
    const second = await render(changed);
    expect(accepted()).toBe(8);
    const after = await clipsOf(second);
    const differing = ALL.filter((shot) => before[shot] !== after[shot]);
    expect(differing).toEqual(['a2', 'a3']);
    const charged = second.shots
      .filter(({ id }) => differing.includes(id))
      .map(({ takes }) => takes.at(-1)?.credits ?? 0);
    expect(planned.quote).toEqual({ tasks: 2, credits: charged.reduce((sum, one) => sum + one, 0), unknown: 0 });

    // Only the assembly.
    const retitled = filmOf({ prompts: { a2: 'A storm.' }, title: 'Seven' });
    const free = await plan(retitled);
    expect(byAction(free.shots)).toEqual({ reused: ALL });
    expect(free).toMatchObject({ film: { action: 'anew', because: ['title'] }, quote: { tasks: 0 } });
    expect((await render(retitled)).film?.sha256).not.toBe(second.film?.sha256);
    expect(accepted()).toBe(8);

    // The picture on which a chain starts: its name, then its bytes.
    renameSync(join(folder, 'start.jpg'), join(folder, 'night.jpg'));
    const renamed = filmOf({ prompts: { a2: 'A storm.' }, title: 'Seven', picture: 'night.jpg' });
    expect(await plan(renamed)).toMatchObject({ film: { action: 'reused' }, quote: { tasks: 0 } });
    copyFileSync(join(PICTURES, 'dawn.jpg'), join(folder, 'night.jpg'));
    const repainted = await plan(renamed);
    expect(byAction(repainted.shots)).toMatchObject({ changed: ['b1'], stale: ['b2', 'b3'] });
    expect(repainted.shots.find(({ shot }) => shot === 'b1')?.changes).toEqual([
      {
        parameter: 'startFrame',
        from: `sha256:${await hashFile(join(PICTURES, 'night.jpg'))}`,
        to: `sha256:${await hashFile(join(PICTURES, 'dawn.jpg'))}`,
      },
    ]);
  });

  /** Hashes of the clips as they lie in the store, by shot. */
  async function clipsOf({ shots }: ProductionStatus): Promise<Record<string, string>> {
    const hashed = shots.map(async ({ id, takes }) => {
      return [id, await hashFile(rig.store.assets.shownPath(takes.at(-1)!.asset!))] as const;
    });
    return Object.fromEntries(await Promise.all(hashed));
  }
});

function byAction(shots: readonly ShotPlan[]): Record<string, string[]> {
  const found: Record<string, string[]> = {};
  for (const { shot, action } of shots) (found[action] ??= []).push(shot);
  return found;
}

function filesIn(folder: string): readonly string[] {
  const entries = readdirSync(folder, { recursive: true, withFileTypes: true }).filter((entry) => entry.isFile());
  return entries.map(({ parentPath, name }) => join(parentPath, name)).toSorted();
}

/** In a store, only histories are compressed. */
function isGzip(path: string): boolean {
  if (basename(path).length !== SHA256_DIGITS) return false;
  return readFileSync(path)
    .subarray(0, 2)
    .equals(Buffer.from([0x1f, 0x8b]));
}
