import type { z } from 'zod';
import { RequestRefused, type ParameterProblem } from './request-refused';
import type { SandboxModel } from '../sandbox-models';

/** Longest value, in characters of its JSON, that a message shows in full. */
const SHOWN_CHARACTERS = 60;

type Issue = z.core.$ZodIssue;

/**
 * Checks a model's parameters and returns them with the model's defaults.
 *
 * @throws RequestRefused 400, which lists all problems.
 */
export function checkParameters(model: SandboxModel, given: unknown): Record<string, unknown> {
  const parsed = model.parameters.safeParse(given);
  if (parsed.success) return parsed.data;

  const problems = parsed.error.issues.flatMap((issue) => problemsOf(issue, model, given));
  const summary = problems.map(({ message }) => message).join('; ');
  throw new RequestRefused(400, 'invalid_parameters', `${model.id}: ${summary}.`, { problems });
}

function problemsOf(issue: Issue, model: SandboxModel, given: unknown): ParameterProblem[] {
  if (issue.code === 'unrecognized_keys') {
    const known = Object.keys(model.parameters.shape);
    return issue.keys.map((parameter) => ({ parameter, message: unknownParameter(parameter, known) }));
  }
  const parameter = issue.path.join('.');
  const found = valueAt(given, issue.path);
  const name = parameter === '' ? 'the parameters' : parameter;
  const message =
    found === undefined
      ? `${name} is missing, ${allowed(issue)} is needed`
      : `${name} is ${shown(found)}, allowed is ${allowed(issue)}`;
  return [{ parameter, message }];
}

function unknownParameter(parameter: string, known: readonly string[]): string {
  const sameName = known.find((name) => name.toLowerCase() === parameter.toLowerCase());
  return `there is no parameter ${parameter}, ${sameName ? `did you mean ${sameName}` : `known are ${known.join(', ')}`}`;
}

function allowed(issue: Issue): string {
  switch (issue.code) {
    case 'invalid_value':
      return `one of ${issue.values.map(String).join(', ')}`;
    case 'invalid_type':
      return issue.expected === 'int' ? 'a whole number' : `type ${issue.expected}`;
    case 'too_big':
      return issue.origin === 'string' ? `at most ${issue.maximum} characters` : `at most ${issue.maximum}`;
    case 'too_small':
      return issue.origin === 'string' ? `at least ${issue.minimum} characters` : `at least ${issue.minimum}`;
    default:
      return issue.message;
  }
}

function valueAt(given: unknown, path: readonly PropertyKey[]): unknown {
  return path.reduce<unknown>(
    (value, key) =>
      typeof value === 'object' && value !== null ? (value as Record<PropertyKey, unknown>)[key] : undefined,
    given,
  );
}

function shown(value: unknown): string {
  if (typeof value === 'string' && value.length > SHOWN_CHARACTERS) return `text of ${value.length} characters`;
  const text = JSON.stringify(value);
  return text.length > SHOWN_CHARACTERS ? `${text.slice(0, SHOWN_CHARACTERS)}…` : text;
}
