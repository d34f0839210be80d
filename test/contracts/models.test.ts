import { choicesAt } from '../../client/production-file/text/schema-findings';
import { KNOWN_MODELS } from '../../contracts/gateway/models';
import { Defaults, OtherShot, shotSchemaOf } from '../../contracts/file/production';
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

  it('is rendered by the sandbox, by the same parameters', () => {
    const { id, workflow, title, output, parameters } = model;
    expect(SANDBOX_MODELS.find((known) => known.id === id)).toMatchObject({ workflow, title, output, parameters });
  });
});

function boundsOf(schema: unknown): { readonly minimum?: number; readonly maximum?: number } {
  return schema ?? {};
}
