import { inspect } from 'node:util';

/** A string that no log, error or JSON shows. Only `reveal` returns it. */
export interface Secret {
  reveal(): string;
}

const SHOWN = '[secret]';

export function secret(value: string): Secret {
  return Object.defineProperties(
    { reveal: () => value },
    {
      toString: { value: () => SHOWN },
      toJSON: { value: () => SHOWN },
      [inspect.custom]: { value: () => SHOWN },
    },
  );
}
