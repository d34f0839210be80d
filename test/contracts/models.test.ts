import { z } from 'zod';
import { choicesAt } from '../../client/production-file/text/schema-findings';
import { BETA_VIDEO, KNOWN_MODELS } from '../../contracts/gateway/models';
import { Defaults, OtherShot, shotSchemaOf } from '../../contracts/file/production';
import { parametersInFile } from '../../contracts/file/production-parameters';
import { estimatePrice } from '../../contracts/money/price-estimate';
import { SANDBOX_MODELS } from '../../sandbox';

it('are known by names that no other model has', () => {
  const names = KNOWN_MODELS.flatMap(({ id, workflow, title }) => [id, workflow, title]);
  expect(new Set(names).size).toBe(names.length);
});

describe.each(KNOWN_MODELS)('$title', (model) => {
  const names = Object.keys(model.parameters.shape);

  it('has a shot of its own, in which each of its parameters is described', () => {
    const schema = shotSchemaOf(model);
    expect(schema).not.toBe(OtherShot);
    expect(choicesAt(schema, ['model'])).toEqual([model.title, model.id, model.workflow]);
    const undescribed = names.filter((name) => !(schema.shape[name] as { description?: string }).description);
    expect(undescribed).toEqual([]);
    const foreign = KNOWN_MODELS.flatMap(({ parameters }) => Object.keys(parameters.shape)).filter(
      (name) => !names.includes(name),
    );
    expect(foreign.filter((name) => name in schema.shape)).toEqual([]);
  });

  it('may have what it takes said in defaults', () => {
    for (const name of names) {
      const choices = choicesAt(model.parameters, [name]);
      for (const choice of choices) expect(Defaults.safeParse({ [name]: choice }).error).toBeUndefined();
    }
    const { minimum, maximum } = boundsOf(model.parameters.toJSONSchema().properties?.['duration']);
    for (const seconds of [minimum, maximum]) {
      if (seconds !== undefined) expect(Defaults.safeParse({ duration: seconds }).error).toBeUndefined();
    }
  });

  it('makes no clip that is longer or shorter than an estimate of its price assumes', () => {
    const kind = { model: model.id, resolution: null };
    const [aTask, aSecond] = [{ ...kind, unit: 'task' } as const, { ...kind, unit: 'second' } as const];
    const duration = z.toJSONSchema(model.parameters).properties?.['duration'];
    const { minimum, maximum } = boundsOf(duration);
    const choices = choicesAt(model.parameters, ['duration']).map(Number);
    const lengths = [...choices, minimum, maximum].filter((seconds) => seconds !== undefined && seconds > 0);
    expect(lengths.length).toBeGreaterThan(1);
    for (const seconds of lengths as number[]) {
      expect(estimatePrice(aTask, 1, [{ kind: aSecond, credits: 6 }])?.credits).toBeGreaterThanOrEqual(6 * seconds);
      const ofClip = estimatePrice(aSecond, seconds, [{ kind: aTask, credits: 60 }]);
      expect(ofClip?.credits).toBeGreaterThanOrEqual(60);
    }
  });

  it('is rendered by the sandbox, by the same parameters', () => {
    const { id, workflow, title, output, parameters } = model;
    expect(SANDBOX_MODELS.find((known) => known.id === id)).toMatchObject({ workflow, title, output, parameters });
  });
});

it("has only its own resolutions in a file, in the file's spelling", () => {
  const resolution = z.enum(['720P', '4K']).default('4K');
  const model = { ...BETA_VIDEO, parameters: BETA_VIDEO.parameters.extend({ resolution }) };
  const inFile = parametersInFile(model)['resolution']!;
  expect(['720p', '720P', '4k', '4K', '480p', '1080p'].filter((value) => inFile.safeParse(value).success)).toEqual([
    '720p',
    '720P',
    '4k',
    '4K',
  ]);
  expect(inFile.safeParse('480p').error?.issues[0]?.message).toBe('must be 720p or 4k');
  expect(inFile.meta()?.['default']).toBe('4k');
});

function boundsOf(schema: unknown): { readonly minimum?: number; readonly maximum?: number } {
  return schema ?? {};
}

it('say in words what is allowed, also if a model has one resolution only', () => {
  const parameters = BETA_VIDEO.parameters.extend({ resolution: z.enum(['720p']).default('720p') });
  const { resolution } = parametersInFile({ ...BETA_VIDEO, parameters });
  expect(resolution?.safeParse('480p').error?.issues[0]?.message).toBe('must be 720p');
  const ofAll = parametersInFile(BETA_VIDEO)['resolution'];
  expect(ofAll?.safeParse('4k').error?.issues[0]?.message).toMatch(/^must be 480p, .* or \S+$/);
});
