import { execFile } from 'node:child_process';
import { mkdtemp, readFile, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { z } from 'zod';
import {
  AlphaVideoParameters,
  BetaVideoParameters,
  FILE_PARAMETERS,
  KNOWN_MODELS,
  knownModel,
} from '../../contracts/gateway/models';
import {
  EXECUTE_LIMIT_MS,
  SubmitResponse,
  TASK_STATES,
  TaskResponse,
  UnifiedRequest,
  WorkflowRequest,
} from '../../contracts/gateway/wire';
import { createGatewayClient, type GatewayClient, type TaskReading } from '../../gateway';
import { findFfmpeg } from '../../media/find-ffmpeg';
import { type Sandbox, startSandbox } from '../../sandbox';
import { client, closeAll, json, KEY, serve } from './servers';
import {
  allowedValues,
  ENDPOINTS,
  EXECUTE_LIMIT_SECONDS,
  forbiddenValues,
  MODELS,
  RESPONSE_FIELDS,
  type SpecifiedModel,
  type SpecifiedParameter,
  STATES,
  SUBMIT_FIELDS,
} from './specification';
import { PLAIN } from '../support/pictures';

type Json = Readonly<Record<string, unknown>>;

const PARAMETERS = MODELS.flatMap((model) =>
  model.parameters.map((parameter): [string, SpecifiedModel, SpecifiedParameter] => [
    `${model.title} ${parameter.name}`,
    model,
    parameter,
  ]),
);

/** The minimal parameters of a model. */
const required = (model: SpecifiedModel): Json =>
  Object.fromEntries(model.parameters.filter((each) => each.required).map(({ name }) => [name, 'a lighthouse']));

const paths = (fields: Json | readonly string[]) =>
  (Array.isArray(fields) ? [...(fields as string[])] : Object.keys(fields)).sort();

afterEach(closeAll);

it('is transcribed whole: two models of 13 parameters, six endpoints, four states', () => {
  expect(MODELS.map(({ parameters }) => new Set(parameters.map(({ name }) => name)).size)).toEqual([13, 13]);
  expect(new Set(ENDPOINTS.map(({ method, path }) => `${method} ${path}`)).size).toBe(6);
  expect(new Set(STATES).size).toBe(4);
});

describe('the contracts', () => {
  it('know the models by id, workflow and title, and no others', () => {
    const named = ({ id, workflow, title }: { id: string; workflow: string; title: string }) => ({
      id,
      workflow,
      title,
    });
    expect(KNOWN_MODELS.map(named)).toEqual(MODELS.map(named));
    for (const { id, workflow, title } of MODELS) {
      for (const name of [id, workflow, title]) expect(knownModel(name)?.id).toBe(id);
    }
  });

  it.each(MODELS)('hold every parameter of $title with type, bounds and default, and no other', (model) => {
    const { properties, required: needed = [], additionalProperties } = inputSchema(schemaOf(model));
    expect(properties).toEqual(Object.fromEntries(model.parameters.map((each) => [each.name, expectedSchema(each)])));
    expect(needed).toEqual(model.parameters.filter((each) => each.required).map(({ name }) => name));
    expect(additionalProperties).toBe(false);
  });

  it.each(PARAMETERS)('accept and refuse the values of %s', (_, model, parameter) => {
    const parse = (value: unknown) =>
      schemaOf(model).safeParse({ ...required(model), [parameter.name]: value }).success;
    for (const value of allowedValues(parameter)) expect([value, parse(value)]).toEqual([value, true]);
    for (const value of forbiddenValues(parameter)) expect([value, parse(value)]).toEqual([value, false]);
    const { [parameter.name]: left, ...rest } = required(model);
    expect([left, schemaOf(model).safeParse(rest).success]).toEqual([left, parameter.required !== true]);
    const filled: Json = schemaOf(model).parse(required(model));
    if (!parameter.required) expect(filled[parameter.name]).toBe(parameter.default);
  });

  it('hold the parameters that take files', () => {
    const ofFiles = (model: SpecifiedModel) =>
      model.parameters.filter(({ type }) => type === 'file' || type === 'file list');
    for (const model of MODELS) {
      const kinds = Object.fromEntries(ofFiles(model).map(({ name, type }) => [name, type === 'file list']));
      expect(Object.fromEntries(Object.entries(FILE_PARAMETERS).map(([name, { list }]) => [name, list]))).toEqual(
        kinds,
      );
      for (const { maxSeconds } of ofFiles(model)) {
        if (maxSeconds !== undefined) expect(knownModel(model.id)?.referenceMaxSeconds).toBe(maxSeconds);
      }
    }
  });

  it('hold the states and the limit of execute', () => {
    expect(TASK_STATES).toEqual(STATES);
    expect(EXECUTE_LIMIT_MS).toBe(EXECUTE_LIMIT_SECONDS * 1000);
  });

  it('hold every field of the envelopes with its type, and no other', () => {
    expect(fieldsOfSchema(inputSchema(TaskResponse))).toEqual(RESPONSE_FIELDS);
    expect(paths(fieldsOfSchema(inputSchema(SubmitResponse)))).toEqual(paths(SUBMIT_FIELDS));
    expect(fieldsOfSchema(inputSchema(UnifiedRequest))).toEqual({
      params: 'object',
      'params.model': 'string',
      'params.params': 'object',
    });
    expect(fieldsOfSchema(inputSchema(WorkflowRequest))).toEqual({ params: 'object', 'params.model': 'string' });
  });
});

describe('the client', () => {
  const TASK_ID = 'task-1';
  const answer = { status: 'success', response: { id: TASK_ID, status: 'COMPLETED', result: {} } };

  const run = async (
    gateway: GatewayClient,
    call: string,
    address: { id: string; workflow?: string },
    values: Json,
  ) => {
    const request = { model: address, parameters: values };
    if (call === 'read') return gateway.read({ taskId: TASK_ID, model: address });
    const paid = { idempotencyKey: 'take-1' };
    return call === 'submit' ? gateway.submit(request, paid) : gateway.execute(request, paid);
  };

  it.each(MODELS.flatMap((model) => ENDPOINTS.map((endpoint) => ({ ...endpoint, model }))))(
    'calls $method $path for $model.title as specified',
    async ({ call, family, method, path, model }) => {
      const { url, seen } = await serve((_, response) => {
        json(response, answer);
      });
      const { id, workflow } = model;
      await run(client(url), call, family === 'unified' ? { id } : { id, workflow }, { prompt: 'p' });
      expect(seen).toHaveLength(1);
      const { headers, body, ...line } = seen[0]!;
      const expectedPath = path.replace('{workflow}', workflow).replace(/\{taskId\}|\{id\}/, TASK_ID);
      expect(line).toEqual({ method, path: expectedPath });
      expect(headers.authorization).toBe(`Bearer ${KEY}`);
      if (method === 'GET') {
        expect(body).toBe('');
        return;
      }
      expect(headers).toMatchObject({ 'content-type': 'application/json', 'idempotency-key': 'take-1' });
      const params = family === 'unified' ? { model: id, params: { prompt: 'p' } } : { model: id, prompt: 'p' };
      expect(JSON.parse(body)).toEqual({ params });
    },
  );

  it.each(PARAMETERS)('sends every value of %s as it is, to both families', async (_, model, parameter) => {
    const { url, seen } = await serve((_request, response) => {
      json(response, answer);
    });
    const gateway = client(url);
    for (const value of allowedValues(parameter)) {
      const values = { ...required(model), [parameter.name]: value };
      await run(gateway, 'submit', { id: model.id }, values);
      await run(gateway, 'submit', { id: model.id, workflow: model.workflow }, values);
      const [unified, own] = seen.splice(0).map(({ body }) => JSON.parse(body) as unknown);
      expect(unified).toEqual({ params: { model: model.id, params: values } });
      expect(own).toEqual({ params: { model: model.id, ...values } });
      expect(UnifiedRequest.safeParse(unified).success).toBe(true);
      expect(WorkflowRequest.safeParse(own).success).toBe(true);
    }
  });

  it('reads every field of the envelope', async () => {
    const result = { url: 'https://a.example/1', items: [{ url: 'https://a.example/2' }], model: 'm', text: 't' };
    const whole = { status: 'success', response: { id: TASK_ID, status: 'COMPLETED', result, usage: { credits: 7 } } };
    expect(fieldsOf(whole)).toEqual(RESPONSE_FIELDS);
    const { url } = await serve((_, response) => {
      json(response, whole);
    });
    expect(await client(url).execute({ model: { id: 'm' }, parameters: {} }, { idempotencyKey: 'k' })).toEqual({
      taskId: TASK_ID,
      state: 'completed',
      credits: 7,
      result: {
        url: 'https://a.example/1',
        files: [
          { url: 'https://a.example/1', isImage: false, isSound: false, isBeside: false },
          { url: 'https://a.example/2', isImage: false, isSound: false, isBeside: false },
        ],
        lastFrameUrl: null,
        text: 't',
        model: 'm',
        raw: result,
      },
    });
  });

  it.each(STATES)('knows the state %s', async (state) => {
    const { url } = await serve((_, response) => {
      json(response, { status: 'success', response: { id: TASK_ID, status: state } });
    });
    const expected: Readonly<Record<string, object>> = {
      ACCEPTED: { state: 'pending', known: true },
      IN_PROGRESS: { state: 'pending', known: true },
      COMPLETED: { state: 'completed' },
      FAILED: { state: 'failed' },
    };
    expect(await client(url).read({ taskId: TASK_ID, model: { id: 'm' } })).toMatchObject(expected[state]!);
  });
});

describe('the sandbox', () => {
  let folder: string;
  let sandbox: Sandbox;
  let gateway: GatewayClient;

  beforeAll(async () => {
    folder = await mkdtemp(join(tmpdir(), 'dailies-specification-'));
    sandbox = await startSandbox({ folder: join(folder, 'sandbox'), apiKey: KEY, renderSeconds: 1, ...PLAIN });
    gateway = createGatewayClient({ baseUrl: sandbox.url, apiKey: KEY });
  });
  afterAll(async () => {
    await gateway.close();
    await sandbox.close();
    await rm(folder, { recursive: true });
  });

  const post = async (path: string, body: unknown, headers: Record<string, string> = {}) => {
    const response = await fetch(sandbox.url + path, {
      method: 'POST',
      headers: { authorization: `Bearer ${KEY}`, 'content-type': 'application/json', ...headers },
      body: JSON.stringify(body),
    });
    return { status: response.status, body: (await response.json()) as Json };
  };

  /** Names of the parameters that a submit is refused for, at the unified and at the model's own address. */
  const refusedFor = async (model: SpecifiedModel, values: Json): Promise<string[][]> => {
    const unified = { params: { model: model.id, params: values } };
    const own = { params: { model: model.id, ...values } };
    const answers = [
      await post('/workflows/v1/models/submit', unified),
      await post(`/workflows/${model.workflow}/submit`, own),
    ];
    return answers.map(({ status, body }) => {
      expect(status).toBe(400);
      const { problems = [] } = body['error'] as { problems?: { parameter: string }[] };
      return problems.map(({ parameter }) => parameter.replace(/\..*$/, '')).sort();
    });
  };

  const ended = async (taskId: string, model: { id: string; workflow?: string }) => {
    const seen: TaskReading[] = [];
    for (;;) {
      const reading = await gateway.read({ taskId, model });
      seen.push(reading);
      if (reading.state !== 'pending') return seen;
      await new Promise((resolve) => setTimeout(resolve, 50));
    }
  };

  const wholeAnswer = async (path: string) => {
    const response = await fetch(sandbox.url + path, { headers: { authorization: `Bearer ${KEY}` } });
    return (await response.json()) as Json;
  };

  // A value counts as accepted if only another, invalid parameter is named; so nothing is rendered.
  it.each(PARAMETERS)('takes and refuses the values of %s', async (_, model, parameter) => {
    const before = sandbox.tasks().length;
    for (const value of allowedValues(parameter)) {
      const values = { ...required(model), [parameter.name]: value, bogus: 1 };
      expect([value, await refusedFor(model, values)]).toEqual([value, [['bogus'], ['bogus']]]);
    }
    for (const value of forbiddenValues(parameter)) {
      const values = { ...required(model), [parameter.name]: value };
      expect([value, await refusedFor(model, values)]).toEqual([value, [[parameter.name], [parameter.name]]]);
    }
    if (parameter.required) expect(await refusedFor(model, {})).toEqual([[parameter.name], [parameter.name]]);
    expect(sandbox.tasks()).toHaveLength(before);
  });

  it('answers at every endpoint, as its own description says, and at no other of that kind', async () => {
    const described = (await wholeAnswer('/openapi.json'))['paths'] as Record<string, Json>;
    const lines = Object.entries(described)
      .filter(([path]) => path.startsWith('/workflows/'))
      .flatMap(([path, methods]) => Object.keys(methods).map((method) => `${method.toUpperCase()} ${path}`));
    expect(lines.sort()).toEqual(ENDPOINTS.map(({ method, path }) => `${method} ${path}`).sort());
  });

  it.each(ENDPOINTS)('wants the key at $method $path', async ({ method, path }) => {
    const address = sandbox.url + path.replace('{workflow}', 'beta').replace(/\{.*\}/, 'task-1');
    const wrong: Record<string, string>[] = [{}, { authorization: KEY }, { authorization: 'Bearer other' }];
    for (const headers of wrong) {
      const content =
        method === 'POST' ? { body: '{}', headers: { ...headers, 'content-type': 'application/json' } } : { headers };
      expect((await fetch(address, { method, ...content })).status).toBe(401);
    }
  });

  it.each(MODELS)('refuses a request for $title whose envelope is not as specified', async (model) => {
    const { id, workflow } = model;
    const [unified, own] = ['/workflows/v1/models/submit', `/workflows/${workflow}/submit`];
    for (const body of [{}, { params: {} }, { params: { model: id } }, { params: { params: required(model) } }]) {
      expect((await post(unified, body)).status).toBe(400);
    }
    for (const body of [{}, { params: required(model) }, { params: { model: id, params: required(model) } }]) {
      expect((await post(own, body)).status).toBe(400);
    }
    expect(
      (await post(unified, { params: { model: id, params: required(model) } }, { 'content-type': 'text/plain' }))
        .status,
    ).toBe(415);
  });

  it.each(MODELS)('runs $title at both families, with the states in order and every field', async (model) => {
    const { id, workflow, title } = model;
    const short = { prompt: 'a lighthouse', resolution: title === 'alpha-video' ? '480P' : '480p' };
    for (const address of [{ id }, { id, workflow }]) {
      const request = { model: address, parameters: short };
      const { taskId } = await gateway.submit(request, { idempotencyKey: 'k' });
      const readings = await ended(taskId, address);
      const states = readings.map((reading) => (reading.state === 'pending' ? reading.status : 'COMPLETED'));
      expect(states).toEqual([...states].sort((a, b) => STATES.indexOf(a) - STATES.indexOf(b)));
      expect(states.at(-1)).toBe('COMPLETED');
      expect(readings.at(-1)).toMatchObject({ state: 'completed', result: { model: id } });

      const parent = address.workflow === undefined ? '/workflows/v1/models' : `/workflows/${workflow}`;
      expect(fieldsOf(await wholeAnswer(`${parent}/${taskId}/result`))).toEqual(withoutFields(/text$/));
      // Parameters that were not given have their defaults.
      const filled = Object.fromEntries(
        model.parameters.flatMap((each) => ('default' in each ? [[each.name, each.default]] : [])),
      );
      expect(sandbox.tasks().find((task) => task.id === taskId)!.parameters).toEqual({ ...filled, ...short });
    }
  });

  it('answers a submit with status and id, and nothing else', async () => {
    const { body } = await post('/workflows/quill/v1/text/submit', {
      params: { model: 'quill-text-1', prompt: 'a poem' },
    });
    expect(paths(fieldsOf(body))).toEqual(paths(SUBMIT_FIELDS));
  });

  it('executes at both families, with text instead of addresses for a text model', async () => {
    for (const [path, params] of [
      ['/workflows/v1/models/execute', { model: 'quill-text-1', params: { prompt: 'a poem' } }],
      ['/workflows/quill/v1/text/execute', { model: 'quill-text-1', prompt: 'a poem' }],
    ] as const) {
      const { status, body } = await post(path, { params });
      expect(status).toBe(200);
      expect(fieldsOf(body)).toEqual(withoutFields(/url$|items/));
      expect(body).toMatchObject({ status: 'success', response: { status: 'COMPLETED' } });
    }
  });

  it('refuses references that are too long for beta-video, and only there', async () => {
    const clips = new Map<number, Record<string, string>>();
    for (const seconds of [30, 31]) clips.set(seconds, await references(folder, seconds));
    for (const model of MODELS) {
      for (const { name, maxSeconds } of model.parameters) {
        if (name !== 'videoUrls' && name !== 'audioUrls') continue;
        for (const [seconds, files] of clips) {
          const parameters = { ...required(model), duration: 5, [name]: [files[name]] };
          const submit = gateway.submit({ model: { id: model.id }, parameters }, { idempotencyKey: 'k' });
          const outcome = await submit.then(
            () => 'accepted',
            (error: unknown) => (error as { status: number }).status,
          );
          expect([model.title, name, seconds, outcome]).toEqual([
            model.title,
            name,
            seconds,
            seconds > (maxSeconds ?? Infinity) ? 400 : 'accepted',
          ]);
        }
      }
    }
  });

  it('ends a task FAILED where told to, and times an execute out', async () => {
    const other = await startSandbox({
      folder: join(folder, 'faulty'),
      faults: { failedShare: 1 },
      executeLimitMs: 300,
      renderSeconds: 1,
    });
    try {
      const faulty = client(other.url);
      const request = { model: { id: 'quill-text-1' }, parameters: { prompt: 'a poem' } };
      await expect(faulty.execute(request, { idempotencyKey: 'k' })).rejects.toMatchObject({ acceptance: 'unclear' });
      const { id } = other.tasks()[0]!;
      let reading: TaskReading;
      do reading = await faulty.read({ taskId: id, model: request.model });
      while (reading.state === 'pending');
      expect(reading.state).toBe('failed');
    } finally {
      await other.close();
    }
  });
});

function schemaOf({ id }: SpecifiedModel): z.ZodObject {
  return id === 'beta-2.5' ? BetaVideoParameters : AlphaVideoParameters;
}

interface Schema {
  readonly type?: string;
  readonly properties?: Readonly<Record<string, Schema>>;
  readonly items?: Schema;
  readonly required?: string[];
  readonly additionalProperties?: unknown;
}

function inputSchema(schema: z.ZodType): Schema {
  return z.toJSONSchema(schema, { io: 'input' }) as Schema;
}

function expectedSchema({ type, default: value, maxCharacters }: SpecifiedParameter): Json {
  const filled = value === undefined ? {} : { default: value };
  const file = { type: 'string', minLength: 1 };
  if (type === 'text') return { type: 'string', ...(maxCharacters === undefined ? {} : { maxLength: maxCharacters }) };
  if (type === 'boolean') return { type: 'boolean', ...filled };
  if (type === 'file') return file;
  if (type === 'file list') return { type: 'array', items: file };
  if ('oneOf' in type) return { type: typeof type.oneOf[0], enum: type.oneOf, ...filled };
  return { type: 'integer', minimum: type.from, maximum: type.to, ...filled };
}

/** Every path of a JSON Schema with its type. */
function fieldsOfSchema({ properties = {}, items }: Schema, parent = ''): Record<string, string> {
  const fields: Record<string, string> = {};
  const add = (path: string, schema: Schema) => {
    fields[path] = schema.type ?? 'any';
    Object.assign(fields, fieldsOfSchema(schema, path));
  };
  for (const [name, schema] of Object.entries(properties)) add(parent === '' ? name : `${parent}.${name}`, schema);
  if (items !== undefined) add(`${parent}[]`, items);
  return fields;
}

/** The specified fields less those of another kind of result. */
function withoutFields(pattern: RegExp): Record<string, string> {
  return Object.fromEntries(Object.entries(RESPONSE_FIELDS).filter(([path]) => !pattern.test(path)));
}

/** Every path of a value with its type. */
function fieldsOf(value: unknown, parent = ''): Record<string, string> {
  const fields: Record<string, string> = {};
  const entries = Array.isArray(value)
    ? value.map((item: unknown): [string, unknown] => [`${parent}[]`, item])
    : Object.entries(value as Json).map(([name, item]): [string, unknown] => [
        parent === '' ? name : `${parent}.${name}`,
        item,
      ]);
  for (const [path, item] of entries) {
    fields[path] = Array.isArray(item) ? 'array' : typeof item;
    if (typeof item === 'object' && item !== null) Object.assign(fields, fieldsOf(item, path));
  }
  return fields;
}

/** A video and a sound of a length, as data URIs. */
async function references(folder: string, seconds: number): Promise<Record<string, string>> {
  const { path } = await findFfmpeg();
  const make = async (name: string, mediaType: string, source: string[]) => {
    const file = join(folder, name);
    await promisify(execFile)(path, ['-v', 'error', '-y', '-f', 'lavfi', ...source, '-t', String(seconds), file]);
    return `data:${mediaType};base64,${(await readFile(file)).toString('base64')}`;
  };
  return {
    videoUrls: await make(`${seconds}.mp4`, 'video/mp4', ['-i', 'testsrc=size=64x64:rate=2']),
    audioUrls: await make(`${seconds}.wav`, 'audio/wav', ['-i', 'anullsrc=r=8000:cl=mono']),
  };
}
