import { z } from 'zod';
import { SubmitResponse, TaskResponse } from '../../contracts/gateway/wire';
import { Injection } from '../faults/injection';
import { priceInWords } from '../price';
import { SANDBOX_MODELS, type SandboxModel } from '../sandbox-models';

type Json = Readonly<Record<string, unknown>>;

const ErrorResponse = z.strictObject({
  status: z.literal('error'),
  error: z.strictObject({
    code: z.string(),
    message: z.string(),
    problems: z.array(z.strictObject({ parameter: z.string(), message: z.string() })).optional(),
  }),
});

const EXECUTE = 'Runs a task and waits for its end, for about 20 seconds at most.';
const SUBMIT = 'Accepts a task and answers its id.';
const RESULT = 'Reads the state of a task, and its result when it is COMPLETED.';

const FOREIGN_HOST = 'The Host header names another machine';
const READ_ERRORS = {
  401: 'No key, or a wrong one',
  403: FOREIGN_HOST,
  404: 'No such task',
  429: 'Too many requests',
};
const RUN_ERRORS = {
  ...READ_ERRORS,
  400: 'Invalid parameters',
  404: 'No such workflow',
  409: 'The Idempotency-Key came with another request before',
  413: 'Too large',
  415: 'No JSON',
};
const EXECUTE_ERRORS = { ...RUN_ERRORS, 504: 'The task takes longer; it continues and is charged' };

const WORKFLOW = pathParameter('workflow', {
  enum: SANDBOX_MODELS.map(({ workflow }) => workflow),
  description: 'Contains slashes, which are not escaped.',
});

/**
 * The sandbox's HTTP interface as OpenAPI 3.1, without `/sandbox/counts` and `/openapi.json`. The zod schemas of
 * parameters and injections also check requests.
 */
export function openApiDocument(): Json {
  return {
    openapi: '3.1.0',
    info: { title: 'Dailies sandbox gateway', version: '1' },
    security: [{ bearer: [] }],
    paths: {
      ...family('/workflows/v1/models', 'UnifiedRequest', 'taskId', []),
      ...family('/workflows/{workflow}', 'WorkflowRequest', 'id', [WORKFLOW]),
      '/files/{taskId}/{name}': {
        get: {
          summary: "A task's file; takes Range and If-Range.",
          security: [],
          parameters: [pathParameter('taskId'), pathParameter('name')],
          responses: {
            200: { description: 'Whole' },
            206: { description: 'One range' },
            403: { description: `The address has expired, or: ${FOREIGN_HOST}`, content: jsonContent('ErrorResponse') },
            404: { description: 'No such file', content: jsonContent('ErrorResponse') },
            416: { description: 'A range outside the file' },
          },
        },
      },
      '/sandbox/tasks': {
        get: {
          summary: 'Every accepted POST with its charge.',
          responses: { 200: { description: '{ tasks }' } },
        },
      },
      '/sandbox/faults': {
        get: {
          summary: 'The faults that are armed, and how often each has struck.',
          responses: { 200: { description: '{ armed, struck }' } },
        },
        post: {
          summary: 'Arms a fault in addition to the armed ones.',
          requestBody: { required: true, content: jsonContent('Injection') },
          responses: {
            200: { description: '{ armed }' },
            400: { description: 'Invalid injection', content: jsonContent('ErrorResponse') },
          },
        },
        delete: {
          summary: 'Removes all faults; the fates of accepted tasks stay.',
          responses: { 200: { description: '{ armed }' } },
        },
      },
      '/sandbox/health': {
        get: { summary: 'Answers while the sandbox runs.', responses: { 200: { description: 'Up' } } },
      },
    },
    components: {
      securitySchemes: { bearer: { type: 'http', scheme: 'bearer' } },
      schemas: {
        SubmitResponse: jsonSchema(SubmitResponse),
        TaskResponse: jsonSchema(TaskResponse),
        ErrorResponse: jsonSchema(ErrorResponse),
        Injection: jsonSchema(Injection),
        UnifiedRequest: { oneOf: SANDBOX_MODELS.map(unifiedRequest) },
        WorkflowRequest: { oneOf: SANDBOX_MODELS.map(workflowRequest) },
        ...Object.fromEntries(
          SANDBOX_MODELS.map((model): [string, Json] => [
            model.title,
            { description: priceInWords(model.price), ...jsonSchema(model.parameters) },
          ]),
        ),
      },
    },
  };
}

/**
 * The execute, submit and result routes of an address family: unified addresses, or addresses with a workflow's name.
 * Both families have the same responses.
 */
function family(prefix: string, request: string, idName: string, parameters: readonly Json[]): Json {
  const run = (summary: string, answer: string, errors: Json) => ({
    post: {
      summary,
      parameters: [...parameters, IDEMPOTENCY_KEY],
      requestBody: { required: true, content: jsonContent(request) },
      responses: responses(answer, errors),
    },
  });
  return {
    [`${prefix}/execute`]: run(EXECUTE, 'TaskResponse', EXECUTE_ERRORS),
    [`${prefix}/submit`]: run(SUBMIT, 'SubmitResponse', RUN_ERRORS),
    [`${prefix}/{${idName}}/result`]: {
      get: {
        summary: RESULT,
        parameters: [...parameters, pathParameter(idName)],
        responses: responses('TaskResponse', READ_ERRORS),
      },
    },
  };
}

const IDEMPOTENCY_KEY = {
  name: 'Idempotency-Key',
  in: 'header',
  description: 'Ignored unless the sandbox is started with an option to honour it.',
  schema: { type: 'string' },
};

function responses(answer: string, errors: Json): Json {
  const described = Object.entries(errors).map(([status, description]): [string, Json] => [
    status,
    { description, content: jsonContent('ErrorResponse') },
  ]);
  return { 200: { description: 'Success', content: jsonContent(answer) }, ...Object.fromEntries(described) };
}

function unifiedRequest({ id, title }: SandboxModel): Json {
  return objectOf({ params: objectOf({ model: { const: id }, params: reference(title) }) });
}

function workflowRequest({ id, parameters }: SandboxModel): Json {
  return jsonSchema(z.strictObject({ params: parameters.extend({ model: z.literal(id) }) }));
}

function objectOf(properties: Json): Json {
  return { type: 'object', properties, required: Object.keys(properties), additionalProperties: false };
}

/** In the JSON schema, fields with a default are optional. */
function jsonSchema(schema: z.ZodType): Json {
  return z.toJSONSchema(schema, { io: 'input' });
}

function jsonContent(component: string): Json {
  return { 'application/json': { schema: reference(component) } };
}

function reference(component: string): Json {
  return { $ref: `#/components/schemas/${component}` };
}

function pathParameter(name: string, schema: Json = {}): Json {
  return { name, in: 'path', required: true, schema: { type: 'string', ...schema } };
}
