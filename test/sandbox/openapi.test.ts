import { KNOWN_MODELS } from '../../contracts/gateway/models';
import { FAULTS, SANDBOX_MODELS } from '../../sandbox';
import { request, sandbox } from './rig';

interface Document {
  readonly openapi: string;
  readonly paths: Record<string, Record<string, unknown>>;
  readonly components: {
    readonly schemas: Record<string, { properties: Record<string, object>; required?: string[]; oneOf?: object[] }>;
  };
}

async function document(): Promise<Document> {
  const { body } = await request(`${(await sandbox()).url}/openapi.json`);
  return body as Document;
}

describe('the OpenAPI document', () => {
  it('names the six addresses', async () => {
    const { openapi, paths } = await document();
    expect(openapi).toBe('3.1.0');
    for (const prefix of ['/workflows/v1/models', '/workflows/{workflow}']) {
      expect(paths[`${prefix}/execute`]).toHaveProperty('post');
      expect(paths[`${prefix}/submit`]).toHaveProperty('post');
    }
    expect(paths['/workflows/v1/models/{taskId}/result']).toHaveProperty('get');
    expect(paths['/workflows/{workflow}/{id}/result']).toHaveProperty('get');
  });

  it.each([
    ['alpha-video', 13, []],
    ['beta-video', 13, ['prompt']],
  ])('has every parameter of %s', async (title, count, required) => {
    const schema = (await document()).components.schemas[title]!;
    const known = KNOWN_MODELS.find((model) => model.title === title)!;
    expect(Object.keys(schema.properties)).toEqual(Object.keys(known.parameters.shape));
    expect(Object.keys(schema.properties)).toHaveLength(count);
    expect(schema.required ?? []).toEqual(required);
  });

  it('has their bounds and defaults', async () => {
    const { schemas } = (await document()).components;
    expect(schemas['alpha-video']!.properties).toMatchObject({
      prompt: { maxLength: 5000 },
      duration: { enum: [-1, 5, 10, 15, 30], default: 5 },
      seed: { type: 'integer', minimum: 0, maximum: 2147483647 },
      resolution: { enum: ['480P', '720P', '1080P'], default: '1080P' },
    });
    expect(schemas['beta-video']!.properties).toMatchObject({
      duration: { type: 'integer', minimum: 4, maximum: 30, default: 5 },
      colorDepth: { enum: ['10bit', '8bit'], default: '10bit' },
    });
  });

  it('describes both envelopes and the answers, without dangling references', async () => {
    const whole = await document();
    const { schemas } = whole.components;
    for (const [, name] of JSON.stringify(whole).matchAll(/#\/components\/schemas\/([\w-]+)/g)) {
      expect(Object.keys(schemas)).toContain(name);
    }
    expect(schemas['UnifiedRequest']!.oneOf).toHaveLength(SANDBOX_MODELS.length);
    expect(schemas['WorkflowRequest']!.oneOf).toHaveLength(SANDBOX_MODELS.length);
    expect(Object.keys(schemas)).toEqual(expect.arrayContaining(['SubmitResponse', 'TaskResponse', 'ErrorResponse']));
  });

  it('names the errors of requests, and those of files', async () => {
    const { paths } = await document();
    const statuses = (path: string, verb: string) =>
      Object.keys((paths[path]![verb] as { responses: Record<string, unknown> }).responses);
    expect(statuses('/workflows/v1/models/submit', 'post')).toEqual(expect.arrayContaining(['403', '409']));
    expect(statuses('/workflows/v1/models/{taskId}/result', 'get')).toContain('403');
    expect(statuses('/files/{taskId}/{name}', 'get')).toEqual(['200', '206', '403', '404', '416']);
  });

  it('names every fault that can be armed, and says what it does', async () => {
    const { paths, components } = await document();
    expect(Object.keys(paths['/sandbox/faults']!)).toEqual(['get', 'post', 'delete']);
    const { kind } = components.schemas['Injection']!.properties as { kind: { enum: string[]; description: string } };
    expect(kind.enum).toEqual(Object.keys(FAULTS));
    for (const [name, { description }] of Object.entries(FAULTS))
      expect(kind.description).toContain(`\`${name}\`: ${description}`);
  });

  it('uses the models of the contracts', () => {
    for (const { id, workflow, title, output, parameters } of KNOWN_MODELS) {
      expect(SANDBOX_MODELS).toContainEqual(expect.objectContaining({ id, workflow, title, output, parameters }));
    }
  });
});
