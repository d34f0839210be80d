/** The gateway specification as data, transcribed from its text and from nothing else. */

export type ParameterType =
  | 'text'
  | 'boolean'
  | 'file'
  | 'file list'
  | { readonly oneOf: readonly (string | number)[] }
  | { readonly from: number; readonly to: number };

export interface SpecifiedParameter {
  readonly name: string;
  readonly type: ParameterType;
  readonly required?: true;
  readonly default?: string | number | boolean;
  readonly maxCharacters?: number;
  /** For each entry of the list. */
  readonly maxSeconds?: number;
}

export interface SpecifiedModel {
  readonly title: string;
  readonly id: string;
  readonly workflow: string;
  readonly parameters: readonly SpecifiedParameter[];
}

/** "Model ids and workflow names", "Parameters of alpha-video", "Parameters of beta-video", "Limits". */
export const MODELS: readonly SpecifiedModel[] = [
  {
    title: 'alpha-video',
    id: 'alpha-3.0-video',
    workflow: 'alpha/v3/video',
    parameters: [
      { name: 'prompt', type: 'text', maxCharacters: 5000 },
      { name: 'duration', type: { oneOf: [-1, 5, 10, 15, 30] }, default: 5 },
      { name: 'resolution', type: { oneOf: ['480P', '720P', '1080P'] }, default: '1080P' },
      {
        name: 'aspectRatio',
        type: { oneOf: ['16:9', '9:16', '1:1', '4:3', '3:4', 'adaptive'] },
        default: 'adaptive',
      },
      { name: 'generateAudio', type: 'boolean', default: true },
      { name: 'startFrame', type: 'file' },
      { name: 'endFrame', type: 'file' },
      { name: 'imageUrls', type: 'file list' },
      { name: 'videoUrls', type: 'file list' },
      { name: 'audioUrls', type: 'file list' },
      { name: 'enableThinking', type: 'boolean', default: false },
      { name: 'watermark', type: 'boolean', default: false },
      { name: 'seed', type: { from: 0, to: 2147483647 } },
    ],
  },
  {
    title: 'beta-video',
    id: 'beta-2.5',
    workflow: 'beta',
    parameters: [
      { name: 'prompt', type: 'text', required: true },
      {
        name: 'aspectRatio',
        type: { oneOf: ['16:9', '9:16', '1:1', '4:3', '3:4', '21:9', 'adaptive'] },
        default: '16:9',
      },
      { name: 'resolution', type: { oneOf: ['480p', '720p', '1080p'] }, default: '1080p' },
      { name: 'duration', type: { from: 4, to: 30 }, default: 5 },
      { name: 'generateAudio', type: 'boolean', default: true },
      { name: 'returnLastFrame', type: 'boolean', default: false },
      { name: 'outputFormat', type: { oneOf: ['mp4', 'mov'] }, default: 'mp4' },
      { name: 'colorDepth', type: { oneOf: ['10bit', '8bit'] }, default: '10bit' },
      { name: 'imageUrls', type: 'file list' },
      { name: 'videoUrls', type: 'file list', maxSeconds: 30 },
      { name: 'audioUrls', type: 'file list', maxSeconds: 30 },
      { name: 'startFrame', type: 'file' },
      { name: 'endFrame', type: 'file' },
    ],
  },
];

/** "Endpoints". */
export const ENDPOINTS = [
  { call: 'execute', family: 'unified', method: 'POST', path: '/workflows/v1/models/execute' },
  { call: 'submit', family: 'unified', method: 'POST', path: '/workflows/v1/models/submit' },
  { call: 'read', family: 'unified', method: 'GET', path: '/workflows/v1/models/{taskId}/result' },
  { call: 'execute', family: 'workflow', method: 'POST', path: '/workflows/{workflow}/execute' },
  { call: 'submit', family: 'workflow', method: 'POST', path: '/workflows/{workflow}/submit' },
  { call: 'read', family: 'workflow', method: 'GET', path: '/workflows/{workflow}/{id}/result' },
] as const;

/** "Response envelope": each path with its type; `[]` stands for any entry of a list. */
export const RESPONSE_FIELDS: Readonly<Record<string, string>> = {
  status: 'string',
  response: 'object',
  'response.id': 'string',
  'response.status': 'string',
  'response.result': 'object',
  'response.result.url': 'string',
  'response.result.items': 'array',
  'response.result.items[]': 'object',
  'response.result.items[].url': 'string',
  'response.result.model': 'string',
  'response.result.text': 'string',
  'response.usage': 'object',
  'response.usage.credits': 'number',
};

/** "The submit response carries only status and response.id." */
export const SUBMIT_FIELDS = ['status', 'response', 'response.id'];

/** "States and transitions". */
export const STATES = ['ACCEPTED', 'IN_PROGRESS', 'COMPLETED', 'FAILED'];

/** "Limits": about 20 seconds. */
export const EXECUTE_LIMIT_SECONDS = 20;

/** Values of a parameter that the specification allows, every one of an enumeration and both ends of a range. */
export function allowedValues({ type, maxCharacters }: SpecifiedParameter): readonly unknown[] {
  const address = 'https://files.example/a';
  if (type === 'text') return ['', 'a lighthouse', ...(maxCharacters === undefined ? [] : ['x'.repeat(maxCharacters)])];
  if (type === 'boolean') return [true, false];
  if (type === 'file') return [address];
  if (type === 'file list') return [[address], [address, `${address}2`]];
  if ('oneOf' in type) return type.oneOf;
  return [type.from, type.from + 1, type.to];
}

/** Values just outside of what is allowed, and of other types. */
export function forbiddenValues({ type, maxCharacters }: SpecifiedParameter): readonly unknown[] {
  if (type === 'text') return [7, ['x'], ...(maxCharacters === undefined ? [] : ['x'.repeat(maxCharacters + 1)])];
  if (type === 'boolean') return ['true', 1, 0];
  if (type === 'file') return [7, ['https://files.example/a']];
  if (type === 'file list') return ['https://files.example/a', [7]];
  if ('oneOf' in type) return type.oneOf.flatMap(neighbours).filter((value) => !type.oneOf.includes(value as string));
  return [type.from - 1, type.to + 1, type.from + 0.5, String(type.from)];
}

/** Values with a typing mistake: the other case, a number as text, one more or less. */
function neighbours(value: string | number): readonly unknown[] {
  if (typeof value === 'number') return [value - 1, value + 1, value + 0.5, String(value)];
  const otherCase = value === value.toUpperCase() ? value.toLowerCase() : value.toUpperCase();
  return [otherCase, `${value} `, value.slice(1)];
}
