import { InvalidInput } from '../../../client';
import { checkedOptions } from '../../../client/programs/checked-options';

describe('the options that a program gives', () => {
  it('are refused if one is unknown, as a program in plain JavaScript can give', () => {
    const given = { parallel: 2, paralel: 3 };
    expect(() => checkedOptions(given)).toThrow(InvalidInput);
    expect(() => checkedOptions(given)).toThrow(/paralel.*Did you mean "parallel"/);
    expect(checkedOptions({ parallel: 2, priority: undefined })).toEqual({ parallel: 2 });
  });
});
