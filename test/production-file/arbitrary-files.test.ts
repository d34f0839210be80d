import { writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import fc from 'fast-check';
import { stringify } from 'yaml';
import { loadProduction } from '../../client/production-file';
import { temporaryFolder } from '../support/temporary-folder';
import { policy } from './production-fixtures';

const folder = temporaryFolder();

/** Pieces that the parser and the checks care about, in any order. */
const fragment = fc.constantFrom(
  ...['shots:', '\n', '  ', '- ', 'id: a', 'model: ', 'alpha-video', 'beta-2.5', '{', '}', '[', ']', ', ', ': ', '? '],
  ...[
    '&a ',
    '*a',
    '<<: *a',
    '---',
    '!!set ',
    '|',
    '"',
    "'",
    '#',
    '\t',
    'startFrame: ',
    'lastFrameOf: a',
    'null',
    '.nan',
  ],
  ...['__proto__: ', 'constructor: ', 'defaults: ', 'models: ', 'toString', 'imageUrls: ', '-1', '\u0000', '%YAML 1.1'],
);

const name = fc.constantFrom(
  ...['id', 'title', 'shots', 'model', 'prompt', 'defaults', 'models', 'schema', 'assembly', 'music', 'startFrame'],
  ...['lastFrameOf', 'output', 'resolution', 'duration', 'imageUrls', 'file', '__proto__', 'hasOwnProperty', 'caption'],
);

const { tree } = fc.letrec<{ tree: unknown }>((tie) => ({
  tree: fc.oneof(
    { depthSize: 'small', withCrossShrink: true },
    fc.constantFrom<unknown>('alpha-video', 'beta-video', 'a', '720p', null, true, 5, -1, NaN, ''),
    fc.array(tie('tree'), { maxLength: 4 }),
    fc.dictionary(name, tie('tree'), { maxKeys: 6 }),
  ),
}));

async function expectAnAnswer(contents: readonly (string | Uint8Array)[]): Promise<void> {
  const path = join(await folder, 'film.yaml');
  for (const content of contents) {
    await writeFile(path, content);
    const result = await loadProduction(path, policy);
    if (result.ok) continue;
    expect(result.issues.length).toBeGreaterThan(0);
    for (const { line, column, message } of result.issues) {
      expect(line).toBeGreaterThanOrEqual(1);
      expect(column).toBeGreaterThanOrEqual(1);
      expect(message).not.toMatch(/undefined|\[object/);
    }
  }
}

describe('whatever a production file holds', () => {
  it('gives a production or issues, never an exception', async () => {
    const text = fc.array(fragment, { maxLength: 40 }).map((parts) => parts.join(''));
    await fc.assert(fc.asyncProperty(fc.array(text, { maxLength: 20 }), expectAnAnswer), { numRuns: 50 });
  });

  it('gives an answer for YAML of another form', async () => {
    const shots = fc.record({
      shots: fc.array(fc.dictionary(name, tree, { maxKeys: 6 })),
      defaults: tree,
      assembly: tree,
    });
    const text = fc.oneof(tree, shots).map((value) => stringify(value));
    await fc.assert(fc.asyncProperty(fc.array(text, { maxLength: 20 }), expectAnAnswer), { numRuns: 50 });
  });

  it('gives an answer for bytes that are not text', async () => {
    await fc.assert(fc.asyncProperty(fc.array(fc.uint8Array(), { maxLength: 20 }), expectAnAnswer), { numRuns: 30 });
  });

  it.each(['[', '{', '- ', '? ', '{a: '])('gives an answer if "%s" is nested very deeply', async (opening) => {
    await expectAnAnswer([opening.repeat(20_000)]);
  });

  it('gives an answer if aliases multiply', async () => {
    const levels = Array.from({ length: 30 }, (_, level) => `l${level + 1}: &l${level + 1} [*l${level}, *l${level}]`);
    await expectAnAnswer([`l0: &l0 [a]\n${levels.join('\n')}\n`]);
  });
});
