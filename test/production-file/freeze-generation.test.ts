import { createHash } from 'node:crypto';
import { join } from 'node:path';
import { formatIssues } from '../../client/production-file';
import { freezeGeneration, type GenerationFlags } from '../../client/freeze/freeze-generation';
import { GENERATIONS } from '../../contracts/identifiers';
import { openStore } from '../../store';
import { intent } from '../support/ledger-fixtures';
import { temporaryFolder } from '../support/temporary-folder';
import { policy } from './production-fixtures';

const media = join(__dirname, 'broken', 'files');

async function generate(flags: Omit<GenerationFlags, 'folder'>) {
  const store = await openStore(await temporaryFolder());
  const result = await freezeGeneration({ folder: media, ...flags }, policy, store);
  if (!result.ok) throw new Error(formatIssues(result.issues));
  return result;
}

describe('a single generation', () => {
  it('is a production of one shot without a film', async () => {
    const { frozen, plan } = await generate({
      model: 'alpha-video',
      prompt: 'A quiet sea',
      settings: ['duration=10', 'resolution=480p', 'aspectRatio=16:9', 'watermark=true'],
      files: ['startFrame=frame.png', 'imageUrls=frame.png'],
      id: 'sea',
    });
    expect(frozen).toMatchObject({
      id: 'generations',
      shots: [
        {
          id: 'sea',
          model: { id: 'alpha-3.0-video', output: 'video' },
          parameters: { prompt: 'A quiet sea', duration: 10, resolution: '480P', aspectRatio: '16:9', watermark: true },
          files: { startFrame: { kind: 'asset', name: 'frame.png' }, imageUrls: [{ kind: 'asset' }] },
        },
      ],
    });
    expect(frozen).not.toHaveProperty('assembly');
    expect(plan).toMatchObject({ assemble: false, shots: [{ id: 'sea', links: [] }] });
  });

  it.each([
    ['a still', 'startFrame={"still":{"model":"pixel","prompt":"A boat"}}', '--set startFrame'],
    ['a text that a model writes', 'prompt={"from":{"model":"pixel","prompt":"A boat"}}', '--prompt'],
  ])('has no %s, which would be a second task', async (_what, setting, flag) => {
    const store = await openStore(await temporaryFolder());
    const flags = { folder: media, model: 'pixel', output: 'video', settings: [setting], id: 'sea' } as const;
    const result = await freezeGeneration(flags, policy, store);
    expect(result).toMatchObject({ ok: false, issues: [{ flag }] });
  });

  it('is named after its request, so that the same flags are the same task', async () => {
    const [one, same, other] = await Promise.all(
      ['A quiet sea', 'A quiet sea', 'A loud sea'].map((prompt) => generate({ model: 'beta-video', prompt })),
    );
    expect(same?.frozen).toEqual(one?.frozen);
    expect(other?.frozen.shots[0]?.id).not.toBe(one?.frozen.shots[0]?.id);
  });

  it('is the same task whatever way the path of a file is written', async () => {
    const store = await openStore(await temporaryFolder());
    const idWith = async (file: string): Promise<string | undefined> => {
      const flags = { folder: media, model: 'pixel-1', output: 'image', files: [`mask=${file}`] } as const;
      const result = await freezeGeneration(flags, policy, store);
      if (!result.ok) throw new Error(formatIssues(result.issues));
      return result.frozen.shots[0]?.id;
    };
    const id = await idWith('frame.png');
    expect(await idWith('./frame.png')).toBe(id);
    expect(await idWith(join(media, 'frame.png'))).toBe(id);
    expect(await idWith('other.png').catch(() => undefined)).not.toBe(id);
    // A task that an older version has named with the path as written keeps its name.
    const written = '../files/frame.png';
    const asked = [{ id: 'pixel-1' }, {}, { mask: { kind: 'local', path: join(media, 'frame.png'), written } }];
    const older = `pixel-1-${createHash('sha256').update(JSON.stringify(asked)).digest('hex').slice(0, 10)}`;
    await store.ledger.intend({ productionId: GENERATIONS, shotId: older, take: 1 }, intent());
    expect(await idWith(written)).toBe(older);
  });

  it('calls the named workflow, of a known model or any other', async () => {
    const known = await generate({ workflow: 'alpha/v3/video' });
    expect(known.frozen.shots[0]?.model).toMatchObject({ id: 'alpha-3.0-video', workflow: 'alpha/v3/video' });
    const other = await generate({
      model: 'pixel-1',
      workflow: 'pixel/v1',
      output: 'image',
      files: ['mask=frame.png'],
    });
    expect(other.frozen.shots[0]).toMatchObject({
      model: { id: 'pixel-1', workflow: 'pixel/v1', output: 'image' },
      files: { mask: { kind: 'asset' } },
    });
  });

  it.each<[string, Omit<GenerationFlags, 'folder'>, string]>([
    ['a parameter', { model: 'beta', prompt: 'Sea', settings: ['duration=3'] }, '--set duration: duration is 3;'],
    [
      'a parameter of the other model',
      { model: 'beta', prompt: 'Sea', settings: ['seed=3'] },
      '--set seed: seed is a parameter of alpha-video',
    ],
    ['a missing prompt', { model: 'beta' }, '--prompt: prompt is missing'],
    [
      'a missing file',
      { model: 'alpha-video', files: ['startFrame=none.png'] },
      '--file startFrame: "none.png" does not exist',
    ],
    ['a misspelt model', { model: 'alpha-vidoe' }, '--model: unknown model'],
    ['no model', { prompt: 'Sea' }, '--model: no model is named'],
    ['no pair', { model: 'alpha-video', settings: ['seed'] }, '--set: "seed" is no pair'],
    [
      'a schema',
      { model: 'pixel-1', schema: 'image.schema.json', prompt: 'Sea', settings: ['steps=99'] },
      '--set steps: steps is 99; pixel-1 takes',
    ],
    ['an unreadable schema', { model: 'pixel-1', schema: 'none.json' }, '--schema: "none.json" cannot be read'],
    [
      'a schema for a known model',
      { model: 'beta', prompt: 'Sea', schema: 'image.schema.json' },
      '--schema: beta-video is known already',
    ],
    [
      'a drift',
      { model: 'beta', prompt: 'Sea', settings: ['drift=expected'] },
      '--set drift: drift is for the shots of a production',
    ],
    ['a bad id', { model: 'alpha-video', id: '../up' }, '--id: id is "../up"'],
  ])('is refused for %s, named by its flag', async (_, flags, said) => {
    await expect(generate(flags)).rejects.toThrow(said);
  });
});
