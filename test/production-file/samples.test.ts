import { readdirSync } from 'node:fs';
import { join } from 'node:path';
import { type CheckedProduction, formatIssues, loadProduction } from '../../client/production-file';
import { policy } from './production-fixtures';

const productions = join(__dirname, '..', '..', 'productions');

async function sample(name: string): Promise<CheckedProduction> {
  const result = await loadProduction(join(productions, name), policy);
  if (!result.ok) throw new Error(formatIssues(result.issues));
  return result.production;
}

describe('the samples', () => {
  it.each(readdirSync(productions).filter((name) => name.endsWith('.yaml')))('%s has nothing wrong', async (name) => {
    await expect(sample(name)).resolves.toMatchObject({ id: name.replace('.yaml', '') });
  });

  it('of the lighthouse shows both models, two chains, given frames, music, a title and captions', async () => {
    const { shots, assembly } = await sample('lighthouse.yaml');
    const startOf = Object.fromEntries(
      shots.map(({ id, files: { startFrame } }) => [
        id,
        startFrame !== undefined && 'shot' in startFrame ? startFrame.shot : null,
      ]),
    );
    expect(startOf).toEqual({
      'last-boat': null,
      'first-light': 'last-boat',
      storm: 'first-light',
      'lamp-room': null,
      letter: 'lamp-room',
      dawn: null,
    });
    expect(new Set(shots.map(({ model }) => model.id)).size).toBe(2);
    expect(shots.at(-1)?.files).toMatchObject({ startFrame: { kind: 'local' }, endFrame: { kind: 'local' } });
    expect(shots.every(({ caption }) => caption !== undefined)).toBe(true);
    expect(assembly).toMatchObject({ title: { text: "The Keeper's Last Night" }, subtitles: true });
    expect(assembly?.music).toBeDefined();
  });
});
